# Matrices accepted as input. The core reads double, integer and logical matrices and
# dgCMatrix without conversion; input-sparse.R reads other sparse ones.

as_input <- function(x, name = "x") {
  if (is.object(x) && length(sparse_class(x)) == 1) {
    x <- as_dgc(x, name)
  } else if (is.data.frame(x)) {
    abort("{.arg {name}} must be a matrix, as in training, or a data frame of numbers.")
  } else if (isS4(x) && (methods::is(x, "Matrix") || methods::is(x, "sparseVector"))) {
    x <- as_matrix_class(x, name)
  } else if (is.numeric(x) || is.logical(x)) {
    if (length(dim(x)) != 2) {
      abort(c(
        "{.arg {name}} must be a matrix with an example per row, not a vector.",
        i = "A single feature is {.code matrix({name}, ncol = 1)}."
      ))
    }
  } else {
    abort("{.arg {name}} must be a numeric matrix or a sparse Matrix, not {.obj_type_friendly {x}}.")
  }
  if (ncol(x) == 0) {
    abort("{.arg {name}} must have at least one column.")
  }
  x
}

as_matrix_class <- function(x, name) {
  if (methods::is(x, "Matrix")) check_slots(x, name)
  # The core checks the other slots.
  if (inherits(x, "dgCMatrix")) {
    return(x)
  }
  check_valid(x, name)
  tryCatch(
    {
      if (!methods::is(x, "sparseMatrix")) {
        return(as.matrix(x))
      }
      methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
    },
    error = function(e) abort("{.arg {name}} could not be made a dgCMatrix: {reason_of(e)}.")
  )
}

# Matrix selects from a damaged matrix and converts it without looking, which may crash.
check_valid <- function(x, name) {
  tryCatch(methods::validObject(x), error = function(e) {
    abort("{.arg {name}} could not be made a dgCMatrix: {reason_of(e)}.")
  })
}

# A matrix of Matrix that stays as it is: examples of a kernel function, and rows to which Matrix adds columns.
check_matrix <- function(x, name) {
  if (!isS4(x) || !methods::is(x, "Matrix")) {
    return()
  }
  check_slots(x, name)
  if (is_sparse(x)) check_sparse(x, name) else check_valid(x, name)
}

is_sparse <- function(x) isS4(x) && inherits(x, "dgCMatrix")

# Slots that nrow(), ncol() and dimnames() read. Matrix checks them when it makes a matrix, not afterwards.
check_slots <- function(x, name) {
  dim <- attr(x, "Dim")
  if (!is.integer(dim) || length(dim) != 2 || anyNA(dim) || any(dim < 0)) {
    abort("{.arg {name}} is a damaged {class(x)[1]}: slot Dim must hold two counts.")
  }
  # Matrix itself fails on more, and may crash afterwards.
  if (any(dim > .Machine$integer.max - 2)) {
    abort("{.arg {name}} must have at most 2^31 - 3 rows and columns; it has {max(dim)}.")
  }
  if (!sound_dimnames(x)) {
    abort("{.arg {name}} is a damaged {class(x)[1]}: slot Dimnames must name its rows and columns, or hold NULL.")
  }
  if (is_sparse(x) && !is.list(attr(x, "factors"))) {
    abort("{.arg {name}} is a damaged {class(x)[1]}: slot factors must be a list.")
  }
}

sound_dimnames <- function(x) {
  names <- attr(x, "Dimnames")
  fits <- function(names, length) is.null(names) || is.character(names) && length(names) == length
  dim <- attr(x, "Dim")
  is.integer(dim) && length(dim) == 2 && is.list(names) && length(names) == 2 && fits(names[[1]], dim[1]) &&
    fits(names[[2]], dim[2])
}

# One pass of the core over x: `columns`, the lowest and the highest value and, with `moments`, mean and standard
# deviation of each; NULL if values are missing, `missing` then being the rows. Infinite values are errors.
describe_values <- function(x, name = "x", moments = TRUE) {
  found <- .Call(ffi_describe, list(x = x), moments)
  if (is.null(found)) signal_interrupt()
  if (is.character(found)) abort("{.arg {name}} cannot be used: {found}.")
  if (found$infinite) check_infinite(x, name)
  found
}

# Of x without missing values.
describe_columns <- function(x, name = "x", moments = TRUE) {
  found <- describe_values(x, name, moments)
  if (is.null(found$columns)) {
    abort(c("{.arg {name}} cannot be used: it has missing values.", i = "Remove or impute the rows concerned."))
  }
  found$columns
}

# Rows for the core, with the scaling and the feature map that it applies to them.
core_data <- function(x, transform, ...) {
  scaling <- transform$scaling
  map <- if (!is.null(transform$map)) remembered("maps", transform$map, open_map, most = 2) # a model and another
  list(
    x = x, center = scaling$center, scale = scaling$scale, warp = scaling$warp, normed = scaling$normed,
    map = map, ...
  )
}

# Magnitude of the (scaled) data, on which precision depends: squares must neither overflow nor underflow, and in a
# column far from zero (`far`) the digits of differences cancel. `square` and `spread`: mean squared norm, of examples
# and of their deviations from the mean; 0 without moments. The standard deviation of a few new rows may be small by
# chance: it counts as no smaller than a quarter of the `range` of the rows before.
data_extent <- function(columns, transform, range = NULL, name = "x") {
  scaling <- transform$scaling
  if (isTRUE(scaling$normed)) {
    return(list(largest = 1, norm = 1, far = FALSE, square = 1, spread = 1))
  }
  center <- if (is.null(scaling$center)) 0 else scaling$center
  scale <- if (is.null(scaling)) 1 else scaling$scale
  if (!is.null(scaling$warp)) columns <- warp_columns(scaling, columns)
  largest <- pmax.int(abs(columns[, "low"] - center), abs(columns[, "high"] - center)) / scale
  spread <- columns[, "sd"] / scale
  known <- if (is.null(range)) spread else pmax.int(spread, (range$high - range$low) / (4 * scale))
  offset <- abs(columns[, "mean"] - center) / scale
  extent <- list(
    largest = max(largest), norm = sum(largest^2),
    far = any(offset > 50 * known & spread > 0),
    square = if (any(spread > 0)) sum(offset^2 + spread^2) else 0, spread = sum(spread^2)
  )
  if (!is.finite(extent$norm) || extent$largest > 1e150) {
    abort(c(
      "{.arg {name}} has values beyond 1e150, whose squares are too large.",
      i = "Use {.code scale = TRUE} or another unit."
    ))
  }
  extent
}

larger_extent <- function(...) {
  all <- list(...)
  of <- function(name, most = max) most(unlist(lapply(all, `[[`, name)))
  list(largest = of("largest"), norm = of("norm"), far = of("far", any), square = of("square"), spread = of("spread"))
}

# Whether the core works in double precision, for solver, kernel and data; or for each pair of solvers and kernels.
needs_doubles <- function(model, kernels = list(model$kernel), solvers = list(model$solver)) {
  if (is_given(kernels[[1]])) return(rep(TRUE, length(kernels)))
  core <- function(specs) lapply(specs, `[[`, "core")
  core_result(.Call(ffi_doubles, core(kernels), core(solvers), list(extent = model$extent)), "The choice of precision")
}
