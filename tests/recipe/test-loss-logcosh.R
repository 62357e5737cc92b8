test_that("steps go along its slope, and do not pass the place where that ends", {
  data <- numbers_problem(60)
  K <- ref_kernel(data$x, data$x, kernel_rbf(gamma = 0.3))
  f <- numeric(60)
  coef <- numeric(60)
  for (i in 1:60) {
    eta <- 2 * sqrt(2 / i)
    coef[i] <- eta * tanh(data$y[i] - f[i]) / (1 + eta)
    f <- f + coef[i] * K[, i]
  }
  fit <- osvm(data$x, data$y, solver_olsvm(C = 2, epochs = 1, bias = FALSE, shuffle = FALSE), kernel_rbf(gamma = 0.3),
    loss = "logcosh", scale = FALSE)
  expect_close(decide(fit, data$x), f)
})

test_that("tables, fits without a solver, tunings, streams, files and plots know it", {
  data <- numbers_problem(90)
  data$x <- data$x[, 1:2]
  expect_true("logcosh" %in% losses()$name)
  fit <- osvm(data$x, data$y, loss = loss_logcosh(), kernel = kernel_rbf(gamma = 0.3))
  expect_gt(cor(predict(fit, data$x), data$y), 0.5)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data$x), predict(fit, data$x))
  kernel <- kernel_rbf(gamma = 0.3)
  tuned <- osvm_tune(data$x, data$y, solver_norma(C = c(1, 10)), kernel, loss = "logcosh", metric = "mae")
  expect_true(all(is.finite(tuned$results$mae)))
  run <- osvm_stream(source_matrix(data$x, data$y), solver_norma(), loss = loss_logcosh(), chunk = 30, verbose = FALSE)
  expect_output(print(run), "mae")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off(), add = TRUE)
  for (drawn in list(fit, tuned, run)) expect_no_error(plot(drawn))
  expect_error(osvm(data$x, data$y, solver_smo(), loss = "logcosh"), "does not learn")
})
