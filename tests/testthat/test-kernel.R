# A model with one support vector of coefficient 1: its decision value is the kernel.
kernel_model <- function(kernel, sv) {
  x <- rbind(sv, sv + 1)
  fit <- osvm(x, c("a", "b"), solver_olsvm(bias = FALSE, shuffle = FALSE), kernel, scale = FALSE, verbose = FALSE)
  fit$sv <- rbind(sv)
  fit$target <- fit$index <- 1
  fit$coef <- matrix(1)
  fit$intercept <- 0
  fit$n_sv <- 1L
  fit
}

test_that("a kernel is its formula", {
  set.seed(1)
  sv <- round(rnorm(7), 2)
  x <- matrix(rnorm(70), 10)
  kernels <- list(
    kernel_rbf(gamma = 0.3), kernel_rbf(sigma = 2), kernel_rbf(gamma = 3),
    kernel_polynomial(degree = 3, gamma = 0.2, coef0 = 1), kernel_polynomial(degree = 1, gamma = 2),
    kernel_polynomial(degree = 4, gamma = 0.1, coef0 = -1), kernel_sigmoid(gamma = 0.1, coef0 = 0.5)
  )
  for (kernel in kernels) {
    fit <- kernel_model(kernel, sv)
    got <- decide(fit, x)
    expect_close(got, ref_kernel(x, rbind(sv), fit$kernel), 2e-6)
    expect_identical(decide(fit, methods::as(methods::as(x, "dMatrix"), "CsparseMatrix")) > 0, got > 0)
  }
})

test_that("every number of columns gives the formula's values", {
  for (d in c(1:9, 15:17, 31:33, 100)) {
    set.seed(d)
    x <- matrix(rnorm(40 * d), 40)
    fit <- osvm(x, rep(1:2, 20), solver_olsvm(epochs = 1), kernel_rbf(gamma = 1 / d), scale = FALSE, verbose = FALSE)
    expect_close(decide(fit, x), ref_decision(fit, x))
  }
})

test_that("every instruction set computes the same", {
  data <- sparse_clouds(70, d = 19, classes = 3)
  old <- options(onlinesvm.simd_level = 3)
  on.exit(options(old))
  for (x in list(data$x, data$s)) for (kernel in solver_kernels("olsvm")) {
    values <- lapply(0:3, function(level) {
      options(onlinesvm.simd_level = level)
      set.seed(1) # of random features
      fit <- osvm(x, data$y, solver_olsvm(shuffle = FALSE), kernel, verbose = FALSE)
      expect_close(decide(fit, x), ref_decision(fit, x))
      decide(fit, x)
    })
    for (level in 2:4) expect_close(values[[level]], values[[1]])
  }
})

test_that("data far from the origin keeps its precision", {
  # In single precision x + offset is rounded by 6e-8 of the offset.
  solver <- solver_olsvm(C = 1, epochs = 5, shuffle = FALSE)
  for (d in c(3, 40)) for (offset in c(10, 100, 1000, 5000, 20000)) {
    data <- clouds(60, d = d)
    x <- data$x + offset
    sparse <- methods::as(methods::as(x, "dMatrix"), "CsparseMatrix")
    for (form in list(x, sparse)) {
      fit <- osvm(form, data$y, solver, kernel_rbf(gamma = 0.5 / d), scale = FALSE, verbose = FALSE)
      expect_close(decide(fit, form), ref_decision(fit, x))
    }
  }
})

test_that("gamma and sigma give the same kernel", {
  data <- clouds()
  by_gamma <- osvm(data$x, data$y, solver_olsvm(shuffle = FALSE), kernel_rbf(gamma = 0.125), verbose = FALSE)
  by_sigma <- osvm(data$x, data$y, solver_olsvm(shuffle = FALSE), kernel_rbf(sigma = 2), verbose = FALSE)
  expect_equal(by_sigma$kernel$params$gamma, 0.125)
  expect_identical(decide(by_sigma, data$x), decide(by_gamma, data$x))
})

test_that("gamma is chosen from the data when not given", {
  data <- clouds(200, d = 6)
  set.seed(1)
  fit <- osvm(data$x, data$y, solver_smo(), verbose = FALSE)
  expect_equal(fit$kernel$params$gamma, 2 / median(dist(ref_scale(data$x, fit$scaling))^2))

  for (kernel in list(kernel_polynomial(), kernel_sigmoid())) {
    fit <- osvm(data$x, data$y, kernel = kernel, verbose = FALSE)
    expect_equal(fit$kernel$params$gamma, 1 / 6)
  }
})

test_that("the median of many distances is exact, with ties and in any order", {
  for (n in c(45:49, 200)) {
    far <- rep(c(0, 100), c(n - 5, 5)) # the distances of the last rows are the largest
    for (x in list(matrix(rnorm(2 * n), n), matrix(sample(4, 2 * n, TRUE), n), cbind(far + runif(n), far))) {
      distances <- dist(x)^2
      fit <- osvm(x, rep_len(c("a", "b"), n), "olsvm", scale = FALSE, verbose = FALSE)
      expect_equal(fit$kernel$params$gamma, 2 / median(distances[distances > 1e-10 * max(rowSums(x^2))]))
    }
  }
})

test_that("the chosen gamma scales with the units", {
  data <- clouds(100)
  gammas <- vapply(c(1, 1000), function(unit) {
    set.seed(1)
    osvm(unit * data$x, data$y, kernel = "rbf", scale = FALSE, verbose = FALSE)$kernel$params$gamma
  }, 0)
  expect_equal(gammas[1] / gammas[2], 1e6, tolerance = 1e-6)
})

test_that("a gamma is chosen for data without variance, too", {
  for (x in list(matrix(1, 10, 2), rbind(matrix(0, 9, 2), 1), Matrix::Matrix(0, 10, 2, sparse = TRUE))) {
    fit <- osvm(x, rep(1:2, 5), verbose = FALSE)
    expect_true(is.finite(fit$kernel$params$gamma) && fit$kernel$params$gamma > 0)
  }
})

test_that("kernel specs are plain", {
  kernel <- kernel_polynomial(degree = 2, coef0 = 1)
  expect_s3_class(kernel, c("osvm_kernel_polynomial", "osvm_kernel"), exact = TRUE)
  expect_identical(kernel$name, "polynomial")
  expect_equal(kernel$params$degree, 2)
  expect_equal(kernel$params$coef0, 1)
  expect_null(kernel$params$gamma)
})

test_that("kernel parameters are validated", {
  expect_snapshot(error = TRUE, {
    kernel_rbf(gamma = -1)
    kernel_rbf(gamma = 1, sigma = 1)
    kernel_rbf(sigma = 0)
    kernel_rbf(gamma = "wide")
    kernel_polynomial(degree = 1.5)
    kernel_polynomial(degree = 0)
    kernel_polynomial(coef0 = NA)
    kernel_sigmoid(gamma = Inf)
  })
})
