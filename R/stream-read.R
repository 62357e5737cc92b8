# The rows of a chunk: columns, labels and levels as those of the stream before.

# The columns of the first chunk, in its order by name where it has names.
in_stream_order <- function(s, x) {
  given <- column_names(x)
  if (is.null(s$columns)) {
    known <- if (!is.data.frame(x)) s$model$feature_names
    s$columns <- list(number = ncol(x), names = if (is.null(known)) given else known)
  }
  known <- s$columns$names
  row <- s$rows[["read"]] - nrow(x) + 1
  if (is.null(given) || is.null(known)) {
    before <- s$columns$number
    if (ncol(x) != before) abort("The source has {ncol(x)} column{?s} from row {row} on, and had {before} before.")
    return(x)
  }
  if (identical(given, known)) {
    return(x)
  }
  new <- setdiff(given, known)
  gone <- setdiff(known, given)
  if (length(new) > 0) abort("The source has a new {cli::qty(new)}column{?s} from row {row} on: {.var {new}}.")
  if (length(gone) > 0) abort("The source lacks the {cli::qty(gone)}column{?s} {.var {gone}} from row {row} on.")
  order_columns(x, list(feature_names = known, n_features = length(known)), "x")
}

# A data frame as the matrix that the model learns, once its encoding is known, and a matrix in its columns; rows with
# missing values, and with levels of factors that are new, are passed over. `columns` describes those of a matrix, see
# describe_values().
complete_part <- function(s, part) {
  if (!is.null(s$encoding) && is.null(part$encoded)) {
    if (is.data.frame(part$x)) note_new_levels(s, part$x)
    part$x <- encode_new(s$encoding, part$x, "x", s$settings$new_levels)
    part$encoded <- TRUE
  }
  if (is.data.frame(part$x)) {
    gone <- incomplete_rows(part$x)
  } else {
    part$x <- as_input(part$x)
    if (!is.null(s$model)) part$x <- order_columns(part$x, s$model, "x")
    found <- describe_values(part$x)
    part$columns <- found$columns
    gone <- found$missing
  }
  s$rows[["incomplete"]] <- s$rows[["incomplete"]] + length(gone)
  if (length(gone) > 0) take_part(part, -gone) else part
}

# An event for the first new level of a column.
note_new_levels <- function(s, x) {
  for (name in setdiff(intersect(names(x), names(s$encoding$variables)), s$told)) {
    variable <- s$encoding$variables[[name]]
    new <- if (variable$type == "factor") setdiff(as.character(unique(x[[name]])), c(variable$levels, NA))
    if (length(new) > 0 && s$settings$new_levels == "NA") {
      s$told <- c(s$told, name)
      add_event(s, "level", paste0("new in ", name, ": ", shorten(new, 60), "; such rows are passed over"))
    }
  }
}

# Rows of a chunk, with what belongs to them.
take_part <- function(part, rows) {
  if (length(rows) < length(part$y)) part$columns <- NULL
  per_row <- intersect(names(part), c("x", "y", "at"))
  part[per_row] <- take_rows(part[per_row], rows)
  if (!is.null(part$prediction)) part$prediction <- take_rows(part$prediction, rows)
  part
}
