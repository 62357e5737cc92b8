test_that("the Poisson loss is minimised", {
  set.seed(1)
  x <- matrix(rnorm(4000), 2000)
  y <- rpois(2000, exp(0.5 + x %*% c(0.6, -0.3)))
  fit <- osvm(x, y, solver_pegasos(lambda = 0.01, epochs = 50), kernel_linear(), loss = loss_poisson(), scale = FALSE)
  expect_equal(unname(coef(fit)), unname(coef(stats::glm(y ~ x, stats::poisson()))), tolerance = 0.2)
  expect_true(losses()["poisson" == losses()$name, "outcome"] == "counts")
})
