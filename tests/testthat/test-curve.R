curves <- function() {
  data <- clouds(80, classes = 3)
  fit <- osvm(data$x, data$y, "smo", probability = TRUE, verbose = FALSE)
  list(
    osvm_learning_curve(data$x, data$y, "smo", sizes = c(0.2, 1), folds = 2),
    osvm_validation_curve(data$x, data$y, solver_smo(C = c(0.1, 1, 100)), folds = 2),
    osvm_validation_curve(data$x, data$y, solver_pa(variant = c("PA", "PA-I")), folds = 2),
    osvm_roc(fit, data$x, data$y), osvm_calibration(fit, data$x, data$y)
  )
}

test_that("curves are printed and drawn", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (curve in curves()) {
    expect_output(print(curve), "<osvm_curve>")
    expect_identical(plot(curve, main = "title"), curve)
    expect_error(plot(curve, nonsense = 1), "nonsense", class = "osvm_error")
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      drawn <- ggplot2::autoplot(curve)
      expect_s3_class(drawn, "ggplot")
      expect_gt(nrow(ggplot2::ggplot_build(drawn)$data[[1]]), 0)
    }
  }
})

test_that("damaged curves are refused", {
  curve <- osvm_roc(c(1, 2, 3), c("a", "b", "b"))
  for (field in c("kind", "data", "title")) {
    broken <- curve
    broken[[field]] <- NULL
    expect_error(print(broken), "damaged", class = "osvm_error")
    expect_error(plot(broken), "damaged", class = "osvm_error")
  }
})

test_that("curves with damaged columns are refused", {
  data <- clouds(20)
  learned <- osvm_learning_curve(data$x, data$y, "pa", sizes = 1, folds = 2)
  spoil <- function(curve, column, value) {
    curve$data[[column]] <- value
    curve
  }
  roc <- osvm_roc(c(1, 2, 3), c("a", "b", "b"))
  summary <- label <- roc
  label$label <- mean
  summary$summary <- as.Date("2020-01-01")
  broken <- list(
    spoil(learned, "size", NA), spoil(learned, "size", Inf), spoil(learned, "se", "a"),
    spoil(learned, "seconds", "a"),
    spoil(learned, "value", as.Date("2020-01-01")), spoil(roc, "fpr", "a"), spoil(roc, "tpr", list(1)), summary, label
  )
  for (curve in broken) {
    expect_error(print(curve), "damaged", class = "osvm_error")
    expect_error(plot(curve), "damaged", class = "osvm_error")
  }
})

test_that("a damaged sparse matrix is refused before rows of it are taken", {
  data <- sparse_clouds()
  fit <- quick_fit("olsvm", list(x = data$s, y = data$y))
  for (x in damaged_sparse()[c("p_na", "i_text", "i_large")]) {
    expect_error(osvm_learning_curve(x, data$y, "pa", sizes = 1, folds = 2), class = "osvm_error")
    expect_error(osvm_learning_curve(fit, x, data$y), class = "osvm_error")
    expect_error(osvm(x, replace(data$y, 1, NA), "pa"), class = "osvm_error")
  }
  attr(data$s, "x") <- NULL
  expect_error(predict(fit, data$s), "lacks a slot", class = "osvm_error")
  expect_error(osvm_roc(fit, data$s, data$y), "lacks a slot", class = "osvm_error")
})
