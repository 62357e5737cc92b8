# A block of separated values, complete rows of as many fields as there are names, as a data frame without the columns
# to ignore. Types that are not known are guessed: numbers, TRUE and FALSE, dates, times, else text.

read_table <- function(bytes, source, names, kinds, from) {
  known <- if (is.null(kinds)) source$types else kinds
  kind <- if (is.null(known)) rep(NA_character_, length(names)) else unname(known[names])
  ways <- c(numeric = 1L, logical = 2L, character = 2L, Date = 2L, POSIXct = 2L) # as in r-text.c
  way <- ifelse(is.na(kind), 3L, ways[kind])
  way[names %in% source$ignore] <- 0L
  columns <- stats::setNames(read_fields(bytes, source, unname(way), source$na), names)
  columns <- columns[way > 0]
  for (name in names(columns)[vapply(columns, is.list, NA)]) {
    bad <- columns[[name]]
    refuse_value(bad$value, name, "numeric", from + bad$row, quoted(source$file))
  }
  guess <- is.na(kind[way > 0]) & vapply(columns, is.character, NA)
  columns[guess] <- lapply(columns[guess], guess_type)
  as_table(columns)
}

# A column for each of the ways to read it, see r-text.c.
read_fields <- function(bytes, source, way, na) {
  rule <- list(separator = source$sep, quote = "\"", at_end = TRUE, dec = source$dec)
  core_result(.Call(ffi_text_read, bytes, rule, way, enc2utf8(na)), "Reading")
}

guess_type <- function(value) {
  given <- unique(value[!is.na(value)])
  if (all(given %in% c("TRUE", "FALSE", "true", "false"))) {
    as_flags(value)
  } else if (all(grepl(date_pattern, given))) {
    as_dates(value)
  } else if (all(grepl(time_pattern, given))) {
    as_times(value)
  } else {
    value
  }
}
