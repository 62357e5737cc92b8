test_that("workers of a plan give the result of one process", {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_if_not_installed("parallel")
  # The workers load the package from the same library.
  skip_if_not(nzchar(system.file("libs", package = "onlinesvm")))
  data <- clouds(60, classes = 3)
  run <- function(...) {
    set.seed(6)
    suppressWarnings(quick_tune(
      data$x, data$y, solver_lasvm(C = c(1, 10, 100)), kernel_rbf(gamma = c(0.1, 1)), folds = 3, repeats = 2,
      refit = TRUE, ...
    ))
  }
  here <- run()
  old <- future::plan(future::cluster, workers = 2, rscript_libs = .libPaths())
  on.exit(future::plan(old))
  expect_identical(onlinesvm:::future_workers(), 2)
  sent <- 0
  record_call <- onlinesvm:::record_call
  core <- 0
  local_internal("call_core", function(...) stop("the work was not sent away"))
  local_internal("record_call", function(...) {
    sent <<- sent + 1
    record_call(...)
  })
  there <- run()
  expect_same_tuning(there, here, tolerance = 0)
  expect_identical(sent, 4)
  expect_same_tuning(run(threads = NULL), here, tolerance = 0)
})

test_that("the error of a worker is reported", {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_if_not(nzchar(system.file("libs", package = "onlinesvm")))
  data <- clouds(30)
  old <- future::plan(future::cluster, workers = 1, rscript_libs = .libPaths())
  on.exit(future::plan(old))
  local_internal("worker_call", quote(stop("out of order")))
  expect_error(
    quick_tune(data$x, data$y, "smo", kernel_rbf(gamma = 1)), "A worker of the .* failed: out of order",
    class = "osvm_error"
  )
})

test_that("without a plan no worker is used", {
  skip_if_not_installed("future")
  loadNamespace("future")
  expect_identical(onlinesvm:::future_workers(), 0)
})
