# The fields of a model that its first fit determines: `model` is the list of them alone.
check_fixed <- function(model) {
  check_model_spec(model$solver, "solver")
  check_model_spec(model$kernel, "kernel")
  need(!is_open(model$kernel), "its kernel is incomplete")
  check_model_spec(model$loss, "loss")
  check_outcome(model)
  check_features(model)
  check_control(model)
  check_encoding(model$encoding)
  TRUE
}

# The core is given the parameters as they are: none may be missing.
check_model_spec <- function(spec, kind) {
  need(inherits(spec, paste0("osvm_", kind)), paste("its", kind, "is missing"))
  made <- check_spec(spec, kind)
  need(setequal(names(spec$params), names(made$params)), paste("its", kind, "lacks a parameter"))
}

check_features <- function(model) {
  d <- model$n_features
  need(is_one_number(d) && d >= 1 && d <= .Machine$integer.max && d == round(d), "its number of features is missing")
  names <- model$feature_names
  need(is.null(names) || is.character(names) && length(names) == d, "its feature names do not fit")
}

check_control <- function(model) {
  control <- model$control
  need(is.list(control) && is_one_flag(model$sparse), "its settings are missing")
  numbers <- is_one_number(control$cache_mb) && control$cache_mb > 0 && is_one_number(control$threads)
  need(numbers && is_one_flag(control$verbose) && is_one_flag(control$trace), "its settings are damaged")
}

# How a data frame becomes a matrix: see encode.R.
check_encoding <- function(encoding) {
  if (is.null(encoding)) {
    return()
  }
  need(is.list(encoding) && is.character(encoding$kind) && length(encoding$kind) == 1, "its encoding is damaged")
  variables <- encoding$variables
  known <- is.list(variables) && length(variables) > 0 && is_names(names(variables)) &&
    all(vapply(variables, is_variable, NA))
  need(known, "the description of its variables is damaged")
  fits <- switch(encoding$kind,
    frame = TRUE,
    formula = is_terms(encoding$terms) && (is.null(encoding$xlevels) || is.list(encoding$xlevels))
  )
  units <- encoding$units
  known <- is.null(units) || is.character(units) && is_names(names(units)) && all(units %in% c("days", "seconds"))
  need(isTRUE(fits) && known, "its encoding is damaged")
}

is_variable <- function(v) {
  if (!is.list(v) || !is_one_text(v$type)) {
    return(FALSE)
  }
  switch(v$type,
    factor = is_names(v$levels) && length(v$typical) == 1 && v$typical %in% v$levels,
    numeric = length(v$typical) == 1 && is_number(v$typical) && all_finite(v$range, 2),
    TRUE
  )
}

# What stats::model.frame() and stats::model.matrix() read of the terms of a formula.
is_terms <- function(terms) {
  inherits(terms, "terms") && inherits(terms, "formula") && is.call(terms) && is.call(attr(terms, "variables")) &&
    is.environment(attr(terms, ".Environment")) && attr(terms, "response") %in% 0:1 &&
    are_factors(attr(terms, "factors"), attr(terms, "variables"), attr(terms, "term.labels"))
}

# A row per variable and a column per term.
are_factors <- function(factors, variables, labels) {
  is.character(labels) && length(labels) > 0 && is.numeric(factors) && is.matrix(factors) &&
    identical(colnames(factors), labels) && nrow(factors) == length(variables) - 1
}
