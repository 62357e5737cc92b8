# What the core does for a tuning, the slow way: every cell and every fold is a fit
# of its own, and its test fold is predicted.

reference_tune <- function(data, labels, kernels, solvers, cells, control) {
  rows <- data$rows + 1L
  folds <- length(control$seed)
  machines <- length(labels$positive)
  outputs <- array(NA_real_, c(length(rows), machines, ncol(cells)))
  counts <- array(0, c(4, folds, ncol(cells)))
  state <- matrix(0L, folds, ncol(cells))
  message <- matrix("", folds, ncol(cells))
  for (cell in seq_len(ncol(cells))) for (fold in seq_len(folds)) {
    test <- which(labels$fold == fold - 1L)
    kernel <- reference_kernel(kernels[[cells[1, cell] + 1]])
    solver <- reference_solver(solvers[[cells[2, cell] + 1]])
    fit <- reference_fit(data, labels, kernel, solver, control, setdiff(seq_along(rows), test), control$seed[fold])
    if (is.character(fit)) {
      state[fold, cell] <- 3L
      message[fold, cell] <- fit
      next
    }
    x <- data$x[rows[test], , drop = FALSE]
    outputs[test, , cell] <- onlinesvm:::decision_values(fit, x, 1)
    counts[, fold, cell] <- c(fit$n_sv, fit$stats$kernel_evaluations, fit$stats$seconds, fit$stats$updates)
    state[fold, cell] <- if (isTRUE(all(fit$convergence$finished))) 1L else 2L
    if (is.null(fit$convergence)) state[fold, cell] <- 1L
  }
  list(
    outputs = outputs, counts = counts, state = state, message = message, interrupted = 0, shared = c(0, 0, 0)
  )
}

# Specs out of the numbers the core is told.
reference_kernel <- function(numbers) {
  switch(numbers[1] + 1,
    kernel_linear(),
    kernel_polynomial(degree = numbers[4], gamma = numbers[2], coef0 = numbers[3]),
    kernel_rbf(gamma = numbers[2]),
    kernel_sigmoid(gamma = numbers[2], coef0 = numbers[3])
  )
}

reference_solver <- function(told) {
  make <- get(paste0("solver_", told$name), envir = asNamespace("onlinesvm"))
  usual <- lapply(formals(make), eval)
  params <- Map(function(value, usual) {
    if (is.character(usual)) usual[value + 1] else if (is.logical(usual)) value != 0 else value
  }, as.list(told$params), usual[names(told$params)])
  do.call(make, params)
}

# `visits`: places in the common order of visits.
reference_fit <- function(data, labels, kernel, solver, control, visits, seed) {
  rows <- data$rows[visits] + 1L
  scaling <- if (!is.null(data$scale)) list(center = data$center, scale = data$scale)
  columns <- onlinesvm:::describe_columns(data$x)
  model <- list(
    levels = as.character(seq_len(max(labels$class) + 1)), solver = solver, kernel = kernel, scaling = scaling,
    multiclass = "ovr", machines = data.frame(positive = labels$positive + 1L, negative = labels$negative + 1L),
    n_features = ncol(data$x), sparse = inherits(data$x, "dgCMatrix"),
    extent = onlinesvm:::data_extent(columns, scaling), control = list(trace = FALSE)
  )
  task <- labels[c("class", "weight", "positive", "negative")]
  task$class <- task$class[visits]
  task$weight <- task$weight[visits]
  run <- list(
    name = solver$name, params = onlinesvm:::numeric_params(solver),
    epochs = if (is.null(solver$params$epochs)) 1 else solver$params$epochs,
    shuffle = isTRUE(solver$params$shuffle), seed = seed
  )
  result <- .Call(
    onlinesvm:::ffi_fit, onlinesvm:::core_data(data$x, scaling, rows = rows - 1L), NULL, task,
    onlinesvm:::numeric_kernel(kernel), run, c(control[c("cache_mb", "threads", "doubles", "level")])
  )
  if (is.character(result)) {
    return(result)
  }
  model <- onlinesvm:::take_coefficients(model, result, data$x, rows)
  model <- onlinesvm:::take_counts(model, result, 0)
  suppressWarnings(onlinesvm:::take_convergence(model, result))
}

# Another function in the package's place, until the caller returns.
local_internal <- function(name, value, frame = parent.frame()) {
  old <- get(name, envir = asNamespace("onlinesvm"))
  utils::assignInNamespace(name, value, "onlinesvm")
  back <- bquote(utils::assignInNamespace(.(name), quote(.(old)), "onlinesvm"))
  do.call(on.exit, list(back, add = TRUE), envir = frame)
}
