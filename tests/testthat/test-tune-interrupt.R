expect_partial <- function(out, points) {
  expect_identical(out$class, c("osvm_interrupted", "warning", "condition"))
  expect_match(out$message, paste("of", points, "grid points"))
  expect_true(out$rest$interrupted)
  expect_null(out$rest$fit)
  expect_false(anyNA(out$rest$results$error))
  expect_lt(nrow(out$rest$results), points)
  expect_error(predict(out$rest, diag(2)), "no final model", class = "osvm_error")
  expect_output(print(out$rest), paste("of", points, "done when interrupted"))
}

test_that("Ctrl-C in the core returns the grid points that are done", {
  out <- interrupted(function(ready) {
    data <- chessboard(1500)
    ready()
    solver <- solver_norma(C = 10, epochs = c(1, 1e5))
    osvm_tune(data$x, data$y, solver, kernel_rbf(gamma = c(1, 2)), progress = FALSE, threads = 1)
  })
  expect_partial(out, 4)
  expect_identical(out$rest$results$epochs, 1) # a checkpoint of the run that was interrupted
})

test_that("Ctrl-C in a metric returns the grid points that are done", {
  out <- interrupted(function(ready) {
    data <- chessboard(200)
    calls <- 0
    slow <- function(truth, predicted, decision) {
      calls <<- calls + 1
      if (calls == 11) ready()
      if (calls > 10) Sys.sleep(0.4)
      mean(truth != predicted)
    }
    osvm_tune(data$x, data$y, solver_smo(C = 1:8), kernel_rbf(gamma = 1), progress = FALSE, threads = 1, metric = slow)
  })
  expect_partial(out, 8)
  expect_gte(nrow(out$rest$results), 2)
  expect_identical(out$rest$best$metric, min(out$rest$results$metric))
})

# Ctrl-C that arrives during the call of a metric.
interrupting_metric <- function(at) {
  calls <- 0
  function(truth, predicted, decision) {
    calls <<- calls + 1
    if (calls == at) tools::pskill(Sys.getpid(), tools::SIGINT)
    mean(truth != predicted)
  }
}

test_that("grid points are done when all folds of a repeat are", {
  skip_on_os("windows")
  data <- clouds(40)
  for (at in c(1, 18)) { # in the first repeat, in the second
    expect_warning(
      tuned <- quick_tune(data$x, data$y, solver_smo(C = 1:3), kernel_rbf(gamma = 1),
        folds = 4, repeats = 3, metric = interrupting_metric(at)),
      "of 3 grid points", class = "osvm_interrupted"
    )
    expect_true(tuned$interrupted)
    expect_true(all(rowSums(!is.na(tuned$scores)) %in% c(0, 4, 8)))
    expect_true(anyNA(tuned$scores))
    expect_equal(tuned$results$error, rowMeans(tuned$scores, na.rm = TRUE)[tuned$results$C])
  }
  expect_identical(tuned$results$C, 1:3)
})

test_that("an interrupt before the first grid point gives an empty table", {
  out <- interrupted(function(ready) {
    data <- chessboard(1500)
    ready()
    osvm_tune(data$x, data$y, solver_norma(epochs = 1e5), kernel_rbf(gamma = 1:3), progress = FALSE, threads = 1)
  })
  expect_match(out$message, "0 of 3")
  tuned <- out$rest
  expect_identical(nrow(tuned$results), 0L)
  expect_null(tuned$best)
  expect_output(print(tuned), "0 of 3 done when interrupted")
  expect_error(plot(tuned), "nothing to draw", class = "osvm_error")
})
