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
  at <- find_columns(given, known, name)
  check_sparse(x, name)
  x[, at, drop = FALSE]
}

# Positions of the columns `known` among those `given`. `selects`: `known` is a selection, as by a
# formula, and other columns are no news.
find_columns <- function(given, known, name, selects = FALSE) {
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
      i = if (length(instead) > 0) "It has {.var {instead}}, which {?is/are} not in the model."
    ))
  }
  if (length(extra) > 0 && !selects) {
    extra[extra == ""] <- "(no name)"
    inform("{.arg {name}} has {cli::qty(extra)}{?a column/columns} not in the model, dropped: {.var {extra}}.")
  }
  at
}

# Names that are all empty are none.
column_names <- function(x) {
  names <- colnames(x)
  if (is.null(names) || all(is.na(names) | names == "")) NULL else names
}

check_unique <- function(names, name) {
  if (anyDuplicated(names) > 0) {
    twice <- unique(names[duplicated(names)])
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
