# Iteratively reweighted least squares, on features or, with a kernel matrix, in the coefficients and the bias
reweighted <- function(K, y, tau, C) {
  weight <- rep(0.5, length(y))
  for (t in 1:200) {
    system <- rbind(cbind(K + diag(1 / (2 * C * weight)), 1), c(rep(1, length(y)), 0))
    solution <- solve(system, c(y, 0))
    f <- drop(K %*% solution[seq_along(y)]) + solution[length(y) + 1]
    after <- ifelse(y > f, tau, 1 - tau)
    if (identical(after, weight)) break
    weight <- after
  }
  f
}

test_that("SMO, LASVM and IDSVM have the solution of iteratively reweighted least squares", {
  data <- numbers_problem(120)
  kernel <- kernel_rbf(gamma = 0.3)
  K <- ref_kernel(data$x, data$x, kernel)
  for (tau in c(0.05, 0.5, 0.9)) {
    expected <- reweighted(K, data$y, tau, 3)
    for (solver in exact_solvers(3)) {
      fit <- osvm(data$x, data$y, solver, kernel, loss = loss_expectile(tau), scale = FALSE)
      expect_close(predict(fit, data$x), expected, 1e-6)
    }
  }
})

test_that("the linear objective is the least of weights searched in R", {
  data <- numbers_problem(120)
  for (tau in c(0.1, 0.8)) {
    loss <- function(f) ifelse(f < data$y, tau, 1 - tau) * (data$y - f)^2
    expect_least(linear_optimum(data$x, data$y, loss_expectile(tau), 0.7), data$x, loss, 0.7)
  }
})

test_that("examples of both sides are forgotten exactly", {
  data <- numbers_problem(40)
  learn <- function(i) {
    osvm(
      data$x[i, ], data$y[i], solver_idsvm(C = 2), kernel_rbf(gamma = 0.3), loss = loss_expectile(0.9), scale = FALSE
    )
  }
  expect_close(predict(forget(learn(1:40), 31:40), data$x), predict(learn(1:30), data$x), 1e-8)
})

test_that("tunings and streams have its metric", {
  data <- numbers_problem(90)
  tuned <- osvm_tune(data$x, data$y, solver_smo(C = c(0.1, 3)), kernel_rbf(gamma = 0.3), loss = loss_expectile(0.9),
    metric = "expectile", progress = FALSE)
  expect_true(all(tuned$results$expectile > 0))
  run <- osvm_stream(source_matrix(data$x, data$y), loss = loss_expectile(0.9), chunk = 30, verbose = FALSE)
  expect_output(print(run), "expectile")
})
