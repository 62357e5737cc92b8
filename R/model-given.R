# Models of kernel_matrix() and kernel_function(): see input-given.R.

# The values that the core is given; a model whose examples have features has none.
given_values <- function(model) {
  given <- model$given
  if (is.null(given$values) && is_function_kernel(model$kernel)) {
    return(call_kernel_square(model$kernel$params$f, given$examples))
  }
  given$values
}

# What is left of cache_mb for kernel rows: the values of a function are part of it, a matrix is the user's.
cache_left <- function(model) {
  bound <- model$control$cache_mb
  if (is_function_kernel(model$kernel)) max(bound - 8 * length(model$given$values) / 2^20, 1) else bound
}

# `scale` of osvm(), without features to scale; nor can examples get norm 1.
scale_nothing <- function(specs, scale) {
  if (!is.logical(scale)) {
    abort("{.arg scale} must be left out with {.fn kernel_{specs$kernel$name}}: there are no features.")
  }
  if (isTRUE(specs$solver$traits$unit_norm)) {
    name <- role_name(specs$solver, "unit_norm")
    abort("{.arg {name}} must be FALSE with {.fn kernel_{specs$kernel$name}}: kernel values can be divided by the norms
           beforehand.")
  }
  FALSE
}

# The untrained model with its first examples, and their numbers.
start_given <- function(model, x, numbers) {
  if (inherits(x, "osvm_numbered")) {
    model$given <- x$given
  } else if (is_function_kernel(model$kernel)) {
    x <- at_rows(x, numbers[, 1])
    model$given <- list(examples = x)
    numbers <- in_column(seq_len(NROW(x)))
    check_kernel_memory(nrow(numbers), model$control$cache_mb)
    model$given$values <- given_values(model)
    warn_indefinite(model$given$values, "The matrix of kernel values")
  } else {
    model$given <- read_kernel_matrix(x)
  }
  list(model = model, x = numbers)
}

# The model with further examples, whose numbers follow those that it has.
extend_given <- function(model, x, numbers, name = "x") {
  if (is_function_kernel(model$kernel)) {
    x <- at_rows(x, numbers[, 1])
    before <- model$given$examples
    all <- tryCatch(if (length(dim(before)) == 2) rbind(before, x) else c(before, x), error = function(e) NULL)
    if (NROW(all) != NROW(before) + NROW(x)) abort("{.arg x} must be examples like those of the first fit.")
    check_kernel_memory(NROW(all), model$control$cache_mb)
    model$given <- list(examples = all)
    model$given$values <- given_values(model)
    return(list(model = model, x = in_column(NROW(before) + seq_len(NROW(x)))))
  }
  x <- as_kernel_values(x, name)
  describe_columns(x, name, moments = FALSE)
  given <- model$given
  before <- seq_len(nrow(model$sv))
  named <- !is.null(given$names) && !is.null(rownames(x)) && !is.null(colnames(x))
  if (!named) given["names"] <- list(NULL)
  model$given <- given
  old <- x[, known_columns(model, x, name, before, nrow(x)), drop = FALSE]
  at <- if (named) match(rownames(x), colnames(x)) else given$rows + seq_len(nrow(x))
  if (anyNA(at)) abort("{.arg {name}} lacks columns of its own rows {some_names(rownames(x)[is.na(at)])}.")
  new <- x[, at, drop = FALSE]
  check_symmetric(new, "The part of {.arg x} that is of new rows")
  model$given <- list(
    values = unname(rbind(cbind(given$values, t(old)), cbind(old, new))), rows = given$rows + nrow(x),
    column = c(given$column, given$rows + seq_len(nrow(x))), names = if (named) c(given$names, rownames(x))
  )
  list(model = model, x = in_column(nrow(model$sv) + numbers))
}

# After a run, or after examples were removed: numbers from 1 on for the examples that the model keeps.
settle_given <- function(model) {
  given <- model$given
  if (is.null(given)) {
    return(model)
  }
  at <- model$sv[, 1]
  given$examples <- at_rows(given$examples, at)
  given$column <- given$column[at]
  given$names <- given$names[at]
  given$values <- if (!is_function_kernel(model$kernel)) unname(given$values[at, at, drop = FALSE])
  model$sv[] <- seq_along(at)
  model$given <- given
  model
}

# New examples as a kernel function takes them: that of a model fitted by a formula, rows of the model matrix.
encoded_examples <- function(object, newdata, name, new_levels) {
  if (!is.null(object$encoding)) {
    return(encode_new(object$encoding, newdata, name, new_levels))
  }
  check_matrix(newdata, name)
  known <- object$given$examples
  if (!is.null(known) && length(dim(known)) != length(dim(newdata))) {
    abort("{.arg {name}} must be examples like those of the first fit, {.obj_type_friendly {known}}, not
           {.obj_type_friendly {newdata}}.")
  }
  newdata
}

# New examples as decision_values() takes them: of features as they are, else the sums over support vectors of
# coefficients times kernel values, a column per machine. Rows with missing values are NA.
given_input <- function(object, newdata, name, new_levels = "error") {
  support <- which(row_max(abs(object$coef)) > 0)
  coef <- unname(object$coef[support, , drop = FALSE])
  if (is_function_kernel(object$kernel)) {
    x <- encoded_examples(object, newdata, name, new_levels)
    numbers <- number_examples(object$kernel, x, name)
    out <- matrix(NA_real_, nrow(numbers), ncol(coef))
    rows <- numbers[!is.na(numbers)]
    out[rows, ] <- kernel_sums(
      object$kernel$params$f, at_rows(x, rows), at_rows(object$given$examples, support), coef
    )
  } else {
    x <- as_kernel_values(newdata, name)
    out <- x[, known_columns(object, x, name, support), drop = FALSE] %*% coef
    if (!all(is.finite(out))) check_infinite(x, name)
  }
  rownames(out) <- rownames(newdata)
  out
}

# The same of examples that the core has numbers for.
known_input <- function(object, x) {
  if (!is_given(object$kernel)) {
    return(x)
  }
  given_values(object)[x[, 1], object$sv[, 1], drop = FALSE] %*% unname(object$coef)
}

# ---- checks ----

# That the numbers are those of the values keeps the core within its memory; it checks them, too.
is_sound_given <- function(x, model) {
  if (!is_given(model$kernel)) {
    return(is.null(x))
  }
  n <- nrow(model$sv)
  if (!is.list(x) || !identical(as.vector(model$sv), as.double(seq_len(n)))) {
    return(FALSE)
  }
  if (is_function_kernel(model$kernel)) {
    return(identical(as.integer(NROW(x$examples)), n))
  }
  is_one_number(x$rows) && all_finite(x$column, n) && all(x$column %in% seq_len(x$rows)) &&
    (is.null(x$names) || is.character(x$names) && length(x$names) == n)
}
