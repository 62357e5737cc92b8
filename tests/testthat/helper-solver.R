# A fit against the plain-R list run over the same steps, on data without ties.

board <- function(n = 60, seed = 5, noise = 0.1) {
  set.seed(seed)
  data <- chessboard(n, size = 2, noise = noise)
  data$sign <- c(-1, 1)[data$y]
  data$weights <- rep_len(c(1, 0.5, 2), n)
  data
}

# Data less the examples with ties, and the list's result on it. `steps(n)`: the sequence of visits.
ref_without_ties <- function(data, solver, kernel, weighted = FALSE,
                             steps = function(n) rep(seq_len(n), solver$params$epochs),
                             scaled = function(data) data$x) {
  without_ties(data, function(data) {
    n <- length(data$y)
    ref_train(solver, kernel, scaled(data), data$sign, steps(n), if (weighted) data$weights else rep(1, n))
  })
}

fit_unscaled <- function(data, solver, kernel, weighted = FALSE, ...) {
  weights <- if (weighted) data$weights
  osvm(data$x, data$y, solver, kernel, scale = FALSE, weights = weights, ..., verbose = FALSE)
}

expect_list <- function(fit, data, ref, tolerance = 1e-5) {
  if (is.null(fit$sv)) {
    expect_close(fit$coef, crossprod(data$x, ref$coef), tolerance)
  } else {
    expect_close(spread_coef(fit, data$x), ref$coef, tolerance)
    # In Pegaz and OL SVM a coefficient is exactly zero until its first violation.
    expect_lte(fit$n_sv, length(data$y))
  }
  expect_lte(abs(fit$intercept - ref$intercept), tolerance * max(1, abs(ref$intercept)))
  expect_close(decide(fit, data$x), ref_decision(fit, data$x))
}

# Every parameter of the three lists; `...` adds the solver's own.
expect_follows_list <- function(make, ..., C = 3.3, kernel = kernel_rbf(gamma = 1.5)) {
  off_on <- c(FALSE, TRUE)
  for (case in combinations(bias = off_on, average = off_on, epochs = c(1, 3), weighted = off_on)) {
    solver <- make(C = C, epochs = case$epochs, bias = case$bias, shuffle = FALSE, average = case$average, ...)
    found <- ref_without_ties(board(), solver, kernel, case$weighted)
    for (outputs in c("cached", "list")) {
      solver$params$outputs <- outputs
      expect_list(fit_unscaled(found$data, solver, kernel, case$weighted), found$data, found$ref)
    }
  }
}

expect_follows_kernels <- function(make, ...) {
  kernels <- list(
    kernel_linear(), kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1),
    kernel_polynomial(degree = 3, gamma = 0.3), kernel_sigmoid(gamma = 0.3, coef0 = -0.2)
  )
  for (case in combinations(kernel = kernels, bias = c(FALSE, TRUE), average = c(FALSE, TRUE))) {
    solver <- make(C = 0.37, epochs = 2, bias = case$bias, shuffle = FALSE, average = case$average, ...)
    found <- ref_without_ties(board(), solver, case$kernel)
    expect_list(fit_unscaled(found$data, solver, case$kernel), found$data, found$ref)
  }
}

# The order is one draw of sample.int(n), the same in every epoch.
expect_follows_shuffle <- function(make, ...) {
  kernel <- kernel_rbf(gamma = 1.5)
  solver <- make(C = 3.3, epochs = 2, shuffle = TRUE, ...)
  found <- ref_without_ties(board(), solver, kernel, steps = function(n) {
    set.seed(11)
    rep(sample.int(n), 2)
  })
  set.seed(11)
  expect_list(fit_unscaled(found$data, solver, kernel), found$data, found$ref)
}

# Scaling by the first part, then the list; update() continues the step count.
expect_follows_update <- function(make, ...) {
  kernel <- kernel_rbf(gamma = 0.8)
  for (case in combinations(average = c(FALSE, TRUE), bias = c(FALSE, TRUE))) {
    solver <- make(C = 3.3, epochs = 2, bias = case$bias, shuffle = FALSE, average = case$average, ...)
    first <- function(data) osvm(data$x[1:35, ], data$y[1:35], solver, kernel, verbose = FALSE)
    found <- ref_without_ties(board(), solver, kernel,
      steps = function(n) c(rep(1:35, 2), rep(36:n, 2)), scaled = function(data) ref_scale(data$x, first(data)$scaling)
    )
    rest <- examples(found$data, -(1:35))
    expect_list(update(first(found$data), rest$x, rest$y), found$data, found$ref)
  }
}

# A stream of single examples, each visited several times.
expect_follows_stream <- function(make, ...) {
  kernel <- kernel_rbf(gamma = 0.8)
  for (bias in c(FALSE, TRUE)) {
    solver <- make(C = 0.3, epochs = 9, bias = bias, shuffle = FALSE, ...)
    found <- ref_without_ties(examples(board(), 1:20), solver, kernel, steps = function(n) {
      c(rep(1:10, 9), rep(11:n, each = 9))
    })
    data <- found$data
    fit <- fit_unscaled(examples(data, 1:10), solver, kernel)
    for (i in 11:length(data$y)) fit <- update(fit, data$x[i, , drop = FALSE], data$y[i])
    expect_list(fit, data, found$ref)
  }
}

# The labels of each machine: +1, -1, or 0 where it does not see the example.
machine_labels <- function(y, multiclass) {
  k <- as.integer(y)
  if (multiclass == "ovr") {
    return(lapply(seq_along(levels(y)), function(m) ifelse(k == m, 1, -1)))
  }
  pairs <- utils::combn(seq_along(levels(y)), 2)
  lapply(seq_len(ncol(pairs)), function(m) (k == pairs[2, m]) - (k == pairs[1, m]))
}

# Each machine is the binary machine of the same labels, with a step count of its own.
expect_follows_machines <- function(make, ...) {
  kernel <- kernel_rbf(gamma = 0.4)
  for (multiclass in c("ovr", "ovo")) for (bias in c(FALSE, TRUE)) {
    solver <- make(C = 2.3, epochs = 2, bias = bias, shuffle = FALSE, ...)
    found <- without_ties(clouds(60, classes = 3), function(data) {
      refs <- lapply(machine_labels(data$y, multiclass), function(sign) {
        seen <- which(sign != 0)
        ref <- ref_train(solver, kernel, data$x[seen, ], sign[seen])
        ref$coef <- replace(0 * sign, seen, ref$coef)
        ref$steps <- seen[ref$steps]
        ref
      })
      of <- function(name) unlist(lapply(refs, `[[`, name))
      list(machines = refs, margins = of("margins"), steps = of("steps"))
    })
    data <- found$data
    fit <- fit_unscaled(data, solver, kernel, multiclass = multiclass)
    labels <- machine_labels(data$y, multiclass)
    for (m in seq_along(labels)) {
      ref <- found$ref$machines[[m]]
      expect_close(spread_coef(fit, data$x)[, m], ref$coef)
      expect_true(all(spread_coef(fit, data$x)[labels[[m]] == 0, m] == 0))
      expect_lte(abs(fit$intercept[m] - ref$intercept), 1e-5 * max(1, abs(ref$intercept)))
      if (multiclass == "ovo") next
      binary <- osvm(data$x, labels[[m]], solver, kernel, scale = FALSE, verbose = FALSE)
      expect_close(decide(fit, data$x)[, m], decide(binary, data$x))
    }
  }
}

# Enough steps for lazy scales to be normalised, and a cache too small for the Gram matrix.
expect_follows_long <- function(make, ...) {
  kernel <- kernel_rbf(gamma = 2)
  solver <- make(C = 1.7, epochs = 8, shuffle = FALSE, ...)
  found <- ref_without_ties(board(300), solver, kernel)
  small <- fit_unscaled(found$data, solver, kernel, cache_mb = 0.05)
  large <- fit_unscaled(found$data, solver, kernel)
  expect_close(spread_coef(small, found$data$x), spread_coef(large, found$data$x))
  expect_list(large, found$data, found$ref)
}

# The trace and the counts, recomputed.
expect_honest_trace <- function(make, ...) {
  kernel <- kernel_rbf(gamma = 1.5)
  solver <- make(C = 3.3, epochs = 3, shuffle = FALSE, ...)
  found <- ref_without_ties(board(), solver, kernel)
  fit <- fit_unscaled(found$data, solver, kernel)
  n <- length(found$data$y)
  expect_identical(names(fit$trace), c("epoch", "loss", "violations", "sv", "seconds"))
  expect_equal(fit$trace$epoch, 1:3)
  expect_equal(fit$stats$steps, 3 * n)
  epoch <- rep(1:3, each = n)
  margin <- found$ref$margins
  expect_close(fit$trace$loss, as.vector(tapply(pmax(0, 1 - margin), epoch, mean)))
  expect_equal(as.vector(fit$trace$violations), as.vector(tapply(margin < 1, epoch, sum)))
  expect_equal(fit$trace$sv[3], fit$n_sv)
}
