# Seconds differ between runs.
fix_seconds <- function(tuned) {
  tuned$results$seconds <- 0.25
  tuned$stats$seconds <- 1.5
  tuned
}

small_tuning <- function(...) {
  data <- clouds(60)
  set.seed(1)
  quick_tune(data$x, data$y, solver_smo(C = c(0.1, 1, 10, 100)), kernel_rbf(sigma = c(1, 2, 4)), ...)
}

test_that("a tuning prints its best grid points, ranked", {
  tuned <- small_tuning()
  lines <- capture.output(print(tuned, n = 3))
  table <- read.table(text = lines[grep("^ +C", lines) + 0:3], header = TRUE)
  ranked <- summary(tuned)$table[1:3, ]
  expect_equal(table$C, ranked$C)
  expect_equal(table$sigma, ranked$sigma)
  expect_equal(table$error, ranked$error, tolerance = 0.01)
  expect_false(is.unsorted(table$error))
  expect_match(lines, "and 9 more grid points", all = FALSE)
  capture.output(back <- print(tuned))
  expect_identical(back, tuned)
  expect_output(print(tuned$folds), "5 folds with 12 examples held out")
})

test_that("a summary has all grid points", {
  tuned <- small_tuning(metric = "auc")
  all <- summary(tuned)
  expect_identical(nrow(all$table), 12L)
  expect_false(is.unsorted(-all$table$auc))
  expect_gt(length(capture.output(print(all))), length(capture.output(print(tuned, n = 3))))
})

test_that("printed tunings", {
  skip_if_shifted()
  data <- clouds(40)
  linear <- fix_seconds(quick_tune(data$x, data$y, solver_sgd(rate = c(0.1, 0.01))))
  expect_snapshot({
    print(fix_seconds(small_tuning()), n = 2)
    print(fix_seconds(small_tuning(repeats = 2, metric = "balanced")), n = 2)
    print(linear)
  })
})

test_that("a best value on the edge of the grid is reported", {
  tuned <- small_tuning()
  tuned$best$C <- 100
  expect_output(print(tuned), "The best C.* at the edge of the grid")
  tuned$best$C <- 1
  tuned$best$sigma <- 2
  expect_no_match(capture.output(print(tuned)), "edge")
})
