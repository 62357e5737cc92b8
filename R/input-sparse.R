# Sparse matrices of SparseM and slam, made a dgCMatrix. They are plain vectors in slots or
# a list, and read without their packages.

sparse_classes <- c("matrix.csr", "matrix.csc", "matrix.coo", "matrix.ssr", "matrix.ssc", "simple_triplet_matrix")

# The class of SparseM or slam that x has, if any; without inherits(), which loads SparseM.
sparse_class <- function(x) intersect(class(x), sparse_classes)

as_dgc <- function(x, name) {
  tryCatch(
    {
      entries <- sparse_entries(x, sparse_class(x))
      index <- if (is.null(entries$j)) entries$i else entries$j
      sound <- (is.numeric(entries$x) || is.logical(entries$x)) && length(entries$x) == length(index) &&
        is.numeric(entries$dims) && !anyNA(entries$dims)
      if (!sound) stop("its values, indices and dimensions do not fit together")
      entries$x <- as.double(entries$x)
      methods::as(do.call(Matrix::sparseMatrix, entries), "generalMatrix")
    },
    error = function(e) abort("{.arg {name}} is a damaged {sparse_class(x)}: {reason_of(e)}.")
  )
}

# Arguments of Matrix::sparseMatrix(), which checks indices. coo: `ia` has the rows and `ja` the columns. csr: `ia` has
# where each row begins, csc: each column, and `ja` the other index. ssr and ssc hold one triangle in the same way.
sparse_entries <- function(x, class) {
  if (class == "simple_triplet_matrix") {
    x <- unclass(x)
    return(list(i = x$i, j = x$j, x = x$v, dims = c(x$nrow, x$ncol), dimnames = x$dimnames))
  }
  outer <- if (class == "matrix.coo") list(i = attr(x, "ia")) else list(p = attr(x, "ia") - 1)
  inner <- stats::setNames(list(attr(x, "ja")), if (class %in% c("matrix.csc", "matrix.ssc")) "i" else "j")
  c(outer, inner, list(
    x = attr(x, "ra"), dims = attr(x, "dimension"), symmetric = class %in% c("matrix.ssr", "matrix.ssc")
  ))
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
