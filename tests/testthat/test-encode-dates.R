visits <- function() {
  frame <- data.frame(day = as.Date("2024-03-01") + 0:29, size = rep(c(1, 4, 2), 10), y = rep(c("a", "b"), 15))
  frame$time <- as.POSIXct("2024-03-01 06:00:00", tz = "UTC") + 3600 * (0:29)
  frame
}

one_fit <- function(...) {
  set.seed(1)
  osvm(..., solver = solver_olsvm(), kernel = kernel_rbf(gamma = 0.5), verbose = FALSE)
}

test_that("dates are days and date-times seconds, with a message", {
  frame <- visits()
  numbers <- transform(frame, day = as.numeric(day), time = as.numeric(time))
  x <- c("day", "size", "time")
  expect_message(
    expect_message(fit <- one_fit(frame[x], frame$y), "`day`.*days"), "`time`.*seconds", class = "osvm_message"
  )
  expect_identical(decide(fit, frame[x]), decide(one_fit(numbers[x], frame$y), numbers[x]))
  expect_silent(decide(fit, frame[x]))
  expect_identical(decide(fit, numbers[x]), decide(fit, frame[x]))
  formula <- suppressMessages(one_fit(y ~ day + size + time, data = frame))
  expect_identical(decide(formula, frame), decide(fit, frame[x]))
  expect_silent(more <- update(formula, frame))
  expect_equal(more$n_seen, 60)
})

test_that("dates in place of date-times, and the reverse, are converted", {
  frame <- visits()
  other <- transform(frame, day = as.POSIXct(format(day), tz = "UTC"), time = as.Date("2024-03-02"))
  same <- transform(frame, time = as.POSIXct("2024-03-02", tz = "UTC"))
  for (fit in suppressMessages(list(one_fit(frame[-3], frame$y), one_fit(y ~ ., data = frame)))) {
    drop <- if (fit$encoding$kind == "frame") -3 else 1:4
    expect_identical(decide(fit, other[drop]), decide(fit, same[drop]))
    expect_true(is.na(predict(fit, transform(frame, day = as.Date(NA))[1, drop])))
  }
})

test_that("functions of dates in a formula see dates", {
  frame <- visits()
  fit <- suppressMessages(one_fit(y ~ factor(format(day, "%u")) + size, data = frame))
  expect_length(fit$feature_names, 8)
  expect_length(predict(fit, frame), 30)
})
