# Text for print() and for messages.

# What a terminal obeys rather than shows: control characters, and those that turn the direction of writing.
hidden_characters <- "[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"

# Text from data, files or other packages, with such characters by their numbers, at most `most` characters of each; of
# a factor its levels, of an object what its class is called. Anything else is left as it is.
printable <- function(x, most = .Machine$integer.max) {
  if (is.character(x)) {
    text <- iconv(enc2utf8(x), "UTF-8", "UTF-8", sub = "byte")
    long <- which(nchar(text) > most)
    text[long] <- paste0(substr(text[long], 1, most), "...")
    hidden <- grep(hidden_characters, text, perl = TRUE)
    text[hidden] <- vapply(text[hidden], function(text) {
      points <- utf8ToInt(text)
      shown <- intToUtf8(points, multiple = TRUE)
      hidden <- grepl(hidden_characters, shown, perl = TRUE)
      paste(replace(shown, hidden, sprintf("<U+%04X>", points[hidden])), collapse = "")
    }, "")
    x[] <- text
  } else if (is.factor(x)) {
    attr(x, "levels") <- printable(attr(x, "levels"), most)
  } else if (any(grepl(hidden_characters, class(x), perl = TRUE))) {
    x <- structure(list(), class = printable(class(x), most))
  }
  x
}

# A line for each text; a blank one for none.
cat_line <- function(...) cat(paste0(printable(paste0(...)), "\n"), sep = "")

# "name  value" lines, the values in one column, long values wrapped.
print_fields <- function(fields) {
  fields <- stats::setNames(printable(fields), printable(names(fields)))
  width <- max(nchar(names(fields))) + 4
  for (name in names(fields)) {
    value <- strwrap(fields[[name]], getOption("width") - width)
    first <- formatC(paste0("  ", name), width = -width)
    cat_line(c(first, rep(strrep(" ", width), length(value) - 1)), value)
  }
}

# A data frame without the names of its rows.
print_rows <- function(table, ...) {
  text <- vapply(table, function(column) is.character(column) || is.factor(column), NA)
  table[text] <- lapply(table[text], printable)
  names(table) <- printable(names(table))
  print(table, row.names = FALSE, ...)
}

big <- function(n) format(n, big.mark = ",", scientific = FALSE, trim = TRUE)

plural <- function(n, what) paste0(big(n), " ", what, if (n != 1) "s")

# As many of the values as fit on a line of the given width, the first one cut if it does not.
shorten <- function(values, width) {
  values <- printable(values, width)
  fits <- cumsum(nchar(values) + 2) <= width
  if (all(fits)) {
    return(paste(values, collapse = ", "))
  }
  shown <- values[fits | seq_along(values) == 1]
  left <- length(values) - length(shown)
  paste0(paste(shown, collapse = ", "), if (left > 0) paste0(" and ", left, " more"))
}
