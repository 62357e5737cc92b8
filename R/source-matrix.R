# Rows of a matrix or data frame.

#' @rdname sources
#' @export
source_matrix <- function(x, y = NULL) {
  if (!is.data.frame(x)) x <- as_input(x)
  if (!are_stored_labels(y, nrow(x))) {
    abort("{.arg y} must have one label for each of the {nrow(x)} row{?s} of {.arg x}, or be NULL.")
  }
  check_factor(y)
  names(y) <- NULL
  new_source("matrix", x = x, y = y)
}

are_stored_labels <- function(y, n) is.null(y) || is.atomic(y) && !isS4(y) && length(y) == n

open_matrix <- function(source, position = NULL) {
  x <- source$x
  if (is.data.frame(x)) check_frame(x)
  if (isS4(x)) check_slots(x, "x")
  if (length(dim(x)) != 2) abort("The source is damaged: it must hold a matrix or a data frame.")
  # Rows are taken from a sparse matrix by its slots. Missing values are the stream's to count.
  shape <- if (is_sparse(x)) .Call(ffi_shape, list(x = x))
  if (is.character(shape) && !grepl("missing", shape)) abort("{.arg x} cannot be used: {shape}.")
  if (!are_stored_labels(source$y, nrow(source$x))) abort("The source is damaged: each row must have a label, or none.")
  taken <- position$taken %||% 0
  rows <- nrow(source$x)
  if (taken > rows) {
    abort("The source has {plural(rows, 'row')}, but the run had read {big(taken)} of it: it is not the same.")
  }
  all <- as_block(source)
  list(
    read = function(n) {
      if (taken >= rows) {
        return(NULL)
      }
      from <- taken + 1
      taken <<- min(rows, taken + n)
      all$take(seq(from, taken))[c("x", "y")]
    },
    position = function() list(taken = taken),
    close = function() NULL
  )
}

matrix_source <- list(
  open = open_matrix, position = "taken", labels = "y", goes_on = "at the next row",
  describe = function(source) {
    if (isS4(source$x)) check_slots(source$x, "x")
    c(
      rows = big(nrow(source$x)), columns = big(ncol(source$x)),
      labels = if (is.null(source$y)) "none" else paste(big(sum(!is.na(source$y))), "of", big(nrow(source$x)))
    )
  }
)
