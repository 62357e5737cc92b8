# Text for print().

# "name  value" lines, the values in one column, long values wrapped.
print_fields <- function(fields) {
  width <- max(nchar(names(fields))) + 4
  for (name in names(fields)) {
    value <- strwrap(fields[[name]], getOption("width") - width)
    first <- formatC(paste0("  ", name), width = -width)
    cat(paste0(c(first, rep(strrep(" ", width), length(value) - 1)), value, "\n"),
        sep = "")
  }
}

big <- function(n) format(n, big.mark = ",", scientific = FALSE, trim = TRUE)

count <- function(n, what) paste0(big(n), " ", what, if (n != 1) "s")

# As many of the values as fit on a line of the given width.
shorten <- function(values, width) {
  fits <- cumsum(nchar(values) + 2) <= width
  if (all(fits)) {
    return(paste(values, collapse = ", "))
  }
  shown <- values[fits | seq_along(values) == 1]
  left <- length(values) - length(shown)
  paste0(paste(shown, collapse = ", "), " and ", left, " more")
}
