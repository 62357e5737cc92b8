# One run of the core, and the model made from its result.

# Removes examples (`forget`: rows of `model$sv`), learns others (`rows`: a subset of
# `examples`) and returns the updated model. A trained model is a warm start. With `path`
# the model after every epoch is kept as well. A live model is updated in place.
learn <- function(model, examples, rows = seq_along(examples$class), forget = NULL, path = FALSE) {
  rows <- visit_order(model, rows)
  if (is_live(model)) {
    return(learn_live(model, examples, rows, forget))
  }
  started <- proc.time()[["elapsed"]]
  folded <- fold_examples(model, examples, rows)
  rows <- folded$rows
  result <- run_core(call_fit, model, folded$examples, rows, "The fit", forget, path, folded$visits)
  result$counts <- unfold_counts(result$counts, folded$times)
  seconds <- proc.time()[["elapsed"]] - started
  interrupted <- result$counts[["interrupted"]] == 1
  epochs <- if (path && !interrupted) read_path(model, result$path, examples$x, rows)
  model <- read_model(model, result, examples$x, rows)
  if (!all(is.finite(model$coef)) || !all(is.finite(model$state))) {
    abort("The fit failed: the kernel values grew beyond all numbers; scale the data.")
  }
  model$path <- epochs
  read_report(model, result, seconds)
}

# The order in which an on-line solver visits the examples first. That of a single one is not drawn.
visit_order <- function(model, rows) {
  if (length(rows) > 1 && solver_traits(model$solver)$shuffle) rows[sample.int(length(rows))] else rows
}

# Counts, trace and convergence of a run, with the warnings that belong to them.
read_report <- function(model, result, seconds) {
  interrupted <- result$counts[["interrupted"]] == 1
  model <- read_counts(model, result, seconds)
  model <- read_convergence(model, result, interrupted)
  if (interrupted) {
    warn("The fit was interrupted; the model holds what was learned until then.", "osvm_interrupted")
  }
  model
}

# Entry points, as functions: R CMD check looks for symbol and arguments in each call.
call_fit <- function(data, carried, labels, kernel, solver, control) {
  .Call(ffi_fit, data, carried, labels, kernel, solver, control)
}
call_leave_out <- function(data, carried, labels, kernel, solver, control) {
  .Call(ffi_leave_out, data, carried, labels, kernel, solver, control)
}

# One run of the core, by one of its entry points, which draws the run's seed from R's random numbers.
run_core <- function(entry, model, examples, rows, what, forget = NULL, path = FALSE, visits = NULL) {
  carried <- carried_state(model)
  if (!is.null(forget)) carried$forget <- forget - 1L
  bar <- progress_bar(model$control$verbose)
  result <- entry(
    core_data(examples$x, model$transform, rows = rows - 1L, visits = visits), carried,
    core_labels(model, examples, rows), core_kernel(model$kernel), c(core_solver(model$solver), list(path = path)),
    run_control(model, bar)
  )
  bar$done()
  core_result(result, what)
}

run_control <- function(model, bar = NULL, doubles = wants_doubles(model, model$extent)) {
  control <- model$control
  list(
    cache_mb = control$cache_mb, threads = control$threads, doubles = doubles,
    level = simd_level(), progress = bar$show
  )
}

# State of an earlier run; NULL for a new model.
carried_state <- function(model) {
  if (is.null(model$scalars)) {
    return(NULL)
  }
  carried <- core_data(model$sv, model$transform)
  carried$target <- if (keeps_examples(model)) core_targets(model, model$target)
  carried$state <- as.double(if (is.null(model$state)) model$coef else model$state)
  carried$scalars <- as.double(model$scalars)
  carried
}

# The examples that a run kept, with coefficients and state.
read_model <- function(model, result, x, rows) {
  machines <- nrow(model$machines)
  coef <- matrix(result$coef, ncol = machines)
  state <- matrix(result$state, nrow(coef), machines * length(result$columns))
  if (keeps_examples(model)) {
    kept <- result$kept[seq_len(result$counts[["kept"]])] + 1L
    if (solver_info(model$solver$name)$forgets) {
      seen <- if (is.null(model$n_seen)) 0 else model$n_seen
      model$id <- c(model$id, seen + seq_along(rows))[kept]
    }
    model$sv <- select_examples(model$sv, x, rows, kept, result$merged)
    coef <- coef[kept, , drop = FALSE]
    state <- state[kept, , drop = FALSE]
    result$target <- result$target[kept]
  }
  set_trained(model, coef, state, result)
}

# Rows `kept` of three matrices below each other: the carried support vectors, the new
# examples in the order of visits, and merged vectors.
select_examples <- function(sv, x, rows, kept, made = NULL) {
  carried <- NROW(sv)
  source <- (kept > carried) + (kept > carried + length(rows))
  examples <- bind_rows(
    if (any(source == 0)) rows_of(sv, kept[source == 0]),
    x[rows[kept[source == 1] - carried], , drop = FALSE]
  )
  if (any(source == 2)) {
    made <- made[kept[source == 2] - carried - length(rows), , drop = FALSE]
    colnames(made) <- colnames(x)
    examples <- bind_rows(examples, if (inherits(x, "dgCMatrix")) as_sparse(made) else made)
  }
  if (is.unsorted(source)) examples[order(order(source)), , drop = FALSE] else examples
}

rows_of <- function(x, rows) if (identical(rows, seq_len(nrow(x)))) x else x[rows, , drop = FALSE]

bind_rows <- function(a, b) {
  if (is.null(a) || nrow(a) == 0) {
    return(b)
  }
  if (nrow(b) == 0) a else rbind(a, b)
}

# A row per machine; only solvers of a dual report convergence. NA: not checked.
read_convergence <- function(model, result, interrupted) {
  if (!solver_info(model$solver$name)$dual) {
    return(model)
  }
  rows <- result$convergence # those of convergence_names, then whether rounding ended it
  dimnames(rows) <- NULL
  rows[2, is.nan(rows[2, ])] <- NA
  ended <- list(iterations = rows[1, ], gap = rows[2, ], objective = rows[3, ], finished = rows[4, ] == 1)
  model$convergence <- as_table(ended, if (ncol(rows) > 1) machine_names(model))
  if (!interrupted && any(rows[4, ] == 0, na.rm = TRUE)) {
    solver_hook(model$solver, "unfinished", model, stalled = any(rows[5, ] == 1))
  }
  model
}
