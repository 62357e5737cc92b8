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

# Double precision, if solver or data need it.
wants_doubles <- function(model, extent, name = "x") {
  traits <- solver_traits(model$solver)
  kernel <- model$kernel
  needs_doubles(extent, kernel, name) || traits$doubles ||
    isTRUE(2^-24 * kernel_size(kernel, extent$square) * traits$growth > 1)
}

is_primal <- function(model) is_linear(model$kernel)

# Whether the model holds examples, as support vectors or for further training.
keeps_examples <- function(model) !is_primal(model) || solver_info(model$solver$name)$dual

# State of an earlier run; NULL for a new model.
carried_state <- function(model) {
  if (is.null(model$scalars)) {
    return(NULL)
  }
  carried <- core_data(model$sv, model$transform)
  carried$target <- if (keeps_examples(model)) as.double(model$target - 1)
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

# Coefficients and state of the model's examples, or of its features, and the targets of the former: the numbers of
# their classes, NA for vectors that are merged from several. `state` has a named layer per column that the solver
# declares, `scalars` a named row per scalar.
set_trained <- function(model, coef, state, result) {
  machines <- nrow(model$machines)
  columns <- result$columns
  if (keeps_examples(model)) model$target <- replace(result$target + 1, is.nan(result$target), NA)
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

# The coefficients of a plain expansion are its whole state.
needs_state <- function(solver) solver_info(solver$name)$dual || !identical(solver_traits(solver)$column_roles, "coef")

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

# `limit`: what ended the run before its tolerance, and `advice` about it; `stalled`: it was
# rounding.
warn_unfinished <- function(stalled, limit, advice) {
  if (stalled) {
    limit <- "The solver stopped before it reached its tolerance: its steps improved nothing but rounding errors."
    advice <- "Scale the data, or lower {.arg C}"
  }
  warn(c(limit, i = paste0(advice, "; the model is what was reached until then.")), "osvm_unfinished")
}

# Tests lower it to cover the code for older processors.
simd_level <- function() getOption("onlinesvm.simd_level", 3)

progress_bar <- function(verbose, name = "Learning") {
  if (!verbose) {
    return(list(show = NULL, done = function() NULL))
  }
  id <- cli::cli_progress_bar(
    name, total = 1000, clear = TRUE, .auto_close = FALSE,
    format = "{cli::pb_name} {cli::pb_bar} {cli::pb_percent} | {cli::pb_eta_str}"
  )
  list(
    show = function(done) cli::cli_progress_update(set = round(1000 * done), id = id),
    done = function() cli::cli_progress_done(id = id)
  )
}
