# A model is a plain list that may come from a file: before it is used, every
# field the core relies on is checked.
check_model <- function(object) {
  damaged <- function(what) {
    abort(c("The model is damaged: {what}.", i = "Fit it anew with {.fn osvm}."))
  }
  if (!is.list(object)) damaged("it is not a list")
  for (kind in c("solver", "kernel")) {
    if (!inherits(object[[kind]], paste0("osvm_", kind))) damaged(paste("its", kind, "is missing"))
  }
  kernel <- check_spec(object$kernel, "kernel")
  check_spec(object$solver, "solver")
  if (kernel$name != "linear" && is.null(kernel$params$gamma)) damaged("its kernel is incomplete")
  if (!is.character(object$levels) || length(object$levels) < 2) damaged("its classes are missing")
  check_machines(object, damaged)
  check_coefficients(object, damaged)
  check_settings(object, damaged)
  invisible(object)
}

check_machines <- function(object, damaged) {
  machines <- object$machines
  whole_in <- function(x, from) {
    is.numeric(x) && !anyNA(x) && all(x == round(x) & x >= from & x <= length(object$levels))
  }
  ok <- is.data.frame(machines) && nrow(machines) > 0 && whole_in(machines$positive, 1) &&
    whole_in(machines$negative, 0) && is.character(object$multiclass)
  if (!ok) damaged("its machines are missing")
  if (!is.list(object$label) || is.null(object$label$kind) || is.null(object$label$values)) {
    damaged("its labels are missing")
  }
}

check_coefficients <- function(object, damaged) {
  machines <- nrow(object$machines)
  if (!is_count(object$n_features)) damaged("its number of features is missing")
  size <- kept <- object$n_features
  if (keeps_examples(object)) {
    fits <- (is.matrix(object$sv) && (is.numeric(object$sv) || is.logical(object$sv))) ||
      inherits(object$sv, "dgCMatrix")
    if (!fits || ncol(object$sv) != object$n_features) {
      damaged("its support vectors do not fit its features")
    }
    describe_columns(object$sv, "sv")
    kept <- nrow(object$sv)
    if (!is_primal(object)) size <- kept
  }
  if (!all_finite(object$coef, size * machines) || !identical(dim(object$coef), as.integer(c(size, machines)))) {
    damaged("its coefficients do not fit its support vectors or features")
  }
  if (!all_finite(object$intercept, machines)) damaged("its intercepts are missing")
  if (!all_finite(object$tally, 3 * machines)) damaged("its step counts are missing")
  if (!is.null(object$going) && !all_finite(object$going, 2 * kept * machines)) {
    damaged("its averages do not fit its coefficients")
  }
}

check_settings <- function(object, damaged) {
  scaling <- object$scaling
  d <- object$n_features
  ok <- is.null(scaling) || (is.list(scaling) && all_finite(scaling$scale, d) && all(scaling$scale > 0) &&
    (is.null(scaling$center) || all_finite(scaling$center, d)))
  if (!ok) damaged("its scaling does not fit its features")
  extent <- object$extent
  control <- object$control
  ok <- is.list(extent) && is_one_number(extent$largest) && is_one_number(extent$norm) && is_one_flag(extent$far) &&
    is.list(control) && is_one_number(control$cache_mb) && is_one_number(control$threads) &&
    is_one_flag(control$verbose) && is_one_flag(control$trace) && is_one_flag(object$sparse)
  if (!ok) damaged("its settings are missing")
  names <- object$feature_names
  if (!is.null(names) && (!is.character(names) || length(names) != d)) damaged("its feature names do not fit")
  stats <- object$stats
  if (!is.list(stats) || length(stats) != 4 || !all(vapply(stats, is_one_number, NA)) || !is_one_number(object$n_seen)) {
    damaged("its counts are missing")
  }
  if (!is.null(object$trace) && (!is.data.frame(object$trace) || length(object$trace) != 5)) {
    damaged("its trace is damaged")
  }
  if (!all_finite(object$class_weights, length(object$levels))) damaged("its class weights are missing")
  if (!is.null(object$prob_slope) && !all_finite(object$prob_slope, 1)) damaged("its probabilities are damaged")
}

is_one_number <- function(x) is.numeric(x) && length(x) == 1 && is.finite(x)
is_count <- function(x) is_one_number(x) && x >= 1
is_one_flag <- function(x) is.logical(x) && length(x) == 1 && !is.na(x)

all_finite <- function(x, length) {
  is.numeric(x) && length(x) == length && all(is.finite(x))
}
