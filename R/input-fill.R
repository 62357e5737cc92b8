# Missing values of features and what takes their place: na.action = "impute".

# The parts of learned_rows() with x filled by the medians and most frequent levels of the rows to be learned; `fill`:
# these, by column.
fill_rows <- function(parts, name) {
  x <- parts$x
  if (is_sparse(x)) abort("{.arg na.action} must not be {.val impute} for sparse data.")
  used <- if (is.null(parts$subset)) seq_len(nrow(x)) else subset_rows(parts$subset, nrow(x))
  fill <- if (is.data.frame(x)) lapply(x, function(column) usual_value(column[used])) else
    apply(x[used, , drop = FALSE], 2, stats::median, na.rm = TRUE)
  parts$x <- fill_new(x, fill, name)
  list(parts = parts, fill = fill)
}

# NULL: there is none.
usual_value <- function(column) {
  known <- column[!is.na(column)]
  if (length(dim(column)) > 0 || length(known) == 0) {
    NULL
  } else if (is_category(column)) {
    names(which.max(table(known)))
  } else if (is.logical(column)) {
    mean(known) >= 0.5
  } else if (is_number(column) || inherits(column, c("Date", "POSIXct"))) {
    stats::median(known)
  }
}

# With a message if there is something to fill. `fill`: a list by name for a data frame, a vector for a matrix; NULL:
# missing values stay.
fill_new <- function(x, fill, name) {
  if (is.null(fill) || !is.data.frame(x) && !anyNA(x)) {
    return(x)
  }
  columns <- if (is.data.frame(x)) intersect(names(x), names(fill)) else which(colSums(is.na(x)) > 0 & !is.na(fill))
  count <- 0
  for (k in columns) {
    gone <- is.na(if (is.data.frame(x)) x[[k]] else x[, k])
    if (length(dim(gone)) > 0 || !any(gone) || is.null(fill[[k]])) next
    count <- count + sum(gone)
    if (is.data.frame(x)) x[[k]][gone] <- fill[[k]] else x[gone, k] <- fill[[k]]
  }
  if (count > 0) {
    inform("{big(count)} missing value{?s} of {.arg {name}} {?is/are} taken as the median, or the most frequent level,
            of {?its/their} column{?s}.")
  }
  x
}
