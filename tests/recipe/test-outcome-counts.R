counts_data <- function(n = 400) {
  set.seed(1)
  x <- matrix(runif(2 * n, -1, 1), n, dimnames = list(NULL, c("a", "b")))
  list(x = x, y = rpois(n, exp(1 + x[, 1])))
}
solver <- solver_olsvm(C = 0.1, epochs = 5)

test_that("counts are fitted, predicted, updated and stored", {
  data <- counts_data()
  fit <- osvm(data$x, data$y, solver, kernel_rbf(gamma = 0.5), loss = loss_poisson())
  expect_identical(fit$outcome, "counts")
  expect_equal(predict(fit, data$x), exp(predict(fit, data$x, type = "decision")))
  expect_gt(cor(predict(fit, data$x), exp(1 + data$x[, 1])), 0.8)
  expect_equal(mean(residuals(fit, data$x, data$y)), 0, tolerance = 0.5)
  expect_output(print(fit), "counts from 0 to")
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  more <- update(readRDS(file), data$x[1:50, ], data$y[1:50])
  expect_equal(more$n_seen, 450)
  expect_error(osvm(data$x, data$y - 1, solver, loss = loss_poisson()), "counts", class = "osvm_error")
  expect_error(osvm(data$x, data$y, solver_smo(), loss = loss_poisson()), "does not learn counts", class = "osvm_error")
})

test_that("counts are tuned, compared, streamed and drawn", {
  data <- counts_data()
  tuned <- quick_tune(data$x, data$y, solver, kernel_rbf(gamma = c(0.1, 1)), folds = 3, loss = loss_poisson())
  expect_identical(tuned$outcome, "counts")
  expect_output(print(tuned), "counts")
  widths <- kernel_rbf(gamma = c(0.1, 1))
  by_mae <- quick_tune(data$x, data$y, solver, widths, folds = 3, loss = loss_poisson(), metric = "mae")
  expect_true(all(by_mae$results$mae > 0))
  run <- osvm_stream(
    source_matrix(data$x, data$y), solver_olsvm(C = 0.1, epochs = 1, shuffle = FALSE), kernel_rbf(gamma = 0.5),
    chunk = 50, loss = loss_poisson(), metrics = c("rmse", "mae"), verbose = FALSE
  )
  expect_identical(run$fit$outcome, "counts")
  expect_lt(utils::tail(run$metrics$mae, 1), utils::tail(run$metrics$mae_no_change, 1))
  expect_output(print(run), "counts")
  fit <- osvm(data$x, data$y, solver, kernel_rbf(gamma = 0.5), loss = loss_poisson())
  withr::local_pdf(NULL)
  expect_no_error({
    plot(fit, data$x, data$y)
    plot(fit, data$x, data$y, what = "residuals")
    plot(tuned)
    plot(run)
  })
  shards <- lapply(1:2, function(k) list(x = data$x[1:2 == k, ], y = data$y[1:2 == k]))
  fit <- osvm_shards(shards, solver_pegasos(lambda = 1e-2, epochs = 5), kernel_linear(), loss = loss_poisson())
  expect_identical(fit$outcome, "counts")
})
