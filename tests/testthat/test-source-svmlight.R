test_that("rows come in order, whatever the chunks, blocks and compression", {
  set.seed(1)
  x <- Matrix::rsparsematrix(50, 12, 0.3)
  x[3, ] <- 0
  y <- sample(c(-1, 1), 50, TRUE)
  lines <- vapply(1:50, function(i) {
    at <- which(x[i, ] != 0)
    paste(c(y[i], sprintf("%d:%.17g", at, x[i, at])), collapse = " ")
  }, "")
  for (pack in c(FALSE, TRUE)) for (block in c(100, 2^20)) {
    source <- source_svmlight(file_of(lines, ".svm", pack), n_features = 12)
    source$block <- block
    expect_rows(source, x, y, chunks = c(1, 7, 500))
    source["n_features"] <- list(NULL)
    expect_equal(read_all(source, 50)$x, x[, seq_len(max(which(Matrix::colSums(x != 0) > 0)))])
  }
  got <- read_all(source, 50)$x
  expect_s4_class(got, "dgCMatrix")
  expect_true(methods::validObject(got))
})

test_that("comments, qid, blanks, order and missing labels", {
  file <- file_of(c(
    "# a comment", "+1 qid:3 1:0.5 3:-2e-3 # first", "", "  -1\t2:7   ", "NA 3:1 1:2", "? 2:.5", "2", "3 1:1e400#"
  )[-8], ".svm")
  got <- read_all(source_svmlight(file, 3), 10)
  expect_identical(got$y, c(1, -1, NA, NA, 2))
  expect_equal(as.matrix(got$x), rbind(c(0.5, 0, -2e-3), c(0, 7, 0), c(2, 0, 1), c(0, 0.5, 0), 0))
  zero <- file_of(c("1 0:5", "0 1:6"), ".svm")
  expect_equal(as.matrix(read_all(source_svmlight(zero, zero_based = TRUE), 10)$x), rbind(c(5, 0), c(0, 6)))
  expect_null(read_all(source_svmlight(file_of(raw(), ".svm")), 10)$x)
  expect_null(read_all(source_svmlight(file_of("# nothing", ".svm")), 10)$x)
})

test_that("numbers are read to the last bit", {
  set.seed(2)
  values <- c(rnorm(500), 10^runif(500, -300, 300), 1 / 3, .Machine$double.xmax, 2^-1074, 2^53 + 2, 0.1)
  text <- sprintf("%.17g", values)
  text <- c(text, "1e22", "1E+5", "-0", "000123.4500", "5.", ".5", "12345678901234567890123", "1e-5")
  values <- c(values, 1e22, 1e5, 0, 123.45, 5, 0.5, 12345678901234567890123, 1e-5)
  file <- file_of(paste0(seq_along(text), " 1:", text), ".svm")
  got <- read_all(source_svmlight(file, 1), 2000)
  expect_identical(as.vector(got$x), values)
})

test_that("malformed lines are named", {
  fails <- function(line, ...) {
    file <- file_of(c("1 1:2", "# x", line), ".svm")
    expect_snapshot(error = TRUE, read_all(source_svmlight(file, ...), 5), transform = without_path)
  }
  fails("a 1:2", 3)
  fails("1,2 1:2", 3)
  fails("1 0:2", 3)
  fails("1 4:2", 3)
  fails("1 1:x", 3)
  fails("1 1:NaN", 3)
  fails("1 1:1e999", 3)
  fails("1 1", 3)
  fails("1 :2", 3)
  fails("1 1:2:3", 3)
  fails("1 2:1 1:3 2:4", 3)
  fails("1 99999999999999999999:1")
  expect_snapshot(error = TRUE, source_svmlight("no-such-file.svm"))
  expect_snapshot(error = TRUE, source_svmlight(file_of("1", ".svm"), n_features = 0))
})

test_that("line numbers count the blocks before", {
  source <- source_svmlight(file_of(c(rep("1 1:2", 30), "1 x"), ".svm"), 3)
  source$block <- 50
  expect_error(read_all(source, 4), "Line 31 of", class = "osvm_error")
})

test_that("damaged text never crashes", {
  set.seed(3)
  good <- charToRaw(paste(rep("1 qid:1 1:0.5 7:-2e-3 # c\n-1 3:7\n", 5), collapse = ""))
  for (try in seq_len(if (exhaustive()) 300 else 60)) {
    bad <- good
    at <- sample(length(bad), 3)
    bad[at] <- as.raw(sample(0:255, 3, TRUE))
    bad <- bad[seq_len(sample(length(bad), 1))]
    source <- source_svmlight(file_of(bad, ".svm"), 10)
    source$block <- sample(c(20, 1000), 1)
    got <- tryCatch(read_all(source, 3), osvm_error = function(e) NULL)
    if (!is.null(got$x)) expect_true(methods::validObject(got$x))
    csv <- source_csv(source$file, header = FALSE)
    csv$block <- source$block
    got <- tryCatch(read_all(csv, 3), osvm_error = function(e) NULL)
    expect_true(is.null(got) || length(got) == 4)
  }
})

test_that("a stray large index is refused before it costs memory", {
  read <- function(lines, ...) read_all(source_svmlight(file_of(lines, ".txt"), ...), 10)
  expect_error(read(c("1 1:2 300000000:1", "-1 2:1")), "index 300,000,000.*3 values", class = "osvm_error")
  expect_error(read(c("1 1:2 2000000000:1", "-1 2:1")), "n_features", class = "osvm_error")
  expect_identical(dim(read(c("1 1:2 900000:1", "-1 2:1"))$x), c(2L, 900000L))
  expect_identical(dim(read(c("1 1:2 1100000:1", "-1 2:1"), n_features = 1100000)$x), c(2L, 1100000L))
})
