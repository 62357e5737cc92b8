# Runs of the core, and the models they leave.

# Removes examples (`forget`: places among those that the model keeps), learns others (`rows`: a subset of `examples`)
# and returns the updated model. A trained model is a warm start. With `path` the model after every epoch is kept as
# well. A live model is updated in place.
learn <- function(model, examples, rows = seq_along(examples$weight), forget = NULL, path = FALSE) {
  run <- run_examples(model, examples, rows, forget, path)
  signal_run(run)
  run$model
}

# As learn(), without its warnings. Of examples that are learned again (`times` 0) there are no outputs.
run_examples <- function(model, examples, rows = seq_along(examples$weight), forget = NULL, path = FALSE,
                         outputs = FALSE) {
  if (is.null(examples$times)) {
    folded <- fold_examples(model, examples, visit_order(model, rows))
    return(run_core(model, folded$examples, folded$rows, forget, path, folded$visits, folded$times, outputs))
  }
  rows <- examples$order
  run <- run_core(model, examples, rows, forget, path, NULL, examples$times[rows], outputs)
  if (outputs) run$outputs <- run$outputs[order(rows)[seq_len(sum(examples$times))], , drop = FALSE]
  run
}

# The order in which an online solver visits the examples first. That of a single one is not drawn.
visit_order <- function(model, rows) {
  if (length(rows) > 1 && .subset2(model$solver, "traits")$shuffle) rows[sample.int(length(rows))] else rows
}

# One run, whose seed is drawn from R's random numbers: the model, and how the run ended. A fit is a live model that is
# opened, updated and read. With `outputs` (solvers by rows) those of each example before it was learned are there, too.
# `forget`: places among the examples that the model keeps.
run_core <- function(model, examples, rows, forget = NULL, path = FALSE, visits = NULL, times = NULL,
                     outputs = FALSE) {
  live <- model$live
  bar <- if (model$control$verbose) progress_bar(TRUE)
  request <- core_request(model, examples, rows, visits, times)
  request$control <- c(request$control, list(progress = bar$show, path = path, outputs = outputs))
  pointer <- if (is.null(live)) open_core(model, request) else live
  header <- if (!is.null(live)) model_header(model)
  result <- .Call(ffi_live_update, pointer, request, if (!is.null(forget)) forget - 1L, header)
  if (!is.null(bar)) bar$done()
  core_result(result, "The fit")
  run <- result[c("interrupted", "convergence", "outputs")]
  if (outputs && !is.null(model$trend)) {
    run$outputs <- run$outputs + as.vector(trend_values(model, examples$x[rows, , drop = FALSE]))
  }
  if (!is.null(live)) {
    run$model <- with_counts(model, result$counts)
    return(run)
  }
  read <- read_model(model, pointer, examples$x, rows)
  .Call(ffi_live_close, pointer)
  run$kept <- read$kept
  run$model <- if (is.null(read$model$given)) read$model else settle_given(read$model)
  run$model$path <- if (path && !run$interrupted) read_path(model, result$path, examples$x, rows)
  run
}

# What a run is given. `visits`, `times`: see fold_examples().
core_request <- function(model, examples, rows, visits = NULL, times = NULL) {
  if (!is.null(model$transform$map)) check_room(model, length(rows))
  control <- model$control
  list(
    data = core_data(examples$x, model$transform, rows = rows - 1L, visits = visits, times = times),
    labels = core_labels(model, examples, rows),
    kernel = core_kernel(model), solver = .subset2(model$solver, "core"),
    control = list(
      extent = model$extent, level = simd_level(), threads = control$threads, trace = control$trace,
      cache_mb = if (is.null(model$given)) control$cache_mb else cache_left(model),
      spare_mb = if (!is.null(model$transform$map)) spare_mb(control)
    )
  )
}

# `values`: of a kernel without features.
core_kernel <- function(model) {
  core <- .subset2(model$kernel, "core")
  if (is.null(model$given)) core else replace(core, "values", list(given_values(model)))
}

# Warnings about the end of a run come last, when the model is as it is to be.
signal_run <- function(run) {
  solver <- run$model$solver
  ended <- run$convergence
  if (run$interrupted) {
    warn("The fit was interrupted; the model holds what was learned until then.", "osvm_interrupted")
  } else if (solver$traits$dual && any(ended["finished", ] == 0, na.rm = TRUE)) {
    run$model$convergence <- convergence_table(run$model, ended)
    solver_hook(solver, "unfinished", run$model, stalled = any(ended["stalled", ] == 1))
  } else if (!is_labelled(run$model)) {
    run$model$convergence <- convergence_table(run$model, ended)
    outcome_of(run$model)$warn(run$model)
  }
}

# How far a fit of n examples that a time limit cut short is from its end, and what would have taken less time.
explain_limit <- function(model, n) {
  if (has_cells(model)) {
    return(c(i = explain_missing(model)))
  }
  epochs <- role_value(model$solver, "epochs", 1)
  done <- NROW(model$trace) - 1
  gap <- signif(max(model$convergence$gap, 0), 2)
  tolerance <- role_value(model$solver, "tolerance", 0)
  lines <- if (model$n_seen < n) {
    "It learned {big(model$n_seen)} of {big(n)} rows; so many take the time given."
  } else if (epochs > 1 && done > 0) {
    name <- role_name(model$solver, "epochs")
    "It ended in epoch {done + 1} of {epochs}; {.code {name} = {done}} takes the time given."
  } else {
    c(
      if (gap > tolerance) "The optimality conditions are violated by {gap}, which is to be {tolerance}.",
      "Less time is taken by a part of the rows, or by {.code {format(default_solver('live'))}}, in one pass."
    )
  }
  stats::setNames(vapply(lines, phrase, "", environment()), rep("i", length(lines)))
}

bind_rows <- function(a, b) {
  if (is.null(a) || nrow(a) == 0) b else if (nrow(b) == 0) a else rbind(a, b)
}
