# Data far outside the range of the training data.

training <- function() {
  data <- clouds(50)
  data$x <- cbind(data$x, same = 7, zero = 0)
  data
}

one_fit <- function(x, y, ...) osvm(x, y, solver_ramp(), kernel_rbf(gamma = 0.3), ..., verbose = FALSE)

with_value <- function(x, column, value) {
  x <- x[1:5, , drop = FALSE]
  x[3, column] <- value
  x
}

expect_far <- function(code, ...) expect_warning(code, ..., class = "osvm_out_of_range")

test_that("the training range is kept, and what lies within or near it is not reported", {
  data <- training()
  fit <- one_fit(data$x, data$y)
  expect_equal(fit$range, list(low = unname(apply(data$x, 2, min)), high = unname(apply(data$x, 2, max))))
  range <- range(data$x[, 1])
  for (value in range[2] + c(0, 1, 9.9) * diff(range)) expect_silent(predict(fit, with_value(data$x, 1, value)))
  for (value in range[1] - c(0, 1, 9.9) * diff(range)) expect_silent(predict(fit, with_value(data$x, 1, value)))
  expect_silent(predict(fit, with_value(data$x, "same", 7 * (1 + 1e-9))))
  expect_silent(predict(fit, data$x[0, ]))
})

test_that("far values, and constants that move, give one warning that names the columns", {
  data <- training()
  fit <- one_fit(data$x, data$y, probability = TRUE)
  range <- range(data$x[, 1])
  for (type in c("class", "decision", "prob")) {
    expect_far(predict(fit, with_value(data$x, 1, range[2] + 10.1 * diff(range)), type = type), "column `x1`")
  }
  expect_far(predict(fit, with_value(data$x, 1, range[1] - 10.1 * diff(range))), "column `x1`")
  expect_far(predict(fit, with_value(data$x, "same", 7.1)), "`same`.*constant in training")
  expect_far(predict(fit, with_value(data$x, "zero", 1e-9)), "`zero`")
  count <- 0
  withCallingHandlers(
    predict(fit, data$x + 1e4),
    warning = function(w) {
      count <<- count + 1
      expect_s3_class(w, "osvm_out_of_range")
      invokeRestart("muffleWarning")
    }
  )
  expect_equal(count, 1)
  wide <- cbind(data$x, matrix(1, 50, 9, dimnames = list(NULL, letters[1:9])))
  expect_snapshot({
    invisible(predict(one_fit(wide, data$y), wide + 1e4))
    invisible(predict(one_fit(unname(data$x), data$y), unname(data$x) + 1e4))
    invisible(predict(fit, with_value(data$x, "same", 8)))
  })
  missing <- with_value(data$x, 1, 1e6)
  missing[3, 2] <- NA
  expect_silent(predict(fit, missing))
})

test_that("update() warns and extends the range; forget() takes it back", {
  data <- training()
  fit <- osvm(data$x, data$y, solver_idsvm(), kernel_rbf(gamma = 0.3), verbose = FALSE)
  new <- with_value(data$x, "same", 20)
  expect_far(more <- update(fit, new, data$y[1:5]), "`x` is far outside.*`same`")
  expect_equal(more$range$high[4], 20)
  expect_silent(predict(more, new))
  expect_silent(update(more, new, data$y[1:5]))
  expect_equal(forget(more, 53)$range, fit$range)
  expect_far(predict(forget(more, 53), new))
})

test_that("data frames, formulas and levels without examples", {
  frame <- data.frame(size = rnorm(30), colour = factor(rep(c("red", "green"), 15), levels = c("red", "green", "blue")))
  y <- rep(c("a", "b", "b"), 10)
  new <- data.frame(size = 0, colour = "blue")
  for (fit in list(one_fit(frame, y), osvm(y ~ ., data.frame(frame, y), solver = solver_ramp(), verbose = FALSE))) {
    expect_far(predict(fit, new), "`colourblue`")
    expect_far(predict(fit, transform(frame, size = size * 1000)), "`size`")
    expect_silent(predict(fit, frame))
  }
})

test_that("a column that is empty in sparse training data may occur later", {
  data <- sparse_clouds()
  x <- cbind(data$s, later = 0, one = 1)
  fit <- one_fit(methods::as(x, "CsparseMatrix"), data$y)
  largest <- fit$extent$largest
  with_entry <- function(column, value) {
    x <- x[1:5, ]
    x[2, column] <- value
    x
  }
  expect_silent(predict(fit, with_entry("later", 9 * largest)))
  expect_far(predict(fit, with_entry("later", 11 * largest)), "`later`")
  expect_far(predict(fit, with_entry("one", 0)), "`one`")
})

test_that("a model without a range, or with a damaged one", {
  data <- training()
  fit <- one_fit(data$x, data$y)
  fit$range <- NULL
  expect_silent(predict(fit, data$x * 1e4))
  expect_null(update(fit, data$x, data$y)$range)
  missing <- list(low = rep(NA_real_, 5), high = 1:5)
  for (damage in list(1, list(low = 1), missing, list(low = letters[1:5], high = 1:5))) {
    fit$range <- damage
    expect_osvm_error(predict(fit, data$x))
  }
})

test_that("update() warns of a column once", {
  data <- training()
  y <- data$y[1:5]
  fit <- one_fit(data$x, data$y)
  expect_far(fit <- update(fit, with_value(data$x, 1, 1e4), y), "column `x1`")
  expect_silent(fit <- update(fit, with_value(data$x, 1, 1e7), y))
  expect_far(fit <- update(fit, with_value(data$x, 2, 1e4), y), "column `x2`")
  expect_silent(update(fit, with_value(data$x, 2, 1e7), y))
  expect_far(predict(fit, with_value(data$x, 2, 1e9)), "column `x2`")
})
