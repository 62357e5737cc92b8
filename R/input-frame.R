# Data frames become numeric matrices here. What is needed to encode new data
# is kept in the model as a list of plain R values, the encoding:
#   kind       "frame" or "formula"
#   variables  named list, one per input column: type, levels, and a typical
#              value and range for plot()
#   fill       with na.action = "impute": what takes the place of missing values, by column or term (input-fill.R)
#   plain      whether the columns of the model are the variables as they are: numbers, by the same names
#   units      named: "days" for dates, "seconds" for date-times, by column or term
#   terms      formula only: the terms, with a small environment
#   xlevels    formula only: levels of the factors among the terms

# A data frame, column by column: numbers stay, logicals become 0/1, factors and
# characters become one 0/1 column per level. `rows` has values per row, such as labels, see
# learned_rows(); without it all rows are encoded, whatever is missing.
encode_frame <- function(x, rows = NULL, na.action = NULL) {
  check_frame(x)
  x <- as.data.frame(x)
  if (length(x) == 0) {
    abort("{.arg x} must have at least one column.")
  }
  twice <- unique(names(x)[duplicated(names(x))])
  if (length(twice) > 0) {
    abort("Column names must be unique; {.var {twice}} {?is/are} repeated.")
  }
  rows <- if (is.null(rows)) list(x = x) else learned_rows(c(list(x = x), rows), na.action)
  x <- rows$x
  if (nrow(x) == 0) {
    abort("{.arg x} must have at least one row{if (!is.null(rows$na.action)) ' without missing values'}.")
  }
  units <- date_units(x)
  x <- number_dates(x, units)
  check_columns(x)
  variables <- lapply(x, describe_variable)
  tell_identifiers(variables, nrow(x))
  rows$x <- expand_frame(x, variables)
  plain <- length(units) == 0 && are_plain(variables, rows$x)
  encoding <- list(kind = "frame", variables = variables, units = units, plain = plain)
  encoding$fill <- rows$fill
  c(rows, list(encoding = encoding))
}

are_plain <- function(variables, x) {
  identical(names(variables), colnames(x)) && all(vapply(variables, function(v) v$type == "numeric", NA))
}

# New data in the columns the model was trained on. `name` is the argument's
# name in messages. Levels absent from training are an error or, with `new_levels`, NA.
encode_new <- function(encoding, newdata, name = "newdata", new_levels = "error") {
  selects <- encoding$kind == "formula"
  newdata <- as_input_frame(newdata, names(encoding$variables), name, selects)
  columns <- if (selects) plain_terms(encoding) else names(encoding$variables)
  if (is.null(columns)) {
    frame <- term_frame(encoding, newdata, new_levels)
    return(expand_terms(stats::delete.response(encoding$terms), frame, encoding$variables))
  }
  newdata <- number_dates(fill_new(newdata[columns], encoding$fill, name), encoding$units)
  check_columns(newdata)
  expand_frame(newdata, encoding$variables[columns], new_levels)
}

# The variables of a formula that is a sum of columns as they are: it needs no model frame, which
# takes longer than a prediction. NULL for other formulas.
plain_terms <- function(encoding) {
  names <- attr(encoding$terms, "term.labels")
  for (name in names) {
    variable <- encoding$variables[[name]]
    plain <- identical(variable$type, "numeric") ||
      identical(variable$type, "factor") && identical(variable$levels, encoding$xlevels[[name]])
    if (!plain) {
      return(NULL)
    }
  }
  names
}

# The columns `variables` of a data frame; if it `selects`, of a formula, others may be needed for
# labels and stay. A matrix is accepted if its columns are named or their number fits.
as_input_frame <- function(newdata, variables, name, selects) {
  check_not_row(newdata, length(variables), name)
  if (is.matrix(newdata) && is.null(colnames(newdata))) {
    if (ncol(newdata) != length(variables)) {
      abort(
        "{.arg {name}} must have {length(variables)} column{?s},
         not {ncol(newdata)}."
      )
    }
    colnames(newdata) <- variables
  }
  if (!is.matrix(newdata) && !is.data.frame(newdata)) {
    abort(
      "{.arg {name}} must be a data frame, as in training,
       not {.obj_type_friendly {newdata}}."
    )
  }
  if (is.data.frame(newdata)) check_frame(newdata, name)
  at <- find_columns(colnames(newdata), variables, name, selects)
  newdata <- as.data.frame(newdata)
  if (selects) newdata else newdata[at]
}

# integer64 stores its bits in doubles, whose numeric values are meaningless.
is_number <- function(column) {
  (is.numeric(column) || is.logical(column)) && !inherits(column, "integer64")
}

is_category <- function(column) is.factor(column) || is.character(column)

# Description of a column: type and levels for encode_new(), a typical value and
# the range for plot().
describe_variable <- function(column) {
  if (is_category(column)) {
    column <- as.factor(column)
    often <- levels(column)[which.max(tabulate(column, nlevels(column)))]
    variable <- list(type = "factor", levels = levels(column), typical = often)
    variable$coding <- coding_of(column)
    return(variable)
  }
  if (is.null(dim(column)) && is_number(column) && any(is.finite(column))) {
    values <- as.numeric(column)
    if (!is.finite(sum(values))) values <- values[is.finite(values)]
    typical <- sum(values) / length(values)
    return(list(
      type = "numeric", typical = if (is.logical(column)) typical >= 0.5 else typical,
      range = c(min(values), max(values))
    ))
  }
  list(type = "other", typical = utils::head(column, 1))
}

# The columns of a factor that is not coded by an indicator per level, a row per level: its contrasts, if it has some of
# its own; of an ordered one the numbers of its levels, which predict better than indicators (bench/factors).
coding_of <- function(column) {
  if (!is.null(attr(column, "contrasts"))) {
    coding <- stats::contrasts(column)
    dimnames(coding) <- list(NULL, colnames(coding) %||% seq_len(ncol(coding)))
    coding
  } else if (is.ordered(column)) {
    matrix(as.double(seq_len(nlevels(column))), dimnames = list(NULL, ""))
  }
}

# A category with about as many levels as there are rows identifies them: it becomes a feature per level, and no new
# example has one of these.
tell_identifiers <- function(variables, n) {
  levels <- lengths(lapply(variables, `[[`, "levels"))
  for (name in names(which(levels > 20 & levels > n / 2))) {
    inform(c(
      "Column {.var {name}} has {levels[[name]]} different values in {n} rows, each of them a feature.",
      i = "Leave it out if it identifies the rows."
    ))
  }
}

expand_frame <- function(x, variables, new_levels = "error") {
  plain <- vapply(x, function(column) is.numeric(column) && !is.object(column), NA)
  numeric <- vapply(variables, function(v) v$type != "factor", NA)
  if (all(plain & numeric)) {
    flat <- all(lengths(lapply(x, dim)) == 0)
    out <- if (flat) matrix(unlist(x), length(x[[1]]), length(x), dimnames = list(NULL, names(x))) else as.matrix(x)
    rownames(out) <- NULL
  } else {
    out <- do.call(cbind, Map(expand_column, x, names(x), variables, new_levels))
    colnames(out) <- make.unique(colnames(out))
  }
  storage.mode(out) <- "double"
  out
}

expand_column <- function(column, name, variable, new_levels) {
  if (is.matrix(column)) {
    abort("Column {.var {name}} must be a plain vector, not a matrix.")
  }
  if (variable$type != "factor") {
    check_number(column, name)
    return(matrix(as.numeric(column), dimnames = list(NULL, name)))
  }
  if (new_levels == "error") check_levels(column, name, variable$levels)
  level <- match(column, variable$levels)
  if (!is.null(variable$coding)) {
    out <- variable$coding[level, , drop = FALSE]
    colnames(out) <- paste0(name, colnames(variable$coding))
    return(out)
  }
  out <- matrix(0, length(column), length(variable$levels))
  colnames(out) <- paste0(name, variable$levels)
  out[is.na(level), ] <- NA
  out[cbind(seq_along(column), level)[!is.na(level), , drop = FALSE]] <- 1
  out
}

check_number <- function(column, name) {
  if (!is_number(column)) {
    abort(
      "Column {.var {name}} must be numeric, as in training,
       not {.cls {class(column)[1]}}."
    )
  }
}

check_levels <- function(column, name, levels) {
  unseen <- setdiff(as.character(unique(column)), c(levels, NA))
  if (length(unseen) > 0) {
    abort(
      c("Column {.var {name}} has {cli::qty(unseen)}{?a level/levels} absent
         from the training data: {.val {unseen}}.",
        i = "The levels in training were {.val {levels}}.")
    )
  }
}
