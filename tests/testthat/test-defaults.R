# What osvm() chooses where solver or kernel is left out.

default_fit <- function(data, ...) osvm(data$x, data$y, ..., verbose = FALSE)

test_that("a solver left out is SMO, with C and width by cross-validation", {
  data <- chessboard(600)
  fit <- default_fit(data)
  expect_s3_class(fit, "osvm_smo")
  expect_true(fit$convergence$finished)
  usual <- default_fit(data, "smo")$kernel$params$gamma
  expect_equal(fit$choice$C, c(2, 1, 5))
  expect_equal(fit$choice$gamma, usual * c(1, 0.5, 2))
  # Sharp boundaries: the last setting
  expect_identical(c(fit$solver$params$C, fit$kernel$params$gamma), c(5, 2 * usual))
  # The errors are those of a tuning on the sample
  rows <- order(data$y)
  rows <- rows[unique(round(seq(1, 600, length.out = 500)))]
  tuned <- quick_tune(
    scale(data$x)[rows, ], data$y[rows], solver_smo(), precision = NULL,
    grid = fit$choice[c("C", "gamma")], foldid = rep_len(1:3, 500), scale = FALSE
  )
  left <- !is.na(fit$choice$error)
  expect_true(all(left[c(1, 3)]))
  expect_equal(fit$choice$error[left], tuned$results$error[left], tolerance = 2 / 500)
})

test_that("the choice does not depend on the seed", {
  data <- clouds(100, classes = 3)
  set.seed(1)
  first <- default_fit(data)
  set.seed(2)
  second <- default_fit(data)
  expect_identical(without_timings(first), without_timings(second))
})

test_that("a setting other than the first must be better by half a per cent and one example", {
  wrong <- function(model, data, learned) mean(predict(model, data$x[!learned, ]) != data$y[!learned])
  picked <- vapply(1:40, function(seed) {
    data <- clouds(99, seed = seed)
    data$y <- factor(ifelse(seq_len(99) %% 10 == seed %% 10, rev(as.character(data$y)), as.character(data$y)))
    fit <- default_fit(data)
    # By fits to the other folds, of which the first rules settings out
    fold <- rep_len(1:3, 99)[order(order(data$y))]
    errors <- vapply(1:3, function(i) {
      vapply(1:3, function(k) {
        wrong(osvm(data$x[fold != k, ], data$y[fold != k], solver_smo(C = fit$choice$C[i]),
          kernel_rbf(gamma = fit$choice$gamma[i]), scale = fit$scaling, verbose = FALSE
        ), data, fold != k)
      }, 0)
    }, numeric(3))
    left <- c(TRUE, errors[1, -1] + 0.005 + 1 / 33 <= errors[1, 1])
    expected <- if (sum(left) > 1) ifelse(left, colMeans(errors), NA) else errors[1, ]
    expect_equal(fit$choice$error, expected)
    best <- which.min(expected + c(0, 1, 1) * (0.005 + 1 / if (sum(left) > 1) 99 else 33))
    expect_identical(fit$solver$params$C, fit$choice$C[best])
    c(best, which.min(expected))
  }, c(0, 0))
  expect_setequal(picked[1, ], 1:3)
  expect_true(any(picked[1, ] != picked[2, ]))
})

test_that("what is given is kept", {
  data <- clouds(60)
  expect_null(default_fit(data, "smo")$choice)
  expect_identical(default_fit(data, "smo")$solver$params$C, 1)
  given <- default_fit(data, kernel = kernel_rbf(gamma = 3))
  expect_null(given$choice)
  expect_identical(given$kernel$params$gamma, 3)
  expect_identical(default_fit(data, kernel = "rbf")$choice$C, c(2, 1, 5))
  expect_null(default_fit(data, kernel = "polynomial")$choice)
})

test_that("a linear kernel has SMO, or dual coordinate descent for many rows", {
  data <- clouds(60)
  fit <- default_fit(data, kernel = "linear")
  expect_s3_class(fit, "osvm_smo")
  expect_identical(fit$choice$C, c(1, 0.1))
  many <- list(x = matrix(rnorm(50001)), y = rep_len(c("a", "b"), 50001))
  expect_s3_class(default_fit(many, kernel = "linear"), "osvm_dcd")
})

test_that("few examples and many classes are not compared", {
  expect_null(default_fit(rows(clouds(60), 1:19))$choice)
  x <- matrix(rnorm(180), 180)
  many <- default_fit(list(x = x, y = factor(rep(1:60, 3))))
  expect_null(many$choice)
  expect_identical(many$multiclass, "ovr")
  some <- default_fit(list(x = x, y = factor(rep(1:10, 18))))
  expect_identical(some$multiclass, "ovo")
  # Ten of more classes are compared, and their errors stand for those of all
  set.seed(3)
  classes <- rep(1:20, each = 12)
  dozen <- default_fit(list(x = matrix(rnorm(480), 240) + cbind(classes %% 5, classes %/% 5), y = factor(classes)))
  expect_gt(dozen$choice$error[1], 0.4) # 0.3 among ten
  # A class with one example in the sample
  alone <- default_fit(list(x = x[1:60, , drop = FALSE], y = factor(c("c", rep(c("a", "b"), length.out = 59)))))
  expect_identical(nrow(alone$choice), 3L)
})

test_that("sparse data, weights and class weights are part of the choice", {
  data <- sparse_clouds(80, classes = 3)
  fit <- osvm(data$s, data$y, weights = rep(c(1, 2), 40), class_weights = "balanced", verbose = FALSE)
  expect_identical(nrow(fit$choice), 3L)
  expect_true(is.finite(fit$choice$error[1]))
})

test_that("class weights count in the choice of a setting", {
  set.seed(11)
  y <- factor(rep(c("many", "few"), c(950, 50)), c("many", "few"))
  x <- matrix(rnorm(4000), 1000) + 1.2 * (y == "few")
  plain <- osvm(x, y, verbose = FALSE)$choice$error
  balanced <- osvm(x, y, class_weights = "balanced", verbose = FALSE)
  expect_gt(min(balanced$choice$error, na.rm = TRUE), max(plain, na.rm = TRUE))
  expect_equal(balanced$solver$params$C, balanced$choice$C[which.min(balanced$choice$error)])
  test <- matrix(rnorm(8000), 2000) + 1.2 * rep(0:1, each = 1000)
  expect_lt(mean(predict(balanced, test) != rep(levels(y), each = 1000)), 0.2)
  few <- osvm(x, y, weights = rep(c(0, 1, 0), c(930, 40, 30)), verbose = FALSE)
  expect_true(is.finite(few$choice$error[1]))
})
