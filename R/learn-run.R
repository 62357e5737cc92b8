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
  again <- !is.null(examples$times)
  rows <- if (again) examples$order else visit_order(model, rows)
  folded <- if (again) list(examples = examples, rows = rows, times = examples$times[rows]) else
    fold_examples(model, examples, rows)
  run <- run_core(model, folded$examples, folded$rows, forget, path, folded$visits, folded$times, outputs)
  if (again && outputs) run$outputs <- run$outputs[order(rows)[seq_len(sum(examples$times))], , drop = FALSE]
  run
}

# The order in which an online solver visits the examples first. That of a single one is not drawn.
visit_order <- function(model, rows) {
  if (length(rows) > 1 && solver_traits(model$solver)$shuffle) rows[sample.int(length(rows))] else rows
}

# One run, whose seed is drawn from R's random numbers: the model, and how the run ended. A fit is a live model that is
# opened, updated and read. With `outputs` (solvers by rows) those of each example before it was learned are there, too.
run_core <- function(model, examples, rows, forget = NULL, path = FALSE, visits = NULL, times = NULL,
                     outputs = FALSE) {
  live <- is_live(model)
  bar <- progress_bar(model$control$verbose)
  request <- core_request(model, examples, rows, bar, path, visits, times)
  request$control$outputs <- outputs
  pointer <- if (live) model$live else open_core(model, request)
  header <- if (live) model_header(model)
  result <- .Call(ffi_live_update, pointer, request, if (!is.null(forget)) forget - 1L, header)
  bar$done()
  core_result(result, "The fit")
  run <- result[c("interrupted", "convergence", "outputs")]
  if (live) {
    return(c(run, list(model = with_counts(model, result$counts))))
  }
  run <- c(run, read_model(model, pointer, examples$x, rows))
  run$model <- settle_given(run$model)
  .Call(ffi_live_close, pointer)
  run$model$path <- if (path && !run$interrupted) read_path(model, result$path, examples$x, rows)
  run
}

# What a run is given. `visits`, `times`: see fold_examples(). What follows from the model alone is remembered from one
# update to the next, unless it is large.
core_request <- function(model, examples, rows, bar = NULL, path = FALSE, visits = NULL, times = NULL) {
  check_room(model, length(rows))
  large <- is_given(model$kernel) || !is.null(model$transform$map)
  fixed <- if (large) request_of(model) else remembered("requests", model[request_fields], request_of)
  list(
    data = c(list(x = examples$x, rows = rows - 1L, visits = visits, times = times), fixed$data),
    labels = c(core_labels(model, examples, rows), fixed$labels), kernel = fixed$kernel, solver = fixed$solver,
    control = c(list(extent = model$extent, level = simd_level(), progress = bar$show, path = path), fixed$control)
  )
}

# `values`: of a kernel without features.
core_kernel <- function(model) {
  core <- model$kernel$core
  if (is_given(model$kernel)) replace(core, "values", list(given_values(model))) else core
}

request_fields <- c("kernel", "solver", "transform", "loss", "machines", "control")
request_of <- function(model) {
  list(
    data = core_data(NULL, model$transform)[-1], labels = core_machines(model),
    kernel = core_kernel(model), solver = model$solver$core,
    control = list(cache_mb = cache_left(model), threads = model$control$threads, trace = model$control$trace)
  )
}

# Warnings about the end of a run come last, when the model is as it is to be.
signal_run <- function(run) {
  solver <- run$model$solver
  if (run$interrupted) {
    warn("The fit was interrupted; the model holds what was learned until then.", "osvm_interrupted")
  } else if (any(run$convergence[4, ] == 0, na.rm = TRUE) && solver$traits$dual) {
    model <- with_convergence(run$model, run$convergence)
    solver_hook(solver, "unfinished", model, stalled = any(run$convergence[5, ] == 1))
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
