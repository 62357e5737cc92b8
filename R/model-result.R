# What a run leaves in the model: counts and trace, coefficients and state.

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

# Coefficients and state of the model's examples, or of its features, and the targets of the former: the numbers of
# their classes, NA for vectors that are merged from several. `state` has a named layer per column that the solver
# declares, `scalars` a named row per scalar.
set_trained <- function(model, coef, state, result) {
  machines <- nrow(model$machines)
  columns <- result$columns
  if (keeps_examples(model)) model$target <- kept_targets(model, result$target)
  model$merged <- if (merges(model)) is.na(model$target)
  model$n_sv <- if (keeps_examples(model)) sum(rowSums(coef != 0) > 0) else 0L
  if (is_primal(model) && keeps_examples(model)) {
    coef <- as.matrix(Matrix::crossprod(packed_rows(model$transform, model$sv), coef))
  }
  names <- if (machines > 1) machine_names(model)
  dimnames(coef) <- list(if (is_primal(model)) model$feature_names, names)
  model$coef <- coef
  model$intercept <- result$intercept
  names(model$intercept) <- names
  model$state <- if (needs_state(model$solver)) {
    array(state, c(nrow(state), machines, length(columns)), list(NULL, NULL, columns))
  }
  model$scalars <- result$scalars
  extended <- solver_hook(model$solver, "kept", model)
  if (is.null(extended)) model else extended
}

# The ordinary model of this moment; one that is not live, as it is.
live_model <- function(model) {
  if (!is_live(model) || is.null(model$n_seen)) {
    model$live <- NULL
    return(model)
  }
  model <- join_trace(model)
  result <- core_result(.Call(ffi_live_read, model$live$pointer), "Reading the model")
  model$live <- NULL
  machines <- nrow(model$machines)
  coef <- matrix(result$coef, ncol = machines)
  if (keeps_examples(model)) {
    model$sv <- if (model$sparse) rows_to_sparse(result$rows, model_width(model)) else result$rows
    colnames(model$sv) <- model$feature_names
    if (solver_info(model$solver$name)$forgets) model$id <- result$number
  }
  set_trained(model, coef, matrix(result$state, nrow(coef), machines * length(result$columns)), result)
}

# Non-zeros row by row are the columns of the transpose.
rows_to_sparse <- function(rows, columns) {
  transposed <- methods::new("dgCMatrix",
    Dim = c(as.integer(columns), length(rows$length)), p = c(0L, cumsum(rows$length)), i = rows$column, x = rows$value
  )
  Matrix::t(transposed)
}
