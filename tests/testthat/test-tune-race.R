race_data <- function(n = 300, seed = 4) {
  set.seed(seed)
  chessboard(n, size = 3, noise = 0.1)
}

wide <- list(solver = solver_smo(C = 10^(-2:3)), kernel = kernel_rbf(sigma = c(0.05, 0.2, 0.5, 2, 10)))

raced <- function(data, ..., folds = 5, seed = 1) {
  set.seed(seed)
  osvm_tune(data$x, data$y, wide$solver, wide$kernel, folds = folds, ...)
}

test_that("a race gives up points far behind, and its winner is run in all folds", {
  data <- race_data()
  all <- raced(data, precision = 1e-5)
  race <- raced(data, precision = 1e-5, race = TRUE)
  expect_null(all$results$folds)
  folds <- race$results$folds
  expect_true(all(folds %in% 2:5))
  expect_gt(sum(folds == 2), 5)
  expect_identical(race$best$folds, 5)
  expect_identical(race$best[c("C", "sigma")], all$best[c("C", "sigma")])
  # What was run is what is run without a race.
  ran <- !is.na(race$scores)
  expect_identical(rowSums(ran), folds)
  expect_lt(max(abs(race$scores - all$scores)[ran]), 0.02)
  # Those given up were behind.
  behind <- rowMeans(all$scores) - all$best$error
  expect_gt(min(behind[folds == 2]), 0.02)
  expect_equal(race$results$error, rowMeans(race$scores, na.rm = TRUE))
  expect_output(print(race), "given up before the last fold")
  expect_identical(tidy_points(race)$n, folds)
  race$interrupted <- TRUE
  expect_output(print(race), paste(sum(folds == 5), "of 30 done when interrupted"))
  expect_lt(mean(predict(race, data$x) != data$y), 0.2)
  threads <- lapply(1:2, function(threads) raced(data, race = TRUE, refit = FALSE, threads = threads)$scores)
  expect_identical(threads[[1]], threads[[2]])
})

test_that("the rule is the one of the help", {
  records <- list2env(list(
    value = rbind(c(0.1, 0.12, 0.5, 0.2, NA), c(0.14, 0.12, 0.52, 0.21, 0.1), NA),
    state = matrix(c(1L, 1L, 0L), 3, 5), message = matrix("", 3, 5), parts = matrix(list(1), 1, 5)
  ))
  records$message[1, 5] <- "it failed"
  task <- list(metric = list(lower = TRUE))
  d <- records$value[1:2, 1:4] - records$value[1:2, 1]
  limit <- 2 * sqrt(mean(apply(d, 2, var)) / 2)
  expect_identical(still_racing(records, task, 1:5), which(colMeans(d) <= limit))
  expect_true(all(vapply(records$parts[1, 3:5], is.null, NA)))
  records$message[] <- "it failed"
  expect_identical(still_racing(records, task, 1:5), 1:5)
  expect_identical(
    lapply(race_stages(list(list(seed = 1:5)))[1:2], `[[`, "folds"), list(1:2, 3L)
  )
  expect_identical(lengths(lapply(race_stages(list(list(seed = 1:12), list(seed = 1:12))), `[[`, "folds")), rep(3L, 8))
  expect_identical(lapply(race_stages(list(list(seed = 1:2))), `[[`, "folds"), list(1:2))
})

test_that("races take every metric, repeats, numbers, cells and workers", {
  data <- race_data(200)
  for (metric in list("logloss", "auc", function(truth, predicted, decision) mean(truth != predicted))) {
    race <- raced(data, race = TRUE, metric = metric, folds = 3, refit = FALSE)
    expect_identical(race$best$folds, 3)
    expect_gt(sum(race$results$folds < 3), 0)
  }
  twice <- raced(data, race = TRUE, repeats = 2, folds = 3, refit = FALSE)
  expect_identical(twice$best$folds, 6)
  set.seed(2)
  x <- matrix(runif(400), 200)
  numbers <- osvm_tune(x, sin(9 * x[, 1]) + x[, 2], wide$solver, wide$kernel, race = TRUE, refit = FALSE)
  expect_gt(sum(numbers$results$folds < 5), 5)
  cells <- raced(race_data(400), race = TRUE, cells = 150, folds = 3)
  expect_true(all(cells$fit$cells$table$C %in% cells$results$C[cells$results$folds == 3]))
  here <- raced(data, race = TRUE, refit = FALSE)
  old <- start_workers()
  on.exit(future::plan(old))
  there <- raced(data, race = TRUE, refit = FALSE)
  same <- setdiff(names(here$results), "seconds")
  expect_identical(there$results[same], here$results[same])
})

test_that("one point is no race, and race is a flag", {
  data <- race_data(60)
  set.seed(1)
  one <- osvm_tune(data$x, data$y, solver_smo(C = 1), kernel_rbf(gamma = 1), race = TRUE)
  expect_identical(one$best$folds, 5)
  expect_osvm_error(osvm_tune(data$x, data$y, race = NA))
})
