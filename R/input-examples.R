# Examples as users give them: matrices, data frames, formulas with data.

# The examples of the data frame or formula method that calls this, read from its arguments: `x`, `y`, what it has of
# `weights` and `foldid`, and the `encoding` and `na.action` of the rows learned. The arguments of a formula method may
# name columns of the data, as in lm(), and so may `subset` of a data frame method; other names in them are looked up
# where the method was called.
examples_of <- function(method = parent.frame(), caller = parent.frame(2)) {
  by_formula <- "formula" %in% names(method)
  given <- function(name, data) {
    expression <- eval(call("substitute", as.name(name)), method)
    if (any(all.vars(expression) %in% names(data))) eval(expression, data, caller) else get(name, method)
  }
  per_row <- stats::setNames(nm = intersect(c("foldid", "weights", "subset"), names(method)))
  na.action <- if ("na.action" %in% names(method)) method$na.action else stats::na.omit
  if (by_formula) {
    return(encode_formula(method$formula, method$data, lapply(per_row, given, method$data), na.action))
  }
  check_labels_given(eval(quote(missing(y)), method))
  rows <- lapply(per_row, function(name) given(name, if (name == "subset") method$x))
  encode_frame(method$x, c(list(y = method$y), rows), na.action)
}

check_labels_given <- function(missing) {
  if (missing) abort("{.arg y} is missing: give a label for each row of {.arg x}.")
}

# A matrix, or a data frame and its encoding; `rows` and `na.action` as in encode_frame().
encode_input <- function(x, rows = NULL, na.action = NULL) {
  if (is.data.frame(x)) encode_frame(x, rows, na.action) else c(list(x = as_input(x)), rows)
}

# The labels of data that is given to a model without them: the left side of its formula.
formula_labels <- function(object, data, example = "example") {
  if (!identical(object$encoding$kind, "formula")) abort("{.arg y} is missing: give a label for each {example}.")
  encode_labels(object$encoding, data)
}
