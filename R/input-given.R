# Examples without features, of kernel_matrix() and kernel_function(). The core is given their numbers, in a matrix of
# one column, and their kernel values. `model$given` is a list:
#   values    the kernel matrix of the examples that have numbers; those of a function are computed when needed
#   column    kernel_matrix(): the place of each among all rows given so far, whose number is `rows`
#   names     kernel_matrix(): their names, or NULL
#   examples  kernel_function(): these examples
# A trained model has numbers for the examples it keeps, from 1 on.

in_column <- function(numbers) matrix(as.double(numbers), ncol = 1)

# NA for rows with missing values, which are left out as those of features are. Those that a tuning fits again have
# numbers, "osvm_numbered".
number_examples <- function(kernel, x, name = "x") {
  if (inherits(x, "osvm_numbered")) return(x$numbers)
  if (is.null(x) || is.function(x) || is.environment(x)) {
    abort("{.arg {name}} must be examples, not {.obj_type_friendly {x}}.")
  }
  check_matrix(x, name)
  gone <- if (is_function_kernel(kernel)) {
    if (length(dim(x)) == 2) incomplete_rows(x, name)
    else which(if (is.list(x)) vapply(x, is.null, NA) else if (is.atomic(x)) is.na(x))
  }
  in_column(replace(seq_len(NROW(x)), gone, NA))
}

# ---- kernel matrices ----

# Matrices of Matrix and of kernlab as R's own.
without_class <- function(x) if (isS4(x)) tryCatch(methods::as(x, "matrix"), error = function(e) x) else x

# As doubles, which the core reads without a copy. Missing values are allowed in new rows.
as_kernel_values <- function(x, name) {
  x <- without_class(x)
  if (!is.numeric(x) || length(dim(x)) != 2) {
    abort("{.arg {name}} must be a numeric matrix of kernel values, not {.obj_type_friendly {x}}.")
  }
  if (!is.double(x)) storage.mode(x) <- "double"
  if (is.object(x)) unclass(x) else x
}

read_kernel_matrix <- function(x, name = "x") {
  x <- as_kernel_values(x, name)
  if (nrow(x) != ncol(x)) {
    abort("{.arg {name}} must be the square kernel matrix of the training rows; it has {nrow(x)} row{?s} and {ncol(x)}
           column{?s}.")
  }
  columns <- describe_columns(x, name, moments = FALSE)
  x <- as_symmetric(x, "{.arg x}", max(abs(columns[, c("low", "high")])))
  warn_indefinite(x, "The kernel matrix")
  rows <- rownames(x)
  names <- if (is.null(rows)) colnames(x) else rows
  if (!is.null(rows) && !is.null(colnames(x)) && !identical(rows, colnames(x))) {
    abort("{.arg {name}} must have the same names for its rows and its columns.")
  }
  list(
    values = x, column = seq_len(nrow(x)), rows = nrow(x), names = if (anyDuplicated(names) == 0) names
  )
}

# The mean of the two values of each pair, where these are nearly the same.
as_symmetric <- function(x, what, largest = max(abs(range(x)))) {
  if (is_symmetric(x, largest)) {
    return(x)
  }
  check_symmetric(x, what, largest, share = 0.1)
  inform(paste0(what, " is not symmetric: the mean of the two values of each pair is taken."))
  (x + t(x)) / 2
}

# Up to rounding. Where products of rows and of columns with positive numbers are the same, so are the values; else they
# are compared, in slices of rows.
is_symmetric <- function(x, largest = max(abs(range(x)))) {
  factors <- 1 + (seq_len(nrow(x)) * 0.618034) %% 1
  max(abs(x %*% factors - crossprod(x, factors))) <= 1e-8 * largest
}

check_symmetric <- function(x, what, largest = max(abs(range(x))), share = 1e-8, most = 2^18) {
  allowed <- share * largest
  if (is_symmetric(x, largest)) {
    return(invisible())
  }
  for (i in slices(nrow(x), max(1, floor(most / nrow(x))))) {
    off <- abs(x[i, , drop = FALSE] - t(x[, i, drop = FALSE]))
    if (max(off) > allowed) {
      at <- arrayInd(which.max(off), dim(off))
      pair <- c(i[at[1]], at[2])
      abort(paste0(what, " must be symmetric: the value of {pair[1]} and {pair[2]} is {signif(x[pair[1], pair[2]], 4)},
                   that of {pair[2]} and {pair[1]} is {signif(x[pair[2], pair[1]], 4)}."))
    }
  }
}

# 1 .. n in pieces of so many.
slices <- function(n, size) if (n > 0) split(seq_len(n), (seq_len(n) - 1) %/% size) else list()

# Eigenvalues of a part of the matrix are between those of the whole.
warn_indefinite <- function(x, what, most = 200) {
  rows <- evenly_spaced(nrow(x), most)
  values <- eigen(x[rows, rows, drop = FALSE], symmetric = TRUE, only.values = TRUE)$values
  if (min(values) < -1e-6 * max(abs(values))) {
    warn(c(
      "{what} is not positive semi-definite: among {length(rows)} row{?s} it has an eigenvalue of
       {signif(min(values), 2)}.",
      i = "The model is what the solver ends at, which need not be the best one."
    ), "osvm_indefinite")
  }
}

# The columns of new rows that are those of examples which the model has numbers for: by name where all have names, else
# by their places among all rows learned so far and `more` new ones.
known_columns <- function(object, x, name, numbers, more = 0) {
  given <- object$given
  all <- given$rows + more
  known <- if (!is.null(given$names)) colnames(x)
  if (is.null(known)) {
    if (ncol(x) != all) {
      of <- if (more > 0) "{given$rows} rows learned and the {more} new ones" else "{given$rows} training rows"
      abort(c(
        paste0("{.arg {name}} must have a column for each of the ", of, "; it has {ncol(x)}."),
        i = "With names in the kernel matrix and here, columns of the support vectors suffice."
      ))
    }
    return(given$column[numbers])
  }
  at <- match(given$names[numbers], known)
  if (anyNA(at)) {
    lacking <- given$names[numbers][is.na(at)]
    abort("{.arg {name}} lacks {cli::qty(lacking)}{?a column/columns} that the model needs: {some_names(lacking)}.")
  }
  if (ncol(x) != all) {
    inform("{.arg {name}} has {ncol(x)} column{?s} in place of {all}: the {length(at)} that the model needs are taken by
            name.")
  }
  at
}

# ---- kernel functions ----

# The block of kernel values of two sets of examples.
call_kernel <- function(f, x, z) {
  values <- f(x, z)
  size <- c(NROW(x), NROW(z))
  values <- without_class(values)
  if (!is.numeric(values) || !identical(as.integer(dim(values)), as.integer(size))) {
    got <- if (length(dim(values)) == 2) "{nrow(values)} x {ncol(values)}" else "{.obj_type_friendly {values}}"
    abort(paste0("{.arg f} must return a matrix of {size[1]} x {size[2]} kernel values, a row per example of its first
                 argument and a column per example of its second, not ", got, "."))
  }
  if (!all_finite(values, prod(size))) {
    abort("{.arg f} must return finite kernel values, without {.val {NA}} and {.val {Inf}}.")
  }
  values
}

# Values of one call of f: what it needs besides, mostly several times as much, stays small.
block_values <- 2^22

# The kernel matrix of examples: one triangle is computed, of a function that is not symmetric both.
call_kernel_square <- function(f, x) {
  n <- NROW(x)
  values <- matrix(0, n, n)
  symmetric <- TRUE
  for (i in slices(n, max(1, floor(block_values / n)))) {
    before <- seq_len(max(i))
    block <- call_kernel(f, at_rows(x, i), at_rows(x, before))
    own <- block[, i, drop = FALSE]
    if (symmetric && !is_symmetric(own)) {
      as_symmetric(own, "What {.arg f} returns")
      symmetric <- FALSE
    }
    if (!symmetric) block <- (block + t(call_kernel(f, at_rows(x, before), at_rows(x, i)))) / 2
    values[before, i] <- t(block)
    values[i, before] <- block
  }
  values
}

# Products with the coefficients, a row per new example: slices of kernel values are not kept.
kernel_sums <- function(f, x, z, coef) {
  out <- matrix(0, NROW(x), ncol(coef))
  for (i in slices(nrow(out), max(1, floor(block_values / max(1, NROW(z)))))) {
    out[i, ] <- call_kernel(f, at_rows(x, i), z) %*% coef
  }
  out
}

check_kernel_memory <- function(n, cache_mb) {
  needed <- 8 * n^2 / 2^20
  if (needed > cache_mb) {
    abort(c(
      "{.arg cache_mb} must be at least {ceiling(needed)} for the kernel values of {big(n)} examples.",
      i = "All values of a kernel function are kept while the model learns; {.code cache_mb} is {signif(cache_mb, 4)}."
    ))
  }
}
