test_that("importance is the size of the gradient of the decision values", {
  data <- clouds(50, classes = 3)
  data$x <- data$x * rep(c(1, 5, 0.2), each = 50)
  kernels <- list(
    kernel_rbf(gamma = 0.4), kernel_polynomial(degree = 3, gamma = 0.3, coef0 = 1),
    kernel_sigmoid(gamma = 0.1, coef0 = 0.2)
  )
  for (kernel in kernels) {
    fit <- osvm(data$x, data$y, "smo", kernel, verbose = FALSE)
    # Numerical derivatives, per standard deviation, since sizes are those of scaled features.
    h <- 1e-2
    numeric <- vapply(1:3, function(j) {
      step <- h * fit$scaling$scale[j] * (seq_len(3) == j)
      up <- predict(fit, sweep(fit$sv, 2, step, "+"), type = "decision")
      down <- predict(fit, sweep(fit$sv, 2, step, "-"), type = "decision")
      sqrt(colMeans(((up - down) / (2 * h))^2))
    }, numeric(3))
    expect_equal(gradient_sizes(unclass(fit)), t(numeric), tolerance = 1e-2, ignore_attr = TRUE)
  }
  linear <- osvm(data$x, data$y, "smo", "linear", verbose = FALSE)
  expect_identical(gradient_sizes(unclass(linear)), abs(linear$coef))
})

test_that("a variable that decides comes first, and a factor is one variable", {
  set.seed(2)
  frame <- data.frame(noise = rnorm(80), site = factor(rep(c("n", "s"), 40)), signal = rnorm(80))
  y <- factor(ifelse(frame$signal > 0, "a", "b"))
  for (kernel in c("rbf", "linear")) {
    sizes <- variable_importance(unclass(osvm(frame, y, kernel = kernel, verbose = FALSE)))
    expect_identical(names(sizes)[1], "signal")
    expect_setequal(names(sizes), names(frame))
  }
})
