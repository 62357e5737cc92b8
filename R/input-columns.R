# Columns of new data, put into the order of the training data by name.

# The columns of a matrix as in training. If one side has no names, only their number counts.
order_columns <- function(x, object, name) {
  known <- object$feature_names
  if (!is.null(known) && identical(colnames(x), known)) {
    return(x)
  }
  given <- column_names(x)
  if (is.null(known) || is.null(given)) {
    if (ncol(x) != object$n_features) {
      abort("{.arg {name}} must have {object$n_features} column{?s}, as in training; it has {ncol(x)}.")
    }
    return(x)
  }
  # Not within x[]: S4 dispatch would replace the error by one of its own.
  at <- find_columns(given, known, name, zeros = is_sparse(x))
  check_sparse(x, name)
  x[, at, drop = FALSE]
}

# Positions of the columns `known` among those `given`. `selects`: `known` is a selection, as by a
# formula, and other columns are no news.
find_columns <- function(given, known, name, selects = FALSE, zeros = FALSE) {
  at <- match(known, given)
  if (!anyNA(at) && anyDuplicated(given) == 0 && (selects || length(given) == length(known))) {
    return(at)
  }
  check_unique(if (selects) given[given %in% known] else given, name)
  missing <- setdiff(known, given)
  extra <- setdiff(given, known)
  if (length(missing) > 0) {
    instead <- closest(missing, extra, if (selects) 0.5 else Inf)
    abort(c(
      "{.arg {name}} lacks the {cli::qty(missing)}column{?s} {.var {missing}}.",
      i = if (length(instead) > 0) "It has {.var {instead}}, which {?is/are} not in the model.",
      i = if (zeros && name == "newdata" && length(instead) == 0) {
        "{.code missing_columns = \"zero\"} takes them as zeros, as for terms of texts."
      }
    ))
  }
  if (length(extra) > 0 && !selects) {
    extra[extra == ""] <- "(no name)"
    inform("{.arg {name}} has {cli::qty(extra)}{?a column/columns} not in the model, dropped: {.var {extra}}.")
  }
  at
}

# A missing name is empty; names that are all empty are none.
column_names <- function(x) {
  names <- colnames(x)
  names[is.na(names)] <- ""
  if (all(names == "")) NULL else names
}

check_unique <- function(names, name) {
  if (anyDuplicated(names) > 0) {
    twice <- unique(names[duplicated(names)])
    if (all(twice == "")) {
      abort("{.arg {name}} has {sum(names == '')} columns without a name among others; name all columns, or none.")
    }
    abort("{.arg {name}} has the {cli::qty(twice)}column{?s} {.var {twice}} more than once; names must be unique.")
  }
  names
}

# The names most similar to one of those missing, the most similar first; none of which more than a share of the letters
# differs.
closest <- function(missing, extra, share, most = 5) {
  if (length(extra) == 0) {
    return(extra)
  }
  extra <- utils::head(extra, 1000)
  distance <- utils::adist(utils::head(missing, 20), extra, ignore.case = TRUE)
  distance <- apply(distance, 2, min)
  turn <- order(distance)
  utils::head(extra[turn[distance[turn] <= share * nchar(extra[turn])]], most)
}

# x[1, ] of a matrix is a vector.
check_not_row <- function(x, width, name) {
  if (is.atomic(x) && is.null(dim(x)) && length(x) == width && width > 1) {
    abort(c(
      "{.arg {name}} must have an example per row, and is a vector of {width} elements.",
      i = "One row of a matrix stays a matrix by {.code x[1, , drop = FALSE]}."
    ))
  }
}

feature_labels <- function(object) object$feature_names %||% paste0("x", seq_len(object$n_features))

# ---- the range of the training data, a lowest and a highest value per column, and new data that left it ----

column_range <- function(columns) list(low = unname(columns[, "low"]), high = unname(columns[, "high"]))

# Columns with values beyond the range by more than ten times its width, and those that were constant (but for
# rounding). A column of zeros in sparse data is a feature that has not occurred yet: it may take values up to ten times
# the largest of all (scaled) values. Only columns that left the range are looked at: this is part of a prediction for a
# single row. Columns 1 and 2 of `columns` are "low" and "high". NULL: nothing is beyond the range, or there is none.
far_columns <- function(object, columns) {
  range <- object$range
  at <- which(columns[, 1] < range$low | columns[, 2] > range$high)
  if (length(at) == 0) {
    return(NULL)
  }
  low <- range$low[at]
  high <- range$high[at]
  constant <- high == low
  reach <- ifelse(constant, 1e-8 * abs(low), 10 * (high - low))
  if (object$sparse) {
    scaling <- object$transform$scaling
    scale <- if (is.null(scaling)) 1 else scaling$scale[at]
    reach <- ifelse(constant & low == 0, 10 * object$extent$largest * scale, reach)
  }
  at[columns[at, 1] < low - reach | columns[at, 2] > high + reach]
}

warn_range <- function(object, at, name) {
  if (length(at) == 0) {
    return(invisible())
  }
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

# ---- dates and date-times as numbers: days and seconds since 1970-01-01 ----

# "days" or "seconds" for each column of dates or date-times, named; with a message if there are any.
date_units <- function(x) {
  units <- unlist(lapply(x, function(column) {
    if (inherits(column, "Date")) "days" else if (inherits(column, "POSIXt")) "seconds"
  }))
  for (unit in unique(units)) {
    columns <- names(units)[units == unit]
    inform(
      "{cli::qty(columns)}Column{?s} {.var {columns}} {?is/are} taken as {?a number/numbers} of {unit}
       since 1970-01-01."
    )
  }
  units
}

# The columns in `units` as numbers. Dates in place of date-times, and the reverse, are converted;
# numbers are taken as they are.
number_dates <- function(x, units) {
  for (name in intersect(names(units), names(x))) {
    column <- x[[name]]
    if (inherits(column, "Date")) {
      x[[name]] <- as.numeric(column) * if (identical(units[[name]], "seconds")) 86400 else 1
    } else if (inherits(column, "POSIXt")) {
      x[[name]] <- as.numeric(as.POSIXct(column)) / if (identical(units[[name]], "days")) 86400 else 1
    }
  }
  x
}
