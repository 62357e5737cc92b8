test_that("under a kernel it is kernel ridge regression with a bias", {
  data <- numbers_problem(150)
  K <- ref_kernel(data$x, data$x, kernel_rbf(gamma = 0.3))
  C <- 3
  weights <- rep(c(1, 0.5, 2), 50)
  ridge <- rbind(cbind(K + diag(1 / (2 * C * weights)), 1), c(rep(1, 150), 0))
  solution <- solve(ridge, c(data$y, 0))
  expected <- drop(K %*% solution[1:150]) + solution[151]
  kernel <- kernel_rbf(gamma = 0.3)
  for (solver in exact_solvers(C)) {
    fit <- osvm(data$x, data$y, solver, kernel, loss = loss_squared(), weights = weights, scale = FALSE)
    expect_close(predict(fit, data$x), expected, 1e-6)
    expect_true(fit$convergence$finished)
  }
  fit <- osvm(data$x, data$y, solver_smo(C = C, tolerance = 1e-8, bias = FALSE), kernel_rbf(gamma = 0.3),
    loss = loss_squared(), weights = weights, scale = FALSE)
  expect_close(predict(fit, data$x), K %*% solve(K + diag(1 / (2 * C * weights)), data$y), 1e-6)
})

test_that("linear, the objective is LIBLINEAR's, types 11 and 12, and that of ridge regression", {
  data <- numbers_problem(150)
  for (C in c(0.05, 2)) for (epsilon in c(0, 0.3)) {
    fit <- linear_optimum(data$x, data$y, loss_squared(epsilon), C)
    expect_least(fit, data$x, function(f) pmax(0, abs(data$y - f) - epsilon)^2, C, types = 11:12, y = data$y, epsilon)
  }
  X <- cbind(data$x, 1)
  ridge <- solve(crossprod(X) + diag(ncol(X)) / (2 * 2), crossprod(X, data$y))
  expect_close(weights_of(linear_optimum(data$x, data$y, loss_squared(), 2)), ridge, 1e-4)
})

test_that("with a tube SMO, LASVM and IDSVM have the same optimum, and fewer support vectors", {
  data <- numbers_problem(80)
  slope <- function(f) sign(data$y - f) * 2 * pmax(0, abs(data$y - f) - 0.3)
  expect_dual_optimum(data$x, data$y, data$y, loss_squared(0.3), slope)
  fit <- osvm(data$x, data$y, solver_smo(), kernel_rbf(gamma = 0.3), loss = loss_squared(0.3))
  expect_lt(fit$n_sv, 80)
})

test_that("examples are forgotten and left out exactly", {
  data <- numbers_problem(40)
  kernel <- kernel_rbf(gamma = 0.3)
  learn <- function(i) osvm(data$x[i, ], data$y[i], solver_idsvm(C = 2), kernel, loss = loss_squared(), scale = FALSE)
  expect_close(predict(forget(learn(1:40), 31:40), data$x), predict(learn(1:30), data$x), 1e-8)
  left <- loo(learn(1:40))$predicted
  expect_close(left[1:3], vapply(1:3, function(i) predict(learn(-i), data$x[i, , drop = FALSE]), 0), 1e-8)
})

test_that("several columns of numbers are learned as each alone", {
  data <- numbers_problem(60)
  y <- cbind(a = data$y, b = data$x[, 1] + 5)
  learn <- function(y) osvm(data$x, y, solver_smo(tolerance = 1e-7), kernel_rbf(gamma = 0.3), loss = loss_squared())
  both <- predict(learn(y), data$x)
  for (k in 1:2) expect_close(both[, k], predict(learn(y[, k]), data$x), 1e-5)
})

test_that("online, steps along steep slopes do not overshoot", {
  data <- numbers_problem(200)
  far <- 100 * data$x
  for (fit in list(
    osvm(far, data$y, solver_sgd(rate = 1), loss = loss_squared(), scale = FALSE),
    osvm(far, data$y, solver_pegasos(lambda = 1e-6), loss = loss_squared(), scale = FALSE),
    osvm(data$x, data$y, solver_olsvm(C = 1e6), kernel_polynomial(degree = 3), loss = loss_squared(), scale = FALSE)
  )) expect_true(all(abs(predict(fit, if (is.null(fit$sv)) far else data$x)) < 100))
})
