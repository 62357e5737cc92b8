# The averaged perceptron and Passive-Aggressive in plain R, and what their tests share.
# `steps` and expect_list() are those of helper-reference.R and helper-solver.R.

ref_mistakes <- list(
  perceptron = function(p, margin, self, w) if (margin <= 0) w else 0,
  pa = function(p, margin, self, w) {
    loss <- max(0, 1 - margin)
    if (p$bias) self <- self + 1
    if (p$variant == "PA-II") self <- self + 1 / (2 * w * p$C)
    if (w == 0 || self <= 0) 0 else if (p$variant == "PA-I") min(w * p$C, loss / self) else loss / self
  }
)

# Coefficients and intercept returned, and the margins met on the way.
ref_mistakes_train <- function(solver, kernel, x, y, steps = rep(seq_along(y), solver$params$epochs),
                               weights = rep(1, length(y))) {
  p <- solver$params
  K <- ref_kernel(x, x, kernel)
  a <- sum_a <- numeric(length(y))
  b <- sum_b <- 0
  margins <- numeric()
  for (i in steps) {
    margin <- y[i] * (sum(a * K[, i]) + b)
    step <- ref_mistakes[[solver$name]](p, margin, K[i, i], weights[i])
    a[i] <- a[i] + step * y[i]
    if (p$bias) b <- b + step * y[i]
    sum_a <- sum_a + a
    sum_b <- sum_b + b
    margins <- c(margins, margin)
  }
  if (isTRUE(p$average)) {
    a <- sum_a / length(steps)
    b <- sum_b / length(steps)
  }
  list(coef = a, intercept = b, margins = margins)
}

# Every switch, weights (0 among them) and kernel.
expect_follows_mistakes <- function(make, ...) {
  data <- board()
  kernels <- list(
    kernel_rbf(gamma = 1.5), kernel_linear(), kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1),
    kernel_polynomial(degree = 3, gamma = 0.3, coef0 = -0.5), kernel_sigmoid(gamma = 0.3, coef0 = -0.2)
  )
  for (kernel in kernels) for (bias in c(FALSE, TRUE)) for (epochs in c(1, 3)) {
    for (weights in list(rep(1, 60), rep(c(1, 0.5, 2, 0), 15))) {
      solver <- make(epochs = epochs, bias = bias, shuffle = FALSE, ...)
      fit <- osvm(data$x, data$y, solver, kernel, scale = FALSE, weights = weights, verbose = FALSE)
      ref <- ref_mistakes_train(solver, kernel, data$x, data$sign, weights = weights)
      expect_list(fit, data, ref)
      if (!is.null(fit$sv)) expect_equal(fit$n_sv, sum(ref$coef != 0))
    }
  }
}

# The order is one draw of sample.int(n), the same in every epoch; an update has its own examples
# and goes on with sums and steps.
expect_follows_visits <- function(make, ...) {
  data <- board()
  kernel <- kernel_rbf(gamma = 0.8)
  set.seed(11)
  fit <- osvm(data$x, data$y, make(epochs = 2, ...), kernel, scale = FALSE, verbose = FALSE)
  set.seed(11)
  order <- sample.int(60)
  expect_list(fit, data, ref_mistakes_train(fit$solver, kernel, data$x, data$sign, rep(order, 2)))

  solver <- make(epochs = 3, shuffle = FALSE, ...)
  fit <- osvm(data$x[1:35, ], data$y[1:35], solver, kernel, verbose = FALSE)
  fit <- update(fit, data$x[36:59, ], data$y[36:59])
  fit <- update(fit, data$x[60, , drop = FALSE], data$y[60])
  steps <- c(rep(1:35, 3), rep(36:59, 3), rep(60, 3))
  scaled <- ref_scale(data$x, fit$scaling)
  expect_list(fit, data, ref_mistakes_train(solver, kernel, scaled, data$sign, steps))
}

expect_mistakes_traced <- function(make, bound, ...) {
  data <- board()
  kernel <- kernel_rbf(gamma = 1.5)
  fit <- osvm(data$x, data$y, make(epochs = 3, shuffle = FALSE, ...), kernel, scale = FALSE, verbose = FALSE)
  ref <- ref_mistakes_train(fit$solver, kernel, data$x, data$sign)
  epoch <- rep(1:3, each = 60)
  expect_close(fit$trace$loss, as.vector(tapply(pmax(0, 1 - ref$margins), epoch, mean)))
  expect_equal(as.vector(fit$trace$violations), as.vector(tapply(bound(ref$margins), epoch, sum)))
  expect_equal(fit$stats$steps, 180)
  expect_equal(fit$stats$updates, sum(bound(ref$margins)))
}
