test_that("the perceptron is its rule under every kernel, with every parameter", {
  for (average in c(TRUE, FALSE)) expect_follows_mistakes(solver_perceptron, average = average)
})

test_that("the perceptron visits the examples in the order drawn, and update() continues", {
  for (average in c(TRUE, FALSE)) expect_follows_visits(solver_perceptron, average = average)
})

test_that("the perceptron reports its mistakes", {
  expect_mistakes_traced(solver_perceptron, 0)
})

test_that("the average weighs a hypothesis by the steps it survives", {
  # By hand: the first step is a mistake (f = 0 counts as one), the fourth is another.
  x <- matrix(c(1, 2, 3, -1), ncol = 1)
  y <- c(1, 1, 1, 1)
  fit <- osvm(
    rbind(x, -9), c(y, -1), solver_perceptron(epochs = 1, bias = FALSE, shuffle = FALSE), kernel_linear(),
    scale = FALSE, verbose = FALSE
  )
  # w = 1, 1, 1, then 1 - 1 = 0 and, the fifth being a mistake at f = 0 too, 9.
  expect_equal(fit$coef[1], (1 + 1 + 1 + 0 + 9) / 5)
  expect_equal(fit$trace$violations, 3)
})

test_that("a common factor of the weights scales the outputs", {
  data <- clouds()
  one <- quick_fit("perceptron", data)
  ten <- quick_fit("perceptron", data, weights = rep(8, 40))
  expect_close(decide(ten, data$x), 8 * decide(one, data$x))
})

test_that("the number of mistakes on separable data is within the bound of the margin", {
  set.seed(3)
  x <- matrix(rnorm(600), ncol = 2)
  x <- x[abs(x[, 1] - x[, 2]) > 0.7, ]
  y <- ifelse(x[, 1] > x[, 2], 1, -1)
  gap <- min(y * (x[, 1] - x[, 2]) / sqrt(2))
  solver <- solver_perceptron(epochs = 50, bias = FALSE, average = FALSE)
  fit <- osvm(x, y, solver, kernel_linear(), scale = FALSE, verbose = FALSE)
  expect_lte(sum(fit$trace$violations), max(rowSums(x^2)) / gap^2)
  expect_equal(fit$trace$violations[50], 0)
  expect_identical(predict(fit, x), y)
})

test_that("the average is more accurate than the last hypothesis where classes overlap", {
  set.seed(1)
  data <- two_normals(1500)
  train <- rows(data, 1:500)
  wrong <- function(average) {
    fit <- quick_fit("perceptron", train, solver = solver_perceptron(average = average))
    mean(predict(fit, data$x[501:1500, ]) != data$y[501:1500])
  }
  expect_lt(wrong(TRUE), 0.1)
  expect_lt(wrong(TRUE), wrong(FALSE))
})

test_that("invalid parameters are refused", {
  expect_error(solver_perceptron(epochs = 0), "epochs", class = "osvm_error")
  expect_error(solver_perceptron(average = 1), "average", class = "osvm_error")
  expect_error(solver_perceptron(bias = NA), "bias", class = "osvm_error")
})
