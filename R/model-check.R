# A model is a plain list that may come from a file: before it is used, every field that is
# relied on is checked. Most fields are fixed by the first fit: those that passed their checks
# (model-fixed.R) are remembered. What training changes is checked at every call, at the cost
# of reading it once. Both functions return the model without its class, whose methods R would
# look for at every `$`.
check_model <- function(object) {
  object <- check_predictor(object)
  check_counts(object)
  if (!is_stripped(object)) check_state(object)
  invisible(object)
}

# As far as decision values depend on it.
check_predictor <- function(object) {
  need(is.list(object), "it is not a list")
  object <- in_current_format(unclass(object))
  check_fixed_fields(object)
  check_extent(object$extent)
  check_model_range(object$range, object$n_features)
  remembered("transforms", object[c("transform", "scaling", "n_features", "sparse")], check_transform)
  check_coefficients(object)
  invisible(object)
}

# A summary holds its model without the support vectors.
check_summary <- function(x) {
  need(is.list(x) && is.list(x$model), "its summary has no model")
  model <- in_current_format(unclass(x$model))
  check_fixed_fields(model)
  check_counts(model)
  support <- x$support
  need(is.null(support) || is.data.frame(support), "its summary is damaged")
  need(is.null(x$trace) || is_table(x$trace, trace_names), "its trace is damaged")
}

check_fixed_fields <- function(object) {
  remembered("models", object[!names(object) %in% trained_fields], check_fixed)
}

trained_fields <- c(
  "sv", "n_sv", "target", "coef", "intercept", "state", "scalars", "id", "merged", "extent", "range", "warned",
  "na.action", "n_seen", "n_forgotten", "stats", "transform", "live", "trace", "convergence", "sets", "path", "call",
  "asked", "answers", "curve", "shards", "compression"
)

check_coefficients <- function(object) {
  machines <- length(object$machines$positive)
  d <- model_width(object)
  primal <- is_primal(object)
  kept <- if (keeps_examples(object) && !(primal && is_stripped(object))) check_support(object) else d
  coef <- object$coef
  size <- as.integer(c(if (primal) d else kept, machines))
  fits <- identical(dim(coef), size) && all_finite(coef, length(coef))
  need(fits, "its coefficients do not fit its support vectors or features")
  need(all_finite(object$intercept, machines), "its intercepts are missing")
}

# Returns the number of support vectors.
check_support <- function(object) {
  sv <- object$sv
  known <- if (object$sparse) is_sparse(sv) && sound_dimnames(sv) else !isS4(sv) && is.matrix(sv)
  need(known, "its support vectors are missing")
  shape <- .Call(ffi_shape, list(x = sv))
  if (is.character(shape)) need(FALSE, paste("its support vectors cannot be used,", shape))
  need(shape[2] == model_width(object), "its support vectors do not fit its features")
  known <- is.numeric(object$target) && length(object$target) == shape[1]
  need(known && outcome_of(object)$is_target(object, object$target), "the targets of its support vectors are missing")
  merged <- object$merged
  marked <- is.null(merged) || (is.logical(merged) && length(merged) == shape[1] && !anyNA(merged))
  need(marked, "its merged support vectors are not marked")
  shape[1]
}

# The layers of `state` and rows of `scalars` go by name in R, by position in the core: both
# must be exactly those the solver declares.
check_state <- function(object) {
  machines <- length(object$machines$positive)
  kept <- if (keeps_examples(object)) nrow(object$sv) else model_width(object)
  info <- solver_info(object$solver$name)
  declared <- solver_traits(object$solver)
  need(all_finite(object$scalars, length(declared$scalars) * machines), "its scalars are missing")
  need(identical(rownames(object$scalars), declared$scalars), "its scalars are damaged")
  need(!info$forgets || all_finite(object$id, kept), "its examples are not numbered")
  state <- object$state
  columns <- declared$columns
  if (is.null(state)) {
    need(!needs_state(object$solver), "its state is missing")
  } else {
    fits <- identical(dim(state), as.integer(c(kept, machines, length(columns)))) && all_finite(state, length(state))
    need(fits, "its state does not fit its coefficients")
    need(identical(dimnames(state)[[3]], columns), "its state is damaged")
  }
}

check_extent <- function(extent) {
  need(is.list(extent), "its extent is missing")
  extent <- unclass(extent)
  fits <- is_one_number(extent$largest) && is_one_number(extent$norm) && is_one_flag(extent$far)
  for (mean in extent[c("square", "spread")]) fits <- fits && (is.null(mean) || is_one_number(mean))
  need(fits, "its extent is damaged")
}

check_model_range <- function(range, d) {
  fits <- is.list(range) && all_finite(range$low, d) && all_finite(range$high, d)
  need(is.null(range) || fits, "its range is damaged")
}

check_counts <- function(object) {
  stats <- object$stats
  need(is.list(stats) && identical(names(stats), count_names), "its counts are missing")
  counts <- is_one_number(object$n_seen) && is_one_number(object$n_sv) && all(lengths(stats) == 1L) &&
    all(vapply(stats, is.numeric, NA)) &&
    all_finite(unlist(stats), 4) && (is.null(object$n_forgotten) || is_one_number(object$n_forgotten))
  need(counts, "its counts are damaged")
  ended <- object$convergence
  fits <- is.null(ended) || is_table(ended, convergence_names, length(object$machines$positive))
  need(fits, "its convergence is damaged")
  need(is.null(object$trace) || is_table(object$trace, trace_names), "its trace is damaged")
}

count_names <- c("steps", "updates", "kernel_evaluations", "seconds")
convergence_names <- c("iterations", "gap", "objective", "finished")
trace_names <- c("epoch", "loss", "violations", "sv", "seconds")
