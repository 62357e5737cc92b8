mixed <- function(n = 60) {
  set.seed(1)
  data.frame(
    a = round(rnorm(n), 3), b = sample(10, n, TRUE), on = runif(n) > 0.5,
    text = sample(c("plain", "with, comma", "two\nlines", 'a "quote"', "caf\u00e9"), n, TRUE),
    day = as.Date("2020-01-01") + seq_len(n), y = sample(c("u", "v"), n, TRUE)
  )
}
numbers <- function(n = 60) {
  set.seed(2)
  data.frame(a = round(rnorm(n), 3), b = sample(10, n, TRUE), y = sample(0:1, n, TRUE))
}

test_that("rows come in order, whatever the chunks, blocks and compression", {
  data <- mixed()
  plain <- numbers()
  for (pack in c(FALSE, TRUE)) {
    file <- csv_of(data, pack)
    numeric <- csv_of(plain, pack)
    for (block in c(150, 2^20)) {
      source <- source_csv(file, label = "y")
      source$block <- block
      expect_rows(source, data[1:5], data$y, chunks = c(7, 600))
      source <- source_csv(numeric, label = "y")
      source$block <- block
      expect_rows(source, as.matrix(plain[1:2]), as.numeric(plain$y), chunks = c(1, 13))
    }
  }
})

test_that("a source without labels has none, and columns can be left out", {
  data <- numbers()
  file <- csv_of(data)
  expect_identical(colnames(read_all(source_csv(file), 10)$x), c("a", "b", "y"))
  expect_null(read_all(source_csv(file), 10)$y)
  got <- read_all(source_csv(file, "y", ignore = "a"), 10)
  expect_equal(got$x, as.matrix(data["b"]))
})

test_that("missing values, decimals and types of later blocks", {
  file <- file_of(c("a,b,y", "1,,u", "2,NA,", "3,1,v", "4.5,2,NA", "-,3,u"))
  source <- source_csv(file, "y", na = c("NA", "", "-"))
  source$block <- 12
  got <- read_all(source, 2)
  expect_equal(got$x, cbind(a = c(1, 2, 3, 4.5, NA), b = c(NA, NA, 1, 2, 3)))
  expect_identical(got$y, c("u", NA, "v", NA, "u"))
  late <- file_of(c("a,y", rep("1,u", 20), "oops,v"))
  source <- source_csv(late, "y")
  source$block <- 12
  expect_error(read_all(source, 5), "Column `a`.*\"oops\" in about row 21.*only numbers", class = "osvm_error")
  source$types <- c(a = "character")
  expect_identical(read_all(source, 5)$x$a, rep(c("1", "oops"), c(20, 1)))
  # No label in the first block: text, whatever comes
  unlabelled <- file_of(c("a,y", rep("1,", 20), "2,7"))
  source <- source_csv(unlabelled, "y")
  source$block <- 12
  expect_identical(read_all(source, 5)$y, rep(c(NA, "7"), c(20, 1)))
})

test_that("separators, decimal commas, headers, byte order marks, line ends and encodings", {
  expected <- list(x = cbind(V1 = c(1.5, 2), V2 = c(3, 4)), y = c(0, 1))
  same <- function(source) {
    got <- read_all(source, 1)
    expect_equal(unname(got$x), unname(expected$x))
    expect_equal(got$y, expected$y)
  }
  same(source_csv(file_of(c("1.5,3,0", "2,4,1")), "V3", header = FALSE))
  same(source_csv(file_of(c("a;b;c", "1,5;3;0", "2;4;1")), "c", sep = ";", dec = ","))
  same(source_csv(file_of(c("a\tb\tc", "1.5\t3\t0", "2\t4\t1")), "c", sep = "\t"))
  same(source_csv(file_of(charToRaw("a,b,c\r\n1.5,3,0\r\n\r\n2,4,1\r\n\r\n")), "c"))
  same(source_csv(file_of(charToRaw("a,b,c\n1.5,3,0\n2,4,1")), "c"))
  returns <- source_csv(file_of(charToRaw("a,b,c\r1.5,3,0\r\r2,4,1\r")), "c")
  for (block in c(3, 7, 8, 2^20)) {
    returns$block <- block
    same(returns)
  }
  same(source_csv(file_of(c(as.raw(c(0xef, 0xbb, 0xbf)), charToRaw("a,b,c\n1.5,3,0\n2,4,1"))), "c"))
  same(source_csv(file_of(charToRaw("\"a\",\"b\",\"c\"\n\"1.5\",3,0\n2,4,\"1\"\n")), "c"))
  latin <- file_of(c(charToRaw("a,y\ncaf"), as.raw(0xe9), charToRaw(",1\n")))
  expect_error(read_all(source_csv(latin, "y"), 1), "not UTF-8", class = "osvm_error")
  expect_identical(read_all(source_csv(latin, "y", encoding = "latin1"), 1)$x$a, "caf\u00e9")
})

test_that("a file with only a header has no rows", {
  expect_null(read_all(source_csv(file_of("a,y"), "y"), 5)$x)
  expect_null(read_all(source_csv(file_of(charToRaw("a,y")), "y"), 5)$x)
})

test_that("what cannot be read is said in a sentence", {
  fails <- function(content, ..., n = 5) {
    path <- file_of(content)
    expect_snapshot(error = TRUE, read_all(source_csv(path, "y", ...), n), transform = without_path, cran = FALSE)
  }
  fails(raw())
  fails(c("a,b", "1,2"))
  fails(c("a,a,y", "1,2,3"))
  fails("y")
  fails(c("a,b,y", "1,2,3", "1,2", "1,2,3"))
  fails(c("a,b,y", "1,2,3", "1,2,3,4"))
  fails(c("a;y", "1;2"))
  fails(c("a,y", "1,\"u", "2,v"))
  fails(c(charToRaw("a,y\n1,2\n"), as.raw(0), charToRaw(",4\n")))
  fails(c("a,y", "1,2"), ignore = "z")
  expect_snapshot(error = TRUE, source_csv("no-such-file.csv", "y"))
  expect_snapshot(error = TRUE, source_csv(tempdir()), transform = function(l) sub("'.*'", "'DIR'", without_path(l)))
  file <- csv_of(numbers())
  expect_snapshot(error = TRUE, source_csv(file, 3))
  expect_snapshot(error = TRUE, source_csv(file, sep = "ab"))
  expect_snapshot(error = TRUE, source_csv(file, sep = ".", dec = "."))
  expect_snapshot(error = TRUE, source_csv(file, types = "numeric"))
  expect_snapshot(error = TRUE, source_csv(file, "y", ignore = "y"))
})

test_that("a truncated or damaged gzip file is noticed, one of several members is read", {
  data <- numbers(20000)
  file <- csv_of(data, pack = TRUE)
  bytes <- readBin(file, "raw", file.size(file))
  cut <- file_of(bytes[seq_len(length(bytes) %/% 2)])
  expect_error(read_all(source_csv(cut, "y"), 5000), class = "osvm_error")
  source <- source_csv(cut)
  source$block <- 2^22
  expect_error(read_all(source, 5000), "truncated|field", class = "osvm_error")
  damaged <- file_of(replace(bytes, 5000:5100, as.raw(7)))
  expect_error(read_all(source_csv(damaged, "y"), 5000), class = "osvm_error")
  two <- file_of(c(bytes, local({
    more <- file_of("3,4,1", pack = TRUE)
    readBin(more, "raw", file.size(more))
  })))
  expect_identical(sum(read_all(source_csv(two, "y"), 5000)$rows), 20001)
})

test_that("a changed file is not resumed, a longer one is", {
  data <- numbers()
  file <- csv_of(data)
  source <- source_csv(file, "y")
  source$block <- 100
  position <- read_all(source, 25)$positions[[3]]
  cat("9,9,1\n", file = file, append = TRUE)
  expect_equal(read_all(source, 25, position)$x, rbind(as.matrix(data[51:60, 1:2]), c(9, 9)), ignore_attr = TRUE)
  utils::write.csv(numbers(80)[80:1, ], file, row.names = FALSE)
  expect_error(open_source(source, position), "has changed", class = "osvm_error")
  writeLines("a,b,y", file)
  expect_error(open_source(source, position), "has changed", class = "osvm_error")
  expect_error(open_source(source, list(offset = "x")), "damaged", class = "osvm_error")
})

test_that("connections are closed, also by the garbage collector", {
  file <- csv_of(numbers())
  before <- nrow(showConnections(all = TRUE))
  reader <- open_source(source_csv(file, "y"))
  reader$read(3)
  expect_identical(nrow(showConnections(all = TRUE)), before + 1L)
  reader$close()
  reader$close()
  expect_identical(nrow(showConnections(all = TRUE)), before)
  reader <- open_source(source_csv(file, "y"))
  rm(reader)
  expect_silent(gc())
  expect_silent(gc())
  expect_identical(nrow(showConnections(all = TRUE)), before)
  expect_error(open_source(source_csv(file_of("a,b"), "y")), class = "osvm_error")
  gc()
  expect_identical(nrow(showConnections(all = TRUE)), before)
})

test_that("a file source prints what it reads", {
  file <- csv_of(numbers())
  source <- source_csv(file, "y", ignore = "a")
  source$file <- "data.csv"
  expect_snapshot(source)
})

test_that("a column is what its values look like", {
  column <- function(..., types = NULL) {
    values <- c(...)
    read_all(source_csv(file_of(c("a,y", paste0(values, ",u"))), "y", types = types), 5)$x[, "a"]
  }
  expect_identical(column("1", "18446744073709551616", "-9223372036854775809"), c(1, 2^64, -2^63))
  expect_identical(column("1e400", "0x1F", "NaN", "-inf"), c(Inf, 31, NaN, -Inf))
  expect_identical(column("TRUE", "false", "NA", "FALSE"), c(1, 0, NA, 0))
  expect_identical(column("T", "F"), c("T", "F"))
  expect_identical(column("\"NA\"", "NA", "x", "\"\""), c(NA, NA, "x", NA))
  expect_identical(column("a\"b", "\"c\"d", "\"e\"\"f\"", " g h "), c("a\"b", "cd", "e\"f", "g h"))
  expect_identical(column("2024-02-03", "NA", "2024-12-31"), as.Date(c("2024-02-03", NA, "2024-12-31")))
  times <- c("2024-02-03 04:05:06", "2024-02-03", "2024-02-03T14:15Z", "2024-02-03 04:05:06.25")
  expected <- as.POSIXct(c(0, -14706, 36594, 0.25), origin = "2024-02-03 04:05:06", tz = "UTC")
  expect_equal(column(times), expected)
  expect_equal(column(times[c(2, 1)], types = c(a = "POSIXct")), expected[c(2, 1)])
  expect_error(column("2024-02-03", times, types = c(a = "Date")), "only dates", class = "osvm_error")
  expect_identical(column("2024-02-03 late", "2024-02-03"), c("2024-02-03 late", "2024-02-03"))
})

test_that("a date among the times of a later block is its midnight, and the others keep theirs", {
  times <- format(as.POSIXct("2024-01-01", tz = "UTC") + 3600 * seq_len(60) + 59, "%Y-%m-%d %H:%M:%S")
  times[50] <- "2024-01-03"
  source <- source_csv(file_of(c("a,y", paste0(times, ",u"))), "y")
  source$block <- 300
  got <- read_all(source, 10)$x$a
  expect_identical(format(got[-50], "%Y-%m-%d %H:%M:%S"), times[-50])
  expect_identical(as.numeric(got[50]), as.numeric(as.POSIXct("2024-01-03", tz = "UTC")))
})

test_that("a flipped bit of a gzip file is noticed", {
  file <- csv_of(numbers(300), pack = TRUE)
  bytes <- readBin(file, "raw", file.size(file))
  read <- function(file) read_all(source_csv(file, "y"), 500)
  whole <- read(file)$x
  set.seed(4)
  for (at in sample(11:(length(bytes) - 8), if (exhaustive()) 200 else 30)) {
    flipped <- replace(bytes, at, xor(bytes[at], as.raw(2^sample(0:7, 1))))
    got <- tryCatch(read(file_of(flipped))$x, osvm_error = function(e) NULL)
    expect_true(is.null(got) || identical(got, whole), info = paste("byte", at))
  }
})

test_that("many columns cost as much as few, each", {
  skip_if_not(capabilities("profmem"))
  wide <- function(columns) {
    set.seed(1)
    csv_of(cbind(as.data.frame(matrix(round(stats::rnorm(30 * columns), 2), 30)), y = rep_len(0:1, 30)),
      frame = parent.frame())
  }
  files <- list(wide(250), wide(1000))
  expect_linear(function(k) read_all(source_csv(files[[1 + (k > 1)]], "y"), 10), 1, "columns")
})

test_that("fields and headers of a size that nobody has are refused before they cost memory", {
  read <- function(..., n = 5) read_all(source_csv(file_of(charToRaw(paste0(...))), "y"), n)
  long <- strrep("u", 1000001)
  refused <- "after row %d has more than 1,000,000 bytes.*closed.*max_field_bytes"
  expect_error(read("a,y\n1,", long, "\n2,v\n"), sprintf(refused, 0), class = "osvm_error")
  expect_error(read("a,y\n1,u\n2,v\n\"", long, "\",v\n"), sprintf(refused, 2), class = "osvm_error")
  expect_error(read("a,y\n1,\"", strrep("\n", 3e6), "\"\n"), sprintf(refused, 0), class = "osvm_error")
  expect_error(read("a,y\n1,\"u\n", strrep("2,v\n", 5e5)), sprintf(refused, 0), class = "osvm_error")
  expect_error(read("a,y,\"", long, "\"\n1,u,2\n"), sprintf(refused, 0), class = "osvm_error")
  expect_error(read("y", strrep(",", 1e6), "\n"), "1,000,001 columns; `max_columns` is 1,000,000", class = "osvm_error")
  expect_identical(nchar(read("a,y\n\"", substr(long, 1, 999998), "\",v\nw,u\n")$x$a), c(999998L, 1L))
})

test_that("the bounds of fields and columns are arguments", {
  file <- file_of(c("a,b,y", "1,2,long", "3,4,v"))
  read <- function(...) read_all(source_csv(file, "y", ...), 5)$y
  expect_identical(read(max_columns = 3, max_field_bytes = 4), c("long", "v"))
  expect_error(read(max_columns = 2), "3 columns; `max_columns` is 2", class = "osvm_error")
  expect_error(read(max_field_bytes = 3), "more than 3 bytes", class = "osvm_error")
  expect_error(read(max_columns = 0), "`max_columns` must be one whole number", class = "osvm_error")
  expect_error(read(max_field_bytes = "1e6"), "`max_field_bytes` must be one", class = "osvm_error")
  earlier <- source_csv(file, "y")
  earlier$max_columns <- earlier$max_field_bytes <- NULL
  expect_identical(read_all(earlier, 5)$y, c("long", "v"))
})

test_that("bytes that are no text, and characters that are hard to see", {
  read <- function(bytes) read_all(source_csv(file_of(bytes), "y"), 5)
  zero <- "zero byte"
  expect_error(read(c(as.raw(0), charToRaw("a,y\n1,u\n"))), zero, class = "osvm_error")
  expect_error(read(c(charToRaw("a,y"), as.raw(0), charToRaw("\n1,u\n"))), zero, class = "osvm_error")
  expect_error(read(c(charToRaw("a,y\n1,\"u"), as.raw(0), charToRaw("\"\n"))), zero, class = "osvm_error")
  expect_error(read(c(charToRaw("a,y\n1,u\n"), as.raw(rep(0, 1e5)))), zero, class = "osvm_error")
  # They are characters as others are, and what data has is left as it is.
  odd <- c("\u0085", "\u009b31m", "\u202etxt", "\u2066x\u2069", "\ufeffx", "\u001b[1m")
  got <- read(charToRaw(enc2utf8(paste0("a,y\n", paste0("\"", odd, "\",\"", odd, "\"\n", collapse = "")))))
  expect_identical(got$x$a, odd)
  expect_identical(got$y, odd)
  named <- read(charToRaw(enc2utf8(paste0("\"", odd[1], "\",y,\"", odd[6], "\"\n1,2,3\n"))))
  expect_identical(colnames(named$x), odd[c(1, 6)])
})
