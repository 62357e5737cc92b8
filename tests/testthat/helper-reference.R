# Plain-R references: the lists as printed, a Gram matrix in doubles, no cleverness.
# `steps` is the sequence of examples visited, so epochs, a shuffled order and later
# updates are all just a longer vector: rep(order, epochs), c(first, second), ...

ref_kernel <- function(x, z, kernel) {
  p <- kernel$params
  x <- as.matrix(x)
  z <- as.matrix(z)
  switch(kernel$name,
    linear = x %*% t(z),
    polynomial = (p$gamma * x %*% t(z) + p$coef0)^p$degree,
    sigmoid = tanh(p$gamma * x %*% t(z) + p$coef0),
    rbf = {
      squared <- vapply(seq_len(nrow(z)), function(j) colSums((t(x) - z[j, ])^2), numeric(nrow(x)))
      exp(-p$gamma * matrix(squared, nrow(x), nrow(z)))
    }
  )
}

# One step of each list: state in, state out. `w` is the example's weight.
ref_rules <- list(
  norma = function(s, K, y, i, eta, C, w, bias) { # List 1
    hit <- y[i] * (sum(s$a * K[, i]) + s$b) <= 1
    a <- (1 - eta / C) * s$a
    a[i] <- if (hit) w * eta * y[i] else s$a[i]
    list(a = a, b = s$b + if (hit && bias) w * eta * y[i] else 0)
  },
  pegaz = function(s, K, y, i, eta, C, w, bias) { # List 2
    if (is.null(s$beta)) s <- list(beta = s$a, beta0 = 0)
    hit <- y[i] * eta * (sum(s$beta * K[, i]) + s$beta0) <= 1
    if (hit) s$beta[i] <- s$beta[i] + w * y[i]
    if (hit && bias) s$beta0 <- s$beta0 + w * y[i]
    list(a = eta * s$beta, b = eta * s$beta0, beta = s$beta, beta0 = s$beta0)
  },
  olsvm = function(s, K, y, i, eta, C, w, bias) { # List 3b
    if (is.null(s$o)) s$o <- numeric(length(y))
    if (y[i] * s$o[i] < 1) {
      s$o <- s$o + w * eta * y[i] * (K[, i] + bias)
      s$a[i] <- s$a[i] + w * eta * y[i]
      s$b <- s$b + if (bias) w * eta * y[i] else 0
    }
    s
  },
  olsvm_regularized = function(s, K, y, i, eta, C, w, bias) { # List 3a
    if (is.null(s$o)) s$o <- numeric(length(y))
    viol <- y[i] * s$o[i]
    a <- s$a[i]
    if (viol < 1) {
      s$o <- s$o + eta * (w * y[i] - a / C) * K[, i] + if (bias) w * eta * y[i] else 0
      s$a[i] <- (1 - eta / C) * a + w * eta * y[i]
      s$b <- s$b + if (bias) w * eta * y[i] else 0
    } else if (viol > 1) {
      s$o <- s$o - (eta * a / C) * K[, i]
      s$a[i] <- (1 - eta / C) * a
    }
    s
  }
)

ref_run <- function(rule, K, y, steps, C, bias = FALSE, average = FALSE, weights = rep(1, length(y))) {
  s <- list(a = numeric(length(y)), b = 0)
  sum_a <- s$a
  sum_b <- 0
  for (t in seq_along(steps)) {
    i <- steps[t]
    s <- ref_rules[[rule]](s, K, y, i, C * sqrt(2 / t), C, weights[i], bias)
    sum_a <- sum_a + s$a
    sum_b <- sum_b + s$b
  }
  if (average) {
    return(list(coef = sum_a / length(steps), intercept = sum_b / length(steps)))
  }
  list(coef = s$a, intercept = s$b)
}

# The list a solver spec stands for, run on x (already scaled) and labels in -1, +1.
ref_train <- function(solver, kernel, x, y, steps = rep(seq_along(y), solver$params$epochs),
                      weights = rep(1, length(y))) {
  p <- solver$params
  rule <- if (isTRUE(p$regularized)) "olsvm_regularized" else solver$name
  ref_run(rule, ref_kernel(x, x, kernel), y, steps, p$C, p$bias, p$average, weights)
}

ref_scale <- function(x, scaling) {
  x <- as.matrix(x)
  if (!is.null(scaling$center)) x <- sweep(x, 2, scaling$center, "-")
  if (!is.null(scaling$scale)) x <- sweep(x, 2, scaling$scale, "/")
  x
}

# The decision values from the model's public fields alone.
ref_decision <- function(fit, x) {
  x <- ref_scale(x, fit$scaling)
  coef <- as.matrix(fit$coef)
  linear <- is.null(fit$sv) || fit$kernel$name == "linear"
  features <- if (linear) x else ref_kernel(x, ref_scale(fit$sv, fit$scaling), fit$kernel)
  values <- sweep(features %*% coef, 2, fit$intercept, "+")
  if (ncol(values) == 1) as.vector(values) else unname(values)
}

# The model's coefficients laid out over the training rows (zero where a row is no SV).
# Rows are found by the smallest distance: training rows must differ from each other.
spread_coef <- function(fit, x) {
  coef <- matrix(0, nrow(x), ncol(as.matrix(fit$coef)))
  sv <- as.matrix(fit$sv)
  rows <- apply(sv, 1, function(s) which.min(colSums((t(x) - s)^2)))
  stopifnot(!anyDuplicated(rows))
  coef[as.integer(rows), ] <- as.matrix(fit$coef)
  if (ncol(coef) == 1) as.vector(coef) else coef
}

# Equal up to `tolerance` of the largest reference value: float32 kernels are allowed
# rounding, and a decision value near zero is a difference of large ones.
expect_close <- function(got, want, tolerance = 1e-5) {
  got <- unname(got)
  want <- unname(want)
  testthat::expect_equal(length(got), length(want))
  testthat::expect_true(all(is.finite(got)))
  gap <- max(abs(as.vector(got) - as.vector(want)), 0)
  testthat::expect_lte(gap, tolerance * max(abs(want), .Machine$double.xmin))
}
