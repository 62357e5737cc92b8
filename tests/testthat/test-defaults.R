# What osvm(effort = 0) chooses where solver or kernel is left out.

default_fit <- function(data, ...) osvm(data$x, data$y, ..., effort = 0, verbose = FALSE)

test_that("a solver left out is SMO, with C and width by cross-validation", {
  set.seed(3)
  data <- chessboard(600)
  fit <- default_fit(data)
  expect_s3_class(fit, "osvm_smo")
  expect_true(fit$convergence$finished)
  usual <- default_fit(data, "smo")$kernel$params$gamma
  # Sharp boundaries: after the third setting those beyond it are tried
  expect_equal(fit$choice$C, c(2, 1, 5, 10, 20))
  expect_equal(fit$choice$gamma, usual * c(1, 0.5, 2, 8, 64))
  expect_identical(c(fit$solver$params$C, fit$kernel$params$gamma), c(10, 8 * usual))
  set.seed(1)
  expect_equal(default_fit(two_normals(200))$choice$C, c(2, 1, 5))
})

test_that("settings beyond the usual ones are tried where these are hardly better than chance", {
  set.seed(1)
  data <- chessboard(1000, size = 10)
  fit <- default_fit(data)
  expect_gt(min(fit$choice$error[1:3], na.rm = TRUE), 0.4)
  expect_identical(fit$solver$params$C, 20)
  new <- chessboard(1000, size = 10)
  expect_lt(mean(predict(fit, new$x) != new$y), 0.3) # 0.5 with the usual settings
})

test_that("the choice does not depend on the seed", {
  data <- clouds(100, classes = 3)
  set.seed(1)
  first <- default_fit(data)
  set.seed(2)
  second <- default_fit(data)
  expect_identical(without_timings(first), without_timings(second))
})

# The rule, from fits to the other folds: list(error, best, from the first fold alone?).
race_by_fits <- function(data, fit, loss, error, margin) {
  n <- length(data$y)
  fold <- rep_len(1:3, n)[order(order(data$y))]
  losses <- function(i, k) {
    model <- osvm(data$x[fold != k, ], data$y[fold != k], solver_smo(C = fit$choice$C[i]),
      kernel_rbf(gamma = fit$choice$gamma[i]), scale = fit$scaling, verbose = FALSE
    )
    loss(predict(model, data$x[fold == k, ]), data$y[fold == k])
  }
  points <- seq_along(fit$choice$C)
  first <- vapply(points, losses, numeric(sum(fold == 1)), k = 1)
  errors <- apply(first, 2, error)
  least <- margin(errors[1], sum(fold == 1))
  other <- points > 1
  if (is.factor(data$y) && errors[1] < least) {
    return(list(error = replace(errors, other, NA), best = 1, early = TRUE))
  }
  left <- errors + least * other <= errors[1]
  best <- which.min(errors + least * other)
  gain <- first[, 1] - first[, best]
  if (sum(left) == 1 || mean(gain) > sd(gain) / sqrt(length(gain))) {
    return(list(error = errors, best = best, early = TRUE))
  }
  errors <- vapply(points, function(i) if (left[i]) error(c(first[, i], losses(i, 2), losses(i, 3))) else NA_real_, 0)
  list(error = errors, best = which.min(errors + margin(errors[1], n) * other), early = FALSE)
}

test_that("another setting than the first must be better by far on one fold, or by a margin on all", {
  local_internal("roughly", identity) # to the tolerance of the fits
  picked <- vapply(1:40, function(seed) {
    data <- clouds(99, seed = seed)
    data$y <- factor(ifelse(seq_len(99) %% 10 == seed %% 10, rev(as.character(data$y)), as.character(data$y)))
    fit <- default_fit(data)
    expected <- race_by_fits(data, fit, function(f, y) f != y, mean, function(error, n) 0.005 + 1 / n)
    expect_equal(fit$choice$error, expected$error)
    expect_identical(fit$solver$params$C, fit$choice$C[expected$best])
    c(expected$best, which.min(expected$error), expected$early)
  }, numeric(3))
  expect_true(all(1:3 %in% picked[1, ]))
  expect_true(any(picked[1, ] != picked[2, ]))
  expect_setequal(picked[3, ], 0:1)
})

test_that("settings for numbers are compared by their root mean square errors", {
  local_internal("roughly", identity)
  early <- vapply(1:12, function(seed) {
    set.seed(seed)
    x <- matrix(runif(160), 40)
    data <- list(x = x, y = sin(seed * x[, 1]) + x[, 2]^2 + rnorm(40, sd = 0.2 * (seed %% 3)))
    fit <- default_fit(data)
    expected <- race_by_fits(data, fit, function(f, y) (f - y)^2, function(loss) sqrt(mean(loss)), function(error, n) {
      0.01 * error
    })
    # Each fit of the reference scales the numbers anew
    expect_equal(fit$choice$error, expected$error, tolerance = 0.05)
    expected$early
  }, NA)
  expect_setequal(early, c(TRUE, FALSE))
})

test_that("settings are compared roughly, and the model is exact", {
  data <- clouds(200, classes = 3)
  fit <- default_fit(data)
  exact <- default_fit(data, fit$solver, kernel = fit$kernel)
  expect_identical(fit$solver$params$tolerance, solver_smo()$params$tolerance)
  expect_equal(fit$coef, exact$coef)
})

test_that("what is given is kept", {
  data <- clouds(60)
  expect_null(default_fit(data, "smo")$choice)
  expect_identical(default_fit(data, "smo")$solver$params$C, 1)
  given <- default_fit(data, kernel = kernel_rbf(gamma = 3))
  expect_null(given$choice)
  expect_identical(given$kernel$params$gamma, 3)
  expect_identical(default_fit(data, kernel = "rbf")$choice$C[1:3], c(2, 1, 5))
  expect_null(default_fit(data, kernel = "polynomial")$choice)
})

test_that("a linear kernel has SMO, or dual coordinate descent for many rows", {
  data <- clouds(60)
  fit <- default_fit(data, kernel = "linear")
  expect_s3_class(fit, "osvm_smo")
  expect_identical(fit$choice$C, c(1, 0.1))
  many <- list(x = matrix(rnorm(10001)), y = rep_len(c("a", "b"), 10001))
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
  expect_gte(nrow(alone$choice), 3)
})

test_that("sparse data, weights and class weights are part of the choice", {
  data <- sparse_clouds(80, classes = 3)
  fit <- osvm(data$s, data$y, weights = rep(c(1, 2), 40), class_weights = "balanced", verbose = FALSE)
  expect_gte(nrow(fit$choice), 3)
  expect_true(is.finite(fit$choice$error[1]))
})

test_that("class weights count in the choice of a setting", {
  set.seed(11)
  y <- factor(rep(c("many", "few"), c(950, 50)), c("many", "few"))
  x <- matrix(rnorm(4000), 1000) + 1.2 * (y == "few")
  plain <- osvm(x, y, verbose = FALSE)$choice$error
  balanced <- osvm(x, y, class_weights = "balanced", verbose = FALSE)
  expect_gt(min(balanced$choice$error, na.rm = TRUE), max(plain, na.rm = TRUE))
  expect_equal(balanced$solver$params$C, balanced$choice$C[balanced$choice$taken])
  test <- matrix(rnorm(8000), 2000) + 1.2 * rep(0:1, each = 1000)
  expect_lt(mean(predict(balanced, test) != rep(levels(y), each = 1000)), 0.2)
  few <- osvm(x, y, weights = rep(c(0, 1, 0), c(930, 40, 30)), verbose = FALSE)
  expect_true(is.finite(few$choice$error[1]))
})
