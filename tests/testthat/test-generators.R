test_that("the chess board alternates", {
  set.seed(1)
  board <- chessboard(500, size = 3)
  expect_identical(dim(board$x), c(500L, 2L))
  expect_true(all(board$x >= 0 & board$x <= 3))
  expect_identical(levels(board$y), c("black", "white"))
  expect_identical(board$y == "white", rowSums(floor(board$x)) %% 2 == 1)
})

test_that("noise flips its share of the labels", {
  set.seed(1)
  board <- chessboard(400, noise = 0.15)
  expect_equal(sum((board$y == "white") != (rowSums(floor(board$x)) %% 2 == 1)), 60)
})

test_that("the two normals lie at (0, 0) and (2, 2)", {
  set.seed(1)
  data <- two_normals(4000)
  expect_equal(as.vector(table(data$y)), c(2000, 2000))
  for (k in 1:2) {
    x <- data$x[as.integer(data$y) == k, ]
    expect_lt(max(abs(colMeans(x) - 2 * (k - 1))), 0.1)
    expect_lt(max(abs(cov(x) - diag(2))), 0.15)
  }
})

test_that("generators follow the seed and take a single point", {
  for (make in list(chessboard, two_normals)) {
    set.seed(3)
    a <- make(10)
    set.seed(3)
    expect_identical(make(10), a)
    expect_identical(dim(make(1)$x), c(1L, 2L))
  }
})

test_that("generators refuse invalid arguments", {
  expect_snapshot(error = TRUE, {
    chessboard(0)
    chessboard("ten")
    chessboard(10, size = 0)
    chessboard(10, noise = 2)
    two_normals(1.5)
  })
  expect_osvm_error(chessboard(NA))
  expect_osvm_error(two_normals(Inf))
})
