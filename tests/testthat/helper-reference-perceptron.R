# The averaged perceptron and Passive-Aggressive in plain R, and what their tests share.

# Length of a step. `w` is the example's weight.
ref_mistakes <- list(
  perceptron = function(p, margin, self, w) if (margin <= 0) w else 0,
  pa = function(p, margin, self, w) {
    loss <- max(0, 1 - margin)
    if (p$bias) self <- self + 1
    if (p$variant == "PA-II") self <- self + 1 / (2 * w * p$C)
    if (w == 0 || self <= 0) 0 else if (p$variant == "PA-I") min(w * p$C, loss / self) else loss / self
  }
)

# Coefficients and intercept returned, and the margin at each step.
ref_mistakes_train <- function(solver, kernel, x, y, steps = rep(seq_along(y), solver$params$epochs),
                               weights = rep(1, length(y))) {
  p <- solver$params
  K <- ref_kernel(x, x, kernel)
  a <- sum_a <- numeric(length(y))
  b <- sum_b <- 0
  margins <- numeric(length(steps))
  for (t in seq_along(steps)) {
    i <- steps[t]
    margins[t] <- y[i] * (sum(a * K[, i]) + b)
    step <- ref_mistakes[[solver$name]](p, margins[t], K[i, i], weights[i])
    a[i] <- a[i] + step * y[i]
    if (p$bias) b <- b + step * y[i]
    sum_a <- sum_a + a
    sum_b <- sum_b + b
  }
  if (isTRUE(p$average)) {
    a <- sum_a / length(steps)
    b <- sum_b / length(steps)
  }
  list(coef = a, intercept = b, margins = margins, steps = steps)
}

# Data less the examples with ties (see without_ties()), and the reference on it. The perceptron's step is discontinuous
# at a margin of 0. That of Passive-Aggressive is continuous, and its margins are often 1 but for rounding: it has no
# ties, but errors of the kernel are divided by k(x, x). `tolerance`: 20 times the effect of a change of single
# precision in x.
ref_mistakes_without_ties <- function(data, solver, kernel, steps = function(n) rep(seq_len(n), solver$params$epochs),
                                      weighted = FALSE, scaled = function(data) data$x) {
  run <- function(data, x = scaled(data)) {
    n <- length(data$y)
    weights <- if (weighted) data$weights else rep(1, n)
    ref_mistakes_train(solver, kernel, x, data$sign, steps(n), weights)
  }
  found <- without_ties(data, run, bound = if (solver$name == "pa") Inf else 0)
  x <- scaled(found$data)
  rounded <- run(found$data, x * (1 + 1e-7 * cos(seq_along(x))))
  change <- max(abs(rounded$coef - found$ref$coef)) / max(abs(found$ref$coef))
  c(found, tolerance = max(1e-5, 20 * change))
}

# How many margins are at or below the bound; one that rounding may have moved across it counts or not.
expect_count_below <- function(count, margins, bound, gap = 1e-5) {
  expect_gte(count, sum(margins < bound - gap | margins == bound & bound == 0))
  expect_lte(count, sum(margins < bound + gap))
}

# Every parameter, weights (0 among them) and kernel.
expect_follows_mistakes <- function(make, ...) {
  kernels <- list(
    kernel_rbf(gamma = 1.5), kernel_linear(), kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1),
    kernel_polynomial(degree = 3, gamma = 0.3, coef0 = -0.5), kernel_sigmoid(gamma = 0.3, coef0 = -0.2)
  )
  data <- board()
  data$weights <- rep(c(1, 0.5, 2, 0), 15)
  for (case in combinations(kernel = kernels, bias = c(FALSE, TRUE), epochs = c(1, 3), weighted = c(FALSE, TRUE))) {
    solver <- make(epochs = case$epochs, bias = case$bias, shuffle = FALSE, ...)
    found <- ref_mistakes_without_ties(data, solver, case$kernel, weighted = case$weighted)
    fit <- fit_unscaled(found$data, solver, case$kernel, case$weighted)
    expect_list(fit, found$data, found$ref, found$tolerance)
    if (is.null(fit$sv)) next
    size <- abs(found$ref$coef) / max(abs(found$ref$coef))
    expect_gte(fit$n_sv, sum(size > found$tolerance))
    if (solver$name == "perceptron") expect_equal(fit$n_sv, sum(size > 0))
  }
}

# The order is one draw of sample.int(n), the same in every epoch; an update visits its own examples and continues sums
# and steps.
expect_follows_visits <- function(make, ...) {
  kernel <- kernel_rbf(gamma = 0.8)
  solver <- make(epochs = 2, ...)
  found <- ref_mistakes_without_ties(board(), solver, kernel, function(n) {
    set.seed(11)
    rep(sample.int(n), 2)
  })
  set.seed(11)
  expect_list(fit_unscaled(found$data, solver, kernel), found$data, found$ref, found$tolerance)

  solver <- make(epochs = 3, shuffle = FALSE, ...)
  first <- function(data) osvm(data$x[1:30, ], data$y[1:30], solver, kernel, verbose = FALSE)
  found <- ref_mistakes_without_ties(board(), solver, kernel,
    steps = function(n) c(rep(1:30, 3), rep(31:(n - 1), 3), rep(n, 3)),
    scaled = function(data) ref_scale(data$x, first(data)$scaling)
  )
  data <- found$data
  n <- length(data$y)
  fit <- update(first(data), data$x[31:(n - 1), ], data$y[31:(n - 1)])
  fit <- update(fit, data$x[n, , drop = FALSE], data$y[n])
  expect_list(fit, data, found$ref, found$tolerance)
}

expect_mistakes_traced <- function(make, bound, ...) {
  kernel <- kernel_rbf(gamma = 1.5)
  solver <- make(epochs = 3, shuffle = FALSE, ...)
  found <- ref_mistakes_without_ties(board(), solver, kernel)
  fit <- fit_unscaled(found$data, solver, kernel)
  n <- length(found$data$y)
  epoch <- rep(1:3, each = n)
  margins <- found$ref$margins
  expect_close(fit$trace$loss, as.vector(tapply(pmax(0, 1 - margins), epoch, mean)))
  for (e in 1:3) expect_count_below(fit$trace$violations[e], margins[epoch == e], bound)
  expect_equal(fit$stats$steps, 3 * n)
  expect_count_below(fit$stats$updates, margins, bound)
}
