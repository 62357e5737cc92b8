# Values so large that a polynomial of high degree overflows.
steep <- function(solver, degree = c(2, 100), ...) {
  data <- clouds(40)
  quick_tune(1e4 * data$x, data$y, solver, kernel_polynomial(degree, gamma = 1), scale = FALSE, folds = 3, ...)
}

test_that("a grid point that fails is recorded and the others are kept", {
  expect_warning(tuned <- steep(solver_olsvm(C = c(0.1, 1))), "2 of 4 grid points failed", class = "osvm_failed")
  expect_identical(tuned$results$failed, c(0, 0, 3, 3))
  expect_identical(is.na(tuned$results$error), c(FALSE, FALSE, TRUE, TRUE))
  expect_identical(tuned$best$degree, 2)
  expect_identical(tuned$errors$point, rep(3:4, each = 3))
  expect_identical(tuned$errors$fold, rep(1:3, 2))
  expect_true(all(nzchar(tuned$errors$message)))
  expect_output(print(tuned), "2 grid points failed, in some folds or in all:\n +the outputs grew")
  # A fit of that grid point fails for the same reason.
  fold <- tuned$folds[[1]]
  data <- clouds(40)
  expect_error(
    osvm(
      1e4 * data$x[fold$train, ], data$y[fold$train], solver_olsvm(C = 0.1), kernel_polynomial(100, gamma = 1),
      scale = FALSE
    ),
    tuned$errors$message[1], fixed = TRUE
  )
})

test_that("if all grid points fail, their reason is the error", {
  expect_error(steep("olsvm", degree = c(99, 100)), "No grid point could be .*: the outputs grew", class = "osvm_error")
})

test_that("grid points that stop early are counted, with one warning", {
  data <- clouds(60)
  caught <- list()
  withCallingHandlers(
    tuned <- quick_tune(data$x, data$y, solver_smo(C = c(1, 10), max_iter = c(5, 1e6)), kernel_rbf(gamma = c(0.1, 1))),
    warning = function(w) {
      caught[[length(caught) + 1]] <<- w
      invokeRestart("muffleWarning")
    }
  )
  expect_length(caught, 1)
  expect_s3_class(caught[[1]], "osvm_unfinished")
  expect_identical(tuned$results$unfinished, ifelse(tuned$results$max_iter == 5, 5, 0))
})

test_that("the table is kept when the final fit fails", {
  failure <- structure(list(message = "no luck", call = NULL), class = c("osvm_error", "error", "condition"))
  local_internal("osvm.default", function(...) stop(failure))
  data <- clouds(30)
  expect_warning(
    tuned <- quick_tune(data$x, data$y, solver_smo(C = c(1, 10)), refit = TRUE),
    "no luck", class = "osvm_failed"
  )
  expect_null(tuned$fit)
  expect_identical(nrow(tuned$best), 1L)
})

test_that("invalid arguments are refused before anything is computed", {
  data <- clouds(30)
  x <- data$x
  y <- data$y
  expect_snapshot(error = TRUE, {
    osvm_tune(x)
    osvm_tune(x, y[-1])
    osvm_tune(x, y, cost = 1:3)
    osvm_tune(x, y, scale = NA)
    osvm_tune(x, y, refit = "yes")
    osvm_tune(x, y, progress = 1)
    osvm_tune(x, y, weights = 1)
    osvm_tune(x, y, class_weights = c(z = 1))
    osvm_tune(x, y, cache_mb = 0)
    osvm_tune(x, y, multiclass = "all")
    osvm_tune(x, y, maximize = NA)
  })
})
