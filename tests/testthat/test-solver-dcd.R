# The problem in plain R: the weights with the intercept last, which counts in their norm.
objective <- function(w, x, loss, C) sum(w^2) / 2 + sum(C * loss(drop(cbind(as.matrix(x), 1) %*% w)))
hinge <- function(y) function(f) pmax(0, 1 - y * f)
insensitive <- function(y, epsilon) function(f) pmax(0, abs(y - f) - epsilon)
pinball <- function(y, tau) function(f) pmax(tau * (y - f), (tau - 1) * (y - f))

weights_of <- function(fit) c(fit$coef, fit$intercept)

dcd_fit <- function(x, y, ..., tolerance = 1e-7, seed = 1) {
  set.seed(seed)
  osvm(x, y, solver_dcd(..., tolerance = tolerance, max_iter = 1e5), scale = FALSE, verbose = FALSE)
}

# A constant column in place of the bias: SMO's problem is then the same, but for its own bias, which is none where
# rows come with their mirror images.
mirrored <- function(data) {
  x <- cbind(data$x, 1)
  list(x = rbind(x, -x), sign = c(data$sign, -data$sign))
}

test_that("the objective and the outputs are those of SMO's linear machine", {
  data <- sparse_clouds(80)
  sign <- ifelse(data$y == levels(data$y)[2], 1, -1)
  both <- mirrored(list(x = data$x, sign = sign))
  for (C in c(0.05, 2)) {
    smo <- osvm(both$x, both$sign, solver_smo(C = C, tolerance = 1e-7), kernel_linear(), scale = FALSE, verbose = FALSE)
    expect_lt(abs(smo$intercept), 1e-4)
    expected <- drop(smo$coef)
    for (x in list(data$x, data$s)) {
      fit <- dcd_fit(x, sign, C = 2 * C)
      expect_true(fit$convergence$finished)
      expect_close(weights_of(fit), expected, 1e-3)
      least <- objective(expected, data$x, hinge(sign), 2 * C)
      expect_close(objective(weights_of(fit), data$x, hinge(sign), 2 * C) / least, 1, 1e-6)
    }
  }
})

test_that("no weights have a lower objective, whatever the loss and the weights of examples", {
  set.seed(2)
  x <- matrix(rnorm(400), 100)
  y <- drop(x %*% c(1, -1, 0.5, 0)) + rnorm(100)
  w <- rep(c(1, 0.2, 3, 0), 25)
  for (case in list(
    list(loss = loss_epsilon(0.4), plain = insensitive(y, 0.4)),
    list(loss = loss_quantile(0.8), plain = pinball(y, 0.8)),
    list(loss = loss_hinge(), plain = hinge(sign(y)))
  )) {
    labels <- if (case$loss$name == "hinge") sign(y) else y
    fit <- osvm(
      x, labels, solver_dcd(C = 0.7, tolerance = 1e-7), scale = FALSE, verbose = FALSE, loss = case$loss, weights = w
    )
    value <- function(w0) objective(w0, x, case$plain, 0.7 * w)
    found <- value(weights_of(fit))
    expect_close(-fit$convergence$objective, found, 1e-5)
    best <- stats::optim(weights_of(fit), value, control = list(maxit = 2000, reltol = 1e-14))$value
    expect_lt(found, best * (1 + 1e-6))
  }
})

test_that("without a bias the intercept is 0", {
  data <- clouds(60)
  fit <- dcd_fit(data$x, data$y, bias = FALSE)
  expect_identical(unname(fit$intercept), 0)
})

test_that("an update adds the solution for the new examples to the weights", {
  data <- clouds(120)
  sign <- ifelse(data$y == levels(data$y)[2], 1, -1)
  first <- dcd_fit(data$x[1:60, ], sign[1:60], C = 0.3)
  grown <- update(first, data$x[61:120, ], sign[61:120])
  expect_null(grown$sv)
  before <- weights_of(first)
  value <- function(w) {
    sum((w - before)^2) / 2 + 0.3 * sum(hinge(sign[61:120])(drop(cbind(data$x[61:120, ], 1) %*% w)))
  }
  best <- stats::optim(weights_of(grown), value, control = list(maxit = 2000, reltol = 1e-14))$value
  expect_lt(value(weights_of(grown)), best * (1 + 1e-6))
  expect_gt(max(abs(weights_of(grown) - before)), 1e-3)
})

test_that("a run that reaches max_iter says how far from the optimum it is", {
  data <- clouds(60)
  data$y <- rev(data$y)
  expect_warning(
    fit <- osvm(data$x, data$y, solver_dcd(C = 1000, max_iter = 2), verbose = FALSE), "above the optimum",
    class = "osvm_unfinished"
  )
  expect_false(fit$convergence$finished)
})

test_that("a grid of C, which is solved by warm starts, has the errors of separate fits", {
  data <- clouds(150, classes = 3)
  C <- c(10, 0.01, 0.3)
  fold <- rep(1:3, each = 50)
  solver <- solver_dcd(C = C, tolerance = 1e-7, max_iter = 1e5)
  tuned <- osvm_tune(data$x, data$y, solver, kernel_linear(), foldid = fold, scale = FALSE, refit = FALSE)
  for (k in seq_along(C)) {
    wrong <- vapply(1:3, function(f) {
      fit <- dcd_fit(data$x[fold != f, ], data$y[fold != f], C = C[k])
      mean(predict(fit, data$x[fold == f, ]) != data$y[fold == f])
    }, 0)
    expect_close(tuned$results$error[tuned$results$C == C[k]], mean(wrong), 0.02)
  }
})

test_that("many examples, for which C is approached from below, have the optimum, in updates too", {
  set.seed(1)
  x <- matrix(rnorm(36000), 12000)
  y <- sign(x[, 1] + rnorm(12000))
  fit <- dcd_fit(x, y, C = 20, tolerance = 1e-4)
  expect_true(fit$convergence$finished)
  value <- objective(weights_of(fit), x, hinge(y), 20)
  expect_lte(value + fit$convergence$objective, 1e-4 * value)
  first <- dcd_fit(x[1:100, ], y[1:100], C = 20, tolerance = 1e-4)
  both <- update(first, x, y)
  before <- weights_of(first)
  moved <- function(w) sum((w - before)^2) / 2 + objective(w, x, hinge(y), 20) - sum(w^2) / 2
  expect_close(-both$convergence$objective / moved(weights_of(both)), 1, 1e-4)
})
