# Rows that are learned, and missing values.

# `parts`, each with a value per row, less the rows that are not learned: those outside its element
# `subset`, and those for which x, y or weights are missing, as `na.action` has it. `x` is a matrix or
# a data frame. The result has an element `na.action`, the rows left out, as lm() records them, and of a matrix
# `columns`, see describe_values(), which are known if no rows with missing values were left out.
learned_rows <- function(parts, na.action, name = "x") {
  if (identical(na.action, "impute")) {
    filled <- fill_rows(parts, name)
    return(c(learned_rows(filled$parts, stats::na.omit, name), list(fill = filled$fill)))
  }
  action <- read_na_action(na.action)
  if (is.data.frame(parts$y)) parts$y <- as_label_columns(parts$y)
  n <- nrow(parts$x)
  subset <- parts$subset
  parts$subset <- NULL
  for (part in parts[names(parts) != "x"]) {
    # The checks of labels and weights say what is wrong.
    if (!is.null(part) && !(is.atomic(part) && NROW(part) == n)) return(parts)
  }
  if (!is.null(subset)) {
    check_sparse(parts$x, name)
    parts <- take_rows(parts, subset_rows(subset, n))
  }
  missing_values <- function(part) if (anyNA(part)) which(rowSums(is.na(as.matrix(part))) > 0)
  found <- if (is.data.frame(parts$x)) list(missing = incomplete_rows(parts$x)) else describe_values(parts$x, name)
  gone <- c(found$missing, missing_values(parts$y), missing_values(parts$weights))
  if (length(gone) == 0) {
    parts$columns <- found$columns
  } else {
    check_sparse(parts$x, name)
    check_infinite(parts$x, name)
    omitted <- omit_rows(sort(unique(gone)), action, parts, name)
    if (!is.null(rownames(parts$x))) names(omitted) <- rownames(parts$x)[omitted]
    parts <- c(take_rows(parts, -as.integer(omitted)), list(na.action = omitted))
    inform("{length(omitted)} row{?s} with missing values {?was/were} left out.")
  }
  parts
}

# Columns of labels are those of a matrix; one column is a vector.
as_label_columns <- function(y) {
  if (length(y) == 1) {
    return(y[[1]])
  }
  if (!all(vapply(y, is_number, NA))) abort("{.arg y} must have columns of numbers, or one column of labels.")
  as.matrix(y)
}

# Some of the examples, or of their targets: of a vector, or of what has rows.
at_rows <- function(x, rows) if (length(dim(x)) == 2) x[rows, , drop = FALSE] else x[rows]

join_targets <- function(a, b) if (is.matrix(a)) rbind(a, b) else c(a, b)

# A number per example: that of the first column.
first_target <- function(target) if (is.matrix(target)) target[, 1] else target

take_rows <- function(parts, rows) {
  lapply(parts, function(part) if (length(dim(part)) == 2) part[rows, , drop = FALSE] else part[rows])
}

# A function such as na.omit(), or its name; NULL is na.pass().
read_na_action <- function(na.action) {
  if (is.null(na.action)) {
    return(stats::na.pass)
  }
  if (is.character(na.action) && length(na.action) == 1 && nzchar(na.action, keepNA = TRUE) %in% TRUE) {
    na.action <- get0(na.action, envir = asNamespace("stats"), mode = "function")
  }
  if (!is.function(na.action)) {
    abort("{.arg na.action} must be a function such as {.fn na.omit}, or its name; a fit also takes {.val impute}.")
  }
  na.action
}

# The rows that `action` leaves out, if rows `gone` have missing values. It is applied to a
# stand-in of one column: it decides about rows, and does not replace values.
omit_rows <- function(gone, action, parts, name) {
  values <- data.frame(value = replace(numeric(nrow(parts$x)), gone, NA))
  omitted <- attr(tryCatch(action(values), error = function(e) NULL), "na.action")
  if (!all(gone %in% omitted) || !all(omitted %in% seq_len(nrow(parts$x)))) {
    row <- take_rows(parts, gone[1])
    column <- which(is.na(as.matrix(row$x)))[1]
    where <- if (!is.na(column)) column_of(row$x, column, name) else if (anyNA(row$y)) "`y`" else "`weights`"
    abort(c(
      "Row {gone[1]} has a missing value in {where}.",
      i = "{.code na.action = na.omit} leaves such rows out; values are imputed beforehand."
    ))
  }
  omitted
}

column_of <- function(x, column, name) {
  named <- !is.null(column_names(x))
  paste0("column ", if (named) paste0("`", colnames(x)[column], "`") else column, " of `", name, "`")
}

# An error that names the first infinite value.
check_infinite <- function(x, name) {
  for (k in seq_len(ncol(x))) {
    values <- if (is.data.frame(x)) x[[k]] else x[, k]
    row <- if (is.numeric(values) && is.null(dim(values))) which(is.infinite(values))[1] else NA
    if (!is.na(row)) {
      abort(c(
        "Row {row} has an infinite value in {column_of(x, k, name)}.",
        i = "Leave the row out, or replace the value; {.val {NA}} is a missing value."
      ))
    }
  }
}

# At most so many of 1 to n.
evenly_spaced <- function(n, most) if (n <= most) seq_len(n) else as.integer(round(seq(1, n, length.out = most)))

# Row numbers from `subset`: logical, where NA is FALSE, or whole numbers, negative ones excluded.
subset_rows <- function(subset, n) {
  ok <- if (is.logical(subset)) {
    length(subset) == n
  } else {
    is.numeric(subset) && !anyNA(subset) && all(subset == round(subset) & abs(subset) <= n) &&
      (all(subset >= 0) || all(subset <= 0))
  }
  if (!ok) {
    abort("{.arg subset} must be TRUE or FALSE for each of the {n} row{?s}, or numbers of rows.")
  }
  seq_len(n)[if (is.logical(subset)) subset & !is.na(subset) else subset]
}

# Numbers of the rows with missing values. The slots of a sparse matrix are checked before they
# are relied on.
incomplete_rows <- function(x, name = "x") {
  if (is.data.frame(x)) {
    if (!any(vapply(x, function(column) is.object(column) && !is.factor(column) || anyNA(column), NA))) {
      return(integer())
    }
    return(which(Reduce(`|`, lapply(x, function(column) {
      missing <- is.na(column)
      if (is.matrix(missing)) missing <- rowSums(missing) > 0
      if (length(missing) == nrow(x)) missing else FALSE # others than atomic ones are left to check_columns()
    }), logical(nrow(x)))))
  }
  if (!inherits(x, "dgCMatrix")) {
    return(if (anyNA(x)) which(rowSums(is.na(x)) > 0) else integer())
  }
  if (is.double(attr(x, "x")) && !anyNA(attr(x, "x"))) {
    return(integer())
  }
  check_sparse(x, name)
  sort(unique(x@i[is.na(x@x)])) + 1L
}

# The slots of a sparse matrix, before Matrix selects rows of it. Missing values are no damage.
check_sparse <- function(x, name) {
  if (!is_sparse(x)) {
    return()
  }
  checked <- .Call(ffi_describe, list(x = x), FALSE)
  if (is.null(checked)) signal_interrupt()
  if (is.character(checked)) abort("{.arg {name}} cannot be used: {checked}.")
}

# `evaluate` of the rows without missing values and what describes their columns; NA in the others.
with_missing_rows <- function(x, name, evaluate) {
  found <- describe_values(x, name, moments = FALSE)
  gone <- found$missing
  if (length(gone) == 0) {
    return(evaluate(x, found$columns))
  }
  known <- x[-gone, , drop = FALSE]
  spread_rows(evaluate(known, describe_columns(known, name, moments = FALSE)), gone, rownames(x))
}

# Results per row, in a vector or a matrix, or several in a list, with NA inserted at rows `gone`.
spread_rows <- function(result, gone, names) {
  if (is.list(result)) {
    return(lapply(result, spread_rows, gone, names))
  }
  n <- NROW(result) + length(gone)
  at <- replace(rep(NA_integer_, n), -gone, seq_len(NROW(result)))
  if (is.matrix(result)) {
    result <- result[at, , drop = FALSE]
    rownames(result) <- names
  } else {
    named <- !is.null(names(result))
    result <- result[at]
    if (named) names(result) <- names
  }
  result
}
