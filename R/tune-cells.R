# Tunings in cells: the folds are those of all examples, and each cell learns its own of them. Hold-out outputs of all
# cells make the results, and each cell has its own best grid point: by the metric of the tuning where that is a mean
# over the rows by their predicted numbers, else by that of the loss.

# The cells, and `of`: that of each example.
divide_tuning <- function(model, x, size, metric) {
  cells <- divide_examples(model, x, size)
  by_row <- !is.null(metric$row) && metric$needs == "labels" && metric$lower && predicts_numbers(model)
  cells$metric <- if (by_row) metric else loss_metric(model)
  cells$of <- integer(nrow(x))
  for (k in seq_along(cells$rows)) cells$of[cells$rows[[k]]] <- k
  cells
}

# What hold_out() returns for all examples; besides, `cell_errors`, a row per cell and a column per
# grid point: the sum of the losses of the examples held out, by `cells$metric`.
holdout_in_cells <- function(model, examples, fold, solvers, kernels, seed, rows, threads, progress, cells) {
  visits <- unname(split(rows, factor(cells$of[rows], seq_along(cells$rows))))
  points <- length(solvers$of)
  out <- list(
    outputs = array(0, c(length(fold), nrow(model$machines), points)),
    counts = matrix(0, 4, length(seed) * points), state = rep("done", length(seed) * points),
    message = character(length(seed) * points), interrupted = 0L, shared = c(evaluations = 0, seconds = 0, bytes = 0),
    cell_errors = matrix(0, length(visits), points)
  )
  batches <- slices(length(visits), cells_per_batch)
  for (b in seq_along(batches)) {
    show <- if (!is.null(progress)) function(part) progress((b - 1 + part) / length(batches))
    all <- sort(unlist(visits[batches[[b]]]))
    here <- take_examples(examples, all)
    places <- lapply(visits[batches[[b]]], match, all)
    parts <- lapply(places, function(at) start_part(model, here, at))
    learning <- which_learn(parts)
    shared <- share_memory(model, max(lengths(places)), threads)
    grids <- lapply(learning, function(i) {
      new_grid(cell_model(shared$model, parts[[i]]), here, fold[all], solvers, kernels, seed, places[[i]])
    })
    results <- vector("list", length(parts))
    if (length(grids) > 0) results[learning] <- run_grids(grids, shared$threads, show)
    for (i in seq_along(parts)) {
      out <- add_cell(
        out, batches[[b]][i], model, here, fold[all], all, sort(places[[i]]), parts[[i]], results[[i]], cells$metric
      )
    }
    if (out$interrupted != 0) break
  }
  out
}

# `rows`: of the cell among `examples`, which are `all` of the tuning's. `result`: of the core, or its message; NULL for
# a cell with nothing to learn.
add_cell <- function(out, k, model, examples, fold, all, rows, part, result, metric) {
  points <- ncol(out$cell_errors)
  if (is.character(result)) result <- failed_result(result, ncol(out$counts) / points, points)
  held <- fold[rows] > 0
  learned <- if (length(result$outputs) > 1) stack_outputs(result$outputs)
  f <- part_outputs(part, learned, length(rows) * points)
  out$outputs[all[rows], , ] <- aperm(array(f, c(length(rows), points, ncol(f))), c(1, 3, 2))
  if (any(held)) {
    f <- f[rep(held, points), , drop = FALSE]
    out$cell_errors[k, ] <- sum(held) * cell_losses(model, examples, rows[held], f, metric)
  }
  if (is.null(result)) {
    return(out)
  }
  rownames(out$counts) <- rownames(result$counts)
  out$counts <- out$counts + result$counts
  worst <- c("done", "unfinished", "failed", "not run")
  out$state <- worst[pmax(match(out$state, worst), match(result$state, worst))]
  out$message <- ifelse(nzchar(out$message), out$message, result$message)
  out$interrupted <- max(out$interrupted, result$interrupted)
  out$shared["evaluations"] <- out$shared["evaluations"] + result$shared["evaluations"]
  out
}

# The final model: each cell with its own best grid point, the best of all cells where several are as good.
refit_cells <- function(tuned, task) {
  best <- tuned$best_point
  model <- task$model
  for (kind in names(best)) model[[kind]] <- best[[kind]]
  examples <- tuned_examples(task)
  first <- match(TRUE, vapply(seq_len(nrow(task$points)), function(i) identical(specs_at(task, i), best), NA))
  tuned$cell_errors[, which(tuned$results$folds < length(tuned$folds))] <- Inf # given up
  chosen <- apply(tuned$cell_errors, 1, function(error) if (error[first] <= min(error)) first else which.min(error))
  parts <- Map(function(rows, point) {
    part <- start_part(model, examples, rows)
    part[names(best)] <- specs_at(task, point)
    part
  }, task$cells$rows, chosen)
  repeats <- max(vapply(tuned$folds, `[[`, 0, "rep"))
  losses <- tuned$cell_errors[cbind(seq_along(chosen), chosen)] / (repeats * lengths(task$cells$rows))
  errors <- metric_of_mean(model, losses, task$cells$metric)
  fit <- learn_divided(model, examples, task$cells, parts = parts, errors = errors)
  as_osvm(fit)
}

specs_at <- function(task, point) {
  list(
    solver = task$solvers$specs[[task$solvers$of[point]]], kernel = task$kernels$specs[[task$kernels$of[point]]],
    loss = task$losses$specs[[task$losses$of[point]]]
  )
}
