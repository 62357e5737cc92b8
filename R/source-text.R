# Files in blocks of whole rows: read in order, from the beginning or from a position on.

block_bytes <- 2^22
longest_row <- 2^27
fingerprint_bytes <- 64

# `cut(bytes, at_end)` gives the number of bytes, from the beginning, that are whole rows. A position holds the `offset`
# of the next block in the file's (uncompressed) bytes, and the bytes before it, by which a changed file is noticed.
open_blocks <- function(path, start = 0, position = NULL, size = block_bytes) {
  reader <- new.env(parent = emptyenv())
  reader$con <- open_bytes(path)
  reader$path <- path
  reader$crc <- 0
  reg.finalizer(reader, close_bytes)
  offset <- if (is.null(position)) start else position$offset
  before <- skip_bytes(reader, offset)
  if (!is.null(position) && !identical(before, position$before)) {
    close_bytes(reader)
    abort("{.file {path}} has changed since the run was stored: it cannot be resumed.")
  }
  rest <- raw()
  ended <- FALSE
  fill <- function(want) {
    more <- read_bytes(reader, want)
    ended <<- length(more) < want
    rest <<- c(rest, more)
    if (ended) check_complete(reader, offset + length(rest))
  }
  take <- function(bytes) {
    block <- rest
    length(block) <- bytes
    rest <<- rest[bytes + seq_len(length(rest) - bytes)]
    offset <<- offset + bytes
    before <<- utils::tail(if (bytes < fingerprint_bytes) c(before, block) else block, fingerprint_bytes)
    block
  }
  list(
    read = function(cut) {
      want <- size - length(rest)
      repeat {
        if (!ended && want > 0) fill(want)
        if (length(rest) == 0) {
          return(NULL)
        }
        bytes <- cut(rest, ended)
        if (bytes > 0) {
          return(take(bytes))
        }
        if (length(rest) > longest_row) {
          abort("A row of {.file {path}} is longer than {big(longest_row)} bytes, from byte {big(offset + 1)} on.")
        }
        want <- length(rest)
      }
    },
    position = function() list(offset = offset, before = before),
    close = function() close_bytes(reader)
  )
}

open_bytes <- function(path) {
  check_file(path)
  refuse <- function(condition) abort("{.file {path}} cannot be opened for reading.")
  # By the first bytes: gzip, bzip2, xz
  magic <- list(as.raw(c(0x1f, 0x8b)), charToRaw("BZh"), as.raw(c(0xfd, 0x37, 0x7a, 0x58, 0x5a)))
  tryCatch({
    begins <- readBin(path, "raw", 6)
    compressed <- any(vapply(magic, function(m) identical(utils::head(begins, length(m)), m), NA))
    if (compressed) gzfile(path, "rb") else file(path, "rb")
  }, error = refuse, warning = refuse)
}

close_bytes <- function(reader) {
  if (!is.null(reader$con)) close(reader$con)
  reader$con <- NULL
}

check_file <- function(path) {
  if (!file.exists(path)) abort("{.file {path}} does not exist.")
  if (dir.exists(path)) abort("{.file {path}} is a directory, not a file.")
  if (file.access(path, 4) != 0) abort("{.file {path}} cannot be opened for reading.")
}

# The warning of a damaged gzip file comes before the error.
read_bytes <- function(reader, count) {
  path <- reader$path
  bytes <- tryCatch(
    suppressWarnings(readBin(reader$con, "raw", count)),
    error = function(e) abort("{.file {path}} cannot be read to its end: its compressed data is damaged.")
  )
  if (inherits(reader$con, "gzfile")) reader$crc <- .Call(ffi_crc32, reader$crc, bytes)
  bytes
}

# Goes to an offset; the last bytes before it.
skip_bytes <- function(reader, offset) {
  back <- min(offset, fingerprint_bytes)
  if (!inherits(reader$con, "gzfile")) {
    if (offset > 0) seek(reader$con, offset - back, "start", "read")
  } else {
    left <- offset - back
    while (left > 0) {
      passed <- length(read_bytes(reader, min(left, block_bytes)))
      if (passed == 0) break
      left <- left - passed
    }
  }
  read_bytes(reader, back)
}

# A gzip file ends with the checksum of its contents and their length, modulo 2^32, which R does not look at. They are
# those of the last member only, if there are several.
check_complete <- function(reader, bytes) {
  path <- reader$path
  size <- file.size(path)
  if (!identical(readBin(path, "raw", 2), as.raw(c(0x1f, 0x8b)))) {
    return(invisible())
  }
  con <- file(path, "rb")
  on.exit(close(con))
  seek(con, max(0, size - 8))
  end <- as.integer(readBin(con, "raw", 8))
  number <- function(bytes) sum(bytes * 256^(0:3))
  sound <- c(number(end[5:8]) == bytes %% 2^32, number(end[1:4]) == reader$crc)
  if (!all(sound) && !has_members(con, size)) {
    if (sound[1]) abort("{.file {path}} is damaged: its contents do not have its checksum.")
    abort("{.file {path}} is truncated: its compressed data ends too early.")
  }
}

# Headers of gzip (RFC 1952): two bytes of magic, deflate, flags below 32, four bytes of time, 0, 2 or 4, a system.
has_members <- function(con, size) {
  at <- 1
  while (at < size) {
    seek(con, at)
    bytes <- readBin(con, "raw", block_bytes)
    found <- grepRaw(as.raw(c(0x1f, 0x8b, 0x08)), bytes, all = TRUE, fixed = TRUE)
    for (from in found) {
      header <- as.integer(bytes[from + 0:9])
      if (!anyNA(header) && header[4] < 32 && header[9] %in% c(0, 2, 4) && header[10] %in% c(0:13, 255)) {
        return(TRUE)
      }
    }
    at <- at + block_bytes - 10
  }
  FALSE
}
