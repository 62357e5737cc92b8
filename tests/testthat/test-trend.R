# Numbers with a linear trend, of which machines learn what is left.

trended <- function(fit, slope, intercept = 0.5) {
  fit$trend <- list(center = rep(0.2, fit$n_features), coef = cbind(slope), intercept = intercept)
  dimnames(fit$trend$coef) <- NULL
  fit
}
set.seed(1)
x <- matrix(rnorm(600), 200, dimnames = list(NULL, c("a", "b", "c")))
y <- sin(2 * x[, 1]) + x[, 2]^2 + rnorm(200, sd = 0.1)
slope <- c(2, -1, 0)
line <- function(fit, x) fit$label$scale * drop((x - 0.2) %*% slope + 0.5)

test_that("predictions are those of the machines and of the trend, however the model is kept or asked", {
  fits <- list(
    osvm(x, y, solver_smo(), kernel_rbf(gamma = 0.5)), osvm(x, y, solver_smo(), kernel_rbf(gamma = 0.5), cells = 60),
    osvm(x, y, solver_dcd(), kernel_nystrom(kernel_rbf(gamma = 0.5), rank = 50)),
    osvm(x, y, solver_lasvm(), kernel_laplacian(gamma = 0.5), conformal = TRUE)
  )
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  for (fit in fits) {
    both <- trended(fit, slope)
    expected <- predict(fit, x) + line(fit, x)
    expect_equal(predict(both, x), expected)
    expect_equal(predict(both, methods::as(x, "CsparseMatrix")), expected, tolerance = 1e-5)
    expect_equal(predict(both, x[7, , drop = FALSE]), expected[7], tolerance = 1e-5)
    saveRDS(both, file)
    expect_identical(predict(readRDS(file), x), predict(both, x))
    expect_output(print(both), "trend +linear")
    why <- osvm_shapley(both, x[1:20, ])
    expect_equal(drop(why$decision), expected[1:20], ignore_attr = TRUE, tolerance = 1e-4)
    apart <- rep(slope, each = 20) * (x[1:20, ] - 0.2) * fit$label$scale
    expect_equal(why$values - osvm_shapley(fit, x[1:20, ])$values, apart, ignore_attr = TRUE)
  }
  interval <- predict(both, x, type = "interval")
  moved <- as.matrix(interval) - as.matrix(predict(fit, x, type = "interval"))
  expect_equal(moved, matrix(line(fit, x), 200, ncol(moved)), ignore_attr = TRUE)
  small <- compress(both, 30)
  expect_equal(predict(small, x), predict(compress(fit, 30), x) + line(fit, x))
  expect_identical(small$compression$distance, compress(fit, 30)$compression$distance)
})

test_that("machines learn what the trend leaves, in fits, updates, held-out outputs and live models", {
  new <- matrix(rnorm(150), 50, dimnames = list(NULL, c("a", "b", "c")))
  more <- sin(2 * new[, 1]) + new[, 2]^2
  for (solver in list(solver_smo(), solver_lasvm(), solver_pa())) {
    fit <- osvm(x, y, solver, kernel_rbf(gamma = 0.5))
    both <- trended(fit, slope)
    set.seed(1)
    after <- update(fit, new, more)
    set.seed(1)
    both <- update(both, new, more + line(fit, new))
    expect_equal(predict(both, x), predict(after, x) + line(fit, x), tolerance = 1e-4)
  }
  both <- trended(fit, slope)
  live <- osvm_live(both)
  one <- osvm_live(fit)
  set.seed(1)
  update(live, new, more + line(fit, new))
  set.seed(1)
  update(one, new, more)
  expect_equal(predict(live, x), predict(one, x) + line(fit, x), tolerance = 1e-4)
  expect_identical(predict(snapshot(live), x), predict(live, x))
  task <- list(x = x, class = (y - fit$label$center) / fit$label$scale, weight = rep(1, 200))
  moved <- replace(task, "class", list(task$class + line(fit, x) / fit$label$scale))
  held <- function(model, task) {
    one <- function(spec) list(specs = list(spec), of = 1L)
    holdout_outputs(model, task, rep_len(1:3, 200), one(model$solver), one(model$kernel), 1:3)$outputs[, , 1]
  }
  expect_equal(held(both, moved), held(fit, task) + line(fit, x) / fit$label$scale, tolerance = 1e-4)
})

# Columns as the model scales them, or from there back to the user's units
rescaled <- function(fit, x, back = FALSE) {
  warp <- fit$scaling$warp
  for (j in seq_len(ncol(x))) {
    center <- if (is.null(fit$scaling)) 0 else fit$scaling$center[j]
    scale <- if (is.null(fit$scaling)) 1 else fit$scaling$scale[j]
    knots <- if (!is.null(warp)) seq_len(diff(warp$start)[j]) + warp$start[j]
    curve <- function(w) w
    if (identical(warp$kind, "quantiles")) {
      ends <- if (back) list(warp$to[knots], warp$from[knots]) else list(warp$from[knots], warp$to[knots])
      curve <- function(w) stats::approx(ends[[1]], ends[[2]], w, rule = 2)$y
    } else if (identical(warp$kind, "clip")) {
      from <- warp$from[knots]
      unit <- warp$to[knots]
      curve <- if (back) function(w) from + unit * w / sqrt(1 - w^2 / 9) else
        function(v) (v - from) / unit / sqrt(1 + ((v - from) / unit)^2 / 9)
    }
    x[, j] <- if (back) curve(x[, j] * scale + center) else (curve(x[, j]) - center) / scale
  }
  x
}

# By differences of predictions at scaled points z, over all machines
plain_gradient <- function(fit, z, h = 5e-3) {
  squares <- vapply(colnames(x), function(name) {
    outputs <- lapply(c(-h, h), function(step) {
      at <- rescaled(fit, replace(z, cbind(seq_len(nrow(z)), match(name, colnames(x))), z[, name] + step), TRUE)
      list(z = rescaled(fit, at)[, name], f = t(t(as.matrix(predict(fit, at))) / fit$label$scale))
    })
    # Beyond the ends of a curve there are no values.
    mean(((outputs[[2]]$f - outputs[[1]]$f) / (outputs[[2]]$z - outputs[[1]]$z))^2)
  }, 0)
  sqrt(squares)
}

importance_of <- function(fit) with(osvm_importance(fit), stats::setNames(importance, variable))[colnames(x)]

test_that("importance by gradient is that of machines and trend", {
  steps <- round(4 * x) / 4
  two <- cbind(one = y, other = 3 * cos(x[, 1]) - x[, 3])
  slopes <- cbind(slope, c(-1, 0.5, 1))
  own <- list(center = c(a = 1, b = 2, c = 3), scale = c(a = 2, b = 1, c = 0.5))
  for (scale in list(TRUE, FALSE, own, "rank", "robust")) {
    fit <- osvm(steps, two, solver_smo(), kernel_rbf(gamma = 0.3), scale = scale, verbose = FALSE)
    fit$sv[] <- fit$sv + c(0, 0.1, 0) # at knots and between
    both <- trended(fit, slopes, c(0.5, 1))
    expect_equal(importance_of(both), plain_gradient(both, rescaled(both, both$sv)), tolerance = 1e-3)
    expect_false(isTRUE(all.equal(importance_of(fit), importance_of(both), tolerance = 0.05)))
    kernel <- kernel_nystrom(kernel_rbf(gamma = 0.3), rank = 30)
    both <- trended(osvm(steps, two, solver_dcd(), kernel, scale = scale, verbose = FALSE), slopes, c(0.5, 1))
    landmarks <- both$transform$map$landmarks
    dimnames(landmarks) <- list(NULL, colnames(x))
    expect_equal(importance_of(both), plain_gradient(both, landmarks), tolerance = 1e-3)
  }
  if (requireNamespace("caret", quietly = TRUE)) {
    expect_identical(rownames(caret::varImp(both)), osvm_importance(both)$variable)
  }
})

test_that("machines that keep no rows have the importance of their trend where its slope is the same everywhere", {
  fit <- osvm(2 * x, y, solver_dcd(), "linear", verbose = FALSE)
  expect_equal(
    importance_of(trended(fit, slope)), abs(fit$coef[, 1] + slope * fit$scaling$scale), ignore_attr = TRUE
  )
  both <- trended(osvm(2 * x, y, solver_dcd(), kernel_fourier(gamma = 0.3), verbose = FALSE), slope)
  set.seed(both$transform$map$seed)
  at <- matrix(rnorm(600), 200, dimnames = dimnames(x))
  expect_equal(importance_of(both), plain_gradient(both, at), tolerance = 1e-3)
  for (scale in c("rank", "unit")) {
    both <- trended(osvm(x, y, solver_dcd(), "linear", scale = scale, verbose = FALSE), slope)
    expect_error(osvm_importance(both), scale, class = "osvm_error")
    expect_true(all(is.finite(osvm_importance(both, x, y, repeats = 1)$importance)))
  }
})

test_that("a trend is found by least squares, where there is one", {
  task <- list(x = cbind(x, x[, 1] + x[, 2]), class = drop(3 + x %*% c(1, 2, 0)) + y, weight = runif(200))
  trend <- fit_trend(task)
  fitted <- stats::lm(class ~ x, task, weights = weight)$fitted.values
  expect_equal(drop(trend_values(list(trend = trend), task$x)), fitted, ignore_attr = TRUE)
  expect_null(fit_trend(replace(task, "class", list(rnorm(200)))))
  expect_null(trend_values(list(), x))
})

test_that("a damaged trend is refused", {
  fit <- trended(osvm(x, y, solver_smo(), kernel_rbf(gamma = 0.5)), slope)
  for (part in names(fit$trend)) {
    bad <- fit
    bad$trend[[part]][1] <- NA
    expect_error(predict(bad, x), part, class = "osvm_error")
  }
  bad <- replace(fit, "trend", list("linear"))
  expect_error(predict(bad, x), "trend", class = "osvm_error")
})

test_that("the search takes a trend where it lowers the error, and says so", {
  far <- function(n) {
    x <- cbind(exp(1.2 * rnorm(n)), rt(n, 3), matrix(rnorm(3 * n), n))
    list(x = x, y = 2 * x[, 1] + x[, 2] + 2 * sin(3 * x[, 3]) + rnorm(n))
  }
  set.seed(1)
  old <- far(600)
  new <- far(5000)
  fit <- osvm(old$x, old$y, verbose = FALSE)
  error <- function(predicted) sqrt(mean((predicted - new$y)^2))
  expect_lt(error(predict(fit, new$x)), 0.9 * error(cbind(1, new$x) %*% stats::lm.fit(cbind(1, old$x), old$y)$coef))
  expect_equal(fit$trend, fit_trend(list(x = old$x, class = as.matrix(old$y - fit$label$center) / fit$label$scale,
                                         weight = rep(1, 600)), 0))
  expect_true(fit$choice$trend[fit$choice$taken])
  expect_setequal(fit$choice$trend, c(TRUE, FALSE))
  again <- replace(fit, "trend", list(NULL))
  expect_equal(
    predict(fit, new$x), predict(again, new$x) + drop(trend_values(fit, new$x)) * fit$label$scale, tolerance = 1e-6
  )
  tuned <- osvm_tune(old$x, old$y)
  expect_equal(predict(tuned, new$x), predict(fit, new$x))
  expect_true(tuned$best$trend)
  given <- osvm(old$x, old$y, kernel = "rbf", verbose = FALSE)
  expect_null(given$trend)
  expect_null(given$choice$trend)
  three <- osvm(old$x[1:200, ], old$y[1:200], loss = loss_quantile(c(0.1, 0.5, 0.9)), verbose = FALSE)
  expect_identical(dim(predict(three, new$x)), c(5000L, 3L))
})

test_that("the error of a trend is that of rows it was not fitted to", {
  set.seed(2)
  x <- matrix(rnorm(120 * 80), 120)
  fit <- osvm(x, rnorm(120), verbose = FALSE)
  expect_gt(min(fit$choice$error[fit$choice$trend]), 0.9) # of all rows the trend explains two thirds
})
