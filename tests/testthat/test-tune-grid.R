grid_of <- function(...) {
  data <- clouds(30)
  quick_tune(data$x, data$y, ..., folds = 2)$results
}

test_that("parameters with several values form the grid", {
  table <- grid_of(solver_olsvm(C = c(1, 10), epochs = 1:2), kernel_rbf(gamma = c(0.1, 1)))
  expect_identical(names(table), c("C", "epochs", "gamma", "error", "se", "n_sv", "seconds"))
  expect_identical(table$C, rep(c(1, 10), 4))
  expect_identical(table$epochs, rep(c(1L, 1L, 2L, 2L), 2))
  expect_identical(table$gamma, rep(c(0.1, 1), each = 4))
})

test_that("sigma stays sigma", {
  table <- grid_of(solver_smo(C = 1), kernel_rbf(sigma = c(1, 2)))
  expect_identical(table$sigma, c(1, 2))
  expect_identical(table$gamma, c(0.5, 0.125))
  data <- clouds(30)
  tuned <- quick_tune(data$x, data$y, "smo", "rbf", grid = data.frame(sigma = c(1, 2)), folds = 2, refit = TRUE)
  expect_identical(tuned$results[c("sigma", "gamma")], table[c("sigma", "gamma")])
  expect_identical(tuned$fit$kernel$params$gamma, tuned$best$gamma)
})

test_that("the default grid", {
  data <- clouds(30)
  table <- grid_of("smo")
  expect_identical(table$C, rep(10^(-1:3), 5))
  usual <- osvm(data$x, data$y, "smo", verbose = FALSE)$kernel$params$gamma
  expect_equal(unique(table$gamma), usual * 4^(-2:2))
  expect_identical(names(grid_of("perceptron", kernel_rbf(gamma = 1)))[1], "epochs")
  expect_identical(names(grid_of("sgd"))[1:2], c("rate", "error"))
  expect_identical(names(grid_of("pegasos", kernel_linear()))[1:2], c("lambda", "error"))
  # Values given are kept; one value of each parameter is a plain cross-validation.
  expect_identical(names(grid_of(solver_smo(C = 7)))[1:2], c("gamma", "error"))
  expect_identical(names(grid_of(kernel = kernel_rbf(gamma = 7)))[1:2], c("C", "error"))
  one <- grid_of(solver_smo(C = 7), kernel_rbf(gamma = 7))
  expect_identical(dim(one), c(1L, 4L))
  # So is the default, if it is given.
  expect_identical(dim(grid_of(solver_smo(C = 1), kernel_rbf(gamma = 7))), c(1L, 4L))
  expect_identical(dim(grid_of(solver_smo(1), kernel_rbf(gamma = 7))), c(1L, 4L))
  expect_identical(grid_of(solver_smo(tolerance = 0.01), kernel_rbf(gamma = 7))$C, 10^(-1:3))
})

test_that("a grid may be given as points, with choices", {
  points <- data.frame(selection = factor(c("random", "gradient", "margin")), C = c(1, 2, 3), gamma = c(3, 2, 1))
  table <- grid_of("lasvm", grid = points)
  expect_identical(table$selection, as.character(points$selection))
  expect_identical(table[c("C", "gamma")], points[c("C", "gamma")])
  expect_identical(grid_of("smo", grid = list(C = 1:2, gamma = 3))$C, 1:2)
  expect_identical(nrow(grid_of("smo", grid = data.frame(C = c(1, 2, 1)))), 2L)
})

test_that("random points are distinct points of the grid", {
  table <- grid_of(solver_smo(C = 10^(0:3)), kernel_rbf(gamma = 1:5), random = 7)
  expect_identical(nrow(unique(table[c("C", "gamma")])), 7L)
  expect_true(all(table$C %in% 10^(0:3) & table$gamma %in% 1:5))
  expect_identical(nrow(grid_of(solver_smo(C = c(1, 2)), kernel_rbf(gamma = 1), random = 50)), 2L)
})

test_that("an invalid grid is refused", {
  smo <- function(...) grid_of(solver_smo(), ...)
  expect_snapshot(error = TRUE, {
    smo(grid = data.frame(cost = 1, C = 2))
    smo(grid = data.frame(C = c(1, -1)))
    smo(grid = data.frame(gamma = 1, sigma = 1))
    smo(grid = 1:3)
    smo(grid = data.frame())
    smo(grid = data.frame(epochs = 1))
    smo(grid = data.frame(degree = 2))
    smo(kernel_rbf(gamma = 1:2), grid = data.frame(C = 1))
    smo(random = 0)
    smo(random = c(1, 2))
    grid_of("svm")
    grid_of(solver_sgd(rate = c(1, 2)), kernel_rbf())
  })
  broken <- solver_smo(C = c(1, 2))
  broken$params$C <- c(1, -2)
  expect_osvm_error(grid_of(broken))
  broken$name <- "unknown"
  expect_osvm_error(grid_of(broken))
})
