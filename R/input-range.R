# The range of the training data, a lowest and a highest value per column, and new data that left it.

column_range <- function(columns) list(low = unname(columns[, "low"]), high = unname(columns[, "high"]))

wider_range <- function(a, b) list(low = pmin.int(a$low, b$low), high = pmax.int(a$high, b$high))

# One warning for columns with values beyond the range by more than ten times its width, and for
# columns that were constant (but for rounding). A column of zeros in sparse data is a feature that
# has not occurred yet: it may take values up to ten times the largest of all (scaled) values.
# Only columns that left the range are looked at: this is part of a prediction for a single row.
# Columns 1 and 2 of `columns` are "low" and "high". Without a range (NULL) nothing is beyond it. Returns whether
# anything is.
check_range <- function(object, columns, name) {
  range <- object$range
  beyond <- columns[, 1] < range$low | columns[, 2] > range$high
  if (!any(beyond)) {
    return(FALSE)
  }
  at <- which(beyond)
  at <- at[far_outside(object, columns[at, , drop = FALSE], at)]
  if (length(at) > 0) warn_range(object, at, name)
  TRUE
}

far_outside <- function(object, columns, at) {
  low <- object$range$low[at]
  high <- object$range$high[at]
  constant <- high == low
  reach <- ifelse(constant, 1e-8 * abs(low), 10 * (high - low))
  if (object$sparse) {
    scaling <- transform_packing(object$transform)
    scale <- if (is.null(scaling)) 1 else scaling$scale[at]
    reach <- ifelse(constant & low == 0, 10 * object$extent$largest * scale, reach)
  }
  columns[, "low"] < low - reach | columns[, "high"] > high + reach
}

warn_range <- function(object, at, name) {
  constant <- object$range$low[at] == object$range$high[at]
  list_names <- function(at) some_names(feature_labels(object)[at])
  warn(c(
    "{.arg {name}} is far outside the range of the training data in {cli::qty(length(at))}column{?s} {list_names(at)}.",
    i = if (any(constant)) {
      if (all(constant)) {
        "{cli::qty(length(at))}{?It was/They were} constant in training."
      } else {
        "{list_names(at[constant])} {cli::qty(sum(constant))}{?was/were} constant in training."
      }
    }
  ), "osvm_out_of_range")
}

# At most five names, and the number of the others.
some_names <- function(names, most = 5) {
  shown <- paste0("`", utils::head(names, most), "`", collapse = ", ")
  if (length(names) > most) paste(shown, "and", length(names) - most, "more") else shown
}
