# A model is a plain list that may come from a file: before it is used, every
# field the core relies on is checked.
check_model <- function(object) {
  need(is.list(object), "it is not a list")
  check_format(object$format)
  need(inherits(object$solver, "osvm_solver"), "its solver is missing")
  need(inherits(object$kernel, "osvm_kernel"), "its kernel is missing")
  check_spec(object$solver, "solver")
  kernel <- check_spec(object$kernel, "kernel")
  need(kernel$name == "linear" || !is.null(kernel$params$gamma), "its kernel is incomplete")
  check_classes(object)
  check_coefficients(object)
  check_scaling(object$scaling, object$n_features)
  check_extent(object$extent)
  check_control(object)
  check_counts(object)
  invisible(object)
}

# Raised whenever the fields of a model change meaning.
model_format <- 2L

check_format <- function(format) {
  need(is.null(format) || is_one_number(format), "its format is unreadable")
  if (is.null(format) || format != model_format) {
    made <- if (is.null(format) || format < model_format) "an older" else "a newer"
    abort(c(
      "The model was made by {made} version of the package, whose format this version does not read.",
      i = "Fit it anew with {.fn osvm}, or use the version that made it."
    ))
  }
}

need <- function(ok, what) {
  if (!isTRUE(ok)) {
    abort(c("The model is damaged: {what}.", i = "Fit it anew with {.fn osvm}."))
  }
}

check_classes <- function(object) {
  classes <- length(object$levels)
  need(is.character(object$levels) && classes >= 2, "its classes are missing")
  class_from <- function(x, from) {
    is.numeric(x) && !anyNA(x) && all(x == round(x) & x >= from & x <= classes)
  }
  machines <- object$machines
  need(is.data.frame(machines) && nrow(machines) > 0, "its machines are missing")
  need(class_from(machines$positive, 1) && class_from(machines$negative, 0), "its machines are damaged")
  need(is.character(object$multiclass), "its machines are damaged")
  need(is.list(object$label), "its labels are missing")
  need(!is.null(object$label$kind) && !is.null(object$label$values), "its labels are missing")
  need(all_finite(object$class_weights, classes), "its class weights are missing")
  need(is.null(object$prob_slope) || all_finite(object$prob_slope, 1), "its probabilities are damaged")
}

check_coefficients <- function(object) {
  machines <- nrow(object$machines)
  d <- object$n_features
  need(is_one_number(d) && d >= 1, "its number of features is missing")
  names <- object$feature_names
  need(is.null(names) || is.character(names) && length(names) == d, "its feature names do not fit")
  kept <- d
  if (keeps_examples(object) && !(is_stripped(object) && is_primal(object))) {
    sv <- object$sv
    numeric <- is.matrix(sv) && (is.numeric(sv) || is.logical(sv))
    need(numeric || inherits(sv, "dgCMatrix"), "its support vectors are missing")
    need(ncol(sv) == d, "its support vectors do not fit its features")
    describe_columns(sv, "sv", moments = FALSE)
    kept <- nrow(sv)
  }
  size <- if (is_primal(object)) d else kept
  fits <- all_finite(object$coef, size * machines) && identical(dim(object$coef), as.integer(c(size, machines)))
  need(fits, "its coefficients do not fit its support vectors or features")
  need(all_finite(object$intercept, machines), "its intercepts are missing")
  if (!is_stripped(object)) check_state(object, kept, machines)
}

# The layers of `state` and rows of `scalars` go by name in R, by position in the core: both
# must be exactly those the solver declares.
check_state <- function(object, kept, machines) {
  info <- solver_info(object$solver$name)
  declared <- solver_traits(object$solver)
  need(all_finite(object$scalars, length(declared$scalars) * machines), "its scalars are missing")
  need(identical(rownames(object$scalars), declared$scalars), "its scalars are damaged")
  need(!info$forgets || all_finite(object$id, kept), "its examples are not numbered")
  state <- object$state
  if (is.null(state)) {
    need(!needs_state(info, declared$columns), "its state is missing")
  } else {
    need(all_finite(state, length(declared$columns) * kept * machines), "its state does not fit its coefficients")
    need(identical(dimnames(state)[[3]], declared$columns), "its state is damaged")
  }
}

check_scaling <- function(scaling, d) {
  if (!is.null(scaling)) {
    need(is.list(scaling) && all_finite(scaling$scale, d), "its scaling does not fit its features")
    need(all(scaling$scale > 0), "its scaling is damaged")
    center <- scaling$center
    need(is.null(center) || all_finite(center, d), "its centring does not fit its features")
  }
}

check_extent <- function(extent) {
  need(is.list(extent), "its extent is missing")
  need(is_one_number(extent$largest) && is_one_number(extent$norm), "its extent is damaged")
  need(is_one_flag(extent$far), "its extent is damaged")
  means <- extent[c("square", "spread")]
  need(all(vapply(means, function(x) is.null(x) || is_one_number(x), NA)), "its extent is damaged")
}

check_control <- function(object) {
  control <- object$control
  need(is.list(control) && is_one_flag(object$sparse), "its settings are missing")
  need(is_one_number(control$cache_mb) && is_one_number(control$threads), "its settings are damaged")
  need(is_one_flag(control$verbose) && is_one_flag(control$trace), "its settings are damaged")
}

check_counts <- function(object) {
  stats <- object$stats
  need(is.list(stats) && length(stats) == 4 && is_one_number(object$n_seen), "its counts are missing")
  need(all(vapply(stats, is_one_number, NA)), "its counts are damaged")
  ended <- object$convergence
  need(is.null(ended) || is.data.frame(ended) && length(ended) == 4, "its convergence is damaged")
  trace <- object$trace
  need(is.null(trace) || is.data.frame(trace) && length(trace) == 5, "its trace is damaged")
}

is_one_number <- function(x) is.numeric(x) && length(x) == 1 && is.finite(x)
is_one_flag <- function(x) is.logical(x) && length(x) == 1 && !is.na(x)

all_finite <- function(x, length) {
  is.numeric(x) && length(x) == length && all(is.finite(x))
}
