# Errors in per cent on the training rows and on those held out, of fits to all training rows: a row per fold.
errors_of_fits <- function(data, solver, kernel) {
  set.seed(1)
  folds <- quick_tune(data$x, data$y, solver_smo(C = 1), kernel, folds = 3)$folds # those of a curve
  t(vapply(folds, function(fold) {
    fit <- osvm(data$x[-fold$test, ], data$y[-fold$test], solver, kernel, scale = FALSE, verbose = FALSE)
    wrong <- predict(fit, data$x) != data$y
    100 * c(mean(wrong[-fold$test]), mean(wrong[fold$test]))
  }, c(0, 0)))
}

test_that("a learning curve has the errors of fits to parts of the data", {
  data <- clouds(90, classes = 3)
  kernel <- kernel_rbf(gamma = 0.5)
  set.seed(1)
  curve <- osvm_learning_curve(data$x, data$y, solver_smo(C = 1), kernel, sizes = c(10, 60), folds = 3, scale = FALSE)
  expect_identical(curve$data$size, c(10, 60, 10, 60))
  expect_identical(curve$data$set, rep(c("training", "hold-out"), each = 2))
  held <- curve$data$value[3:4]
  expect_gt(held[1], held[2])
  # All examples of the training folds: a plain cross-validation.
  errors <- errors_of_fits(data, solver_smo(C = 1), kernel)
  expect_equal(curve$data$value[c(2, 4)], colMeans(errors))
  expect_equal(curve$data$se[4], sd(errors[, 2]) / sqrt(3))
})

test_that("a validation curve has the errors of fits, along paths and in lockstep", {
  kernel <- kernel_rbf(gamma = 0.5)
  for (classes in 2:3) for (make in list(solver_smo, solver_olsvm)) {
    data <- clouds(90, classes = classes)
    of <- function(C) make(C = C, shuffle = FALSE)
    if (identical(make, solver_smo)) of <- function(C) make(C = C)
    set.seed(1)
    curve <- osvm_validation_curve(data$x, data$y, of(c(0.1, 10)), kernel, folds = 3, scale = FALSE)
    for (k in 1:2) {
      errors <- errors_of_fits(data, of(c(0.1, 10)[k]), kernel)
      expect_equal(curve$data$value[c(k, k + 2)], colMeans(errors))
    }
  }
})

test_that("matrices, data frames, formulas, models and tunings have learning curves", {
  run <- function(...) {
    set.seed(2)
    osvm_learning_curve(..., sizes = c(0.3, 1), folds = 3)$data[-5]
  }
  frame <- iris[1:4]
  by_matrix <- run(as.matrix(frame), iris$Species, solver_smo(C = 2), kernel_rbf(gamma = 0.3))
  expect_identical(run(frame, iris$Species, solver = solver_smo(C = 2), kernel = kernel_rbf(gamma = 0.3)), by_matrix)
  expect_identical(run(Species ~ ., iris, solver = solver_smo(C = 2), kernel = kernel_rbf(gamma = 0.3)), by_matrix)
  fit <- osvm(Species ~ ., iris, solver = solver_smo(C = 2), kernel = kernel_rbf(gamma = 0.3), verbose = FALSE)
  expect_identical(run(fit, iris), by_matrix)
  one <- list(solver = solver_smo(C = 2), kernel = kernel_rbf(gamma = 0.3))
  tuned <- osvm_tune(frame, iris$Species, solver = one$solver, kernel = one$kernel, progress = FALSE)
  expect_identical(run(tuned, frame, iris$Species), by_matrix)
  expect_s3_class(osvm_learning_curve(Species ~ ., iris, sizes = 0.5, folds = 2, metric = "auc"), "osvm_curve")
})

test_that("a validation curve varies one parameter, and a tuning has one", {
  data <- clouds(90)
  curve <- osvm_validation_curve(data$x, data$y, solver_smo(C = c(0.01, 1, 100)), kernel_rbf(gamma = 2), folds = 3)
  expect_identical(curve$data$value_of, rep(c(0.01, 1, 100), 2))
  training <- curve$data$value[1:3]
  expect_true(all(diff(training) <= 0))
  widths <- kernel_rbf(gamma = c(0.1, 1))
  by_kernel <- osvm_validation_curve(factor(cyl) ~ mpg + wt, mtcars, solver = "smo", kernel = widths)
  expect_identical(by_kernel$parameter, "gamma")
  tuned <- osvm_tune(data$x, data$y, solver_smo(C = c(1, 10, 100)), kernel_rbf(gamma = c(0.1, 1)), progress = FALSE)
  curve <- osvm_validation_curve(tuned)
  own <- tuned$results[tuned$results$gamma == tuned$best$gamma, ]
  expect_equal(curve$data$value, 100 * own$error)
  expect_identical(osvm_validation_curve(tuned, "gamma")$parameter, "gamma")
})

test_that("invalid arguments are refused", {
  data <- clouds(40)
  curve <- function(...) osvm_learning_curve(data$x, data$y, "smo", ...)
  expect_error(curve(sizes = 0), "sizes", class = "osvm_error")
  expect_error(curve(sizes = 1000), "sizes", class = "osvm_error")
  expect_error(curve(folds = 1), "folds", class = "osvm_error")
  expect_error(curve(metric = "none"), "metric", class = "osvm_error")
  expect_error(curve(weights = new.env()), "weights", class = "osvm_error")
  expect_error(curve(nonsense = 1), "nonsense", class = "osvm_error")
  expect_error(osvm_learning_curve(data$x), "y", class = "osvm_error")
  expect_error(osvm_validation_curve(data$x, data$y, "smo"), "several values", class = "osvm_error")
  fit <- osvm(data$x, data$y, "smo", verbose = FALSE)
  expect_error(osvm_learning_curve(fit), "newdata", class = "osvm_error")
  expect_error(osvm_learning_curve(fit, data$x), "y", class = "osvm_error")
})
