one_fit <- function(x, y, scale, ...) {
  set.seed(1)
  osvm(x, y, solver_olsvm(epochs = 2), kernel_rbf(gamma = 0.4), scale = scale, ..., verbose = FALSE)
}

both_forms <- function() {
  data <- clouds()
  data$x[abs(data$x) < 0.6] <- 0
  data$s <- methods::as(data$x, "CsparseMatrix")
  data
}

test_that("a scaling of the user's own is the scaling of the data beforehand", {
  data <- clouds()
  units <- list(center = c(x1 = 2, x2 = -1, x3 = 0.5), scale = c(x1 = 3, x2 = 0.2, x3 = 1))
  by_hand <- scale(data$x, units$center, units$scale)
  fit <- one_fit(data$x, data$y, units)
  expect_close(decide(fit, data$x), decide(one_fit(by_hand, data$y, FALSE), by_hand))
  expect_identical(decide(one_fit(data$x, data$y, lapply(units, rev)), data$x), decide(fit, data$x))
  expect_identical(decide(one_fit(data$x, data$y, lapply(units, unname)), data$x), decide(fit, data$x))
  frame <- as.data.frame(data$x)
  expect_identical(decide(one_fit(frame, data$y, units), frame), decide(fit, data$x))
  expect_identical(one_fit(data$x, data$y, fit$scaling)$coef, fit$coef)
})

test_that("what scale() leaves is the default scaling", {
  data <- clouds()
  usual <- one_fit(data$x, data$y, TRUE)
  parts <- attributes(scale(data$x))
  expect_equal(decide(one_fit(data$x, data$y, parts), data$x), decide(usual, data$x))
  given <- list(center = parts[["scaled:center"]], scale = parts[["scaled:scale"]])
  expect_equal(decide(one_fit(data$x, data$y, given), data$x), decide(usual, data$x))
})

test_that("centre or scale may be left out, and sparse data has no centre", {
  data <- both_forms()
  s <- c(2, 3, 0.5)
  expect_equal(one_fit(data$x, data$y, list(scale = s))$scaling, list(center = NULL, scale = s))
  expect_equal(one_fit(data$x, data$y, list(center = s, scale = FALSE))$scaling, list(center = s, scale = c(1, 1, 1)))
  sparse <- one_fit(data$s, data$y, list(scale = s))
  expect_close(decide(sparse, data$s), decide(one_fit(data$x, data$y, list(scale = s)), data$x))
  expect_null(one_fit(data$s, data$y, list(center = c(0, 0, 0), scale = s))$scaling$center)
  kernel <- kernel_rbf(gamma = 1)
  tuned <- osvm_tune(data$x, data$y, solver_smo(C = 1:2), kernel, scale = list(scale = s), progress = FALSE)
  expect_equal(tuned$fit$scaling$scale, s)
})

test_that("the error for another scaling says what is wrong", {
  data <- both_forms()
  expect_snapshot(error = TRUE, {
    osvm(data$x, data$y, scale = "yes")
    osvm(data$x, data$y, scale = NA)
    osvm(data$x, data$y, scale = list())
    osvm(data$x, data$y, scale = list(1, 2))
    osvm(data$x, data$y, scale = list(centre = 1:3))
    osvm(data$x, data$y, scale = list(center = 1:2))
    osvm(data$x, data$y, scale = list(center = "a"))
    osvm(data$x, data$y, scale = list(scale = c(1, NA, 1)))
    osvm(data$x, data$y, scale = list(scale = c(1, 0, 1)))
    osvm(data$x, data$y, scale = list(scale = c(x1 = 1, x2 = 1, z = 1)))
    osvm(data$s, data$y, scale = list(center = 1:3))
  })
})

test_that("columns below the smallest scale are constant, those above are scaled", {
  data <- clouds()
  for (size in c(1e-310, 1e-305, 1e-300, 1e-150, 1e150)) {
    x <- cbind(data$x[, 1], data$x[, 2] * size)
    for (form in list(identity, function(x) methods::as(x, "CsparseMatrix"))) {
      scale <- osvm(form(x), data$y, effort = 0, verbose = FALSE)$scaling$scale
      expect_true(all(is.finite(1 / scale)))
      expect_identical(scale[2] == 1, size < 1e-302)
    }
  }
})

test_that("weights over tiny scales do not overflow in a prediction", {
  data <- clouds()
  exact <- solver_smo(C = 100, tolerance = 1e-7)
  usual <- osvm(data$x, data$y, exact, "linear", verbose = FALSE)
  tiny <- osvm(data$x * 1e-301, data$y, exact, "linear", verbose = FALSE)
  expect_close(decide(tiny, data$x * 1e-301), decide(usual, data$x))
  tiny$coef <- tiny$coef * 1e9
  expect_true(all(is.finite(decide(tiny, data$x * 1e-301))))
})

test_that("a kernel width without finite inverse, and powers without bound, are noticed", {
  data <- clouds()
  tiny <- osvm(data$x * 1e-160, data$y, solver_smo(), scale = FALSE, verbose = FALSE)
  expect_true(is.finite(tiny$kernel$params$gamma))
  for (name in c("ramp", "smo", "olsvm")) {
    fits <- quote(osvm(data$x * 1e100, data$y, name, "polynomial", scale = FALSE, verbose = FALSE))
    expect_error(eval(fits), "grew beyond all numbers", class = "osvm_error")
  }
})

test_that("columns of 0 and 1 only are not scaled, whatever their form", {
  data <- clouds(60)
  flag <- rep(c(0, 0, 1), 20)
  colour <- rep(c("red", "green", "blue"), 20)
  frame <- data.frame(data$x, flag = flag == 1, colour)
  by_frame <- osvm(frame, data$y, "smo", verbose = FALSE)
  expect_equal(unname(by_frame$scaling$center), c(unname(colMeans(data$x)), 0, 0, 0, 0))
  expect_equal(unname(by_frame$scaling$scale), c(unname(apply(data$x, 2, sd)), 1, 1, 1, 1))
  coded <- cbind(data$x, flag, sapply(c("blue", "green", "red"), function(level) colour == level))
  expect_equal(unname(osvm(coded, data$y, "smo", verbose = FALSE)$scaling$scale), unname(by_frame$scaling$scale))
  # One value in between makes a measurement of it.
  coded[1, "flag"] <- 0.5
  expect_equal(osvm(coded, data$y, "smo", verbose = FALSE)$scaling$scale[[4]], sd(coded[, "flag"]))
})
