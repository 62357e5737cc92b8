# What learns nothing draws nothing.

test_that("loo(), forget(), compress() and its curve leave the random numbers alone", {
  set.seed(1)
  board <- chessboard(150, noise = 0.1)
  fit <- osvm(board$x, board$y, solver_idsvm(C = 2), kernel_rbf(gamma = 2))
  live <- osvm_live(fit)
  unmoved <- function(code) {
    set.seed(7)
    before <- .Random.seed
    force(code)
    expect_identical(.Random.seed, before)
  }
  unmoved(loo(fit))
  unmoved(forget(fit, 1:3))
  unmoved(forget(live, 1:3))
  unmoved(compress(fit, 10))
  unmoved(osvm_compression_curve(fit, board$x, board$y, sizes = c(0.2, 0.5)))
  unmoved(predict(fit, board$x))
})

test_that("rows with missing values do not count in the comparison of compress()", {
  set.seed(1)
  board <- chessboard(300)
  fit <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(gamma = 2))
  x <- board$x
  x[5, 1] <- NA
  expect_identical(compress(fit, 20, newdata = x)$compression$agreement,
    compress(fit, 20, newdata = x[-5, ])$compression$agreement)
  expect_equal(osvm_compression_curve(fit, x, board$y)$data, osvm_compression_curve(fit, x[-5, ], board$y[-5])$data)
})

test_that("columns without a name among others are said to have none", {
  x <- cbind(as.matrix(iris[1:4]), 0, 1)
  expect_error(osvm(x, iris$Species), "2 columns without a name", class = "osvm_error")
})
