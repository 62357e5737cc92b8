# Counts of a run, and its trace.

read_counts <- function(model, result, seconds) {
  before <- model$stats
  counts <- as.list(result$counts)
  model$n_seen <- counts$visited + if (is.null(model$n_seen)) 0 else model$n_seen
  model$stats <- c(counts[c("steps", "updates", "kernel_evaluations")], list(seconds = seconds))
  if (!is.null(before)) {
    model$stats <- as.list(unlist(before) + unlist(model$stats))
  }
  if (model$control$trace) model$trace <- extend_trace(model$trace, result$trace, counts$epochs)
  model
}

# A row per epoch. Of earlier runs the latest are kept, `most` rows in all, so that the cost of
# an update does not grow with their number.
extend_trace <- function(trace, added, epochs, most = 1000) {
  trace <- unclass(trace)
  before <- length(trace$epoch)
  latest <- if (before > 0) trace$epoch[before] else 0L
  rows <- seq_len(epochs)
  kept <- seq_len(before)
  kept <- kept[kept > before + epochs - most]
  out <- list(epoch = c(trace$epoch[kept], latest + rows))
  for (name in trace_names[-1]) out[[name]] <- c(trace[[name]][kept], unname(added[rows, name]))
  as_table(out)
}

# A data frame of columns known to fit; data.frame() would take longer than a short update.
as_table <- function(columns, row_names = NULL) {
  attr(columns, "row.names") <- if (is.null(row_names)) .set_row_names(length(columns[[1]])) else row_names
  class(columns) <- "data.frame"
  columns
}
