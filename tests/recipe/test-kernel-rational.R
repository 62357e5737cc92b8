plain_rational <- function(x, z, p) (1 + p$gamma * squared_distances(x, z))^-p$degree

test_that("a rational quadratic kernel is its formula, for every kind of solver and data", {
  data <- sparse_clouds(70, d = 7, classes = 3)
  kernel <- kernel_rational(degree = 2, gamma = 0.4)
  for (name in c("smo", "lasvm", "olsvm", "ramp")) for (x in list(data$x, data$s)) {
    fit <- osvm(x, data$y, name, kernel, scale = FALSE, verbose = FALSE)
    outputs <- plain_rational(as.matrix(x), as.matrix(fit$sv), fit$kernel$params) %*% fit$coef
    expect_close(decide(fit, x), sweep(outputs, 2, fit$intercept, "+"), 2e-5)
  }
})

test_that("its width is chosen from the data, its degree searched", {
  data <- clouds(60)
  choice <- osvm(data$x, data$y, kernel = "rational", verbose = FALSE)$choice
  expect_true(all(c("C", "gamma", "error", "taken") %in% names(choice)))
  tuned <- quick_tune(data$x, data$y, solver_smo(C = 1), kernel_rational(degree = 1:3, gamma = 0.5), folds = 3)
  expect_identical(tuned$parameters, "degree")
})

test_that("budgets project or remove, and cannot merge", {
  data <- clouds(60)
  expect_error(osvm(data$x, data$y, solver_pa(budget = 5), "rational", verbose = FALSE), "kernel_rbf")
  fit <- osvm(data$x, data$y, solver_pa(budget = 5, maintenance = "remove"), "rational", verbose = FALSE)
  expect_lte(fit$n_sv, 5)
})

test_that("hints and errors know the kernel", {
  data <- clouds()
  expect_error(osvm(data$x, data$y, kernel = "unknown"), "rational")
  expect_error(osvm(data$x, data$y, kernel = kernel_rational), "kernel_rational()", fixed = TRUE)
  expect_osvm_error(kernel_rational(degree = 0.5))
})
