# One run of the core, and the model made from its result.

# Removes examples (`forget`: rows of `model$sv`), learns others (`rows`: a subset of
# `examples`) and returns the updated model. A trained model is a warm start. With `path`
# the model after every epoch is kept as well.
learn <- function(model, examples, rows = seq_along(examples$class), forget = NULL, path = FALSE) {
  if (isTRUE(model$solver$params$shuffle)) {
    rows <- rows[sample.int(length(rows))]
  }
  started <- proc.time()[["elapsed"]]
  result <- run_core(ffi_fit, model, examples, rows, "The fit", forget, path)
  seconds <- proc.time()[["elapsed"]] - started
  remembered <- if (path && result$status == 0) take_path(model, result$path, examples$x, rows)
  model <- take_coefficients(model, result, examples$x, rows)
  model$path <- remembered
  model <- take_counts(model, result, seconds)
  model <- take_convergence(model, result)
  if (result$status == 1) {
    warn("The fit was interrupted; the model holds what was learned until then.", "osvm_interrupted")
  }
  model
}

# One run of the core, by one of its entry points.
run_core <- function(entry, model, examples, rows, what, forget = NULL, path = FALSE) {
  solver <- model$solver
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
    c(core_solver(solver), list(seed = sample.int(.Machine$integer.max, 1), path = path)),
    list(
      cache_mb = control$cache_mb, threads = control$threads,
      doubles = wants_doubles(model, model$extent), level = simd_level(), progress = bar$show
    )
  )
  bar$done()
  core_result(result, what)
}

# Double precision, if solver or data need it. Float32 kernel values are accurate to
# about five digits, too few for a finer tolerance.
wants_doubles <- function(model, extent, name = "x") {
  fine <- isTRUE(model$solver$params$tolerance < 1e-5) || solver_plate(model$solver$name)$exact
  needs_doubles(extent, model$kernel, name) || fine
}

is_primal <- function(model) model$kernel$name == "linear"

# Whether the model holds examples, as support vectors or for further training.
keeps_examples <- function(model) !is_primal(model) || solver_plate(model$solver$name)$dual

# State of the model for a warm start; NULL for an untrained model.
carried_state <- function(model) {
  if (is.null(model$tally)) {
    return(NULL)
  }
  going <- if (is.null(model$going)) c(model$coef, 0 * model$coef) else model$going
  state <- core_data(model$sv, model$scaling)
  state$going <- as.double(going)
  state$tally <- as.double(model$tally)
  state
}

take_coefficients <- function(model, result, x, rows) {
  machines <- nrow(model$machines)
  names <- machine_names(model$machines, model$levels)
  plate <- solver_plate(model$solver$name)
  averaged <- isTRUE(model$solver$params$average)
  coef <- matrix(result$coef, ncol = machines)
  going <- array(result$going, c(nrow(coef), machines, plate$depth))
  model$n_sv <- 0L
  if (keeps_examples(model)) {
    kept <- kept_examples(result, coef, if (averaged) going)
    if (plate$forgets) {
      seen <- if (is.null(model$n_seen)) 0 else model$n_seen
      model$id <- c(model$id, seen + seq_along(rows))[kept]
    }
    model$sv <- take_examples(model$sv, x, rows, kept)
    coef <- coef[kept, , drop = FALSE]
    going <- going[kept, , , drop = FALSE]
    model$n_sv <- sum(row_max(abs(coef)) > 0)
  }
  if (is_primal(model)) {
    if (keeps_examples(model)) {
      coef <- as.matrix(Matrix::crossprod(apply_scaling(model$sv, model$scaling), coef))
    }
    rownames(coef) <- model$feature_names
  }
  colnames(coef) <- if (machines > 1) names
  model$coef <- coef
  model$intercept <- stats::setNames(result$intercept, if (machines > 1) names)
  model$going <- if (averaged || plate$dual) going
  model$tally <- matrix(result$tally, ncol = machines)
  finished <- said_by(model$solver, "kept", model)
  if (is.null(finished)) model else finished
}

# Examples, old and new, that the model keeps: those the solver lists, if it does;
# otherwise those with coefficients above the rounding error of the largest, since
# smaller ones change no output.
kept_examples <- function(result, coef, going) {
  count <- result$counts[6]
  if (count >= 0) {
    return(result$kept[seq_len(count)] + 1L)
  }
  keep <- matters(coef)
  if (!is.null(going)) {
    keep <- keep | matters(going[, , 1]) | matters(going[, , 2])
  }
  which(keep)
}

# Rows `kept` of the old support vectors and, below them, the examples in the order
# they were visited.
take_examples <- function(sv, x, rows, kept) {
  old <- NROW(sv)
  from_old <- kept <= old
  examples <- bind_rows(
    if (any(from_old)) sv[kept[from_old], , drop = FALSE],
    x[rows[kept[!from_old] - old], , drop = FALSE]
  )
  order <- order(!from_old)
  if (is.unsorted(order)) examples[order(order), , drop = FALSE] else examples
}

# Convergence of solvers that work on the dual; the others do not measure it.
take_convergence <- function(model, result) {
  solver <- model$solver
  if (!solver_plate(solver$name)$dual) {
    return(model)
  }
  ended <- as.data.frame(t(result$convergence))
  names(ended) <- c("iterations", "gap", "objective", "finished")
  ended$finished <- ended$finished == 1
  if (nrow(ended) > 1) rownames(ended) <- machine_names(model$machines, model$levels)
  model$convergence <- ended
  if (result$status == 0 && !all(ended$finished)) {
    said_by(solver, "unfinished", model)
  }
  model
}

# Calls the solver's own function `<solver>_<what>()`, if its file defines one.
said_by <- function(solver, what, ...) {
  say <- get0(paste0(solver$name, "_", what), envir = asNamespace("onlinesvm"), mode = "function")
  if (!is.null(say)) say(...)
}

matters <- function(coef) {
  size <- if (is.matrix(coef)) row_max(abs(coef)) else abs(coef)
  size > .Machine$double.eps * max(size, 0)
}

bind_rows <- function(a, b) if (is.null(a) || nrow(a) == 0) b else rbind(a, b)

take_counts <- function(model, result, seconds) {
  before <- model$stats
  counts <- result$counts
  model$n_seen <- counts[5] + if (is.null(model$n_seen)) 0 else model$n_seen
  model$stats <- list(
    steps = counts[1], updates = counts[2], kernel_evaluations = counts[3], seconds = seconds
  )
  if (!is.null(before)) {
    model$stats <- Map(`+`, before, model$stats)
  }
  if (model$control$trace) {
    epochs <- seq_len(counts[4])
    rows <- as.data.frame(result$trace[epochs, , drop = FALSE])
    names(rows) <- c("loss", "violations", "sv", "seconds")
    rows <- cbind(epoch = epochs + NROW(model$trace), rows)
    model$trace <- rbind(model$trace, rows)
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
