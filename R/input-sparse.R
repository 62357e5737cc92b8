# Sparse matrices of SparseM and slam, made a dgCMatrix. They are plain vectors in slots or
# a list, and read without their packages.

sparse_classes <- c("matrix.csr", "matrix.csc", "matrix.coo", "matrix.ssr", "matrix.ssc", "simple_triplet_matrix")

# The class of SparseM or slam that x has, if any; without inherits(), which loads SparseM.
sparse_class <- function(x) intersect(class(x), sparse_classes)

as_dgc <- function(x, name) {
  class <- sparse_class(x)
  slam <- class == "simple_triplet_matrix"
  if (slam) x <- unclass(x)
  damaged <- function(what) abort("{.arg {name}} is a damaged {class}: {what}.")
  dim <- if (slam) c(x$nrow, x$ncol) else attr(x, "dimension")
  if (!is.numeric(dim) || length(dim) != 2 || anyNA(dim) || any(dim < 0 | dim > .Machine$integer.max)) {
    damaged("its dimensions must be two counts")
  }
  entries <- if (slam) list(value = x$v, row = x$i, column = x$j) else sparsem_entries(x, class, dim)
  if (!is.numeric(entries$value) && !is.logical(entries$value)) {
    damaged("its values must be numbers")
  }
  if (!are_indices(entries$row, dim[1], entries$value) || !are_indices(entries$column, dim[2], entries$value)) {
    damaged("each value must have a row and a column within its dimensions")
  }
  tryCatch(
    Matrix::sparseMatrix(
      i = entries$row, j = entries$column, x = as.double(entries$value), dims = dim,
      dimnames = if (slam) x$dimnames
    ),
    error = function(e) damaged(reason_of(e))
  )
}

are_indices <- function(index, size, value) {
  is.numeric(index) && length(index) == length(value) && !anyNA(index) && all(index >= 1 & index <= size)
}

# coo: `ia` has the rows and `ja` the columns. csr: `ia` has where each row begins, csc: each
# column, and `ja` the other index. ssr and ssc hold one triangle in the same way.
sparsem_entries <- function(x, class, dim) {
  value <- attr(x, "ra")
  inner <- attr(x, "ja")
  outer <- attr(x, "ia")
  by_column <- class %in% c("matrix.csc", "matrix.ssc")
  if (class != "matrix.coo") {
    outer <- expand_starts(outer, dim[if (by_column) 2 else 1], length(value))
  }
  row <- if (by_column) inner else outer
  column <- if (by_column) outer else inner
  mirrored <- if (class %in% c("matrix.ssr", "matrix.ssc")) which(row != column)
  list(
    value = c(value, value[mirrored]), row = c(row, column[mirrored]), column = c(column, row[mirrored])
  )
}

# The row of each of `count` values from the starts of `size` rows; NULL if they are none.
expand_starts <- function(starts, size, count) {
  sound <- is.numeric(starts) && length(starts) == size + 1 && !anyNA(starts) && starts[1] == 1 &&
    starts[size + 1] == count + 1 && all(diff(starts) >= 0)
  if (sound) rep(seq_len(size), diff(starts))
}

# Dispatch on an S4 object needs the definition of its class.
check_package <- function(x) {
  package <- attr(class(x), "package")
  if (!is.null(package) && package != ".GlobalEnv" && !requireNamespace(package, quietly = TRUE)) {
    abort(c(
      "{.arg x} is a {.cls {class(x)}} of the package {.pkg {package}}, which is not installed.",
      i = "Install it, or make {.arg x} a matrix or dgCMatrix."
    ))
  }
}
