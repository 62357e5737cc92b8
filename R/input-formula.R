# Formulas: stats::model.matrix() with every level of a factor as a column and
# no intercept column, since a solver has its own bias.

encode_formula <- function(formula, data, rows = list(), na.action = stats::na.omit) {
  # Simplified terms still list a variable removed by "- id"; their formula does not.
  terms <- try_formula({
    simple <- stats::terms(formula, data = data, simplify = TRUE)
    if ("-" %in% all.names(formula)) stats::terms(stats::formula(simple)) else simple
  })
  if (is.data.frame(data)) check_unique(names(data)[names(data) %in% all.vars(terms)], "data")
  if (length(attr(terms, "term.labels")) == 0) {
    abort("{.arg formula} must have at least one feature on its right side.")
  }
  if (!is.null(attr(terms, "offset"))) {
    abort("{.arg formula} must not have an {.fn offset}.")
  }
  frame <- try_formula(
    stats::model.frame(terms, data, na.action = stats::na.pass)
  )
  check_frame(frame, "data")
  terms <- attr(frame, "terms")
  y <- stats::model.response(frame)
  if (is.null(dim(y))) y <- unname(y)
  x <- if (attr(terms, "response") > 0) frame[-attr(terms, "response")] else frame
  rows <- learned_rows(c(list(x = x, y = y, row = seq_len(nrow(frame))), rows), na.action, "data")
  variables <- formula_variables(terms, data, rows$row, nrow(frame))
  frame <- rows$x
  units <- date_units(frame)
  frame <- number_dates(frame, units)
  for (name in intersect(names(units), names(variables))) variables[[name]] <- describe_variable(frame[[name]])
  tell_identifiers(variables, nrow(frame))
  attr(terms, ".Environment") <- small_environment(terms, names(variables))
  xlevels <- if (!all(vapply(frame, is.numeric, NA))) stats::.getXlevels(terms, frame)
  encoding <- list(kind = "formula", variables = variables, units = units, terms = terms, xlevels = xlevels)
  encoding$fill <- rows$fill
  columns <- plain_terms(encoding)
  rows$x <- if (is.null(columns)) expand_terms(stats::delete.response(terms), frame, variables) else
    expand_frame(unclass(frame)[columns], variables[columns])
  encoding$plain <- length(units) == 0 && !is.null(columns) && are_plain(variables[columns], rows$x)
  c(rows, list(encoding = encoding))
}

term_frame <- function(encoding, newdata, new_levels = "error") {
  frame <- try_formula(stats::model.frame(stats::delete.response(encoding$terms), newdata, na.action = stats::na.pass))
  frame <- number_dates(fill_new(frame, encoding$fill, "newdata"), encoding$units)
  check_columns(frame)
  for (name in names(frame)) {
    levels <- encoding$xlevels[[name]]
    if (is.null(levels)) {
      check_number(frame[[name]], name)
    } else {
      if (new_levels == "error") check_levels(frame[[name]], name, levels)
      frame[[name]] <- factor(frame[[name]], levels)
    }
  }
  frame
}

# The labels of new examples for update(): the left side of the formula.
encode_labels <- function(encoding, data) {
  terms <- encoding$terms
  label <- attr(terms, "variables")[[1 + attr(terms, "response")]]
  missing <- setdiff(all.vars(label), names(data))
  if (length(missing) > 0) {
    abort("{.arg data} lacks the column{?s} {.var {missing}}.")
  }
  y <- eval(label, data, environment(terms))
  if (is.null(dim(y))) unname(y) else y
}

expand_terms <- function(terms, frame, variables) {
  out <- term_matrix(terms, frame, variables)
  out <- out[, attr(out, "assign") > 0, drop = FALSE]
  dimnames(out) <- list(NULL, make.unique(colnames(out)))
  out
}

# As stats::model.matrix() makes it, with its attribute `assign`
term_matrix <- function(terms, frame, variables) {
  used <- vapply(as.list(attr(terms, "variables"))[-1], deparse_one, "")
  check_columns(unclass(frame)[used])
  for (name in used) {
    column <- frame[[name]]
    coding <- variables[[name]]$coding
    if (NCOL(coding) == 1 && !is.null(coding)) {
      frame[[name]] <- coding[match(column, variables[[name]]$levels), 1]
    } else if (is.logical(column)) {
      frame[[name]] <- column + 0
    } else if (is_category(column)) {
      column <- as.factor(column)
      # Set by hand: contrasts<-() refuses a factor with a single level.
      full <- diag(nlevels(column))
      dimnames(full) <- list(levels(column), levels(column))
      attr(column, "contrasts") <- if (is.null(coding)) full else `rownames<-`(coding, levels(column))
      frame[[name]] <- column
    }
  }
  # Without this attribute model.matrix() would evaluate the terms again.
  attr(frame, "terms") <- terms
  try_formula(stats::model.matrix(terms, frame))
}

# The columns needed for prediction, described by their values in `rows` of n. Without data, a variable
# with a value per row is a column and any other (a degree, say) a constant.
formula_variables <- function(terms, data, rows, n) {
  env <- environment(terms)
  names <- all.vars(stats::delete.response(terms))
  values <- lapply(names, function(name) {
    if (name %in% names(data)) data[[name]] else get0(name, env)
  })
  is_column <- names %in% names(data) | vapply(values, NROW, 1L) == n
  stats::setNames(lapply(take_rows(values[is_column], rows), describe_variable), names[is_column])
}

# A formula holds the environment it was created in, data included, and
# saveRDS() would write it. Only the objects the formula names are kept.
small_environment <- function(terms, columns) {
  from <- environment(terms)
  small <- new.env(parent = globalenv())
  for (name in setdiff(all.names(stats::delete.response(terms)), columns)) {
    value <- get0(name, from)
    if (!is.null(value) && !identical(value, get0(name, globalenv()))) {
      assign(name, value, small)
    }
  }
  if (length(ls(small, all.names = TRUE)) > 0) small else globalenv()
}

try_formula <- function(expr) {
  tryCatch(expr, error = function(e) abort("{.arg formula} does not fit the data: {reason_of(e)}."))
}

# The column names of model.frame(), long calls included.
deparse_one <- function(expr) {
  paste(deparse(expr, width.cutoff = 500L), collapse = " ")
}
