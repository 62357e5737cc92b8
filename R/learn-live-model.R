# A model in training whose examples and state are in the core (`live`: a pointer to them, and
# whether they are in double precision). learn() and decision_values() take it like any other; the
# fields that hold examples, coefficients and state are missing from it.

# An untrained model starts empty.
open_live <- function(model) {
  doubles <- wants_doubles(model, model$extent)
  empty <- empty_matrix(model_width(model), model$sparse)
  pointer <- .Call(
    ffi_live_open, core_data(empty, model$transform, rows = integer()), live_start(model),
    core_labels(model, list(class = integer(), weight = numeric()), integer()),
    core_kernel(model$kernel), c(core_solver(model$solver), list(seed = 0)), run_control(model)
  )
  core_result(pointer, "Opening the model")
  model[c("sv", "target", "coef", "state", "scalars", "id", "merged", "intercept")] <- NULL
  model$live <- list(pointer = pointer, doubles = doubles)
  model
}

empty_matrix <- function(columns, sparse) {
  if (sparse) methods::new("dgCMatrix", Dim = c(0L, as.integer(columns)), p = integer(columns + 1)) else
    matrix(0, 0, columns)
}

# The state of an earlier run, and what predictions use: coefficients of examples, or weights.
live_start <- function(model) {
  start <- carried_state(model)
  if (is.null(start)) {
    return(NULL)
  }
  weights <- is_primal(model) && keeps_examples(model)
  start[[if (weights) "weights" else "coef"]] <- as.double(model$coef)
  start$intercept <- as.double(model$intercept)
  start$number <- if (!is.null(model$id)) as.double(model$id) else if (!is.null(model$merged)) as.double(!model$merged)
  start$seen <- as.double(model$n_seen)
  start$n_sv <- as.double(model$n_sv)
  start
}

# `forget`: positions among the examples that the model keeps.
learn_live <- function(model, examples, rows, forget = NULL) {
  doubles <- wants_doubles(model, model$extent)
  if (doubles != model$live$doubles) model <- open_live(live_model(model))
  bar <- progress_bar(model$control$verbose)
  started <- proc.time()[["elapsed"]]
  folded <- fold_examples(model, examples, rows)
  rows <- folded$rows
  result <- .Call(
    ffi_live_update, model$live$pointer,
    core_data(examples$x, model$transform, rows = rows - 1L, visits = folded$visits),
    if (!is.null(forget)) forget - 1L, core_labels(model, folded$examples, rows), core_kernel(model$kernel),
    core_solver(model$solver), run_control(model, bar, doubles)
  )
  bar$done()
  core_result(result, "The fit")
  result$counts <- unfold_counts(result$counts, folded$times)
  model$n_sv <- result$n_sv
  read_report(model, result, proc.time()[["elapsed"]] - started)
}
