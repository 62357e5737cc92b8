plain_laplacian <- function(x, z, gamma) {
  exp(-gamma * Reduce(`+`, lapply(seq_len(ncol(x)), function(f) abs(outer(x[, f], z[, f], "-")))))
}

plain_outputs <- function(fit, x) {
  outputs <- plain_laplacian(ref_scale(x, fit$scaling), ref_scale(fit$sv, fit$scaling), fit$kernel$params$gamma) %*%
    fit$coef
  sweep(outputs, 2, fit$intercept, "+")
}

test_that("a Laplacian kernel is its formula, in every form of data, precision and instruction set", {
  old <- options(onlinesvm.simd_level = 3)
  on.exit(options(old))
  for (d in c(1, 7, 40)) {
    data <- sparse_clouds(70, d = d, classes = 3)
    whole <- matrix(as.integer(round(3 * data$x)), 70)
    thin <- Matrix::sparseMatrix(rep(1:70, each = 2), c(rbind(1, 2 + 1:70)), x = rnorm(140), dims = c(70, 80))
    forms <- list(data$x, data$s, whole, thin, methods::as(methods::as(whole, "dMatrix"), "CsparseMatrix"))
    for (x in forms) for (level in 0:3) {
      options(onlinesvm.simd_level = level)
      for (tolerance in c(1e-3, 1e-6)) { # the finer one needs double precision
        solver <- solver_smo(tolerance = tolerance)
        fit <- osvm(x, data$y, solver, kernel_laplacian(gamma = 1 / d), scale = FALSE, verbose = FALSE)
        expect_close(unname(predict(fit, x, type = "decision")), unname(plain_outputs(fit, x)), 2e-5)
      }
    }
  }
})

test_that("sparse examples of opposite signs, and of no common feature, are at the right distance", {
  x <- Matrix::sparseMatrix(
    c(1, 1, 2, 2, 3, 4, 6), c(1, 3, 1, 3, 2, 3, 1),
    x = c(1, -2, -1, -0.5, 3, 2, 1), dims = c(6, 200)
  )
  many <- x[rep(1:6, 10), ]
  fit <- osvm(many, rep(1:2, 30), solver_smo(C = 1), kernel_laplacian(gamma = 0.3), scale = FALSE, verbose = FALSE)
  expect_close(unname(predict(fit, x, type = "decision")), unname(plain_outputs(fit, x)), 1e-6)
})

test_that("the default width is two over the median distance", {
  data <- clouds(90, d = 6)
  fit <- osvm(data$x, data$y, "olsvm", kernel_laplacian(), verbose = FALSE)
  median <- median(dist(ref_scale(data$x, fit$scaling), "manhattan"))
  expect_equal(fit$kernel$params$gamma, 2 / median)
  wide <- Matrix::rsparsematrix(60, 1e5, nnz = 300)
  fit <- osvm(wide, rep(1:2, 30), "olsvm", kernel_laplacian(), scale = FALSE, verbose = FALSE)
  distances <- dist(as.matrix(wide[, Matrix::colSums(wide != 0) > 0]), "manhattan")
  expect_equal(fit$kernel$params$gamma, 2 / median(distances[distances > 0]))
  for (x in list(matrix(1, 10, 2), Matrix::Matrix(0, 10, 2, sparse = TRUE))) {
    gamma <- osvm(x, rep(1:2, 5), kernel = "laplacian", verbose = FALSE)$kernel$params$gamma
    expect_true(is.finite(gamma) && gamma > 0)
  }
})

test_that("gamma is one over sigma, in grids, too", {
  expect_equal(kernel_laplacian(sigma = 4)$params$gamma, 0.25)
  data <- clouds(60)
  tuned <- quick_tune(data$x, data$y, solver_smo(C = 1), kernel_laplacian(sigma = c(1, 4)), folds = 3)
  expect_equal(tuned$results$gamma, 1 / tuned$results$sigma)
  expect_output(print(tuned), "laplacian(sigma = c(1, 4))", fixed = TRUE)
  expect_snapshot(error = TRUE, kernel_laplacian(gamma = 1, sigma = 1))
})

test_that("C and the width are chosen as those of a Gaussian are", {
  data <- clouds(60)
  fit <- osvm(data$x, data$y, kernel = "laplacian", effort = 0, verbose = FALSE)
  expect_identical(names(fit$choice), c("C", "gamma", "error"))
  expect_identical(quick_tune(data$x, data$y, "smo", "laplacian")$parameters, c("C", "gamma"))
})

test_that("budgets project or remove, and cannot merge", {
  data <- clouds(80)
  for (maintenance in c("project", "remove")) {
    fit <- osvm(
      data$x, data$y, solver_olsvm(budget = 15, maintenance = maintenance), kernel_laplacian(), verbose = FALSE
    )
    expect_lte(fit$n_sv, 15)
    expect_close(unname(predict(fit, data$x, type = "decision")), unname(plain_outputs(fit, data$x)), 2e-5)
  }
  expect_snapshot(error = TRUE, osvm(data$x, data$y, solver_olsvm(budget = 15), kernel_laplacian()))
  expect_lte(compress(osvm(data$x, data$y, "smo", kernel_laplacian(), verbose = FALSE), 10)$n_sv, 10)
})

test_that("importance is the size of the gradient", {
  data <- clouds(50)
  fit <- osvm(data$x, data$y, "smo", kernel_laplacian(gamma = 0.3), scale = FALSE, verbose = FALSE)
  slope <- vapply(1:3, function(f) {
    k <- plain_laplacian(fit$sv, fit$sv, 0.3) * -0.3 * sign(outer(fit$sv[, f], fit$sv[, f], "-"))
    sqrt(mean((k %*% fit$coef)^2))
  }, 0)
  expect_equal(drop(gradient_sizes(unclass(fit))), slope)
})
