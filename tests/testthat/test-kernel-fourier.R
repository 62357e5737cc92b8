test_that("inner products of random Fourier features approach the Gaussian", {
  set.seed(1)
  x <- matrix(rnorm(300), 60)
  y <- rep(1:2, 30)
  kernel <- function(gamma, features) {
    fit <- osvm(x, y, solver_dcd(), kernel_fourier(gamma, features = features), scale = FALSE, verbose = FALSE)
    tcrossprod(mapped_rows(fit$transform, x))
  }
  for (gamma in c(0.05, 0.5)) {
    exact <- exp(-gamma * as.matrix(dist(x))^2)
    off <- vapply(c(100, 10000), function(features) sqrt(mean((kernel(gamma, features) - exact)^2)), 0)
    expect_lt(off[1], 0.2) # of m features: a standard deviation of about 1 / sqrt(m)
    expect_lt(off[2], 0.02)
  }
})

test_that("features are cosines of random directions, in any form of the data", {
  data <- sparse_clouds(80)
  for (x in list(data$x, data$s)) for (tolerance in c(1e-3, 1e-7)) {
    set.seed(1)
    solver <- solver_dcd(tolerance = tolerance)
    fit <- osvm(x, data$y, solver, kernel_fourier(sigma = 1, features = 100), verbose = FALSE)
    expect_close(decide(fit, x), ref_decision(fit, x))
    expect_equal(dim(fit$coef), c(100, 1))
  }
  expect_close(decide(fit, data$x), decide(fit, data$s))
})

test_that("importance is the slope of outputs", {
  set.seed(2)
  x <- matrix(rnorm(900), 300)
  y <- x[, 1] + 0.2 * x[, 2] > 0
  fit <- osvm(x, y, solver_dcd(), kernel_fourier(gamma = 0.1), verbose = FALSE)
  sizes <- osvm_importance(fit)
  expect_identical(sizes$variable, c("x1", "x2", "x3"))
  step <- 1e-4
  slopes <- vapply(1:3, function(f) {
    moved <- x
    moved[, f] <- moved[, f] + step * sd(x[, f])
    sqrt(mean(((decide(fit, moved) - decide(fit, x)) / step)^2))
  }, 0)
  expect_lt(max(abs(log(sizes$importance / slopes))), 0.3)
  unscaled <- osvm(x, y, solver_dcd(), kernel_fourier(gamma = 0.1), scale = FALSE, verbose = FALSE)
  expect_identical(osvm_importance(unscaled)$variable[1], "x1")
})

test_that("arguments are checked, and print() says what it is", {
  expect_error(kernel_fourier(gamma = 1, sigma = 1), "not both")
  expect_error(kernel_fourier(features = 1.5), "features.*whole number")
  expect_error(kernel_fourier(rank = 5), "It is .*features")
  data <- clouds(40)
  fit <- osvm(data$x, data$y, kernel = "fourier", verbose = FALSE)
  expect_output(print(fit), "1,000 random Fourier features")
  bad <- fit
  bad$transform$map$columns <- 7L
  expect_error(predict(bad, data$x), "damaged")
})
