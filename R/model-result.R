# A model in training: what it has learned is the core's, behind a pointer, and the pointer holds the header, all other
# fields of the model, so that an update changes both at once. In R a live model is a list of the header, the counts and
# `live`, the pointer. learn() and decision_values() take it like any other.

core_fields <- c(
  "sv", "target", "coef", "state", "scalars", "id", "index", "merged", "intercept", "n_sv", "n_seen", "n_forgotten",
  "stats", "trace", "live"
)

model_header <- function(model) model[!names(model) %in% core_fields]

# The live model as it is in the core; NULL: it is closed.
live_state <- function(pointer) {
  state <- .Call(ffi_live_state, pointer)
  if (is.null(state)) {
    return(NULL)
  }
  model <- state$header
  model$live <- pointer
  with_counts(model, state$counts)
}

# `counts` as in trained_part(); NULL: nothing is learned yet.
with_counts <- function(model, counts) {
  if (!is.null(counts)) {
    model$n_sv <- as.integer(counts[2])
    model$n_seen <- counts[1]
  }
  model
}

# The ordinary model of this moment; one that is not live, as it is.
live_model <- function(model) {
  if (!is_live(model)) {
    return(model)
  }
  state <- live_state(model$live)
  if (is.null(state$n_seen)) model_header(state) else read_model(model_header(state), state$live)$model
}

# The model that the core has, with its header, and `kept`: places of its examples among those before the last run and
# those it was given (`x`, `rows`).
read_model <- function(header, pointer, x = NULL, rows = NULL) {
  result <- core_result(.Call(ffi_live_read, pointer), "Reading the model")
  model <- header
  machines <- nrow(model$machines)
  size <- nrow(result$coef)
  coef <- result$coef
  if (keeps_examples(model)) {
    model$index <- replace(result$number, result$number == 0, NA)
    model$id <- if (model$solver$traits$forgets) result$number
    sv <- if (model$sparse) rows_to_sparse(result$rows, model$n_features) else result$rows
    if (!is.null(model$feature_names)) colnames(sv) <- model$feature_names
    model$target <- kept_targets(model, result$target)
    model$merged <- if (merges(model)) is.na(first_target(model$target))
    model$sv <- if (is.null(x)) sv else as_given(sv, header$sv, x, rows, result$kept, model$merged)
    if (is_primal(model)) {
      coef <- result$weights
      if (is.null(coef)) coef <- primal_weights(model$transform, sv, result$coef)
    }
  }
  names <- if (machines > 1) machine_names(model)
  dimnames(coef) <- list(if (is_primal(model) && is.null(model$transform$map)) model$feature_names, names)
  model$coef <- coef
  model$intercept <- result$intercept
  names(model$intercept) <- names
  model$state <- if (needs_state(model$solver)) {
    array(result$state, c(size, machines, length(result$columns)), list(NULL, NULL, result$columns))
  }
  if (!all_finite(coef, length(coef)) || !all_finite(result$state, length(result$state))) {
    abort("The fit failed: the kernel values grew beyond all numbers; scale the data.")
  }
  model$scalars <- result$scalars
  model <- with_counts(model, result$counts)
  if (result$counts[3] > 0) model$n_forgotten <- as.integer(result$counts[3])
  model$stats <- stats::setNames(as.list(result$counts[4:7]), count_names)
  model <- with_convergence(model, result$convergence)
  if (model$control$trace || length(result$trace) > 0) model$trace <- read_trace(result$trace, result$counts[8])
  extended <- solver_hook(model$solver, "fields", model)
  list(model = if (is.null(extended)) model else extended, kept = result$kept)
}

# Rows in the type, and with the row names, of those they were chosen from; the core has numbers alone. Merged ones have
# neither.
as_given <- function(sv, before, x, rows, kept, merged) {
  if (is.null(merged) && !isS4(x) && !is.double(x) && (is.null(before) || !is.double(before))) {
    storage.mode(sv) <- if (is.integer(x) || is.integer(before)) "integer" else "logical"
  }
  names <- list(rownames(before), rownames(x))
  if (is.null(names[[1]]) && is.null(names[[2]])) {
    return(sv)
  }
  names <- c(
    if (is.null(names[[1]])) character(NROW(before)) else names[[1]],
    if (is.null(names[[2]])) character(length(rows)) else names[[2]][rows]
  )[kept]
  names[is.na(names)] <- ""
  if (any(nzchar(names))) rownames(sv) <- names
  sv
}

# Non-zeros row by row are the columns of the transpose.
rows_to_sparse <- function(rows, columns) {
  transposed <- methods::new("dgCMatrix",
    Dim = c(as.integer(columns), length(rows$length)), p = c(0L, cumsum(rows$length)), i = rows$column, x = rows$value
  )
  Matrix::t(transposed)
}

# A row per machine; only solvers of a dual report convergence. NA: not checked.
with_convergence <- function(model, ended) {
  if (!is.null(ended) && model$solver$traits$dual) {
    gap <- ended[2, ]
    gap[is.nan(gap)] <- NA
    columns <- list(iterations = ended[1, ], gap = gap, objective = ended[3, ], finished = ended[4, ] == 1)
    model$convergence <- as_table(columns, if (ncol(ended) > 1) machine_names(model))
  }
  model
}

# A row per epoch; `rows`: a column for each.
read_trace <- function(rows, first) {
  columns <- if (is.null(rows)) rep(list(numeric()), 4) else lapply(1:4, function(k) rows[k, ])
  epochs <- as.integer(first) - 1L + seq_along(columns[[1]])
  as_table(stats::setNames(c(list(epochs), columns), trace_names))
}
