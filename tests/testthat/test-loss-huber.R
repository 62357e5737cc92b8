test_that("the objective is the least of weights searched in R", {
  data <- numbers_problem(120)
  for (delta in c(0.1, 1)) {
    loss <- function(f) {
      left <- abs(data$y - f)
      ifelse(left <= delta, left^2, delta * (2 * left - delta))
    }
    expect_least(linear_optimum(data$x, data$y, loss_huber(delta), 0.7), data$x, loss, 0.7)
  }
})

test_that("SMO, LASVM and IDSVM have the same optimum, which meets the conditions of all examples", {
  data <- numbers_problem(80)
  slope <- function(f) 2 * pmax(-0.2, pmin(0.2, data$y - f))
  expect_dual_optimum(data$x, data$y, data$y, loss_huber(0.2), slope)
})

test_that("errors that are far off do not move the model", {
  data <- numbers_problem(200)
  wrong <- replace(data$y, 1:10, 1000)
  learn <- function(y, loss) {
    predict(osvm(data$x, y, solver_smo(), kernel_rbf(gamma = 0.1), loss = loss, scale = FALSE), data$x)
  }
  moved <- function(loss) mean(abs(learn(wrong, loss) - learn(data$y, loss)))
  expect_lt(moved(loss_huber(0.3)), moved(loss_squared()) / 20)
})

test_that("a delta above all errors is the squared loss, and parameters are checked", {
  data <- numbers_problem(60)
  learn <- function(loss) {
    predict(osvm(data$x, data$y, solver_smo(tolerance = 1e-7), kernel_rbf(gamma = 0.1), loss = loss), data$x)
  }
  expect_close(learn(loss_huber(1e6)), learn(loss_squared()), 1e-5)
  expect_snapshot(error = TRUE, {
    loss_huber(0)
    loss_squared(-1)
    loss_expectile(1)
  })
})
