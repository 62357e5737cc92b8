# Examples as users give them: matrices, data frames, formulas with data.

# The examples of the data frame or formula method that calls this, read from its arguments: `x`, `y`, what it has of
# `weights` and `foldid`, and the `encoding` and `na.action` of the rows learned. The arguments of a formula method may
# name columns of the data, as in lm(), and so may `subset` of a data frame method; other names in them are looked up
# where the method was called. A kernel function is given data frames as they are.
examples_of <- function(method = parent.frame(), caller = parent.frame(2)) {
  by_formula <- "formula" %in% names(method)
  given <- function(name, data) {
    expression <- eval(call("substitute", as.name(name)), method)
    if (any(all.vars(expression) %in% names(data))) eval(expression, data, caller) else get(name, method)
  }
  per_row <- stats::setNames(nm = intersect(c("foldid", "weights", "subset"), names(method)))
  na.action <- if ("na.action" %in% names(method)) method$na.action else stats::na.omit
  kernel <- eval(quote(kernel_of(...)), method)
  if (by_formula) {
    if (is_given(kernel) && !is_function_kernel(kernel)) { # features come, which a function may take
      abort("{.fn kernel_matrix} needs {.arg x} and {.arg y} in place of a formula.")
    }
    return(encode_formula(method$formula, method$data, lapply(per_row, given, method$data), na.action))
  }
  rows <- lapply(per_row, function(name) given(name, if (name == "subset") method$x))
  rows <- c(list(y = if (!eval(quote(missing(y)), method)) method$y), rows)
  if (is_given(kernel)) {
    return(learned_rows(c(list(x = method$x), rows), na.action))
  }
  encode_frame(method$x, rows, na.action)
}

# The argument `kernel` among those that a method passes on.
kernel_of <- function(solver = NULL, kernel = NULL, ...) kernel

# In place of labels, where the loss that is given does without.
without_labels <- function(loss) {
  if (is.null(loss)) abort("{.arg y} is missing: give a label for each row of {.arg x}.")
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

# ---- sound data frames ----

# A data frame from a damaged file, or edited by hand: R's own functions rely on its names, its row names and the
# lengths of its columns.
check_frame <- function(x, name = "x") {
  columns <- unclass(x)
  rows <- attr(columns, "row.names")
  n <- length(rows)
  damaged <- function(what) abort("{.arg {name}} is a damaged data frame: {what}.")
  if (!is.list(columns) || is.object(rows) || !is.character(rows) && !is.integer(rows)) {
    damaged("it must be a list with row names")
  }
  names <- attr(columns, "names")
  if (!is.character(names) || anyNA(names)) damaged("every column must have a name")
  for (k in seq_along(columns)) {
    column <- columns[[k]]
    missing <- if (is.object(column)) tryCatch(is.na(column), error = function(e) NULL)
    # Whether is.na() answers for every value of an object, its class decides
    unknown <- is.object(column) && !is.factor(column) && !(is.logical(missing) && NROW(missing) == NROW(column))
    if (unknown || is.expression(column)) refuse_column(names[k], column)
    if (length(dim(column)) > 2) damaged(sprintf("column `%s` is an array", names[k]))
    if (NROW(column) != n) {
      damaged(sprintf("it has %d row names, and column `%s` has %d values", n, names[k], NROW(column)))
    }
    if (is.factor(column) && !is_sound_factor(column)) {
      damaged(sprintf("the levels of the factor `%s` must be different names", names[k]))
    }
  }
}

refuse_column <- function(name, column) {
  abort(
    c("Column {.var {name}} is of class {.cls {class(column)[1]}}.",
      i = "Columns must be numeric, logical, factor, character, dates or date-times.")
  )
}

# An error for the first column of another class.
check_columns <- function(x) {
  for (name in names(x)) {
    column <- x[[name]]
    if (!is_number(column) && !is_category(column)) refuse_column(name, column)
  }
}

# ---- equal examples ----

# Many equal examples (a constant data set, a few categories) would each become a support vector, and a fit cost the
# square of their number. Where at least half of 1,000 examples or more are repeats, equal ones are folded into one,
# as the solver declares it:
#   "visited"  an example is visited as often as it occurs: the same steps, its coefficients are added
#   "weighed"  one example with the sum of the weights: the same optimum
#   "apart"    not folded: examples are numbered, for forget(), or a visit replaces the example's coefficient
# Returns the rows to learn, as `rows`, the examples with their weights, the visits (from 0, NULL: each row once), and
# how many examples a row stands for (`times`, NULL: its visits count them).
fold_examples <- function(model, examples, rows, least = 1000) {
  as_they_are <- list(examples = examples, rows = rows)
  if (length(rows) < least || !keeps_examples(model)) {
    return(as_they_are)
  }
  repeats <- model$solver$traits$repeats
  if (repeats == "apart" || is.matrix(examples$class)) {
    return(as_they_are)
  }
  weight <- examples$weight[rows]
  target <- examples$class[rows]
  if (!is.integer(target)) target <- match(target, unique(target))
  labels <- list(class = target, weight = if (repeats == "visited") weight)
  entry <- core_result(.Call(ffi_fold, list(x = examples$x, rows = rows - 1L), labels), "The fit")
  if (length(entry) == 0) {
    return(as_they_are)
  }
  rows <- rows[!duplicated(entry)]
  if (repeats == "visited") {
    return(list(examples = examples, rows = rows, visits = entry))
  }
  examples$weight[rows] <- rowsum(weight, entry)
  list(examples = examples, rows = rows, times = tabulate(entry + 1L))
}
