# Evaluation row by row: the metrics of chunk = 1, whatever the chunk.

rows_data <- function(n = 600) {
  set.seed(1)
  x <- matrix(rnorm(4 * n), n)
  list(
    x = x, two = ifelse(x[, 1] + x[, 2]^2 > 0.8, "a", "b"),
    three = as.character(cut(x[, 1] + x[, 2], c(-Inf, -0.5, 0.5, Inf), labels = c("p", "q", "r")))
  )
}

run_rows <- function(data, y, solver, kernel, chunk, evaluate = NULL, ..., levels = unique(y)) {
  set.seed(2)
  osvm_stream(
    source_matrix(data$x, y), solver, kernel, scale = FALSE, levels = levels, chunk = chunk, evaluate = evaluate,
    metrics = c("accuracy", "kappa_temporal"), keep = "predictions", verbose = FALSE, ...
  )
}

in_turn <- list(
  linear = list(solver_pa(epochs = 1, shuffle = FALSE), kernel_linear()),
  cached = list(solver_olsvm(epochs = 1, shuffle = FALSE), kernel_rbf(sigma = 1)),
  listed = list(solver_olsvm(epochs = 1, shuffle = FALSE, outputs = "list"), kernel_rbf(sigma = 1)),
  set = list(solver_lasvm(finish = FALSE, shuffle = FALSE), kernel_rbf(sigma = 1)),
  budget = list(solver_pa(epochs = 1, shuffle = FALSE, budget = 30), kernel_rbf(sigma = 1)),
  exact = list(solver_idsvm(), kernel_rbf(sigma = 1)), ramp = list(solver_ramp(), kernel_rbf(sigma = 1))
)

test_that("rows have the metrics of chunks of one row, two classes and three", {
  data <- rows_data(300)
  for (case in names(in_turn)) {
    for (y in data[c("two", "three")]) {
      of <- in_turn[[case]]
      rows <- run_rows(data, y, of[[1]], of[[2]], 100)
      one <- run_rows(data, y, of[[1]], of[[2]], 1, "chunks")
      expect_equal(rows$settings$evaluate, "rows")
      expect_equal(rows$predictions, one$predictions, info = case)
      last <- function(run) run$metrics[nrow(run$metrics), -(1:5)]
      expect_equal(last(rows), last(one), ignore_attr = TRUE, info = case)
      expect_gt(last(rows)$accuracy, 0.6)
    }
  }
})

test_that("repeated rows are evaluated one by one, too", {
  data <- rows_data(60)
  data$x <- data$x[rep(1:60, 20), ]
  y <- rep(data$two, 20)
  of <- in_turn$cached
  rows <- run_rows(data, y, of[[1]], of[[2]], 1200)
  one <- run_rows(data, y, of[[1]], of[[2]], 1, "chunks")
  expect_equal(rows$predictions, one$predictions)
})

test_that("classes that come within a chunk join at their row", {
  data <- rows_data(300)
  y <- data$three
  y[1:150][y[1:150] == "r"] <- "q"
  of <- in_turn$cached
  rows <- run_rows(data, y, of[[1]], of[[2]], 120, levels = c("p", "q"))
  one <- run_rows(data, y, of[[1]], of[[2]], 1, "chunks", levels = c("p", "q"))
  expect_equal(rows$predictions, one$predictions)
  expect_equal(rows$events$detail, "new: r")
})

test_that("solvers that do not learn row by row are evaluated by chunks, and so is a delay", {
  data <- rows_data(200)
  kernel <- kernel_rbf(sigma = 1)
  others <- list(
    solver_olsvm(epochs = 2, shuffle = FALSE), solver_olsvm(shuffle = TRUE), solver_lasvm(shuffle = FALSE),
    solver_lasvm(finish = FALSE, shuffle = FALSE, selection = "margin"), solver_huller(epochs = 1, shuffle = FALSE),
    solver_perceptron(epochs = 1, shuffle = FALSE)
  )
  for (solver in others) {
    expect_error(run_rows(data, data$two, solver, kernel, 50, "rows"), "row by row", class = "osvm_error")
    expect_equal(suppressWarnings(run_rows(data, data$two, solver, kernel, 50))$settings$evaluate, "chunks")
  }
  of <- in_turn$set
  expect_error(run_rows(data, data$two, of[[1]], of[[2]], 50, "rows", delay = 10), "delay", class = "osvm_error")
  delayed <- run_rows(data, data$two, of[[1]], of[[2]], 50, delay = 10)
  expect_equal(delayed$settings$evaluate, "chunks")
  by_chunks <- run_rows(data, data$two, of[[1]], of[[2]], 50, "chunks", delay = 10)
  expect_equal(delayed$metrics$accuracy, by_chunks$metrics$accuracy)
  # Without a solver the default one visits rows in order, unless chunks are asked for
  expect_equal(run_rows(data, data$two, NULL, NULL, 50)$settings$evaluate, "rows")
  expect_equal(run_rows(data, data$two, NULL, NULL, 50, "chunks")$settings$solver, solver_lasvm(finish = FALSE))
})

test_that("rows without a label, and those before there are two classes, are predicted as they were", {
  data <- rows_data(200)
  y <- data$two
  y[1:10] <- "a"
  y[11] <- "b"
  y[c(5, 50, 120)] <- NA
  of <- in_turn$set
  rows <- run_rows(data, y, of[[1]], of[[2]], 100, levels = NULL)
  expect_equal(nrow(rows$predictions), 200)
  expect_equal(rows$predictions$predicted[1:11], c(NA, rep("a", 3), NA, rep("a", 6)))
  expect_false(anyNA(rows$predictions$predicted[c(12:49, 51:200)]))
  expect_equal(rows$rows[["learned"]], 197)
})

test_that("a change is reacted to after its chunk", {
  data <- rows_data(600)
  y <- data$two
  y[301:600] <- ifelse(y[301:600] == "a", "b", "a")
  of <- in_turn$set
  run <- run_rows(data, y, of[[1]], of[[2]], 50, drift = drift_adwin(react = "restart"))
  expect_true(all(c("drift", "restart") %in% run$events$event))
  expect_gt(mean(utils::tail(run$predictions$predicted == y, 100)), 0.75)
  expect_equal(run$rows[["learned"]], 600)
})

test_that("kappa-temporal is accuracy against no change", {
  data <- rows_data(200)
  of <- in_turn$linear
  set.seed(2)
  run <- osvm_stream(source_matrix(data$x, data$two), of[[1]], of[[2]], metrics = c("accuracy", "kappa_temporal"),
    verbose = FALSE)
  last <- run$metrics[nrow(run$metrics), ]
  expect_equal(last$kappa_temporal, with(last, (accuracy - accuracy_no_change) / (1 - accuracy_no_change)))
  expect_equal(last$kappa_temporal_no_change, 0)
  expect_lt(last$kappa_temporal_majority, last$kappa_temporal)
})

test_that("a solver that can learns rows once and in order, unless its parameters were given", {
  set.seed(1) # the class follows the last row's: what comes late in a chunk says most about the next
  n <- 1000
  drift <- sin(seq_len(n) / 30)
  x <- cbind(rnorm(n), rnorm(n))
  y <- ifelse(x[, 1] * drift + x[, 2] * sqrt(1 - drift^2) > 0, "a", "b")
  follow <- function(solver, ...) {
    run <- osvm_stream(source_matrix(x, y), solver, kernel_linear(), chunk = 200, verbose = FALSE, ...)
    list(evaluate = run$settings$evaluate, accuracy = utils::tail(run$metrics$accuracy, 1), fit = run$fit)
  }
  for (solver in list(solver_pa(), "pa", solver_pa(C = 0.1), solver_pa(shuffle = FALSE), solver_pa(epochs = 1))) {
    expect_identical(follow(solver)$evaluate, "rows")
  }
  explicit <- follow(solver_pa(epochs = 1, shuffle = FALSE))
  expect_identical(follow(solver_pa())$accuracy, explicit$accuracy)
  expect_gt(explicit$accuracy, follow(solver_pa(shuffle = TRUE))$accuracy + 0.05)
  for (solver in list(solver_pa(shuffle = TRUE), solver_pa(epochs = 2), solver_perceptron(), solver_pegasos())) {
    run <- follow(solver)
    expect_identical(run$evaluate, "chunks")
    expect_identical(run$fit$solver$params, solver$params)
  }
  expect_identical(follow(solver_pa(), evaluate = "chunks")$fit$solver$params, solver_pa()$params)
})
