data <- clouds(60, classes = 3)

first <- function(...) {
  set.seed(1)
  osvm(data$x[1:30, ], data$y[1:30], solver_olsvm(epochs = 2), kernel_rbf(gamma = 0.5), ..., verbose = FALSE)
}

test_that("update() continues the counts and the trace", {
  fit <- first()
  more <- update(fit, data$x[31:60, ], data$y[31:60])
  expect_s3_class(more, class(fit), exact = TRUE)
  expect_equal(more$stats$steps, 2 * fit$stats$steps)
  expect_gte(more$stats$updates, fit$stats$updates)
  expect_gte(more$stats$kernel_evaluations, fit$stats$kernel_evaluations)
  expect_equal(more$trace$epoch, 1:4)
  expect_equal(more$trace[1:2, ], fit$trace, ignore_attr = TRUE)
})

test_that("scaling and kernel stay those of the first data", {
  set.seed(1)
  fit <- osvm(data$x[1:30, ], data$y[1:30], verbose = FALSE)
  more <- update(fit, 10 + 5 * data$x[31:60, ], data$y[31:60])
  expect_identical(more$scaling, fit$scaling)
  expect_identical(more$kernel, fit$kernel)
})

test_that("a batch may hold one row, or one class", {
  fit <- first()
  one <- update(fit, data$x[31, , drop = FALSE], data$y[31])
  expect_true(all(is.finite(decide(one, data$x))))
  same <- which(data$y == "b" & seq_along(data$y) > 30)
  class <- update(fit, data$x[same, ], data$y[same])
  expect_identical(class$levels, fit$levels)
})

test_that("labels may be of any type with the names of the classes", {
  fit <- first()
  set.seed(2)
  by_factor <- update(fit, data$x[31:60, ], data$y[31:60])
  set.seed(2)
  by_text <- update(fit, data$x[31:60, ], as.character(data$y[31:60]))
  set.seed(2)
  by_other <- update(fit, data$x[31:60, ], factor(data$y[31:60], levels = c("c", "b", "a")))
  expect_identical(decide(by_text, data$x), decide(by_factor, data$x))
  expect_identical(decide(by_other, data$x), decide(by_factor, data$x))
})

test_that("sparse data can follow dense data, and the other way round", {
  mixed <- sparse_clouds(60)
  fits <- lapply(list(mixed$x, mixed$s), function(x) {
    solver <- solver_olsvm(shuffle = FALSE)
    osvm(x[1:30, ], mixed$y[1:30], solver, kernel_rbf(gamma = 0.5), scale = FALSE, verbose = FALSE)
  })
  a <- update(fits[[1]], mixed$s[31:60, ], mixed$y[31:60])
  b <- update(fits[[2]], mixed$x[31:60, ], mixed$y[31:60])
  expect_close(decide(a, mixed$x), decide(b, mixed$x))
})

test_that("update() uses weights and class weights", {
  w <- rep(c(1, 3), 30)
  solver <- solver_olsvm(epochs = 1, shuffle = FALSE)
  fits <- function(rows) {
    osvm(
      data$x[rows, ], data$y[rows], solver, kernel_rbf(gamma = 0.5), scale = FALSE, verbose = FALSE,
      weights = w[rows], class_weights = c(a = 2, b = 1, c = 0.5)
    )
  }
  grown <- update(fits(1:30), data$x[31:60, ], data$y[31:60], weights = w[31:60])
  expect_close(decide(grown, data$x), decide(fits(1:60), data$x))
})

test_that("balanced class weights and weights of zero", {
  w <- tabulate(data$y[1:31])
  fits <- function(class_weights) {
    solver <- solver_olsvm(shuffle = FALSE)
    osvm(data$x[1:31, ], data$y[1:31], solver, class_weights = class_weights, verbose = FALSE)
  }
  by_hand <- fits(c(a = 31, b = 31, c = 31) / (3 * w))
  expect_identical(decide(fits("balanced"), data$x), decide(by_hand, data$x))
  silent <- update(first(), data$x[31:60, ], data$y[31:60], weights = rep(0, 30))
  expect_close(decide(silent, data$x), decide(first(), data$x), 1e-12)
})

test_that("rows that are close to each other by chance do not change the precision", {
  data <- clouds(40)
  data$x[, 2] <- data$x[, 2] + 1
  data$x[21:22, 2] <- c(1.5, 1.51)
  solver <- solver_lasvm(finish = FALSE, shuffle = FALSE)
  start <- osvm(data$x[1:20, ], data$y[1:20], solver, kernel_rbf(gamma = 0.5), scale = FALSE, verbose = FALSE)
  expect_false(start$extent$far)
  together <- update(start, data$x[21:22, ], data$y[21:22])
  expect_false(together$extent$far)
  apart <- update(update(start, data$x[21, , drop = FALSE], data$y[21]), data$x[22, , drop = FALSE], data$y[22])
  expect_close(decide(together, data$x), decide(apart, data$x), 1e-10)
  # A stream that moves away does.
  expect_true(suppressWarnings(update(start, data$x[23:40, ] + 1e4, data$y[23:40]))$extent$far)
})

test_that("a formula model is updated with a data frame", {
  frame <- data.frame(data$x, y = data$y)
  fit_matrix <- first()
  set.seed(1)
  solver <- solver_olsvm(epochs = 2)
  fit <- osvm(y ~ ., data = frame[1:30, ], solver = solver, kernel = kernel_rbf(gamma = 0.5), verbose = FALSE)
  set.seed(2)
  by_name <- update(fit, data = frame[31:60, ])
  set.seed(2)
  by_place <- update(fit, frame[31:60, ])
  set.seed(2)
  by_matrix <- update(fit_matrix, data$x[31:60, ], data$y[31:60])
  expect_identical(decide(by_name, frame), decide(by_matrix, data$x))
  expect_identical(decide(by_place, frame), decide(by_matrix, data$x))
})

test_that("a data frame model is updated with a data frame", {
  frame <- data.frame(colour = rep(c("red", "blue"), 30), size = data$x[, 1])
  fit <- osvm(frame[1:30, ], data$y[1:30], verbose = FALSE)
  more <- update(fit, frame[31:60, ], data$y[31:60])
  expect_length(predict(more, frame), 60)
  expect_osvm_error(update(fit, transform(frame, colour = "mauve"), data$y))
})

test_that("probabilities stay consistent after an update", {
  more <- update(first(probability = TRUE), data$x[31:60, ], data$y[31:60])
  p <- predict(more, data$x, type = "prob")
  expect_identical(levels(data$y)[max.col(p, "first")], as.character(predict(more, data$x)))
})

test_that("error messages", {
  fit <- first()
  x <- data$x[1:3, ]
  expect_snapshot(error = TRUE, {
    update(fit, x, c("a", "b", "new"))
    update(fit, x[, 1:2], c("a", "b", "c"))
    update(fit, x, c("a", "b"))
    update(fit, x, c("a", NA, "b"), na.action = na.fail)
    update(fit, x)
  })
})

test_that("new levels of factors are an error, or missing", {
  data <- data.frame(a = c(1:20, 21:40), g = rep(c("u", "v"), 20))
  y <- rep(c("p", "q"), each = 20)
  fit <- osvm(data, y, solver_olsvm(epochs = 1))
  new <- data.frame(a = 1:4, g = c("u", "w", "v", "w"))
  expect_error(update(fit, new, y[1:4]), "\"w\"", class = "osvm_error")
  expect_message(more <- update(fit, new, y[1:4], new_levels = "NA"), "2 rows")
  expect_equal(more$n_seen, 42)
  live <- osvm_live(fit)
  expect_error(update(live, new, y[1:4]), "\"w\"", class = "osvm_error")
  expect_message(update(live, new, y[1:4], new_levels = "NA"), "2 rows")
  expect_equal(snapshot(live)$n_seen, 42)
})
