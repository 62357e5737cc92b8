# Algorithm 1 with its misprinted condition corrected; `orders` has one order per epoch.
ref_sgd <- function(x, y, rate, orders, bias = TRUE, weights = rep(1, length(y))) {
  x <- cbind(as.numeric(bias), x)
  w <- numeric(ncol(x))
  loss <- numeric()
  for (order in orders) {
    total <- 0
    for (i in order) {
      margin <- y[i] * sum(w * x[i, ])
      total <- total + max(0, 1 - margin)
      if (margin < 1) w <- w + weights[i] * rate * y[i] * x[i, ]
    }
    loss <- c(loss, total)
  }
  list(w = w, loss = loss)
}

expect_sgd <- function(fit, ref) {
  expect_close(c(fit$intercept, fit$coef), ref$w)
  expect_close(fit$trace$loss * fit$n_seen, ref$loss)
}

test_that("SGD is Algorithm 1, and its trace the loss of every epoch", {
  data <- board()
  for (bias in c(TRUE, FALSE)) for (weights in list(rep(1, 60), rep(c(1, 0.5, 2), 20))) {
    solver <- solver_sgd(rate = 0.03, epochs = 3, bias = bias, shuffle = FALSE)
    fit <- osvm(data$x, data$y, solver, scale = FALSE, weights = weights, verbose = FALSE)
    expect_sgd(fit, ref_sgd(data$x, data$sign, 0.03, rep(list(1:60), 3), bias, weights))
  }
  local_doubles()
  solver <- solver_sgd(rate = 0.1, epochs = 4, shuffle = FALSE)
  parts <- osvm(data$x[1:4, ], data$y[1:4], solver, scale = FALSE)
  parts <- suppressWarnings(update(parts, data$x[5:60, ], data$y[5:60]))
  whole <- ref_sgd(data$x, data$sign, 0.1, rep(list(1:4, 5:60), each = 4))
  expect_close(c(parts$intercept, parts$coef), whole$w, 1e-9)
})

test_that("the first order is R's draw, and every epoch has a new one", {
  data <- board()
  set.seed(4)
  fit <- osvm(data$x, data$y, solver_sgd(rate = 0.5, epochs = 1), scale = FALSE, verbose = FALSE)
  set.seed(4)
  expect_sgd(fit, ref_sgd(data$x, data$sign, 0.5, list(sample.int(60))))

  set.seed(4)
  two <- osvm(data$x, data$y, solver_sgd(rate = 0.5, epochs = 2), scale = FALSE, verbose = FALSE)
  set.seed(4)
  order <- sample.int(60)
  same <- ref_sgd(data$x, data$sign, 0.5, list(order, order))
  expect_gt(max(abs(two$coef - same$w[-1])), 1e-6)
  # Every order has all examples: steps so short that each of them is one adds up to the same in any.
  short <- osvm(data$x, data$y, solver_sgd(rate = 1e-6, epochs = 7), scale = FALSE, verbose = FALSE)
  expect_close(short$coef, 7e-6 * colSums(data$sign * data$x))
})

test_that("SGD learns a separable line", {
  set.seed(1)
  x <- matrix(rnorm(400), ncol = 2)
  y <- x[, 1] > x[, 2]
  fit <- osvm(x, y, solver_sgd(epochs = 200), verbose = FALSE)
  expect_gt(mean(predict(fit, x) == y), 0.97)
  expect_lt(fit$trace$loss[200], fit$trace$loss[1] / 3)
})

test_that("a rate that is too large is an error", {
  data <- board()
  expect_error(
    osvm(data$x, data$y, solver_sgd(rate = 1e308), scale = FALSE, verbose = FALSE),
    "smaller steps", class = "osvm_error"
  )
  expect_error(solver_sgd(rate = 0), "rate", class = "osvm_error")
  expect_error(osvm(data$x, data$y, "sgd", "rbf"), "kernel_linear", class = "osvm_error")
})
