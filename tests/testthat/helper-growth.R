# What a call allocates, and whether that is linear in what it is given.

allocated <- function(code) {
  file <- tempfile()
  on.exit(unlink(file))
  Rprofmem(file)
  tryCatch(code, finally = Rprofmem(NULL))
  lines <- readLines(file)
  sum(as.numeric(sub(" :.*", "", lines[grepl("^[0-9]+ :", lines)])))
}

# No more than five times as much, of what work(n) allocates.
expect_linear <- function(work, n, label = NULL) {
  skip_if_not(capabilities("profmem"))
  work(ceiling(n / 8)) # what is allocated once
  expect_lt(allocated(work(4 * n)) / allocated(work(n)), 5, label = label)
}
