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
  if (is.null(state$counts)) model else with_counts(model, state$counts)
}

# `counts`: since the first example.
with_counts <- function(model, counts) {
  model$n_sv <- as.integer(counts[["n_sv"]])
  model$n_seen <- counts[["seen"]]
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
  coef <- result$coef
  if (!is.finite(sum(coef, result$state)) && !all(is.finite(coef), is.finite(result$state))) {
    abort("The fit failed: the kernel values grew beyond all numbers; scale the data.")
  }
  model <- header
  traits <- .subset2(model$solver, "traits")
  primal <- .subset2(model$kernel, "traits")$linear
  machines <- nrow(model$machines)
  names <- if (machines > 1) machine_names(model)
  if (keeps_examples(model)) {
    model$index <- replace(result$number, result$number == 0, NA)
    model$id <- if (traits$forgets) result$number
    sv <- if (model$sparse) rows_to_sparse(result$rows, model$n_features) else result$rows
    if (!is.null(model$feature_names)) colnames(sv) <- model$feature_names
    target <- replace(result$target + predicts_classes(model), is.nan(result$target), NA) # numbered from 1
    model$target <- if (n_columns(model) > 1) matrix(target, ncol = n_columns(model)) else target
    model$merged <- if (merges(model)) is.na(first_target(model$target))
    model$sv <- if (is.null(x)) sv else as_given(sv, header$sv, x, rows, result$kept, model$merged)
    if (primal) coef <- if (is.null(result$weights)) primal_weights(model$transform, sv, coef) else result$weights
  }
  dimnames(coef) <- list(if (primal && is.null(model$transform$map)) model$feature_names, names)
  model$coef <- coef
  model$intercept <- result$intercept
  names(model$intercept) <- names
  model$state <- if (traits$dual || !identical(traits$column_roles, "coef")) {
    columns <- result$columns
    array(result$state, c(length(result$state) / (machines * length(columns)), machines, length(columns)),
          list(NULL, NULL, columns))
  }
  model$scalars <- result$scalars
  counts <- result$counts
  model <- with_counts(model, counts)
  if (counts[["forgotten"]] > 0) model$n_forgotten <- as.integer(counts[["forgotten"]])
  model$stats <- as.list(counts[count_names])
  if (traits$dual && !is.null(result$convergence)) model$convergence <- convergence_table(model, result$convergence)
  if (model$control$trace || length(result$trace) > 0) {
    epoch <- as.integer(counts[["epoch"]]) - 1L + seq_len(ncol(result$trace))
    values <- lapply(stats::setNames(nm = trace_names[-1]), function(name) unname(result$trace[name, ]))
    model$trace <- as_table(c(list(epoch = epoch), values))
  }
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

# How the run of each machine of a dual ended, a row for each. A gap that was not checked is NA.
convergence_table <- function(model, ended) {
  columns <- lapply(stats::setNames(nm = convergence_names), function(name) unname(ended[name, ]))
  columns$gap[is.nan(columns$gap)] <- NA
  columns$finished <- columns$finished == 1
  as_table(columns, if (ncol(ended) > 1) machine_names(model))
}
