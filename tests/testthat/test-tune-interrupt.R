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

test_that("a repeat counts when all its folds are done", {
  core <- onlinesvm:::call_tune
  count <- 0
  local_internal("call_tune", function(data, labels, kernels, solvers, points, control) {
    result <- core(data, labels, kernels, solvers, points, control)
    count <<- count + 1
    if (count == 2) {
      result$state <- array(result$state, c(4, 3))
      result$state[2, 1] <- 0L
      result$state[, 3] <- 0L
      result$interrupted <- 1
    }
    result
  })
  data <- clouds(40)
  expect_warning(
    tuned <- quick_tune(data$x, data$y, solver_smo(C = 1:3), kernel_rbf(gamma = 1), folds = 4, repeats = 3),
    class = "osvm_interrupted"
  )
  expect_identical(count, 2)
  expect_identical(tuned$results$C, 1:3)
  expect_equal(tuned$results$error[1], mean(tuned$scores[1, 1:4]))
  expect_equal(tuned$results$error[2], mean(tuned$scores[2, 1:8]))
  count <- 1
  expect_warning(
    tuned <- quick_tune(data$x, data$y, solver_smo(C = 1:3), kernel_rbf(gamma = 1), folds = 4),
    "1 of 3 grid points", class = "osvm_interrupted"
  )
  expect_identical(tuned$results$C, 2L)
})

test_that("an interrupt before the first grid point gives an empty table", {
  local_internal("call_tune", function(data, labels, kernels, solvers, points, control) {
    folds <- length(control$seed)
    list(
      outputs = rep(0, length(labels$class) * ncol(points)),
      counts = no_counts(folds * ncol(points)),
      state = rep(0L, folds * ncol(points)), message = rep("", folds * ncol(points)), interrupted = 1, shared = no_sharing
    )
  })
  data <- clouds(40)
  expect_warning(
    tuned <- quick_tune(data$x, data$y, solver_smo(C = 1:3), kernel_rbf(gamma = 1)),
    "0 of 3", class = "osvm_interrupted"
  )
  expect_identical(nrow(tuned$results), 0L)
  expect_null(tuned$best)
  expect_output(print(tuned), "0 of 3 done when interrupted")
  expect_error(plot(tuned), "nothing to draw", class = "osvm_error")
})
