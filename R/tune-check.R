# Tunings, comparisons and folds are plain lists that may come from a file: before one is printed, drawn or used, the
# fields that are read are checked, as check_model() does for models.

need_tuning <- function(ok, what) {
  if (!isTRUE(ok)) {
    abort(c("The tuning is damaged: {what}.", i = "Make it anew with {.fn osvm_tune}."))
  }
}

check_tuning <- function(tuned) {
  need_tuning(is.list(tuned) && inherits(tuned, "osvm_tuning"), "it is not a list")
  check_ranges(tuned$solver, "solver")
  check_ranges(tuned$kernel, "kernel")
  need_tuning(is_one_text(tuned$metric) && is_one_flag(tuned$maximize), "its metric is missing")
  check_results(tuned)
  known <- is_one_text(tuned$outcome) && tuned$outcome %in% names(outcome_kinds)
  described <- known && is_one_number(tuned$n) && (is.character(tuned$levels) || tuned$outcome != "classes")
  need_tuning(described, "its data is not described")
  check_ranges(tuned$loss, "loss")
  need_tuning(is_one_number(tuned$points) && is_one_flag(tuned$interrupted), "its progress is missing")
  counts <- is.list(tuned$stats) && is_one_number(tuned$stats$seconds) && is_one_number(tuned$stats$kernel_evaluations)
  need_tuning(counts, "its counts are missing")
  errors <- tuned$errors
  known <- is_plain_table(errors) && is.numeric(errors$point) && is.character(errors$message)
  need_tuning(known, "its errors are missing")
  need_tuning(length(tuned$folds) > 0, "its folds are missing")
  check_runs(tuned$folds, "The tuning")
  need_tuning(is.null(tuned$fit) || inherits(tuned$fit, "osvm"), "its model is damaged")
  invisible(tuned)
}

check_results <- function(tuned) {
  results <- tuned$results
  metric <- tuned$metric
  parameters <- tuned$parameters
  need_tuning(is_plain_table(results) && is.character(parameters), "its results are missing")
  need_tuning(all(parameters %in% names(results)) && anyDuplicated(parameters) == 0,
    "its parameters are not those of its results")
  need_tuning(!"sigma" %in% parameters || is.numeric(attr(tuned$kernel, "sigma")), "its kernel has no width")
  is_value <- function(v) is.numeric(v) || is.character(v) || is.logical(v)
  need_tuning(all(vapply(results, is_value, NA)) && !anyNA(results[parameters]), "its results are damaged")
  optional <- intersect(c("failed", "unfinished"), names(results))
  needed <- c("error", "se", metric, se_column(metric), "n_sv", "seconds", optional)
  need_tuning(all(vapply(results[intersect(needed, names(results))], is.numeric, NA)), "its results are damaged")
  need_tuning(all(needed %in% names(results)), "its results lack a column")
  best <- tuned$best
  fits <- is.null(best) ||
    is_plain_table(best) && nrow(best) == 1 && identical(lapply(best, class), lapply(results, class))
  need_tuning(fits, "its best grid point is damaged")
}

# Folds of a tuning, see describe_folds(). `of`: what they belong to.
check_runs <- function(folds, of = "The argument `folds`") {
  if (!is.list(folds) || !inherits(folds, "osvm_folds") || !all(vapply(unclass(folds), is_run, NA))) {
    abort(c("{of} is damaged: a fold must have its rows and its seed.", i = "Make it anew with {.fn osvm_tune}."))
  }
}

is_run <- function(run) {
  is.list(run) && is_one_number(run$rep) && run$rep >= 1 && is_one_number(run$fold) && is_seed(run$seed) &&
    is_rows(run$train) && is_rows(run$test)
}

is_seed <- function(seed) is.integer(seed) && length(seed) == 1 && !is.na(seed)
is_rows <- function(rows) is.integer(rows) && !anyNA(rows) && all(rows >= 1)

check_comparison <- function(compared) {
  tunings <- if (is.list(compared)) compared$tunings
  whole <- is.list(tunings) && length(tunings) > 0 && is.character(names(tunings)) && !anyNA(names(tunings)) &&
    anyDuplicated(names(tunings)) == 0 && all(vapply(tunings, inherits, NA, "osvm_tuning"))
  if (!whole || !is_plain_table(compared$table)) {
    abort(c("The comparison is damaged: its tunings or its table are missing.",
      i = "Make it anew with {.fn osvm_compare}."))
  }
  for (tuned in tunings) check_tuning(tuned)
  known <- lapply(compare_tunings(tunings), class)
  if (!identical(lapply(compared$table, class), known)) {
    abort(c("The comparison is damaged: its table does not fit its tunings.",
      i = "Make it anew with {.fn osvm_compare}."))
  }
}
