# Numeric labels are classes, not measurements.

fit_labels <- function(y) {
  osvm(matrix(seq_along(y) %% 7), y, solver_pegasos(epochs = 1), verbose = FALSE, loss = loss_hinge())
}

test_that("numbers that can be classes are", {
  fits <- list(
    signs = rep(c(-1, 1), 10), bits = rep(0:1, 10), halves = rep(c(0.5, 1.5), 10),
    digits = rep(0:9, 2), whole = rep(c(3, 1, 20), 4), letters = rep(1:26, 10), twenty = 1:20
  )
  for (y in fits) {
    fit <- fit_labels(y)
    expect_identical(fit$levels, as.character(sort(unique(y))))
    expect_true(all(predict(fit, matrix(0:6)) %in% y))
  }
})

test_that("measurements are no classes, unless classes are made of them", {
  expect_snapshot(error = TRUE, {
    osvm(Sepal.Length ~ ., iris, loss = loss_hinge())
    fit_labels(c(1, 2, 2.5))
    fit_labels(1:21)
    fit_labels(rep(1:26, 9))
    osvm_tune(iris[1:3], iris$Petal.Width, loss = "hinge")
    osvm_compare(iris[1:3], iris$Petal.Width, "smo", loss = loss_hinge())
    osvm_active(iris[1:3], iris$Petal.Width)
  })
  expect_length(fit_labels(factor(c(1, 2, 2.5)))$levels, 3)
  expect_length(fit_labels(cut(iris$Sepal.Length, 3))$levels, 3)
})

test_that("labels that differ in the last bit are not one class", {
  near <- 0.1 + 0.2
  fit <- fit_labels(rep(c(0.3, 1), 5))
  expect_snapshot(error = TRUE, {
    fit_labels(rep(c(0.3, near), 5))
    fit_labels(rep(c(0.3, near, 1), 5))
    update(fit, matrix(1:2), c(near, 1))
    update(fit, matrix(1:2), c(5, 1))
  })
  expect_identical(update(fit, matrix(1:2), c(0.3, 1))$levels, fit$levels)
  expect_identical(update(fit, matrix(1:2), c("0.3", "1"))$levels, fit$levels)
  expect_length(fit_labels(round(rep(c(0.3, near, 1), 5), 6))$levels, 2)
  expect_warning(
    osvm_active(matrix(1:9), function(i) c(near, 0.3, 1)[1 + i %% 3], levels = c(0.3, 1), verbose = FALSE),
    "label", class = "osvm_interrupted"
  )
})

test_that("levels without examples are left out, and named", {
  data <- clouds(30)
  y <- factor(data$y, levels = c("a", "b", "none"))
  expect_message(fit <- osvm(data$x, y, verbose = FALSE), "no examples of the level \"none\"", class = "osvm_message")
  expect_identical(fit$levels, c("a", "b"))
  expect_message(osvm(data$x, data$y, verbose = FALSE), NA)
})
