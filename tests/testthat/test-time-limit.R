# `seconds` ends a fit or a tuning as Ctrl-C does, with a message.

test_that("a fit ends at its limit with a usable model", {
  set.seed(1)
  x <- matrix(rnorm(60000), 6000)
  y <- sample(c("a", "b"), 6000, TRUE)
  solver <- solver_olsvm(C = 100, epochs = 100000)
  expect_message(
    fit <- osvm(x, y, solver, kernel_rbf(gamma = 1), seconds = 0.3, verbose = FALSE),
    "0.3 seconds.*(ended in epoch [0-9]+ of 1e.05; `epochs = |learned [0-9,]+ of 6,000 rows)",
    class = "osvm_time_limit"
  )
  expect_true(all(predict(fit, x[1:10, ]) %in% c("a", "b")))
  expect_lt(fit$stats$seconds, 30)
  expect_message(osvm(x[1:100, ], y[1:100], solver_pa(), kernel_linear(), seconds = 60), NA, class = "osvm_time_limit")
  expect_message(
    osvm(x, y, solver_smo(C = 1e5, tolerance = 1e-9), kernel_rbf(gamma = 1), seconds = 0.3, verbose = FALSE),
    "violated by .*Less time is taken", class = "osvm_time_limit"
  )
  # the limit is of that call alone
  expect_warning(osvm(x[1:500, ], y[1:500], solver_pa(), kernel_rbf(gamma = 1)), NA)
})

test_that("a tuning ends at its limit with the grid points done", {
  set.seed(1)
  x <- matrix(rnorm(40000), 4000)
  y <- sample(c("a", "b"), 4000, TRUE)
  grid <- list(C = 10^(0:6), gamma = 10^(-3:2))
  expect_message(
    tuned <- osvm_tune(x, y, solver_smo(), kernel_rbf(), grid = grid, seconds = 1, progress = FALSE),
    class = "osvm_time_limit"
  )
  expect_true(tuned$interrupted)
  expect_lt(nrow(tuned$results), 42)
})

test_that("limits are checked", {
  for (seconds in list(0, -1, NA, "a", 1:2)) {
    expect_error(osvm(Species ~ ., iris, seconds = seconds), "seconds", class = "osvm_error")
  }
  expect_error(osvm_tune(Species ~ ., iris, scale = "running"), "running", class = "osvm_error")
})
