# A tuning without sharing: every grid point and every fold is a separate fit, and its test
# fold is predicted.

reference_tune <- function(data, labels, kernels, solvers, points, control) {
  rows <- data$rows + 1L
  folds <- length(control$seed)
  machines <- length(labels$positive)
  outputs <- array(NA_real_, c(length(rows), machines, ncol(points)))
  counts <- no_counts(folds * ncol(points))
  state <- matrix(0L, folds, ncol(points))
  message <- matrix("", folds, ncol(points))
  for (point in seq_len(ncol(points))) for (fold in seq_len(folds)) {
    test <- which(labels$fold == fold - 1L)
    kernel <- reference_kernel(kernels[[points[1, point] + 1]])
    solver <- reference_solver(solvers[[points[2, point] + 1]])
    fit <- reference_fit(data, labels, kernel, solver, control, setdiff(seq_along(rows), test), control$seed[fold])
    if (is.character(fit)) {
      state[fold, point] <- 3L
      message[fold, point] <- fit
      next
    }
    x <- data$x[rows[test], , drop = FALSE]
    outputs[test, , point] <- onlinesvm:::decision_values(fit, x, 1)
    counts[, (point - 1) * folds + fold] <- c(
      fit$n_sv, fit$stats$kernel_evaluations, fit$stats$seconds, fit$stats$updates
    )
    state[fold, point] <- if (isFALSE(all(fit$convergence$finished))) 2L else 1L
  }
  list(
    outputs = outputs, counts = counts, state = state, message = message, interrupted = 0, shared = no_sharing
  )
}

no_counts <- function(runs) {
  matrix(0, 4, runs, dimnames = list(c("support", "evaluations", "seconds", "updates"), NULL))
}

no_sharing <- c(evaluations = 0, seconds = 0, bytes = 0)

# Specs from the numbers that are passed to the core.
reference_kernel <- function(given) {
  do.call(get(paste0("kernel_", given$name), envir = asNamespace("onlinesvm")), as.list(given$params))
}

reference_solver <- function(given) {
  make <- get(paste0("solver_", given$name), envir = asNamespace("onlinesvm"))
  default <- lapply(formals(make), eval)
  params <- Map(function(value, default) {
    if (is.character(default)) default[value + 1] else if (is.logical(default)) value != 0 else value
  }, as.list(given$params), default[names(given$params)])
  do.call(make, params)
}

# `visits`: indices into the common order of visits.
reference_fit <- function(data, labels, kernel, solver, control, visits, seed) {
  rows <- data$rows[visits] + 1L
  transform <- list(kind = "none", scaling = NULL)
  if (!is.null(data$scale)) transform <- list(kind = "scaling", scaling = list(center = data$center, scale = data$scale))
  columns <- onlinesvm:::describe_columns(data$x)
  model <- list(
    outcome = "classes", levels = as.character(seq_len(max(labels$class) + 1)), solver = solver, kernel = kernel,
    transform = transform,
    multiclass = "ovr", machines = data.frame(positive = labels$positive + 1L, negative = labels$negative + 1L),
    n_features = ncol(data$x), sparse = inherits(data$x, "dgCMatrix"),
    extent = onlinesvm:::data_extent(columns, transform), control = list(trace = FALSE)
  )
  task <- labels[c("class", "weight", "positive", "negative")]
  task$class <- task$class[visits]
  task$weight <- task$weight[visits]
  run <- c(onlinesvm:::core_solver(solver), list(seed = seed, path = FALSE))
  result <- .Call(
    onlinesvm:::ffi_fit, onlinesvm:::core_data(data$x, transform, rows = rows - 1L), NULL, task,
    onlinesvm:::core_kernel(kernel), run, c(control[c("cache_mb", "threads", "doubles", "level")])
  )
  if (is.character(result)) {
    return(result)
  }
  model <- onlinesvm:::read_model(model, result, data$x, rows)
  model <- onlinesvm:::read_counts(model, result, 0)
  suppressWarnings(onlinesvm:::read_convergence(model, result, FALSE))
}

# Replaces a function of the package until the caller returns.
local_internal <- function(name, value, frame = parent.frame()) {
  old <- get(name, envir = asNamespace("onlinesvm"))
  utils::assignInNamespace(name, value, "onlinesvm")
  back <- bquote(utils::assignInNamespace(.(name), quote(.(old)), "onlinesvm"))
  do.call(on.exit, list(back, add = TRUE, after = FALSE), envir = frame)
}
