# Curves of all kinds: their table, title and labels.

curve_columns <- list(
  learning = c("size", "set", "value", "se"), validation = c("value_of", "set", "value", "se"),
  roc = c("class", "threshold", "fpr", "tpr"), calibration = c("class", "predicted", "observed", "n")
)

# `summary`: a number per line, named; `label`: of the measured quantity.
new_curve <- function(kind, title, data, label = NULL, summary = NULL, summary_of = NULL, parameter = NULL) {
  structure(
    list(
      kind = kind, title = title, data = data, label = label, summary = summary, summary_of = summary_of,
      parameter = parameter
    ),
    class = "osvm_curve"
  )
}

check_curve <- function(x) {
  check_fields(x, curve_fields, c("The curve", "Make it anew with {.fn osvm_roc} or one of its relatives."))
}

curve_fields <- list(
  kind = one_of(names(curve_columns)), title = a_text, label = or_null(a_text), summary_of = or_null(a_text),
  parameter = or_null(a_text), summary = or_null(type("numbers", is_plain_number)),
  data = type("a data frame of the points of the curve", function(x, curve) is_drawable(curve$kind, x))
)

# Numbers, but for names of lines and values of a parameter. Those on the horizontal axis are known.
is_drawable <- function(kind, data) {
  names <- curve_columns[[kind]]
  if (!is.data.frame(data) || !all(names %in% names(data))) {
    return(FALSE)
  }
  columns <- as.list(unclass(data))
  rows <- unique(lengths(columns))
  at <- columns[[switch(kind, learning = "size", validation = "value_of", roc = "fpr", "predicted")]]
  numbers <- columns[setdiff(c(names, intersect("seconds", names(columns))), c("set", "class", "value_of"))]
  is_plain <- function(v) is_plain_number(v) || (is.character(v) || is.logical(v)) && !is.object(v)
  length(rows) == 1 && rows > 0 && all(vapply(columns, is_plain, NA)) &&
    all(vapply(numbers, is_plain_number, NA)) && !anyNA(at) && (!is.numeric(at) || all(is.finite(at)))
}
