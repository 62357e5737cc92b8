# Fields of objects that may come from a file, and the errors for those that are damaged.

# `ok` may be anything that a damaged field makes of a comparison.
need <- function(ok, what) {
  if (!(is.logical(ok) && length(ok) == 1 && !is.na(ok) && ok)) {
    abort(c("The model is damaged: {what}.", i = "Fit it anew with {.fn osvm}."))
  }
}

# A sum with a value that is not finite is not finite.
all_finite <- function(x, length) {
  is.numeric(x) && length(x) == length && (is.finite(sum(x)) || all(is.finite(x)))
}

is_one_number <- function(x) is.numeric(x) && !is.object(x) && length(x) == 1 && is.finite(x)

is_one_flag <- function(x) is.logical(x) && length(x) == 1 && !is.na(x)

# A data frame of these columns, all of them numbers.
is_table <- function(x, columns, rows = if (length(unclass(x)) > 0) length(unclass(x)[[1]]) else 0) {
  if (!is.data.frame(x) || !identical(names(x), columns) || .row_names_info(x, 2L) != rows) {
    return(FALSE)
  }
  for (column in unclass(x)) {
    if (!(is.numeric(column) || is.logical(column)) || is.object(column) || length(column) != rows) {
      return(FALSE)
    }
  }
  TRUE
}

is_names <- function(x) is.character(x) && !anyNA(x) && anyDuplicated(x) == 0

is_one_text <- function(x) is.character(x) && length(x) == 1 && !is.na(x)

# A data frame whose parts fit together, whoever made it.
is_plain_table <- function(table) {
  is.list(table) && is.data.frame(table) && is.character(names(table)) && !anyNA(names(table)) &&
    anyDuplicated(names(table)) == 0 && all(vapply(unclass(table), function(v) is.null(dim(v)) && is.atomic(v), NA)) &&
    all(lengths(unclass(table)) == nrow(table))
}

is_text_or_null <- function(x) is.null(x) || is_one_text(x)

is_plain_number <- function(x) is.numeric(x) && !is.object(x) && is.null(dim(x))

is_plain_value <- function(x) is_plain_number(x) || (is.character(x) || is.logical(x)) && !is.object(x)
