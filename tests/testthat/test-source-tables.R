test_that("matrices, sparse matrices and data frames", {
  set.seed(1)
  x <- matrix(rnorm(60), 20, dimnames = list(NULL, c("a", "b", "c")))
  y <- factor(sample(c("u", "v", NA), 20, TRUE))
  expect_rows(source_matrix(x, y), x, y)
  sparse <- Matrix::rsparsematrix(20, 5, 0.3)
  expect_rows(source_matrix(sparse, y), sparse, y)
  expect_rows(source_matrix(methods::as(sparse, "TsparseMatrix"), y), sparse, y)
  frame <- data.frame(x, g = sample(letters, 20, TRUE))
  expect_rows(source_matrix(frame, y), frame, y)
  expect_null(read_all(source_matrix(x), 7)$y)
  expect_null(read_all(source_matrix(x[0, ]), 7)$x)
  expect_snapshot(source_matrix(x, y))
  expect_snapshot(error = TRUE, source_matrix(x, y[-1]))
  expect_snapshot(error = TRUE, source_matrix("x"))
  expect_error(open_source(source_matrix(x), list(taken = 21)), "not the same", class = "osvm_error")
})

test_that("a function is asked for chunks", {
  asked <- NULL
  upto <- function(n, position = NULL) {
    if (!is.null(position)) at <<- position
    asked <<- c(asked, n)
    rows <- seq_len(min(n, 25 - at)) + at
    at <<- at + length(rows)
    if (length(rows) > 0) list(x = matrix(rows), y = rows %% 2)
  }
  at <- 0
  x <- matrix(1:25)
  expect_rows(source_function(upto), x, (1:25) %% 2, chunks = c(4, 30))
  expect_identical(unique(asked), c(4, 30))
  calls <- 0
  slow <- function(n) {
    calls <<- calls + 1
    if (calls < 3) list(x = matrix(0, 0, 2), y = numeric()) else if (calls == 3) list(x = matrix(1, 2, 2))
  }
  reader <- open_source(source_function(slow))
  expect_identical(nrow(reader$read(5)$x), 0L)
  expect_identical(nrow(reader$read(5)$x), 0L)
  expect_identical(reader$read(5), list(x = matrix(1, 2, 2), y = NULL))
  expect_null(reader$read(5))
  expect_null(reader$read(5))
  expect_identical(reader$position(), list(taken = 2))
  expect_error(open_source(source_function(slow), list(taken = 2)), "argument `position`", class = "osvm_error")
  bad <- function(value) open_source(source_function(function(n) value))$read(3)
  expect_snapshot(error = TRUE, bad(1))
  expect_snapshot(error = TRUE, bad(list(x = matrix(0, 4, 2))))
  expect_snapshot(error = TRUE, bad(list(x = matrix(0, 2, 2), y = 1)))
  expect_snapshot(error = TRUE, source_function("f"))
  expect_snapshot(source_function(function(n) NULL))
})

test_that("rows of a query", {
  skip_if_not_installed("DBI")
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(con))
  set.seed(2)
  data <- data.frame(id = 1:40, a = rnorm(40), b = sample(9, 40, TRUE), g = sample(letters, 40, TRUE), y = "u")
  data$a[5] <- NA
  data$y[seq(2, 40, 3)] <- NA
  DBI::dbWriteTable(con, "t", data)
  numeric <- source_dbi(con, "SELECT a, b, y FROM t ORDER BY id", "y")
  expect_rows(numeric, as.matrix(data[c("a", "b")]), data$y)
  expect_rows(source_dbi(con, "SELECT a, g FROM t ORDER BY id"), data[c("a", "g")], NULL, chunks = c(7, 100))
  expect_null(read_all(source_dbi(con, "SELECT * FROM t WHERE id < 0", "y"), 5)$x)
  reader <- open_source(numeric)
  reader$read(2)
  reader$close()
  reader$close()
  expect_null(reader$read(100)$z)
  reader <- open_source(numeric)
  rm(reader)
  expect_silent(gc())
  expect_snapshot(error = TRUE, open_source(source_dbi(con, "SELECT nothing FROM t")))
  expect_snapshot(error = TRUE, read_all(source_dbi(con, "SELECT a FROM t", "y"), 5))
  expect_snapshot(error = TRUE, source_dbi(1, "SELECT"))
  expect_snapshot(numeric)
  gone <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  source <- source_dbi(gone, "SELECT 1")
  DBI::dbDisconnect(gone)
  expect_error(open_source(source), "closed", class = "osvm_error")
})

test_that("batches of an Arrow stream", {
  skip_if_not_installed("nanoarrow")
  set.seed(3)
  data <- data.frame(a = rnorm(30), b = sample(9, 30, TRUE), y = sample(c("u", NA), 30, TRUE))
  batches <- function() {
    parts <- split(data, rep(1:4, c(12, 1, 7, 10)))
    nanoarrow::basic_array_stream(lapply(parts, nanoarrow::as_nanoarrow_array))
  }
  expect_rows(NULL, as.matrix(data[1:2]), data$y, again = function() source_arrow(batches(), "y"))
  expect_equal(read_all(source_arrow(data, "y"), 7)$x, as.matrix(data[1:2]))
  data$g <- factor(sample(letters, 30, TRUE))
  got <- read_all(source_arrow(batches(), "y"), 7)$x
  expect_equal(got$g, as.character(data$g))
  used <- batches()
  source <- source_arrow(used, "y")
  read_all(source, 7)
  expect_error(open_source(source), "has been read before", class = "osvm_error")
  expect_error(read_all(source_arrow(batches(), "z"), 7), "label", class = "osvm_error")
  expect_error(open_source(source_arrow(quote(x))), "nanoarrow", class = "osvm_error")
  expect_snapshot(source_arrow(data, "y"))
})

test_that("what is no source is refused", {
  expect_snapshot(error = TRUE, osvm_stream("data.csv"))
})

test_that("a column of bytes is refused in a sentence", {
  skip_if_not_installed("DBI")
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  on.exit(DBI::dbDisconnect(con))
  DBI::dbExecute(con, "CREATE TABLE t (a REAL, b BLOB, y TEXT)")
  DBI::dbExecute(con, "INSERT INTO t VALUES (1, x'0102', 'u')")
  source <- source_dbi(con, "SELECT * FROM t", label = "y")
  expect_error(read_all(source, 5), "Column `b` is of class", class = "osvm_error")
})
