# No loop grows faster than what it is given: memory that R allocates for n rows and for four times as many.

rows_of_board <- function(n) {
  set.seed(1)
  board <- chessboard(n, noise = 0.1)
  list(x = board$x, y = as.character(board$y))
}

stream_of <- function(...) {
  function(n) {
    board <- rows_of_board(n)
    osvm_stream(source_matrix(board$x, board$y), solver_pa(), kernel_linear(), chunk = 1, verbose = FALSE, ...)
  }
}

test_that("a stream row by row", {
  n <- if (exhaustive()) 5000 else 300
  expect_linear(stream_of(), n, "plain")
  expect_linear(function(n) stream_of(delay = n / 2)(n), n, "delayed labels")
  expect_linear(function(n) stream_of(window = n, drift = drift_adwin(react = "restart"))(n), n, "recent rows")
  expect_linear(function(n) stream_of(keep = "predictions", scale = "running")(n), n, "predictions")
  one_class <- function(n) {
    x <- rows_of_board(n)$x
    osvm_stream(source_matrix(x, rep(c("a", "b"), c(n - 1, 1))), solver_pa(), chunk = 1, window = n, verbose = FALSE)
  }
  expect_linear(one_class, n, "one class")
})

test_that("a table of metrics that is full has every second row", {
  old <- onlinesvm:::most_metrics
  local_internal("most_metrics", 128)
  board <- rows_of_board(700)
  run <- function(...) osvm_stream(source_matrix(board$x, board$y), solver_pa(), chunk = 1, verbose = FALSE, ...)
  got <- run()
  expect_lte(nrow(got$metrics), 128)
  expect_identical(tail(got$metrics$row, 1), 700)
  expect_output(print(got), "700 read in 700 chunks")
  local_internal("most_metrics", old)
  all <- run()$metrics
  values <- setdiff(names(all), c("seconds", "reading"))
  expect_identical(nrow(all), 700L)
  expect_equal(got$metrics[values], all[got$metrics$chunk, values], ignore_attr = TRUE)
  expect_equal(diff(utils::head(got$metrics$chunk, -1)), rep(8, nrow(got$metrics) - 2))
})
