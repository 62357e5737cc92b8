# One row at a time, as services and loops over a stream give it.

# The columns of which a model is made as they are, by name; NULL: it makes others of them, or they have no names.
plain_columns <- function(object) {
  encoding <- object$encoding
  if (is.null(encoding)) {
    return(object$feature_names)
  }
  remembered("columns", object[c("encoding", "feature_names")], function(known) {
    columns <- if (encoding$kind == "formula") plain_terms(encoding) else names(encoding$variables)
    numeric <- all(vapply(encoding$variables[columns], function(v) v$type == "numeric", NA))
    if (numeric && length(encoding$units) == 0 && identical(columns, known$feature_names)) columns
  })
}

# A matrix of doubles, a named vector or a data frame that is one row of plain numbers, as a matrix in the columns of
# the model. NULL: it is something else, which model_columns() reads, or refuses by name.
plain_row <- function(object, x) {
  known <- plain_columns(object)
  if (is.null(known) || !(if (is.list(x)) is_plain_frame(x) else is.numeric(x) && !is.object(x))) {
    return(NULL)
  }
  if (length(dim(x)) == 2 && is.numeric(x)) {
    whole <- is.double(x) && dim(x)[1] == 1 && identical(dimnames(x)[[2]], known)
    return(if (whole && (is.null(object$encoding) || is.null(dimnames(x)[[1]]))) x)
  }
  at <- if (identical(names(x), known)) seq_along(known) else if (length(x) == length(known)) match(known, names(x))
  x <- if (!is.null(at) && !anyNA(at)) unlist(.subset(x, at), use.names = FALSE)
  if (is.double(x)) matrix(x, 1, dimnames = list(NULL, known))
}

is_plain_frame <- function(x) {
  if (!identical(oldClass(x), "data.frame") || !is.integer(attr(x, "row.names"))) {
    return(FALSE)
  }
  for (column in x) {
    if (!is.numeric(column) || is.object(column) || length(column) != 1 || !is.null(dim(column))) {
      return(FALSE)
    }
  }
  TRUE
}

# A vector with names is a row.
as_row <- function(x, object) {
  vector <- is.numeric(x) && !is.object(x) && is.null(dim(x)) && !is.null(names(x))
  fits <- vector && (!is.null(object$feature_names) || length(x) == object$n_features)
  if (fits) matrix(x, 1, dimnames = list(NULL, names(x))) else x
}
