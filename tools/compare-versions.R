# Two installed versions of the package, number for number:
#   Rscript tools/compare-versions.R OLD_LIBRARY NEW_LIBRARY
# Each version computes, in a process of its own, models of all solvers, kernels, kinds of data and values of parameters,
# their updates, removals and tunings. What users read of them (not names of internal fields, not seconds) is compared.
# A line per group of cases that differ; exit status 1 if there is one.
arguments <- commandArgs(TRUE)

# ---- One version: all cases, as a list by name ----

# Values tried for each parameter beside its default; choices come from the constructor's signature, flags are flipped.
others <- list(
  C = c(0.05, 20), epochs = c(1, 3), tolerance = c(1e-2, 1e-6), lambda = 1e-2, rate = 0.1, batch = c(2, 7),
  keep = 20, min_gain = 1e-3, max_iter = 50
)

variants <- function(make) {
  signature <- formals(make)
  cases <- list(default = list())
  for (name in setdiff(names(signature), "...")) {
    default <- eval(signature[[name]])
    values <- if (is.character(default)) default[-1] else if (is.logical(default)) !default else others[[name]]
    if (name == "start") values <- default * 2
    for (value in values) cases[[paste(name, value)]] <- stats::setNames(list(value), name)
  }
  cases
}

make_data <- function() {
  set.seed(20)
  n <- 160
  dense <- matrix(stats::rnorm(n * 4), n)
  wide <- matrix(stats::rnorm(n * 40), n) # blocks of wide data use products and norms
  sparse <- Matrix::rsparsematrix(n, 60, 0.08, rand.x = stats::rnorm)
  label <- function(x, classes) {
    score <- as.numeric(x[, 1] * x[, 2] + x[, 3] + stats::rnorm(n) / 4)
    factor(cut(score, c(-Inf, stats::quantile(score, seq_len(classes - 1) / classes), Inf), letters[seq_len(classes)]))
  }
  sets <- list()
  for (name in c("dense", "wide", "sparse")) {
    x <- get(name)
    colnames(x) <- paste0("x", seq_len(ncol(x)))
    for (classes in 2:3) sets[[paste(name, classes)]] <- list(x = x, y = label(x, classes))
  }
  sets[["wide 3"]] <- NULL
  sets[["integer 2"]] <- list(x = matrix(sample.int(9L, n * 5, TRUE), n), y = label(dense, 2))
  c(sets, list(weights = stats::runif(n, 0.2, 2)))
}

# Errors and warnings are results as well.
attempt <- function(code, seed) {
  said <- character()
  set.seed(seed)
  value <- withCallingHandlers(
    tryCatch(code, error = function(e) list(error = conditionMessage(e))),
    warning = function(w) {
      said <<- c(said, conditionMessage(w))
      invokeRestart("muffleWarning")
    },
    message = function(m) invokeRestart("muffleMessage")
  )
  list(value = value, warnings = said, random = stats::runif(1)) # the stream of random numbers is where it was
}

read_fit <- function(result, x) {
  fit <- result$value
  if (!is.null(fit$error)) {
    return(c(fit, result[-1]))
  }
  stable <- setdiff(names(fit$stats), "seconds")
  list(
    decision = unname(predict(fit, x, type = "decision")), class = predict(fit, x), coef = unname(fit$coef),
    sv = if (!is.null(fit$sv)) unname(as.matrix(fit$sv)), weights = try_coef(fit), intercept = unname(fit$intercept),
    n_sv = fit$n_sv, id = fit$id, convergence = fit$convergence, counts = unlist(fit$stats[stable]),
    trace = fit$trace[setdiff(names(fit$trace), "seconds")], kernel = fit$kernel$params, slope = fit$prob_slope,
    warnings = result$warnings, random = result$random
  )
}

try_coef <- function(fit) tryCatch(unname(stats::coef(fit)), error = function(e) NULL)

# One case is a fit, its continuation and its reduction, on the given data.
cases_of_fit <- function(name, set, solver, kernel, ..., continue = TRUE) {
  x <- set$x
  half <- seq_len(nrow(x)) <= nrow(x) / 2
  results <- list()
  whole <- attempt(onlinesvm::osvm(x, set$y, solver, kernel, verbose = FALSE, threads = 1, ...), 1)
  results[[paste("fit:", name)]] <- read_fit(whole, x)
  if (!continue || !is.null(whole$value$error)) {
    return(results)
  }
  grown <- attempt({
    fit <- onlinesvm::osvm(x[half, ], set$y[half], solver, kernel, verbose = FALSE, threads = 1)
    for (part in split(which(!half), rep_len(1:2, sum(!half)))) {
      fit <- update(fit, x[part, ], set$y[part], weights = rep(1.5, length(part)))
    }
    fit
  }, 2)
  results[[paste("update:", name)]] <- read_fit(grown, x)
  if (isTRUE(subset(onlinesvm::solvers(), name == solver$name)$forgets)) {
    results[[paste("forget:", name)]] <- read_fit(attempt(onlinesvm::forget(grown$value, c(3:9, 100)), 3), x)
    loo <- attempt(onlinesvm::loo(whole$value), 4)
    results[[paste("loo:", name)]] <- list(loo = loo$value[c("error", "decision", "predicted")])
  }
  results
}

cases_of_solver <- function(name, sets, kernels) {
  make <- getExportedValue("onlinesvm", paste0("solver_", name))
  tried <- variants(make)
  results <- list()
  add <- function(...) results <<- c(results, cases_of_fit(...))
  for (data in setdiff(names(sets), "weights")) {
    set <- sets[[data]]
    for (kernel in names(kernels)) {
      label <- paste(name, data, kernel, sep = ", ")
      add(label, set, make(), kernels[[kernel]])
      if (nlevels(set$y) > 2) {
        add(paste0(label, ", ovo"), set, make(), kernels[[kernel]], multiclass = "ovo", continue = FALSE)
      }
    }
    for (level in 0:2) {
      options(onlinesvm.simd_level = level)
      add(paste(name, data, "linear, simd", level), set, make(), kernels$linear, continue = FALSE)
      add(paste(name, data, "rbf, simd", level), set, make(), kernels$rbf, continue = FALSE)
    }
    options(onlinesvm.simd_level = NULL)
    usable <- if (name %in% c("sgd", "pegasos")) "linear" else c("linear", "rbf")
    if (!data %in% c("dense 2", "sparse 3")) next
    for (kernel in usable) {
      label <- paste(name, data, kernel, sep = ", ")
      add(paste0(label, ", weights"), set, make(), kernels[[kernel]], weights = sets$weights, continue = FALSE)
      add(paste0(label, ", balanced"), set, make(), kernels[[kernel]], class_weights = "balanced", continue = FALSE)
      add(paste0(label, ", unscaled"), set, make(), kernels[[kernel]], scale = FALSE, continue = FALSE)
      add(paste0(label, ", probability"), set, make(), kernels[[kernel]], probability = TRUE, continue = FALSE)
      add(paste0(label, ", small cache"), set, make(), kernels[[kernel]], cache_mb = 0.05, continue = FALSE)
      for (case in names(tried)[-1]) {
        add(paste(label, case, sep = ", "), set, do.call(make, tried[[case]]), kernels[[kernel]])
      }
    }
  }
  results
}

# Grids over the parameters a solver has among these.
grids <- list(C = c(0.1, 1, 10), epochs = 1:3, lambda = c(1e-3, 1e-2), rate = c(0.01, 0.1), average = c(TRUE, FALSE))

read_tuning <- function(tuned, x) {
  if (!inherits(tuned, "osvm_tuning")) {
    return(tuned)
  }
  timed <- "seconds"
  list(
    results = as.list(tuned$results[setdiff(names(tuned$results), timed)]),
    best = as.list(tuned$best[setdiff(names(tuned$best), timed)]), scores = unname(tuned$scores),
    evaluations = tuned$stats$kernel_evaluations, folds = tuned$folds,
    decision = if (!is.null(tuned$fit)) unname(predict(tuned$fit, x, type = "decision"))
  )
}

cases_of_tuning <- function(name, sets) {
  make <- getExportedValue("onlinesvm", paste0("solver_", name))
  values <- grids[intersect(names(grids), names(formals(make)))]
  results <- list()
  for (data in c("dense 2", "sparse 3", "wide 2")) {
    for (kernel in list(onlinesvm::kernel_rbf(gamma = c(0.1, 0.5)), onlinesvm::kernel_linear())) {
      for (refit in c(FALSE, TRUE)) {
        case <- paste("tune:", name, data, kernel$name, if (refit) "refit")
        set <- sets[[data]]
        tuned <- attempt(onlinesvm::osvm_tune(
          set$x, set$y, do.call(make, values), kernel, folds = 3, progress = FALSE, threads = 1, refit = refit,
          weights = if (refit) sets$weights
        ), 5)
        results[[case]] <- c(read_tuning(tuned$value, set$x), tuned[-1])
      }
    }
  }
  results
}

# Large enough for shrinking and for rows that leave the cache.
cases_of_size <- function() {
  set.seed(6)
  board <- onlinesvm::chessboard(2000)
  sparse <- list(x = Matrix::rsparsematrix(1000, 300, 0.05), y = factor(sample(c("a", "b"), 1000, TRUE)))
  results <- list()
  for (C in c(1, 100)) {
    for (name in c("smo", "lasvm", "olsvm", "pegaz", "norma")) {
      solver <- getExportedValue("onlinesvm", paste0("solver_", name))(C = C)
      for (cache in c(1, 256)) {
        label <- paste(name, "C", C, "cache", cache)
        results <- c(results, cases_of_fit(
          paste("board", label), board, solver, onlinesvm::kernel_rbf(gamma = 2), cache_mb = cache, continue = FALSE
        ), cases_of_fit(paste("sparse", label), sparse, solver, NULL, cache_mb = cache, continue = FALSE))
      }
    }
  }
  results
}

compute <- function(file) {
  sets <- make_data()
  kernels <- list(
    linear = onlinesvm::kernel_linear(), rbf = onlinesvm::kernel_rbf(), narrow = onlinesvm::kernel_rbf(gamma = 2),
    polynomial = onlinesvm::kernel_polynomial(degree = 2, coef0 = 1), sigmoid = onlinesvm::kernel_sigmoid(gamma = 0.01)
  )
  names <- onlinesvm::solvers()$name
  results <- list()
  for (name in names) {
    results <- c(results, cases_of_solver(name, sets, kernels), cases_of_tuning(name, sets))
    message(sprintf("%s: %s done, %d cases", basename(file), name, length(results)))
    saveRDS(results, file)
  }
  saveRDS(c(results, cases_of_size()), file)
}

# ---- Both versions, compared ----

# The largest difference of two results, relative to the largest value; Inf where they cannot be subtracted.
difference <- function(old, new) {
  if (identical(old, new)) {
    return(0)
  }
  if (is.list(old) && is.list(new) && setequal(names(old), names(new))) {
    return(max(0, mapply(difference, as.list(old), as.list(new)[names(old)])))
  }
  if (!is.numeric(old) || !is.numeric(new) || length(old) != length(new) || !identical(is.na(old), is.na(new))) {
    return(Inf)
  }
  apart <- abs(as.vector(old) - as.vector(new))
  apart <- max(0, apart[is.finite(apart)], if (!identical(is.finite(old), is.finite(new))) Inf)
  if (apart == 0) 0 else apart / max(abs(old[is.finite(old)]))
}

compare <- function(old, new) {
  cases <- union(names(old), names(new))
  rows <- lapply(cases, function(case) {
    fields <- union(names(old[[case]]), names(new[[case]]))
    apart <- vapply(fields, function(field) difference(old[[case]][[field]], new[[case]][[field]]), 0)
    if (any(apart > 0)) data.frame(case, field = fields[apart > 0], apart = apart[apart > 0])
  })
  cat(length(cases), "cases,", sum(vapply(rows, is.null, NA)), "of them identical\n")
  rows <- do.call(rbind, rows)
  if (!is.null(rows)) {
    rows$group <- sub("^(\\w+: *(board|sparse C)? *\\w+).*", "\\1", rows$case)
    groups <- split(rows, paste(rows$group, rows$field, sep = " | "))
    for (name in names(groups)) {
      part <- groups[[name]]
      cat(sprintf("%-40s %4d cases, at most %.3g, as in: %s\n", name, nrow(part), max(part$apart),
                  part$case[which.max(part$apart)]))
    }
  }
  is.null(rows)
}

if (identical(arguments[1], "--compute")) {
  compute(arguments[2])
} else {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  files <- file.path(tempdir(), c("old.rds", "new.rds"))
  for (k in 1:2) {
    env <- paste0("R_LIBS=", shQuote(normalizePath(arguments[k])))
    if (system2("Rscript", c(shQuote(script), "--compute", files[k]), env = env) != 0) stop(arguments[k], " failed")
  }
  quit(status = !compare(readRDS(files[1]), readRDS(files[2])))
}
