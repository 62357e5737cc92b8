squared_hinge <- function(y) function(f) pmax(0, 1 - y * f)^2

test_that("the objective is LIBLINEAR's, types 1 and 2, and that of weights searched in R", {
  data <- clouds(120)
  sign <- ifelse(data$y == "b", 1, -1)
  for (C in c(0.05, 2)) {
    fit <- linear_optimum(data$x, data$y, loss_squared_hinge(), C)
    expect_least(fit, data$x, squared_hinge(sign), C, types = 1:2, y = sign)
  }
})

test_that("SMO, LASVM and IDSVM have the same optimum, which meets the conditions of all examples", {
  data <- clouds(80)
  sign <- ifelse(data$y == "b", 1, -1)
  expect_dual_optimum(data$x, data$y, sign, loss_squared_hinge(), function(f) 2 * sign * pmax(0, 1 - sign * f))
})

test_that("classes weigh, several are learned, and probabilities rank as decision values do", {
  data <- clouds(120, classes = 3)
  fit <- osvm(data$x, data$y, solver_smo(), kernel_rbf(gamma = 0.5), loss = "squared_hinge", class_weights = "balanced",
    probability = TRUE)
  expect_gt(mean(predict(fit, data$x) == data$y), 0.7)
  expect_close(rowSums(predict(fit, data$x, type = "prob")), rep(1, 120), 1e-9)
})
