test_that("a stream is counted, tidied and drawn", {
  board <- chessboard(1200)
  run <- osvm_stream(
    source_matrix(board$x, board$y), solver_olsvm(C = 10, epochs = 1), kernel_rbf(sigma = 0.5),
    chunk = 100, metrics = c("accuracy", "kappa"), verbose = FALSE
  )
  expect_identical(nobs(run), 1200)
  curve <- osvm_learning_curve(run)
  known <- run$metrics$accuracy[is.finite(run$metrics$accuracy)]
  expect_identical(curve$data$value[curve$data$set == "all rows"], known)
  expect_identical(osvm_learning_curve(run, "kappa")$label, "kappa")
  expect_error(osvm_learning_curve(run, "none"), "metric", class = "osvm_error")
  new <- chessboard(300)
  roc <- osvm_roc(run, new$x, new$y)
  expect_identical(roc$summary, osvm_roc(run$fit, new$x, new$y)$summary)
  expect_error(osvm_calibration(run, new$x, new$y), class = "osvm_error")
  expect_error(nobs(structure(list(), class = "osvm_stream")), "damaged", class = "osvm_error")
  skip_if_not_installed("generics")
  table <- generics::tidy(run)
  expect_identical(table$estimate[table$metric == "accuracy"], run$metrics$accuracy)
  one <- generics::glance(run)
  expect_identical(one$chunks, 12L)
  expect_identical(one$estimate, utils::tail(run$metrics$accuracy, 1))
  expect_identical(generics::augment(run, newdata = new$x)$.pred_class, predict(run$fit, new$x))
})
