# The variables that a user gives and the columns of the model's matrix that they have become: a factor is a column per
# level, a term of a formula belongs to the variables in it.
#   names   labels, such as "site", of a term of several variables "site:wind"
#   parts   the variables of each label
#   of      the label of every column, by number
model_variables <- function(object) {
  encoding <- object$encoding
  if (is.null(encoding)) {
    names <- feature_labels(object)
    return(list(names = names, parts = as.list(names), of = seq_along(names)))
  }
  plain <- if (encoding$kind == "frame") names(encoding$variables) else plain_terms(encoding)
  widths <- vapply(encoding$variables[plain], function(v) ncol(v$coding) %||% max(1L, length(v$levels)), 1L)
  parts <- if (is.null(plain)) term_variables(encoding) else rep(as.list(plain), widths)
  labels <- vapply(parts, paste, "", collapse = ":")
  first <- which(!duplicated(labels))
  list(names = labels[first], parts = parts[first], of = match(labels, labels[first]))
}

# Those of every column, by the term that it belongs to, which a row of typical values tells
term_variables <- function(encoding) {
  row <- as.data.frame(lapply(encoding$variables, `[[`, "typical"), optional = TRUE)
  frame <- term_frame(encoding, row, "NA")
  assigned <- attr(term_matrix(stats::delete.response(encoding$terms), frame, encoding$variables), "assign")
  factors <- attr(stats::delete.response(encoding$terms), "factors")
  columns <- lapply(rownames(factors), function(code) intersect(names(encoding$variables), all.vars(str2lang(code))))
  lapply(assigned[assigned > 0], function(term) unique(unlist(columns[factors[, term] > 0])))
}

# New data with the variables of the model alone: a data frame, or a matrix of its columns. For a formula there may be
# further columns, such as the labels.
variable_frame <- function(object, newdata, missing_columns = "error") {
  newdata <- as_row(newdata, object)
  if (is.null(object$encoding)) {
    return(model_columns(object, newdata, "newdata", missing_columns = missing_columns))
  }
  as_input_frame(newdata, names(object$encoding$variables), "newdata", object$encoding$kind == "formula")
}

# The values of these variables in a frame made by variable_frame()
variable_values <- function(object, frame, variables) {
  if (is.null(object$encoding)) {
    if (is.null(colnames(frame))) colnames(frame) <- variables$names
    return(frame)
  }
  values <- lapply(variables$parts, function(part) {
    if (length(part) == 1) frame[[part]] else factor(do.call(paste, c(unname(as.list(frame[part])), sep = ":")))
  })
  as_table(stats::setNames(values, variables$names), attr(frame, "row.names"))
}
