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
  old <- most_metrics
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

test_that("models that learn row by row, within a budget", {
  bounded <- solver_olsvm(C = 1, epochs = 1, budget = 20)
  # The trace has up to 1,000 rows: it grows until then.
  one_by_one <- function(start) {
    function(n) {
      board <- rows_of_board(n + 100)
      fit <- osvm(board$x[1:100, ], board$y[1:100], bounded, kernel_rbf(gamma = 2), trace = FALSE, verbose = FALSE)
      model <- start(fit)
      for (i in 100 + seq_len(n)) model <- update(model, board$x[i, , drop = FALSE], board$y[i])
    }
  }
  n <- if (exhaustive()) 2000 else 250
  expect_linear(one_by_one(osvm_live), n, "live models")
  expect_linear(one_by_one(identity), n, "fits")
})

test_that("a stream with a kernel, classes, log-loss and a window", {
  several <- function(n) {
    board <- rows_of_board(n)
    y <- paste(floor(board$x[, 1]))
    osvm_stream(source_matrix(board$x, y), solver_pa(budget = 20), kernel_rbf(gamma = 2), chunk = 10, verbose = FALSE,
      metrics = c("kappa", "logloss"), window = 50, drift = drift_page_hinkley(react = "restart"))
  }
  expect_linear(several, if (exhaustive()) 4000 else 1000, "log-loss")
})

test_that("rows of files and functions, one by one", {
  board <- rows_of_board(2000)
  files <- lapply(c(500, 2000), function(n) {
    file <- tempfile(fileext = ".csv")
    utils::write.csv(data.frame(board$x, y = board$y)[seq_len(n), ], file, row.names = FALSE)
    file
  })
  on.exit(unlink(unlist(files)))
  one_by_one <- function(source) {
    reader <- open_source(source)
    on.exit(reader$close())
    while (!is.null(reader$read(1))) reader$position()
  }
  expect_linear(function(n) one_by_one(source_csv(files[[if (n > 500) 2 else 1]], "y")), 500, "source_csv()")
  expect_linear(function(n) one_by_one(source_matrix(board$x[seq_len(n), ], board$y[seq_len(n)])), 500,
    "source_matrix()")
})
