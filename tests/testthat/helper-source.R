# All rows of a source in chunks of n: x and y, and the position after every chunk.
read_all <- function(source, n, position = NULL) {
  reader <- open_source(source, position)
  on.exit(reader$close())
  parts <- list()
  positions <- list(reader$position())
  while (!is.null(part <- reader$read(n))) {
    parts <- c(parts, list(part))
    positions <- c(positions, list(reader$position()))
  }
  expect_null(reader$read(n))
  out <- bind_examples(parts)
  list(x = out$x, y = out$y, rows = vapply(parts, function(p) nrow(p$x), 0), positions = positions)
}

# Reads the same rows whatever the chunk; goes on from every position; positions survive serialization.
expect_rows <- function(source, x, y, chunks = c(1, 7, nrow(x), 10 * nrow(x)), again = function() source) {
  rows <- nrow(x)
  for (n in chunks) {
    got <- read_all(again(), n)
    expect_equal(got$x, x)
    expect_equal(got$y, y)
    expect_true(all(utils::head(got$rows, -1) == n))
    for (k in unique(round(seq(1, length(got$positions), length.out = 5)))) {
      position <- unserialize(serialize(got$positions[[k]], NULL))
      rest <- read_all(again(), n, position)
      left <- seq_len(rows)[seq_len(rows) > min(rows, (k - 1) * n)]
      if (length(left) == 0) {
        expect_null(rest$x)
      } else {
        expect_equal(rest$x, x[left, , drop = FALSE], ignore_attr = "row.names")
        expect_equal(rest$y, y[left])
      }
    }
  }
}

# A file with these bytes or lines, deleted with the test.
file_of <- function(content, fileext = ".csv", pack = FALSE, frame = parent.frame()) {
  path <- tempfile(fileext = fileext)
  con <- if (pack) gzfile(path, "wb") else file(path, "wb")
  if (is.raw(content)) writeBin(content, con) else writeLines(content, con, useBytes = TRUE)
  close(con)
  do.call(on.exit, list(bquote(unlink(.(path))), add = TRUE), envir = frame)
  path
}

csv_of <- function(data, pack = FALSE, frame = parent.frame()) {
  plain <- tempfile()
  on.exit(unlink(plain))
  utils::write.csv(data, plain, row.names = FALSE)
  file_of(readBin(plain, "raw", file.size(plain)), pack = pack, frame = frame)
}

# The path differs from run to run.
without_path <- function(lines) gsub("'[^' ]*/file[0-9a-f]+[.]?[a-z]*'", "'FILE'", gsub("\u2018|\u2019", "'", lines))
