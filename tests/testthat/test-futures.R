test_that("workers give the result of one process, whatever happens to a worker", {
  data <- clouds(60, classes = 3)
  drawn <- function(truth, predicted, decision) mean(truth != predicted) + stats::runif(1) / 1000
  tunings <- function() {
    set.seed(6)
    list(
      suppressWarnings(quick_tune(data$x, data$y, solver_lasvm(C = c(1, 10)), kernel_rbf(gamma = c(0.1, 1)), folds = 3,
        repeats = 2, refit = TRUE, metric = drawn)),
      quick_tune(data$x, data$y, solver_smo(C = c(1, 100)), kernel_rbf(gamma = c(0.1, 1)), metric = "logloss",
        refit = TRUE),
      stats::runif(1)
    )
  }
  expect_same_tunings <- function(there) {
    for (k in 1:2) expect_same_tuning(there[[k]], here[[k]], tolerance = 0)
    expect_identical(there[[3]], here[[3]])
  }
  file <- tempfile(fileext = ".csv")
  frame <- data.frame(data$x, kind = rep_len(c("u", "v"), nrow(data$x)), label = data$y)
  utils::write.csv(frame, file, row.names = FALSE)
  from_file <- function() {
    set.seed(8)
    quick_tune(source_csv(file, label = "label"), solver = solver_smo(C = c(1, 100)), kernel = kernel_rbf(gamma = 0.5),
      refit = TRUE)
  }
  here <- tunings()
  here_from_file <- from_file()
  old <- start_workers()
  on.exit(future::plan(old))
  expect_same_tunings(tunings())
  expect_same_tuning(from_file(), here_from_file, tolerance = 0)

  # Data written to a folder, which is empty afterwards
  folder <- tempfile()
  dir.create(folder)
  was <- options(onlinesvm.shared_folder = folder)
  expect_same_tunings(tunings())
  options(was)
  expect_length(list.files(folder), 0)

  # A worker is lost: its bundle is sent again.
  lost <- worker_processes()[1]
  tools::pskill(lost, tools::SIGKILL)
  expect_same_tunings(tunings())
  expect_false(lost %in% worker_processes())

  # Rows that are added while the workers are busy, before they read the file
  values <- on_workers(bquote({
    Sys.sleep(1)
    if (k == 1) cat("9,9,9,\"u\",\"a\"\n", file = .(file), append = TRUE)
  }))
  expect_error(from_file(), "other examples on the worker", class = "osvm_error")
  values()
})

test_that("time limits hold on workers, errors stay in their bundle, and workers that always fail are given up", {
  old <- start_workers()
  on.exit(future::plan(old))
  data <- chessboard(1500)
  grid <- data.frame(C = 1, epochs = rep(c(1, 1e5), c(2, 4)), gamma = 1:6)
  expect_message(
    tuned <- osvm_tune(data$x, data$y, "norma", "rbf", grid = grid, progress = FALSE, folds = 2, seconds = 1),
    class = "osvm_time_limit"
  )
  expect_true(tuned$interrupted)
  expect_true(all(tuned$results$epochs == 1))
  data <- clouds(40)
  steep <- kernel_polynomial(c(2, 100), gamma = 1)
  expect_warning(
    tuned <- quick_tune(1e4 * data$x, data$y, solver_olsvm(C = 0.1), steep, scale = FALSE, folds = 3),
    "1 of 2 grid points failed", class = "osvm_failed"
  )
  expect_identical(tuned$results$failed, c(0, 3))

  # Workers that do not find the package
  libraries <- Sys.getenv("R_LIBS")
  Sys.setenv(R_LIBS = "")
  on.exit(Sys.setenv(R_LIBS = libraries), add = TRUE)
  skip_if(nzchar(system.file(package = "onlinesvm", lib.loc = c(.Library, .Library.site))))
  start_workers(.Library)
  expect_error(
    quick_tune(data$x, data$y, "smo", kernel_rbf(gamma = 1)), "a worker of the .* failed", class = "osvm_error"
  )
})

test_that("Ctrl-C returns what has come", {
  skip_if_not(exhaustive(), "a part of make test-all")
  skip_if_not_installed("future.apply")
  out <- interrupted(function(ready) {
    future::plan(future::multisession, workers = 2, rscript_libs = .libPaths())
    data <- chessboard(1500)
    grid <- data.frame(C = 1, epochs = rep(c(1, 1e5), c(3, 5)), gamma = 1:8)
    ready()
    osvm_tune(data$x, data$y, "norma", "rbf", grid = grid, progress = FALSE, folds = 2)
  }, wait = 4)
  expect_identical(out$class[1], "osvm_interrupted")
  expect_true(out$rest$interrupted)
  expect_true(all(out$rest$results$epochs == 1))
})
