# Differential tests: two ways to one model. A relation takes a problem and specs, and returns TRUE or a sentence on the
# difference. All in double precision: in single precision rounding may decide a comparison, and the steps after it.

relations <- list(
  sparse = function(x, y, solver, kernel) {
    other <- methods::as(x, "CsparseMatrix")
    # By default sparse data have another one with a linear kernel.
    fit <- function(x) seeded_fit(x, y, solver, kernel, multiclass = "ovo")
    dense <- fit(x)
    same_values(values(dense, x), values(fit(other), other), values(dense, other))
  },
  integer = function(x, y, solver, kernel) {
    x <- round(3 * x)
    whole <- x
    storage.mode(whole) <- "integer"
    same_values(values(seeded_fit(x, y, solver, kernel), x), values(seeded_fit(whole, y, solver, kernel), whole),
      tolerance = 0)
  },
  threads = function(x, y, solver, kernel) {
    one <- seeded_fit(x, y, solver, kernel, threads = 1)
    two <- seeded_fit(x, y, solver, kernel, threads = 2)
    same_values(values(one, x, threads = 1), values(two, x, threads = 1), values(one, x, threads = 2), tolerance = 0)
  },
  frame = function(x, y, solver, kernel) {
    frame <- data.frame(x, y = y)
    set.seed(1)
    other <- osvm(y ~ ., frame, solver = solver, kernel = kernel, scale = FALSE, verbose = FALSE)
    same_values(values(seeded_fit(x, y, solver, kernel), x), values(other, frame), tolerance = 0)
  },
  saved = function(x, y, solver, kernel) {
    fit <- seeded_fit(x, y, solver, kernel)
    back <- unserialize(serialize(fit, NULL))
    more <- lapply(list(fit, back), function(model) {
      set.seed(2)
      values(update(model, x, y), x)
    })
    c(same_values(values(fit, x), values(back, x), tolerance = 0), same_values(more[[1]], more[[2]], tolerance = 0))
  },
  live = function(x, y, solver, kernel) {
    half <- seq_len(nrow(x) %/% 2)
    fit <- seeded_fit(x[half, , drop = FALSE], y[half], solver, kernel)
    live <- osvm_live(fit)
    for (i in seq_len(nrow(x))[-half]) {
      set.seed(i)
      fit <- update(fit, x[i, , drop = FALSE], y[i])
      set.seed(i)
      update(live, x[i, , drop = FALSE], y[i])
    }
    same_values(values(fit, x), values(snapshot(live), x), tolerance = 0)
  },
  # As the help page of update() promises it.
  chunks = function(x, y, solver, kernel) {
    solver <- one_pass(solver)
    whole <- seeded_fit(x, y, solver, kernel)
    half <- seq_len(nrow(x) %/% 2)
    grown <- seeded_fit(x[half, , drop = FALSE], y[half], solver, kernel)
    for (i in seq_len(nrow(x))[-half]) grown <- update(grown, x[i, , drop = FALSE], y[i])
    same_values(values(whole, x), values(grown, x))
  },
  # Columns go by name, in predict(), update() and the chunks of a stream.
  permuted = function(x, y, solver, kernel) {
    colnames(x) <- letters[seq_len(ncol(x))]
    other <- function(x) x[, sample.int(ncol(x)), drop = FALSE]
    fit <- seeded_fit(x, y, solver, kernel)
    grow <- function(x) {
      set.seed(2)
      values(update(fit, x, y), x)
    }
    moved <- other(x)
    out <- c(same_values(values(fit, x), values(fit, moved), tolerance = 0),
      same_values(grow(x), grow(moved), tolerance = 0))
    if (!solver$name %in% onlinesvm::solvers()$name[onlinesvm::solvers()$online]) {
      return(out)
    }
    parts <- random_parts(nrow(x))
    stream <- function(turn) {
      chunks <- lapply(parts, function(rows) list(x = turn(x[rows, , drop = FALSE]), y = y[rows]))
      chunks[[1]]$x <- chunks[[1]]$x[, colnames(x), drop = FALSE] # sums have the order of the first chunk
      values(stream_parts(chunks, solver, kernel)$fit, x)
    }
    c(out, same_values(stream(identity), stream(other), tolerance = 0))
  },
  # A stream in chunks of any sizes is one pass, for solvers that visit every example once, in order.
  stream = function(x, y, solver, kernel) {
    solver <- one_pass(solver)
    run <- function(parts) {
      stream_parts(lapply(parts, function(rows) list(x = x[rows, , drop = FALSE], y = y[rows])), solver, kernel,
        levels = levels(y), metrics = c("accuracy", "kappa"))
    }
    whole <- run(list(seq_along(y)))
    cut <- run(random_parts(nrow(x)))
    c(same_values(values(whole$fit, x), values(cut$fit, x)), identical(whole$rows, cut$rows))
  },
  # A fit that is stopped has learned the first rows, and goes on with the others; so do live models, and their updates.
  stopped_fit = function(x, y, solver, kernel) {
    solver <- one_pass(solver)
    fit <- function(rows) seeded_fit(x[rows, , drop = FALSE], y[rows], solver, kernel)
    whole <- values(fit(seq_along(y)), x)
    grown <- stopped(seeded_fit(x, y, solver, kernel), random_poll(nrow(x)))
    if (is.null(grown)) return(TRUE)
    live <- osvm_live(grown)
    for (k in seq_len(nrow(x) + 1)) {
      rows <- seq_along(y)[-seq_len(snapshot(live)$n_seen)]
      if (length(rows) == 0) break
      set.seed(k)
      stopped(update(live, x[rows, , drop = FALSE], y[rows]), random_poll(2 * length(rows)))
    }
    c(same_values(whole, values(live, x)), same_values(values(live, x), values(snapshot(live), x), tolerance = 0))
  },
  # A stream that is stopped and resumed from its checkpoint is the stream that was not.
  stopped_stream = function(x, y, solver, kernel) {
    solver <- one_pass(solver)
    parts <- random_parts(nrow(x))
    file <- tempfile(fileext = ".rds")
    on.exit(unlink(file))
    run <- function(...) {
      set.seed(1)
      osvm_stream(source_matrix(x, y), solver, kernel, chunk = 7, scale = FALSE, verbose = FALSE, levels = levels(y),
        ...)
    }
    whole <- run()
    there <- stopped(run(checkpoint = file, every_chunks = 1), random_poll(nrow(x)))
    if (!file.exists(file)) return(TRUE)
    there <- run(resume = file)
    c(same_values(values(whole$fit, x), values(there$fit, x)), identical(whole$rows, there$rows))
  },
  # The grid points that are done are those of the whole tuning.
  stopped_tune = function(x, y, solver, kernel) {
    tune <- function() {
      set.seed(1)
      osvm_tune(x, y, solver, kernel, folds = 2, scale = FALSE, refit = FALSE, progress = FALSE,
        grid = data.frame(gamma = c(0.3, 2, 5)))
    }
    whole <- tune()
    part <- stopped(tune(), random_poll(20))
    if (is.null(part)) return(TRUE)
    at <- match(part$results$gamma, whole$results$gamma)
    same_values(whole$results$error[at], part$results$error, tolerance = 0)
  },
  # Labels are names of classes, whatever their type.
  labels = function(x, y, solver, kernel) {
    codes <- as.integer(y)
    types <- list(as.character(y), codes, codes + 0, if (nlevels(y) == 2) codes == 2)
    all <- lapply(Filter(Negate(is.null), types), function(y) seeded_fit(x, y, solver, kernel))
    do.call(same_values, c(lapply(c(list(seeded_fit(x, y, solver, kernel)), all), values, x), tolerance = 0))
  },
  # Files: in blocks and chunks of any sizes, and as R reads them.
  csv = function(x, y, solver, kernel) csv_two_ways(length(y)),
  # A tuning's scores are those of separate fits.
  tune = function(x, y, solver, kernel) {
    set.seed(1)
    tuned <- osvm_tune(x, y, solver, kernel, folds = 2, scale = FALSE, refit = FALSE, progress = FALSE,
      grid = data.frame(gamma = c(0.3, 2)))
    if ("shuffle" %in% names(solver$params)) solver$params$shuffle <- FALSE
    separate <- sapply(tuned$folds, function(fold) {
      sapply(tuned$results$gamma, function(gamma) {
        set.seed(fold$seed)
        fit <- osvm(x[fold$train, , drop = FALSE], y[fold$train], solver, kernel_rbf(gamma), scale = FALSE,
          verbose = FALSE)
        mean(predict(fit, x[fold$test, , drop = FALSE]) != y[fold$test])
      })
    })
    same_values(as.vector(tuned$scores), as.vector(separate), tolerance = 1e-12)
  },
  # SMO reaches the optimum that e1071 reaches.
  optimum = function(x, y, solver, kernel, C = solver$params$C, gamma = kernel$params$gamma) {
    fit <- seeded_fit(x, y, solver_smo(C = C, tolerance = 1e-6), kernel)
    other <- e1071::svm(x, y, scale = FALSE, kernel = "radial", gamma = gamma, cost = C, tolerance = 1e-6)
    same_values(dual(fit$sv, fit$coef, gamma), dual(other$SV, other$coefs, gamma), tolerance = 1e-4)
  },
  # Below rounding, SMO stalls at that optimum, dense and sparse.
  strict = function(x, y, solver, kernel, C = solver$params$C, gamma = kernel$params$gamma) {
    value <- function(x, tolerance) {
      fit <- seeded_fit(x, y, solver_smo(C = C, tolerance = tolerance), kernel)
      dual(fit$sv, fit$coef, gamma)
    }
    same_values(value(x, 1e-7), value(x, 1e-14), value(methods::as(x, "CsparseMatrix"), 1e-14), tolerance = 1e-6)
  },
  # IDSVM is exact: its optimum is SMO's.
  exact = function(x, y, solver, kernel, C = solver$params$C, gamma = kernel$params$gamma) {
    exact <- list(solver_smo(C = C, tolerance = 1e-6), solver_idsvm(C = C))
    fits <- lapply(exact, function(solver) seeded_fit(x, y, solver, kernel))
    same_values(dual(fits[[1]]$sv, fits[[1]]$coef, gamma), dual(fits[[2]]$sv, fits[[2]]$coef, gamma), tolerance = 1e-4)
  }
)

relation <- function(name, ...) {
  old <- get("data_extent", envir = asNamespace("onlinesvm"))
  on.exit(utils::assignInNamespace("data_extent", old, "onlinesvm"))
  utils::assignInNamespace("data_extent", function(...) replace(old(...), "far", TRUE), "onlinesvm")
  suppressWarnings(relations[[name]](...))
}

# The value of code whose polls from `first` to `last` are answered as by Ctrl-C or a limit of time; NULL without one.
stopped <- function(code, first, last = if (stats::runif(1) < 0.5) first else Inf) {
  stop_at <- function(...) .Call(get("ffi_stop_at", envir = asNamespace("onlinesvm")), ...)
  stop_at(first, last)
  on.exit(stop_at(Inf, Inf))
  tryCatch(code, interrupt = function(i) NULL)
}

random_poll <- function(most) ceiling(exp(stats::runif(1, 0, log(most))))

one_pass <- function(solver) {
  params <- list(epochs = 1, shuffle = FALSE, finish = FALSE, selection = "random", start = 1)
  known <- intersect(names(params), names(solver$params))
  solver$params[known] <- params[known]
  solver
}

# Rows 1 to n in parts of random sizes, the first of half of them.
random_parts <- function(n) {
  first <- n %/% 2
  unname(split(seq_len(n), cumsum(seq_len(n) == 1 | seq_len(n) > first & stats::runif(n) < stats::runif(1))))
}

stream_parts <- function(parts, solver, kernel, ...) {
  force(parts)
  k <- 0
  source <- source_function(function(n) {
    k <<- k + 1
    if (k <= length(parts)) parts[[k]]
  })
  set.seed(1)
  osvm_stream(source, solver, kernel, chunk = 1e6, scale = FALSE, verbose = FALSE, ...)
}

# Columns of one kind of text each.
csv_fields <- list(
  numbers = c("1", "-2.5e3", " 7 ", "0x1F", "1e400", "18446744073709551616", "", "NA", "\"4.5\"", "1e-320"),
  text = c("a", "\"b,c\"", "\"say \"\"so\"\"\"", " f ", "NA", "\"two\nlines\"", "caf\u00e9", "T", "07"),
  flags = c("TRUE", "FALSE", "true", "false", "NA", ""),
  dates = c("2024-02-29", "1999-12-31", "NA"),
  times = c("2024-02-29 23:59:59", "2024-02-29", "2024-02-29T12:30", "NA")
)

csv_two_ways <- function(n) {
  kinds <- sample(names(csv_fields), 4, replace = TRUE)
  columns <- lapply(kinds, function(kind) c(csv_fields[[kind]], sample(csv_fields[[kind]], n, replace = TRUE)))
  rows <- max(lengths(columns))
  columns <- lapply(columns, rep_len, rows)
  names(columns) <- paste0(kinds, seq_along(kinds))
  lines <- c(paste(names(columns), collapse = ","), do.call(paste, c(columns, sep = ",")))
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  con <- file(file, "wb")
  writeLines(enc2utf8(lines), con, sep = sample(c("\n", "\r\n", "\r"), 1), useBytes = TRUE)
  close(con)
  read <- function(block, chunk, types = NULL) {
    source <- source_csv(file, types = types)
    source$block <- block
    reader <- onlinesvm:::open_source(source)
    on.exit(reader$close())
    parts <- list()
    while (!is.null(part <- reader$read(chunk))) parts[[length(parts) + 1]] <- part$x
    as.data.frame(do.call(rbind, parts))
  }
  whole <- read(2^20, 1e6)
  as_read <- vapply(kinds, switch, "", numbers = "numeric", text = "character", flags = "logical", dates = "Date",
    times = "POSIXct")
  cut <- read(sample(20:200, 1), sample(1:9, 1), stats::setNames(as_read, names(columns)))
  text <- utils::read.csv(file, colClasses = "character", na.strings = c("NA", ""), strip.white = TRUE,
    encoding = "UTF-8", check.names = FALSE)
  numbers <- utils::read.csv(file, na.strings = c("NA", ""), strip.white = TRUE, check.names = FALSE)
  at <- list(numbers = kinds == "numbers", text = kinds == "text")
  c(
    isTRUE(all.equal(whole, cut, check.attributes = FALSE)),
    isTRUE(all.equal(unname(as.list(whole[at$text])), unname(as.list(text[at$text])))),
    isTRUE(all.equal(unname(as.list(whole[at$numbers])), unname(lapply(numbers[at$numbers], as.double))))
  )
}

seeded_fit <- function(x, y, solver, kernel, ...) {
  set.seed(1)
  osvm(x, y, solver, kernel, ..., scale = FALSE, verbose = FALSE)
}

values <- function(fit, x, ...) unname(predict(fit, x, type = "decision", ...))

# The dual objective, sum of alpha_i - 1/2 sum of a_i a_j k_ij, with signed coefficients a.
dual <- function(sv, a, gamma) {
  k <- exp(-gamma * as.matrix(stats::dist(as.matrix(sv)))^2)
  a <- as.vector(a)
  sum(abs(a)) - sum(a * (k %*% a)) / 2
}

same_values <- function(a, ..., tolerance = 1e-5) {
  off <- max(0, vapply(list(...), function(b) max(abs(a - b)) / max(1, abs(a)), 0))
  if (is.na(off) || off > tolerance) sprintf("relative difference %g", off) else TRUE
}

# A case for one of them, on data without ties.
relation_case <- function() {
  name <- pick(names(relations))
  one <- name %in% c("optimum", "exact", "strict")
  two <- one || chance(0.5)
  all <- solvers()
  usable <- switch(name,
    optimum = , exact = , strict = all$name == "smo",
    chunks = , live = , stream = , stopped_fit = , stopped_stream = all$online,
    tune = , stopped_tune = all$space != "linear", TRUE
  )
  solver <- pick(all$name[usable])
  params <- list(C = pick(c("0.1", "1", "10")), epochs = pick(c("1", "2")), tolerance = "1e-7")
  params <- params[intersect(names(params), names(formals(getExportedValue("onlinesvm", paste0("solver_", solver)))))]
  linear <- all$space[all$name == solver] == "linear"
  rbf <- one || name %in% c("tune", "stopped_tune")
  kernel <- if (linear) "kernel_linear()" else if (rbf) "kernel_rbf(gamma = 0.5)" else pick(relation_kernels)
  setup <- c(
    sprintf("set.seed(%d)", sample.int(1e6, 1)),
    sprintf("y <- factor(letters[rep_len(seq_len(%d), %d)])", if (two) 2 else 3, pick(c(20, 30, 45))),
    sprintf("x <- matrix(rnorm(%1$d * length(y)), ncol = %1$d) + 0.7 * as.integer(y)", pick(c(1, 2, 4)))
  )
  call <- sprintf("relation(\"%s\", x, y, solver_%s(%s), %s)", name, solver, paste(names(params), "=", params,
    collapse = ", "), kernel)
  list(target = paste(name, solver), mode = "relation", setup = setup, call = call)
}

relation_kernels <- c("kernel_linear()", "kernel_rbf(gamma = 0.5)",
  "kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1)")
