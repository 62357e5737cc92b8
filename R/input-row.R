# One row at a time, as services and loops over a stream give it.

# A matrix of doubles, a named vector or a data frame that is one row of plain numbers, as a matrix in the columns of
# the model. NULL: it is something else, which model_columns() reads, or refuses by name.
plain_row <- function(object, x) {
  encoding <- object$encoding
  known <- if (is.null(encoding) || isTRUE(encoding$plain)) object$feature_names
  if (is.null(known)) {
    return(NULL)
  }
  if (!is.matrix(x)) {
    return(row_by_name(x, known))
  }
  whole <- is.double(x) && !is.object(x) && nrow(x) == 1 && identical(dimnames(x)[[2]], known)
  if (whole && (is.null(encoding) || is.null(dimnames(x)[[1]]))) x
}

row_by_name <- function(x, known) {
  if (!(if (is.list(x)) is_plain_frame(x) else is_plain_number(x))) {
    return(NULL)
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
  fits <- is_plain_number(x) && !is.null(names(x)) &&
    (!is.null(object$feature_names) || length(x) == object$n_features)
  if (fits) matrix(x, 1, dimnames = list(NULL, names(x))) else x
}
