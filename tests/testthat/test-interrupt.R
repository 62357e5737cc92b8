# A fit that would take minutes in a process of its own, a SIGINT, and what it leaves.
interrupted <- function(work) {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("callr")
  skip_if_not_installed("onlinesvm")
  ready <- tempfile()
  process <- callr::r_bg(function(work, ready) {
    environment(work) <- globalenv()
    library(onlinesvm)
    set.seed(1)
    data <- chessboard(3000)
    first <- osvm(data$x, data$y, solver_olsvm(epochs = 1), kernel_rbf(gamma = 1), verbose = FALSE)
    caught <- NULL
    file.create(ready)
    fit <- withCallingHandlers(work(data, first), osvm_interrupted = function(w) {
      caught <<- w
      invokeRestart("muffleWarning")
    })
    list(class = class(caught), fit = fit, classes = predict(fit, data$x), more = update(fit, data$x[1:5, ], data$y[1:5]))
  }, list(work, ready))
  on.exit(process$kill())
  for (i in 1:200) if (file.exists(ready) || !process$is_alive()) break else Sys.sleep(0.05)
  Sys.sleep(0.7)
  expect_true(process$is_alive())
  process$interrupt()
  process$wait(10000)
  expect_false(process$is_alive())
  process$get_result()
}

test_that("Ctrl-C stops a fit and keeps what was learned", {
  out <- interrupted(function(data, first) {
    solver <- solver_norma(epochs = 1e5, outputs = "list")
    osvm(data$x, data$y, solver, kernel_rbf(gamma = 1), verbose = FALSE)
  })
  expect_true("osvm_interrupted" %in% out$class)
  expect_true("warning" %in% out$class)
  expect_length(out$classes, 3000)
  expect_gt(out$fit$stats$steps, 0)
  expect_lt(out$fit$stats$steps, 3e8)
  expect_equal(out$more$stats$steps > out$fit$stats$steps, TRUE)
})

test_that("Ctrl-C stops an update and a multiclass fit, too", {
  out <- interrupted(function(data, first) {
    first$solver <- solver_olsvm(epochs = 1e5, outputs = "list")
    update(first, data$x, data$y)
  })
  expect_true("osvm_interrupted" %in% out$class)
  out <- interrupted(function(data, first) {
    y <- factor(floor(data$x[, 1]))
    osvm(data$x, y, solver_pegaz(epochs = 1e5, outputs = "list"), kernel_rbf(gamma = 1), multiclass = "ovo", threads = 2, verbose = FALSE)
  })
  expect_true("osvm_interrupted" %in% out$class)
  expect_length(out$classes, 3000)
})
