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
