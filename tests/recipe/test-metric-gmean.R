gmean <- function(truth, predicted) exp(mean(log(vapply(split(predicted == truth, truth, drop = TRUE), mean, 0))))

test_that("the geometric mean chooses grid points, and draws them", {
  data <- clouds(120, classes = 3, seed = 7)
  tune <- function(metric, ...) {
    set.seed(1)
    quick_tune(data$x, data$y, solver_smo(C = c(0.1, 10)), kernel_rbf(gamma = 0.5), metric = metric, folds = 3, ...)
  }
  tuned <- tune("gmean")
  own <- tune(function(truth, predicted, decision) gmean(truth, predicted), maximize = TRUE)
  expect_equal(tuned$scores, own$scores)
  expect_identical(tuned$best$C, own$best$C)
  curve <- osvm_learning_curve(data$x, data$y, solver_smo(), kernel_rbf(gamma = 0.5), metric = "gmean", folds = 3)
  expect_identical(curve$label, "Geometric mean, %")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(tuned))
  expect_silent(plot(curve))
})

test_that("the geometric mean follows a stream and its window", {
  data <- clouds(300, classes = 3, seed = 7)
  run <- osvm_stream(
    source_matrix(data$x, data$y), metrics = c("gmean", "accuracy"), window = 100, chunk = 30, keep = "predictions",
    verbose = FALSE
  )
  kept <- run$predictions[!is.na(run$predictions$predicted), ]
  last <- run$metrics[nrow(run$metrics), ]
  expect_equal(last$gmean, gmean(kept$label, kept$predicted))
  recent <- utils::tail(kept, 100)
  expect_equal(last$gmean_window, gmean(recent$label, recent$predicted))
  expect_identical(last$gmean_majority, 0) # of the other classes it finds none
})
