# Streams whose model forgets the oldest examples, exactly.

drifting <- function(n = 400) {
  set.seed(9)
  x <- matrix(rnorm(3 * n), n)
  list(x = x, y = ifelse(ifelse(seq_len(n) > n / 2, -1, 1) * x[, 1] + rnorm(n, 0, 0.2) > 0, "p", "q"))
}

window_of <- function(p, solver, ..., chunk = 40, rows = seq_along(p$y)) {
  osvm_stream(source_matrix(p$x[rows, ], p$y[rows]), solver, kernel_rbf(gamma = 0.3), chunk = chunk, scale = FALSE, ...)
}

test_that("the model is that of the latest examples alone, whatever the chunk", {
  p <- drifting()
  latest <- 301:400
  alone <- osvm(p$x[latest, ], p$y[latest], solver_idsvm(C = 1), kernel_rbf(gamma = 0.3), scale = FALSE)
  for (chunk in c(1, 40, 150, 400)) {
    run <- window_of(p, solver_idsvm(C = 1), forget_after = 100, chunk = chunk)
    expect_equal(predict(run$fit, p$x, type = "decision"), predict(alone, p$x, type = "decision"), tolerance = 1e-6)
    expect_identical(sort(run$fit$id), as.numeric(latest))
    expect_identical(run$fit$n_seen, 400)
    expect_identical(run$rows[["learned"]], 400)
  }
  ramp <- window_of(p, solver_ramp(C = 1), forget_after = 100)
  expect_gte(min(ramp$fit$id), 301)
  expect_gt(mean(predict(ramp$fit, p$x[latest, ]) == p$y[latest]), 0.85)
})

test_that("numbers are forgotten, too; a detector cuts further", {
  p <- drifting()
  number <- p$x[, 1] * 3.7
  run <- osvm_stream(source_matrix(p$x, number), solver_idsvm(C = 1), kernel_rbf(gamma = 0.3), chunk = 50,
    forget_after = 80)
  expect_identical(sort(run$fit$id), as.numeric(321:400))
  cut <- window_of(p, solver_idsvm(C = 1), forget_after = 150, drift = drift_adwin(react = "forget"))
  expect_true("drift" %in% cut$events$event)
  expect_lte(length(cut$fit$id), 150)
  kept <- window_of(p, solver_idsvm(C = 1))
  expect_gt(tail(cut$metrics$accuracy, 1), tail(kept$metrics$accuracy, 1))
})

test_that("a run that forgets goes on from its checkpoint", {
  p <- drifting()
  file <- tempfile(fileext = ".rds")
  whole <- window_of(p, solver_idsvm(C = 1), forget_after = 60)
  window_of(p, solver_idsvm(C = 1), forget_after = 60, checkpoint = file, chunks = 4)
  run <- osvm_stream(source_matrix(p$x, p$y), resume = file)
  expect_identical(run$fit$coef, whole$fit$coef)
  expect_identical(run$fit$id, whole$fit$id)
})

test_that("a solver that cannot forget is refused, and so is a window that is no number", {
  p <- drifting(60)
  expect_error(window_of(p, solver_pa(), forget_after = 50), "cannot forget", class = "osvm_error")
  expect_error(window_of(p, solver_idsvm(), forget_after = 0), "forget_after", class = "osvm_error")
  expect_error(window_of(p, solver_idsvm(), forget_after = "all"), "forget_after", class = "osvm_error")
})

test_that("a result has rows per second and memory", {
  run <- window_of(drifting(200), solver_pa())
  expect_named(run$performance, c("rows_per_second", "megabytes"))
  expect_true(all(run$performance > 0))
  expect_output(print(run), "rows a second")
  expect_output(print(run), "MB, the model included")
  run$performance <- "fast"
  expect_error(print(run), "performance", class = "osvm_error")
})
