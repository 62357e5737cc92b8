# The workers load the package from the same library.
start_workers <- function() {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_if_not(nzchar(system.file("libs", package = "onlinesvm")))
  suppressWarnings(future::plan(future::multisession, workers = 2, rscript_libs = .libPaths()))
}

# Bundles that call base functions on the workers.
run_plain <- function(work, arguments, values = list(), data = NULL, ...) {
  store <- onlinesvm:::new_store(values, ...)
  on.exit(onlinesvm:::close_store(store))
  out <- vector("list", length(arguments))
  complete <- onlinesvm:::run_bundles(
    lapply(arguments, function(a) list(work = work, arguments = as.list(a), data = data)), store,
    done = function(i, value, seconds) out[[i]] <<- value,
    failed = function(i, message) out[[i]] <<- paste("failed:", message)
  )
  list(values = out, complete = complete)
}

test_that("workers give the result of one process, whatever the bundles, and whatever happens to a worker", {
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
  expect_identical(onlinesvm:::future_workers(), 2)
  local_internal("fit_seconds", function(...) 0.01)
  local_internal("call_tune", function(...) stop("the work was not sent away"))
  sent <- 0
  local_internal("note_cost", function(...) sent <<- sent + 1)
  for (number in c(2, 12)) {
    local_internal("best_bundles", function(workers, work, cost, most) min(number, most))
    sent <- 0
    expect_same_tunings(tunings())
    expect_identical(sent, if (number == 2) 4 else 12 + 10)
  }

  # From a file that the workers read; a source whose file is another one is noticed.
  local_internal("best_bundles", function(workers, work, cost, most) 2)
  expect_same_tuning(from_file(), here_from_file, tolerance = 0)
  local_internal("column_sums", function(x) 0)
  expect_error(from_file(), "other examples on the worker", class = "osvm_error")

  # A worker that has not got the data, or has lost it, is sent it with the bundle.
  local_internal("describe_stored", function(store, key, traits, workers, needed) {
    list(call = store$call, key = key, read = store$read, value = if (needed) store$values[[key]])
  })
  expect_same_tunings(tunings())

  # A worker is killed: its bundle is done again.
  flag <- tempfile()
  local_internal("worker_call", bquote({
    if (dir.create(.(flag), showWarnings = FALSE)) tools::pskill(Sys.getpid(), 9)
    get("work_on_bundle", envir = asNamespace("onlinesvm"))(message)
  }))
  expect_same_tunings(tunings())
  expect_true(dir.exists(flag))
})

test_that("errors stay in their bundle, and time limits hold, and a worker that always fails is given up", {
  old <- start_workers()
  on.exit(future::plan(old))
  ran <- run_plain("sqrt", list(4, "a", 9))
  expect_true(ran$complete)
  expect_identical(ran$values[c(1, 3)], list(2, 3))
  expect_match(ran$values[[2]], "failed: .*numeric")

  # Data goes to each worker once; a shared folder is read instead.
  ran <- run_plain("rep", list(NULL, NULL, NULL), list(big = as.numeric(1:5e3)), data = "big")
  expect_identical(ran$values, rep(list(as.numeric(1:5e3)), 3))
  folder <- tempfile()
  dir.create(folder)
  was <- options(onlinesvm.shared_folder = folder)
  ran <- run_plain("rep", list(NULL, NULL, NULL), list(big = as.numeric(1:5e3)), data = "big")
  options(was)
  expect_identical(ran$values, rep(list(as.numeric(1:5e3)), 3))
  expect_length(list.files(folder), 0)

  # A time limit holds on workers, too.
  data <- chessboard(1500)
  local_internal("best_bundles", function(workers, work, cost, most) most)
  grid <- data.frame(C = 1, epochs = rep(c(1, 1e5), c(2, 4)), gamma = 1:6)
  expect_message(
    tuned <- osvm_tune(data$x, data$y, "norma", "rbf", grid = grid, progress = FALSE, folds = 2, seconds = 1),
    class = "osvm_time_limit"
  )
  expect_true(tuned$interrupted)
  expect_identical(tuned$results$epochs, c(1, 1))

  local_internal("worker_call", quote(stop("out of order")))
  ran <- run_plain("sqrt", list(4))
  expect_match(ran$values[[1]], "failed: a worker of the .* failed: out of order")
  data <- clouds(30)
  expect_error(
    quick_tune(data$x, data$y, "smo", kernel_rbf(gamma = 1)), "a worker of the .* failed: out of order",
    class = "osvm_error"
  )
})

test_that("Ctrl-C returns what has come", {
  skip_if_not(exhaustive(), "a part of make test-all")
  skip_if_not_installed("future")
  out <- interrupted(function(ready) {
    future::plan(future::multisession, workers = 2, rscript_libs = .libPaths())
    data <- chessboard(1500)
    utils::assignInNamespace("note_cost", function(...) ready(), "onlinesvm")
    utils::assignInNamespace("best_bundles", function(workers, work, cost, most) most, "onlinesvm")
    grid <- data.frame(C = 1, epochs = rep(c(1, 1e5), c(3, 5)), gamma = 1:8)
    osvm_tune(data$x, data$y, "norma", "rbf", grid = grid, progress = FALSE, folds = 2)
  })
  expect_identical(out$class[1], "osvm_interrupted")
  expect_true(out$rest$interrupted)
  expect_true(nrow(out$rest$results) %in% 1:3)
  expect_identical(out$rest$results$epochs, rep(1, nrow(out$rest$results)))
})

test_that("the number of bundles follows from what they cost", {
  best <- onlinesvm:::best_bundles
  cost <- c(submit = 0, start = 1e-9)
  expect_gte(best(4, 100, cost, 40), 36) # starts are free: the longest bundle decides
  expect_identical(best(4, 100, c(submit = 0, start = 100), 40), 4L) # one wave
  expect_identical(best(100, 1, c(submit = 1, start = 5), 40), 1L)
  expect_identical(best(4, 100, c(submit = 0.1, start = 5), 2), 2L)
})
