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
    data <- chessboard(2000)
    caught <- NULL
    fit <- withCallingHandlers(work(data, function() file.create(ready)), osvm_interrupted = function(w) {
      caught <<- w
      invokeRestart("muffleWarning")
    })
    classes <- predict(fit, data$x)
    fit$solver$params$epochs <- 1
    list(class = class(caught), fit = fit, classes = classes, more = update(fit, data$x[1:5, ], classes[1:5]))
  }, list(work, ready))
  on.exit(process$kill())
  for (i in 1:400) if (file.exists(ready) || !process$is_alive()) break else Sys.sleep(0.05)
  Sys.sleep(0.5)
  expect_true(process$is_alive())
  process$interrupt()
  process$wait(20000)
  expect_false(process$is_alive())
  process$get_result()
}

expect_usable_rest <- function(out) {
  expect_identical(out$class, c("osvm_interrupted", "warning", "condition"))
  expect_length(out$classes, 2000)
  expect_true(all(is.finite(out$fit$coef)))
  expect_gt(out$fit$stats$steps, 0)
  expect_gt(out$more$stats$steps, out$fit$stats$steps)
}

test_that("Ctrl-C stops a fit and keeps what was learned", {
  expect_usable_rest(interrupted(function(data, ready) {
    ready()
    solver <- solver_norma(epochs = 1e5, outputs = "list")
    osvm(data$x, data$y, solver, kernel_rbf(gamma = 1), verbose = FALSE)
  }))
})

test_that("Ctrl-C stops the update of several machines, too", {
  expect_usable_rest(interrupted(function(data, ready) {
    y <- factor(floor(data$x[, 1]))
    solver <- solver_pegaz(epochs = 1)
    fit <- osvm(data$x, y, solver, kernel_rbf(gamma = 1), multiclass = "ovo", threads = 2, verbose = FALSE)
    fit$solver$params$epochs <- 1e5
    ready()
    update(fit, data$x, y)
  }))
})
