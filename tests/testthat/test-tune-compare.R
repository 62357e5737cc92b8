quick_compare <- function(..., threads = 1, progress = FALSE) osvm_compare(..., threads = threads, progress = progress)

draw_comparison <- function(...) {
  pdf(NULL)
  on.exit(dev.off())
  before <- par(no.readonly = TRUE)
  plot(...)
  expect_equal(par(no.readonly = TRUE)[c("mai", "mfrow", "mgp")], before[c("mai", "mfrow", "mgp")])
}

test_that("solvers are tuned on the same folds", {
  data <- clouds(60)
  set.seed(1)
  both <- quick_compare(
    data$x, data$y, list(solver_smo(C = c(1, 10)), fast = solver_olsvm(C = c(1, 10))), kernel_rbf(sigma = c(1, 3)),
    folds = 3, repeats = 2
  )
  expect_named(both$tunings, c("smo", "fast"))
  tests <- lapply(both$tunings, function(tuned) lapply(tuned$folds, `[`, c("test", "seed")))
  expect_identical(tests[[1]], tests[[2]])
  shared <- both$tunings$fast$folds
  alone <- quick_tune(data$x, data$y, solver_smo(C = c(1, 10)), kernel_rbf(sigma = c(1, 3)), folds = shared)
  expect_identical(alone$scores, both$tunings$smo$scores)
  table <- both$table
  expect_identical(table$solver, c("smo", "fast"))
  expect_equal(table$mean_error[1], mean(alone$results$error))
  expect_equal(table$best_error[1], min(alone$results$error))
  expect_equal(table$se[1], alone$best$se)
  expect_equal(table$seconds, vapply(both$tunings, function(tuned) sum(tuned$results$seconds), 0, USE.NAMES = FALSE))
  expect_equal(table$seconds_per_point, table$seconds / 4)
  expect_null(both$tunings$smo$fit)
  expect_output(print(both), "smo +4 .*\n +fast +4")
  expect_no_error(draw_comparison(both))
  expect_no_error(draw_comparison(both, what = "seconds", legend = FALSE))
  expect_error(plot(both, what = "auc"), class = "osvm_error")
})

test_that("formulas and data frames are compared, and predicted with", {
  set.seed(1)
  both <- osvm_compare(
    Species ~ ., data = iris, solvers = c("smo", "perceptron"), folds = 3, refit = TRUE, progress = FALSE
  )
  expect_named(both$tunings, c("smo", "perceptron"))
  expect_length(predict(both$tunings$smo, iris), 150)
  expect_match(deparse1(both$tunings$smo$fit$call), "osvm(formula = Species ~ ., data = iris", fixed = TRUE)
  set.seed(1)
  frame <- quick_compare(iris[1:4], iris$Species, solvers = c("smo", "perceptron"), folds = 3)
  expect_equal(frame$table[1:5], both$table[1:5])
})

test_that("existing tunings are compared", {
  data <- clouds(40)
  one <- quick_tune(data$x, data$y, solver_smo(C = c(1, 10)), kernel_rbf(gamma = 1))
  two <- quick_tune(data$x, data$y, solver_smo(C = c(1, 10)), kernel_rbf(gamma = 2))
  expect_identical(osvm_compare(one, two)$table$solver, c("smo", "smo 1"))
  expect_identical(osvm_compare(list(wide = one, narrow = two))$table$solver, c("wide", "narrow"))
  expect_identical(osvm_compare(list(wide = one))$tunings$wide, one)
  auc <- quick_tune(data$x, data$y, solver_smo(C = 1:2), kernel_rbf(gamma = 1), metric = "auc")
  expect_snapshot(error = TRUE, {
    osvm_compare(list(one, 3))
    osvm_compare(one, auc)
    osvm_compare(list())
    osvm_compare(data$x, data$y)
    osvm_compare(data$x, data$y, list("unknown"))
    osvm_compare(data$x, data$y, 3)
    osvm_compare(data$x, solvers = "smo")
    osvm_compare(data$x, data$y, "smo", fold = 3)
    osvm_compare(data$x, data$y, "smo", cost = 3)
  })
})
