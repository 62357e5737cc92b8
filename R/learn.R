# One run of the core, and the model made from its result.

# Removes examples (`forget`: rows of `model$sv`), learns others (`rows`: a subset of
# `examples`) and returns the updated model. A trained model is a warm start. With `path`
# the model after every epoch is kept as well.
learn <- function(model, examples, rows = seq_along(examples$class), forget = NULL, path = FALSE) {
  if (solver_traits(model$solver)$shuffle) {
    rows <- rows[sample.int(length(rows))]
  }
  started <- proc.time()[["elapsed"]]
  result <- run_core(ffi_fit, model, examples, rows, "The fit", forget, path)
  seconds <- proc.time()[["elapsed"]] - started
  interrupted <- result$counts[["interrupted"]] == 1
  epochs <- if (path && !interrupted) read_path(model, result$path, examples$x, rows)
  model <- read_model(model, result, examples$x, rows)
  model$path <- epochs
  model <- read_counts(model, result, seconds)
  model <- read_convergence(model, result, interrupted)
  if (interrupted) {
    warn("The fit was interrupted; the model holds what was learned until then.", "osvm_interrupted")
  }
  model
}

# One run of the core, by one of its entry points.
run_core <- function(entry, model, examples, rows, what, forget = NULL, path = FALSE) {
  control <- model$control
  carried <- carried_state(model)
  if (!is.null(forget)) carried$forget <- forget - 1L
  bar <- progress_bar(control$verbose)
  result <- .Call(
    entry,
    core_data(examples$x, model$scaling, rows = rows - 1L),
    carried,
    list(
      class = examples$class[rows] - 1L, weight = examples$weight[rows],
      positive = model$machines$positive - 1L, negative = model$machines$negative - 1L
    ),
    numeric_kernel(model$kernel),
    c(core_solver(model$solver), list(seed = sample.int(.Machine$integer.max, 1), path = path)),
    list(
      cache_mb = control$cache_mb, threads = control$threads,
      doubles = wants_doubles(model, model$extent), level = simd_level(), progress = bar$show
    )
  )
  bar$done()
  core_result(result, what)
}

# Double precision, if solver or data need it.
wants_doubles <- function(model, extent, name = "x") {
  traits <- solver_traits(model$solver)
  needs_doubles(extent, model$kernel, name) || traits$doubles ||
    isTRUE(2^-24 * typical_kernel(extent, model$kernel) * traits$growth > 1)
}

is_primal <- function(model) model$kernel$name == "linear"

# Whether the model holds examples, as support vectors or for further training.
keeps_examples <- function(model) !is_primal(model) || solver_info(model$solver$name)$dual

# State of an earlier run; NULL for a new model.
carried_state <- function(model) {
  if (is.null(model$scalars)) {
    return(NULL)
  }
  carried <- core_data(model$sv, model$scaling)
  carried$state <- as.double(if (is.null(model$state)) model$coef else model$state)
  carried$scalars <- as.double(model$scalars)
  carried
}

# Coefficients, state and the examples they belong to. `state` has a named layer per
# column that the solver declares, `scalars` a named row per scalar.
read_model <- function(model, result, x, rows) {
  machines <- nrow(model$machines)
  info <- solver_info(model$solver$name)
  coef <- matrix(result$coef, ncol = machines)
  state <- array(result$state, c(nrow(coef), machines, length(result$columns)), list(NULL, NULL, result$columns))
  model$n_sv <- 0L
  if (keeps_examples(model)) {
    kept <- result$kept[seq_len(result$counts[["kept"]])] + 1L
    if (info$forgets) {
      seen <- if (is.null(model$n_seen)) 0 else model$n_seen
      model$id <- c(model$id, seen + seq_along(rows))[kept]
    }
    model$sv <- select_examples(model$sv, x, rows, kept, result$made)
    coef <- coef[kept, , drop = FALSE]
    state <- state[kept, , , drop = FALSE]
    model$n_sv <- sum(row_max(abs(coef)) > 0)
  }
  if (is_primal(model)) {
    if (keeps_examples(model)) {
      coef <- as.matrix(Matrix::crossprod(apply_scaling(model$sv, model$scaling), coef))
    }
    rownames(coef) <- model$feature_names
  }
  names <- if (machines > 1) machine_names(model$machines, model$levels)
  colnames(coef) <- names
  model$coef <- coef
  model$intercept <- stats::setNames(result$intercept, names)
  model$state <- if (needs_state(info, result$columns)) state
  model$scalars <- result$scalars
  extended <- solver_hook(model$solver, "kept", model)
  if (is.null(extended)) model else extended
}

# The coefficients of a plain expansion are its whole state.
needs_state <- function(info, columns) info$dual || !identical(columns, "coef")

# Rows `kept` of three matrices below each other: the carried support vectors, the new
# examples in the order of visits, and vectors made by the solver.
select_examples <- function(sv, x, rows, kept, made = NULL) {
  source <- findInterval(kept, c(NROW(sv), NROW(sv) + length(rows)), left.open = TRUE)
  examples <- bind_rows(
    if (any(source == 0)) sv[kept[source == 0], , drop = FALSE],
    x[rows[kept[source == 1] - NROW(sv)], , drop = FALSE]
  )
  if (any(source == 2)) {
    made <- made[kept[source == 2] - NROW(sv) - length(rows), , drop = FALSE]
    colnames(made) <- colnames(x)
    examples <- bind_rows(examples, if (inherits(x, "dgCMatrix")) as_sparse(made) else made)
  }
  order <- order(source)
  if (is.unsorted(order)) examples[order(order), , drop = FALSE] else examples
}

bind_rows <- function(a, b) if (is.null(a) || nrow(a) == 0) b else rbind(a, b)

# A row per machine; only solvers of a dual report convergence. NA: not checked.
read_convergence <- function(model, result, interrupted) {
  if (!solver_info(model$solver$name)$dual) {
    return(model)
  }
  stalled <- any(result$convergence["stalled", ] == 1)
  ended <- as.data.frame(t(result$convergence[c("iterations", "gap", "objective", "finished"), , drop = FALSE]))
  ended$gap[is.nan(ended$gap)] <- NA
  ended$finished <- ended$finished == 1
  if (nrow(ended) > 1) rownames(ended) <- machine_names(model$machines, model$levels)
  model$convergence <- ended
  if (!interrupted && any(!ended$finished, na.rm = TRUE)) {
    solver_hook(model$solver, "unfinished", model, stalled)
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

# The function `<solver>_<what>` of the solver's R file, if there is one: `kept` adds
# fields to the model, `unfinished` warns (stalled: rounding ended it), `ended` describes convergence for print().
solver_hook <- function(solver, what, ...) {
  hook <- get0(paste0(solver$name, "_", what), envir = asNamespace("onlinesvm"), mode = "function")
  if (!is.null(hook)) hook(...)
}

read_counts <- function(model, result, seconds) {
  before <- model$stats
  counts <- as.list(result$counts)
  model$n_seen <- counts$visited + if (is.null(model$n_seen)) 0 else model$n_seen
  model$stats <- c(counts[c("steps", "updates", "kernel_evaluations")], list(seconds = seconds))
  if (!is.null(before)) {
    model$stats <- Map(`+`, before, model$stats)
  }
  if (model$control$trace) {
    epochs <- seq_len(counts$epochs)
    rows <- as.data.frame(result$trace[epochs, , drop = FALSE])
    model$trace <- rbind(model$trace, cbind(epoch = epochs + NROW(model$trace), rows))
  }
  model
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
