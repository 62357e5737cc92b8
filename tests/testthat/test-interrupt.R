# The model of an interrupted fit predicts and can be updated.
interrupted_fit <- function(work) {
  interrupted(work, function(fit) {
    x <- chessboard(2000)$x
    classes <- predict(fit, x)
    fit$solver$params$epochs <- 1
    list(fit = fit, classes = classes, more = update(fit, x[1:5, ], classes[1:5]))
  })
}

expect_usable_rest <- function(out) {
  expect_identical(out$class, c("osvm_interrupted", "warning", "condition"))
  expect_length(out$rest$classes, 2000)
  expect_true(all(is.finite(out$rest$fit$coef)))
  expect_gt(out$rest$fit$stats$steps, 0)
  expect_gt(out$rest$more$stats$steps, out$rest$fit$stats$steps)
}

test_that("Ctrl-C stops a fit and keeps what was learned", {
  expect_usable_rest(interrupted_fit(function(ready) {
    data <- chessboard(2000)
    ready()
    solver <- solver_norma(epochs = 1e5, outputs = "list")
    osvm(data$x, data$y, solver, kernel_rbf(gamma = 1), verbose = FALSE)
  }))
})

test_that("Ctrl-C stops the update of several machines, too", {
  expect_usable_rest(interrupted_fit(function(ready) {
    data <- chessboard(2000)
    y <- factor(floor(data$x[, 1]))
    solver <- solver_pegaz(epochs = 1)
    fit <- osvm(data$x, y, solver, kernel_rbf(gamma = 1), multiclass = "ovo", threads = 2, verbose = FALSE)
    fit$solver$params$epochs <- 1e5
    ready()
    update(fit, data$x, y)
  }))
})

test_that("Ctrl-C in predict() is an interrupt, not an error", {
  work <- function(ready) {
    data <- chessboard(2000)
    fit <- osvm(data$x, data$y, solver_olsvm(epochs = 1), kernel_rbf(gamma = 5), verbose = FALSE)
    many <- matrix(stats::runif(1e7), ncol = 2)
    ready()
    tryCatch(
      repeat predict(fit, many, threads = 1),
      error = function(e) "error", interrupt = function(i) "interrupt"
    )
  }
  expect_identical(interrupted(work)$rest, "interrupt")
})

test_that("Ctrl-C in osvm_shapley() is an interrupt", {
  work <- function(ready) {
    x <- matrix(stats::rnorm(4e5), ncol = 40)
    fit <- osvm(x[1:1000, ], x[1:1000, 1], kernel = kernel_rbf(gamma = 0.1), verbose = FALSE)
    ready()
    tryCatch(
      repeat osvm_shapley(fit, x, threads = 2),
      error = function(e) "error", interrupt = function(i) "interrupt"
    )
  }
  expect_identical(interrupted(work)$rest, "interrupt")
})

test_that("Ctrl-C in loo() returns what was computed", {
  out <- interrupted(function(ready) {
    data <- chessboard(1500, noise = 0.2)
    fit <- osvm(data$x, data$y, solver_idsvm(C = 10), kernel_rbf(gamma = 3), verbose = FALSE)
    ready()
    loo(fit)
  })
  expect_identical(out$class, c("osvm_interrupted", "warning", "condition"))
  left <- out$rest
  done <- !is.na(left$predicted)
  expect_lt(sum(done), 1500)
  expect_identical(done, !is.na(left$decision[, 1]))
  if (any(done)) expect_identical(left$error, mean(left$predicted[done] != left$class[done]))
})

test_that("Ctrl-C ends all fits: the model so far, without probabilities", {
  work <- function(ready) {
    data <- chessboard(4000, noise = 0.2)
    ready()
    osvm(data$x, data$y, solver_norma(epochs = 1e5), kernel_rbf(gamma = 1), probability = TRUE, verbose = FALSE)
  }
  out <- interrupted(work, function(fit) list(map = fit$probability, class = predict(fit, matrix(0, 1, 2))))
  expect_identical(out$class, c("osvm_interrupted", "warning", "condition"))
  expect_match(out$message, "no\\s+probabilities")
  expect_null(out$rest$map)
  expect_length(out$rest$class, 1)
})

test_that("Ctrl-C during cross-validation keeps the model", {
  out <- interrupted(function(ready) {
    data <- chessboard(4000, noise = 0.2)
    fit <- function(...) {
      set.seed(2)
      osvm(data$x, data$y, solver_olsvm(epochs = 150), kernel_rbf(gamma = 1), verbose = FALSE, ...)
    }
    whole <- fit()
    ready()
    last <- fit(probability = TRUE)
    list(same = identical(last$coef, whole$coef), map = last$probability)
  }, wait = 0.8)
  # On a slow computer the fit itself is interrupted, rather than those for probabilities.
  expect_match(out$message, "no\\s+probabilities")
  if (grepl("is complete", out$message)) expect_true(out$rest$same)
  expect_null(out$rest$map)
})

test_that("Ctrl-C in a fit for caret is an interrupt", {
  work <- function(ready) {
    data <- chessboard(2000)
    method <- osvm_caret(solver_norma(epochs = 1e5), kernel_rbf(gamma = 1))
    param <- method$grid(data$x, data$y, len = 1)
    ready()
    tryCatch(method$fit(data$x, data$y, NULL, param), interrupt = function(i) "interrupt")
  }
  expect_identical(interrupted(work)$rest, "interrupt")
})
