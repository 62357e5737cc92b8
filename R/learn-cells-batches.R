# Cells are learned in batches: those of a batch side by side on threads, batches one after the other or on the workers
# of a future::plan(). What is drawn for a cell depends on its own seed, so that no number depends on batches.

cells_per_batch <- 16

# list(parts, outputs, errors, interrupted): a part per cell, NULL if it is missing; `outputs`, held out, and `errors`
# if `task`, list(settings, folds), asks for cross-validation. With `parts` these learn further.
run_cells <- function(model, examples, rows, seeds, task, parts = NULL) {
  workers <- future_workers()
  each <- max(model$control$threads, min(cells_per_batch, ceiling(length(rows) / max(8, 4 * workers))))
  batches <- unname(slices(length(rows), each))
  bar <- progress_bar(model$control$verbose, "Learning cells")
  on.exit(bar$done())
  task$model <- model
  bundles <- lapply(seq_along(batches), function(b) {
    mine <- batches[[b]]
    cells <- list(rows = rows[mine], seeds = seeds[mine], parts = parts[mine])
    if (workers == 0) {
      show <- if (!is.null(bar$show)) function(part) bar$show((b - 1 + part) / length(batches))
      return(list(work = "learn_batch", arguments = list(cells, examples, task, model$control$threads, show)))
    }
    cells$rows <- number_rows(rows[mine])
    list(work = "learn_batch", arguments = list(cells, take_examples(examples, unlist(rows[mine])), task))
  })
  out <- list2env(no_cells(length(rows)), parent = emptyenv())
  complete <- run_bundles(bundles, bar = bar, done = function(i, value) {
    for (name in c("parts", "outputs", "errors")) out[[name]][batches[[i]]] <- value[[name]]
    out$interrupted <- out$interrupted || value$interrupted
    if (value$interrupted && workers == 0) signal_interrupt()
  }, failed = function(i, message) abort("{message}"))
  out$interrupted <- out$interrupted || !complete
  as.list(out)
}

no_cells <- function(n) {
  list(parts = vector("list", n), outputs = vector("list", n), errors = rep(NA_real_, n), interrupted = FALSE)
}

take_examples <- function(examples, rows) {
  list(x = examples$x[rows, , drop = FALSE], class = at_rows(examples$class, rows), weight = examples$weight[rows])
}

# The same rows, numbered one after the other.
number_rows <- function(rows) unname(split(seq_len(sum(lengths(rows))), rep(seq_along(rows), lengths(rows))))

# The cells of a batch: their best settings, then their models. A worker has only the examples of its batch.
learn_batch <- function(cells, examples, task, threads = 1, progress = NULL) {
  examples <- take_examples(examples, unlist(cells$rows))
  rows <- number_rows(cells$rows)
  shared <- share_memory(task$model, max(lengths(rows)), threads)
  model <- shared$model
  parts <- if (is.null(cells$parts)) lapply(rows, function(at) start_part(model, examples, at)) else cells$parts
  out <- no_cells(length(rows))
  chosen <- if (task$folds > 0) 0.8 else 0 # share of the time
  phase <- function(from, by) if (!is.null(progress)) function(part) progress(from + part * by)
  if (task$folds > 0) {
    held <- hold_out_cells(model, examples, rows, parts, cells$seeds, task, shared$threads, phase(0, chosen))
    if (held$interrupted) {
      return(replace(out, "interrupted", TRUE))
    }
    parts <- held$parts
    out[c("outputs", "errors")] <- held[c("outputs", "errors")]
  }
  out$parts <- learn_parts(
    model, examples, rows, parts, cells$seeds, shared$threads, phase(chosen, 1 - chosen)
  )
  out$interrupted <- any(lengths(out$parts) == 0)
  out
}

# Kernel values of a cell take at most `cache_mb` / 4, and as many cells learn side by side as fit into `cache_mb`: the
# memory of a cell does not depend on threads, and neither do its numbers.
share_memory <- function(model, rows, threads) {
  all <- model$control$cache_mb
  model$control$cache_mb <- min(all / 4, max(1, 12 * rows^2 / 2^20))
  list(model = model, threads = max(1, min(threads, floor(all / model$control$cache_mb))))
}
