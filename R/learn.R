# One run of the core, and the model that comes out of it.

# Visits the examples (rows: a subset of them) and returns `model` with what was
# learned. A model that was learned before goes on from there.
learn <- function(model, examples, rows = seq_along(examples$class)) {
  solver <- model$solver
  if (isTRUE(solver$params$shuffle)) {
    rows <- rows[sample.int(length(rows))]
  }
  control <- model$control
  bar <- progress_bar(control$verbose)
  started <- proc.time()[["elapsed"]]
  result <- .Call(
    ffi_fit,
    core_data(examples$x, model$scaling, rows = rows - 1L),
    carried_state(model),
    list(
      class = examples$class[rows] - 1L, weight = examples$weight[rows],
      positive = model$machines$positive - 1L, negative = model$machines$negative - 1L
    ),
    numeric_kernel(model$kernel),
    list(
      name = solver$name, params = numeric_params(solver),
      epochs = if (is.null(solver$params$epochs)) 1 else solver$params$epochs,
      shuffle = isTRUE(solver$params$shuffle), seed = sample.int(.Machine$integer.max, 1)
    ),
    list(
      cache_mb = control$cache_mb, threads = control$threads,
      doubles = needs_doubles(model$extent, model$kernel), level = simd_level(), progress = bar$show
    )
  )
  bar$done()
  result <- core_result(result, "The fit")
  seconds <- proc.time()[["elapsed"]] - started
  model <- take_counts(model, result, seconds)
  model <- take_coefficients(model, result, examples$x, rows)
  model <- take_convergence(model, result)
  if (result$status == 1) {
    warn("The fit was interrupted; the model holds what was learned until then.", "osvm_interrupted")
  }
  model
}

is_primal <- function(model) model$kernel$name == "linear"

# Do examples go into the model, as support vectors or to go on learning with?
keeps_examples <- function(model) !is_primal(model) || solver_plate(model$solver$name)$dual

# What the core needs of an earlier run; nothing for a new model.
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

# Coefficients below the rounding of the largest change no output and are left
# out, with their examples.
take_coefficients <- function(model, result, x, rows) {
  machines <- nrow(model$machines)
  names <- machine_names(model$machines, model$levels)
  plate <- solver_plate(model$solver$name)
  averaged <- isTRUE(model$solver$params$average)
  coef <- matrix(result$coef, ncol = machines)
  going <- array(result$going, c(nrow(coef), machines, 2))
  if (keeps_examples(model)) {
    keep <- matters(coef)
    if (averaged) {
      keep <- keep | matters(going[, , 1]) | matters(going[, , 2])
    }
    old <- if (is.null(model$sv)) 0 else nrow(model$sv)
    model$sv <- bind_rows(
      if (old > 0) model$sv[which(keep[seq_len(old)]), , drop = FALSE],
      x[rows[keep[old + seq_along(rows)]], , drop = FALSE]
    )
    coef <- coef[keep, , drop = FALSE]
    going <- going[keep, , , drop = FALSE]
    model$n_sv <- nrow(coef)
  } else {
    model$n_sv <- 0L
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
  model$tally <- matrix(result$tally, ncol = machines, dimnames = list(c("steps", "bias", "bias_sum"), NULL))
  model
}

# How a batch solver ended; solvers that walk epochs have nothing to say here.
take_convergence <- function(model, result) {
  if (!solver_plate(model$solver$name)$dual) {
    return(model)
  }
  ended <- as.data.frame(t(result$convergence))
  names(ended) <- c("iterations", "gap", "objective", "finished")
  ended$finished <- ended$finished == 1
  if (nrow(ended) > 1) rownames(ended) <- machine_names(model$machines, model$levels)
  model$convergence <- ended
  if (result$status == 0 && !all(ended$finished)) {
    limit <- model$solver$params$max_iter
    warn(c(
      "The solver stopped after {.arg max_iter} = {limit} iterations, before it reached its tolerance.",
      i = "Raise {.arg max_iter}, lower {.arg C}, or scale the data; the model is what was reached until then."
    ), "osvm_unfinished")
  }
  model
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

# Tests lower it to reach the code paths of lesser processors.
simd_level <- function() getOption("onlinesvm.simd_level", 3)

progress_bar <- function(verbose) {
  if (!verbose) {
    return(list(show = NULL, done = function() NULL))
  }
  id <- cli::cli_progress_bar(
    "Learning", total = 1000, clear = TRUE, .auto_close = FALSE,
    format = "{cli::pb_name} {cli::pb_bar} {cli::pb_percent} | {cli::pb_eta_str}"
  )
  list(
    show = function(done) cli::cli_progress_update(set = round(1000 * done), id = id),
    done = function() cli::cli_progress_done(id = id)
  )
}
