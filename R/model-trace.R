# Counts of a run, and its trace.

read_counts <- function(model, result, seconds) {
  counts <- result$counts
  model$n_seen <- counts[["visited"]] + if (is.null(model$n_seen)) 0 else model$n_seen
  stats <- c(counts[c("steps", "updates", "kernel_evaluations")], seconds = seconds)
  model$stats <- as.list(if (is.null(model$stats)) stats else unlist(model$stats) + stats)
  if (model$control$trace) add_trace(model, result$trace[seq_len(counts[["epochs"]]), , drop = FALSE]) else model
}

# A row per epoch. The rows of a live model's updates wait in `live$waiting`, and many are joined at once.
add_trace <- function(model, rows, most_waiting = 200) {
  if (is_live(model)) {
    model$live$waiting <- c(model$live$waiting, list(rows))
    if (length(model$live$waiting) == most_waiting) join_trace(model) else model
  } else {
    model$trace <- extend_trace(model$trace, list(rows))
    model
  }
}

join_trace <- function(model) {
  if (length(model$live$waiting) > 0) model$trace <- extend_trace(model$trace, model$live$waiting)
  model$live$waiting <- NULL
  model
}

# `runs`: a matrix for each, a row per epoch. All rows of the latest run are kept, and of those before it as many as
# make `most` rows in all, so that the cost of an update does not grow with their number.
extend_trace <- function(trace, runs, most = 1000) {
  trace <- unclass(trace)
  added <- do.call(rbind, runs)
  before <- length(trace$epoch)
  first <- if (before > 0) trace$epoch[1] else 1L
  total <- before + nrow(added)
  kept <- seq_len(total)
  kept <- kept[kept > total - max(most, nrow(runs[[length(runs)]]))]
  out <- list(epoch = first - 1L + kept)
  for (name in trace_names[-1]) out[[name]] <- c(trace[[name]], unname(added[, name]))[kept]
  as_table(out)
}

# A data frame of columns known to fit; data.frame() would take longer than a short update.
as_table <- function(columns, row_names = NULL) {
  attr(columns, "row.names") <- if (is.null(row_names)) .set_row_names(length(columns[[1]])) else row_names
  class(columns) <- "data.frame"
  columns
}
