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

test_that("the number of rows does not decide whether numbers are classes", {
  set.seed(1)
  learned_as <- function(y) suppressMessages(osvm(matrix(y), y, solver_pegasos(), verbose = FALSE)$outcome)
  rings <- pmin(1 + rnbinom(4000, mu = 9, size = 30), 29) # such as those of abalone
  counts <- rpois(3000, 3)
  grades <- sample(1:5, 3000, TRUE)
  for (n in c(20, 100, 300, 1000, 3000)) {
    expect_identical(learned_as(rings[seq_len(n)]), "numbers", info = n)
    expect_identical(learned_as(counts[seq_len(n)]), "numbers", info = n)
    expect_identical(learned_as(rep_len(0:9, n)), "numbers", info = n)
    expect_identical(learned_as(grades[seq_len(n)]), "classes", info = n)
    expect_identical(learned_as(rep_len(c(-1, 1), n)), "classes", info = n)
    expect_identical(learned_as(rep_len(c(0.5, 1.5), n)), "classes", info = n)
    expect_identical(learned_as(rep_len(c(0.5, 1.5, 2), n)), "numbers", info = n)
  }
})

test_that("a guess is said, with the calls that spare it", {
  learn <- function(y, ...) osvm(matrix(seq_along(y) %% 7), y, solver_pegasos(epochs = 1), verbose = FALSE, ...)
  expect_snapshot(fit <- learn(rep(0:9, 5)))
  expect_snapshot(fit <- learn(rep(1:3, 5)))
  expect_message(learn(rep(0:9, 5)), class = "osvm_guess")
  for (y in list(factor(rep(0:9, 5)), rep(c(-1, 1), 9), rnorm(20), 1:20 * 3, letters[rep(1:3, 5)])) {
    expect_message(learn(y), NA)
  }
  expect_message(fit <- learn(rep(0:9, 5), loss = loss_epsilon()), NA)
  expect_identical(fit$outcome, "numbers")
  expect_message(fit <- learn(rep(0:9, 5), loss = loss_hinge()), NA)
  expect_length(fit$levels, 10)
  # Once, whatever is compared
  said <- 0
  withCallingHandlers(
    osvm_compare(matrix(1:50), rep(0:9, 5), c("pegasos", "norma"), folds = 2),
    osvm_guess = function(m) {
      said <<- said + 1
      invokeRestart("muffleMessage")
    }
  )
  expect_identical(said, 1)
})

test_that("streams and shards take numbers for what a fit takes them for", {
  x <- matrix(seq_len(60) %% 7)
  shard <- function(y, rows) list(x = x[rows, , drop = FALSE], y = y[rows])
  shards_of <- function(...) osvm_shards(list(...), solver_smo(), verbose = FALSE)
  stream <- function(y) {
    source <- source_matrix(x, y)
    osvm_stream(source, solver_norma(epochs = 1), kernel_linear(), chunk = 30, verbose = FALSE)
  }
  for (y in list(rep(0:9, 6), rep(1:3, 20), rep(c(-1, 1), 30))) {
    outcomes <- suppressMessages(list(
      osvm(x, y, solver_pegasos(), verbose = FALSE)$outcome,
      stream(y)$fit$outcome, shards_of(shard(y, 1:30), shard(y, 31:60))$outcome
    ), classes = "osvm_guess")
    expect_length(unique(unlist(outcomes)), 1)
  }
  expect_message(
    osvm_stream(source_matrix(x, rep(3:12, 6)), chunk = 1, chunks = 2, verbose = FALSE), "1 value",
    class = "osvm_guess"
  )
  # Shards that have few values each
  y <- c(rep(1:3, 10), rep(4:6, 10))
  expect_message(fit <- shards_of(shard(y, 1:30), shard(y, 31:60)), "6 values", class = "osvm_guess")
  expect_identical(fit$outcome, "numbers")
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
