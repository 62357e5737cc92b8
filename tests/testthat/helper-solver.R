# Number for number: a fit against the plain-R list run over the same steps.

board <- function(n = 60, seed = 5) {
  set.seed(seed)
  data <- chessboard(n, size = 2, noise = 0.1)
  data$sign <- c(-1, 1)[data$y]
  data
}

expect_list <- function(fit, data, ref) {
  if (is.null(fit$sv)) {
    expect_close(fit$coef, crossprod(data$x, ref$coef))
  } else {
    expect_close(spread_coef(fit, data$x), ref$coef)
    # Pegaz and OL SVM leave a coefficient exactly zero until its first violation.
    expect_lte(fit$n_sv, length(data$y))
  }
  expect_lte(abs(fit$intercept - ref$intercept), 1e-5 * max(1, abs(ref$intercept)))
  expect_close(decide(fit, data$x), ref_decision(fit, data$x))
}

# Every switch of the family against its list; `...` adds the solver's own.
expect_follows_list <- function(make, ..., C = 3.3, kernel = kernel_rbf(gamma = 1.5)) {
  data <- board()
  w <- rep(c(1, 0.5, 2), 20)
  for (outputs in c("cached", "list")) for (bias in c(FALSE, TRUE)) for (average in c(FALSE, TRUE)) {
    for (epochs in c(1, 3)) for (weights in list(NULL, w)) {
      solver <- make(C = C, epochs = epochs, bias = bias, shuffle = FALSE, outputs = outputs, average = average, ...)
      fit <- osvm(data$x, data$y, solver, kernel, scale = FALSE, weights = weights, verbose = FALSE)
      ref <- ref_train(solver, kernel, data$x, data$sign, weights = if (is.null(weights)) rep(1, 60) else weights)
      expect_list(fit, data, ref)
    }
  }
}

expect_follows_kernels <- function(make, ...) {
  data <- board()
  kernels <- list(
    kernel_linear(), kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1),
    kernel_polynomial(degree = 3, gamma = 0.3), kernel_sigmoid(gamma = 0.3, coef0 = -0.2)
  )
  for (kernel in kernels) for (bias in c(FALSE, TRUE)) for (average in c(FALSE, TRUE)) {
    solver <- make(C = 0.37, epochs = 2, bias = bias, shuffle = FALSE, average = average, ...)
    fit <- osvm(data$x, data$y, solver, kernel, scale = FALSE, verbose = FALSE)
    expect_list(fit, data, ref_train(solver, kernel, data$x, data$sign))
  }
}

# The order is one draw of sample.int(n), the same in every epoch.
expect_follows_shuffle <- function(make, ...) {
  data <- board()
  kernel <- kernel_rbf(gamma = 1.5)
  solver <- make(C = 3.3, epochs = 2, shuffle = TRUE, ...)
  set.seed(11)
  fit <- osvm(data$x, data$y, solver, kernel, scale = FALSE, verbose = FALSE)
  set.seed(11)
  order <- sample.int(60)
  expect_list(fit, data, ref_train(solver, kernel, data$x, data$sign, rep(order, 2)))
}

# Scaling first, then the list; an update walks on from the stored step.
expect_follows_update <- function(make, ...) {
  data <- board()
  kernel <- kernel_rbf(gamma = 0.8)
  for (average in c(FALSE, TRUE)) for (bias in c(FALSE, TRUE)) {
    solver <- make(C = 3.3, epochs = 2, bias = bias, shuffle = FALSE, average = average, ...)
    fit <- osvm(data$x[1:35, ], data$y[1:35], solver, kernel, verbose = FALSE)
    fit <- update(fit, data$x[36:60, ], data$y[36:60])
    scaled <- ref_scale(data$x, fit$scaling)
    ref <- ref_train(solver, kernel, scaled, data$sign, c(rep(1:35, 2), rep(36:60, 2)))
    expect_list(fit, data, ref)
  }
}

# A stream of single examples, each visited several times.
expect_follows_stream <- function(make, ...) {
  data <- board()
  kernel <- kernel_rbf(gamma = 0.8)
  for (bias in c(FALSE, TRUE)) {
    solver <- make(C = 0.3, epochs = 9, bias = bias, shuffle = FALSE, ...)
    fit <- osvm(data$x[1:10, ], data$y[1:10], solver, kernel, scale = FALSE, verbose = FALSE)
    for (i in 11:20) fit <- update(fit, data$x[i, , drop = FALSE], data$y[i])
    seen <- rows(data, 1:20)
    ref <- ref_train(solver, kernel, seen$x, data$sign[1:20], c(rep(1:10, 9), rep(11:20, each = 9)))
    expect_list(fit, seen, ref)
  }
}

# Each machine is the two-class machine of the same labels, with its own step count.
expect_follows_machines <- function(make, ...) {
  data <- clouds(60, classes = 3)
  kernel <- kernel_rbf(gamma = 0.4)
  for (bias in c(FALSE, TRUE)) {
    solver <- make(C = 2.3, epochs = 2, bias = bias, shuffle = FALSE, ...)
    ovr <- osvm(data$x, data$y, solver, kernel, scale = FALSE, multiclass = "ovr", verbose = FALSE)
    for (k in 1:3) {
      sign <- ifelse(as.integer(data$y) == k, 1, -1)
      ref <- ref_train(solver, kernel, data$x, sign)
      expect_close(spread_coef(ovr, data$x)[, k], ref$coef)
      one <- osvm(data$x, sign, solver, kernel, scale = FALSE, verbose = FALSE)
      expect_close(decide(ovr, data$x)[, k], decide(one, data$x))
    }
    ovo <- osvm(data$x, data$y, solver, kernel, scale = FALSE, multiclass = "ovo", verbose = FALSE)
    pairs <- combn(levels(data$y), 2)
    for (m in 1:3) {
      seen <- which(data$y %in% pairs[, m])
      sign <- ifelse(data$y[seen] == pairs[2, m], 1, -1)
      ref <- ref_train(solver, kernel, data$x[seen, ], sign)
      expect_close(spread_coef(ovo, data$x)[seen, m], ref$coef)
      expect_true(all(spread_coef(ovo, data$x)[-seen, m] == 0))
      expect_lte(abs(ovo$intercept[m] - ref$intercept), 1e-5 * max(1, abs(ref$intercept)))
    }
  }
}

# Enough steps for lazy scales to be re-based, and a cache too small for the Gram matrix.
# The seed keeps every margin 4e-4 away from 1: rounding must not decide a violation.
expect_follows_long <- function(make, ...) {
  data <- board(300, seed = 24)
  kernel <- kernel_rbf(gamma = 2)
  solver <- make(C = 1.7, epochs = 8, shuffle = FALSE, ...)
  small <- osvm(data$x, data$y, solver, kernel, scale = FALSE, cache_mb = 0.05, verbose = FALSE)
  large <- osvm(data$x, data$y, solver, kernel, scale = FALSE, verbose = FALSE)
  expect_close(spread_coef(small, data$x), spread_coef(large, data$x))
  expect_list(large, data, ref_train(solver, kernel, data$x, data$sign))
}

# What the trace and the counts say, recomputed.
expect_honest_trace <- function(make, ...) {
  data <- board()
  kernel <- kernel_rbf(gamma = 1.5)
  solver <- make(C = 3.3, epochs = 3, shuffle = FALSE, ...)
  fit <- osvm(data$x, data$y, solver, kernel, scale = FALSE, verbose = FALSE)
  K <- ref_kernel(data$x, data$x, kernel)
  rule <- if (isTRUE(solver$params$regularized)) "olsvm_regularized" else solver$name
  expect_identical(names(fit$trace), c("epoch", "loss", "violations", "sv", "seconds"))
  expect_equal(fit$trace$epoch, 1:3)
  expect_equal(fit$stats$steps, 180)
  margin <- vapply(1:180, function(t) {
    i <- rep(1:60, 3)[t]
    before <- ref_run(rule, K, data$sign, rep(1:60, 3)[seq_len(t - 1)], 3.3, solver$params$bias)
    # Pegaz looks at beta with the eta of the coming step.
    rate <- if (solver$name == "pegaz" && t > 1) sqrt((t - 1) / t) else 1
    data$sign[i] * rate * (sum(before$coef * K[, i]) + before$intercept)
  }, 0)
  epoch <- rep(1:3, each = 60)
  expect_close(fit$trace$loss, as.vector(tapply(pmax(0, 1 - margin), epoch, mean)))
  expect_equal(as.vector(fit$trace$violations), as.vector(tapply(margin < 1, epoch, sum)))
  expect_equal(fit$trace$sv[3], fit$n_sv)
}
