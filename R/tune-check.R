# Tunings, comparisons and folds, as check_model() checks models.

of_tunings <- c("The tuning", "Make it anew with {.fn osvm_tune}.")

check_tuning <- function(tuned) check_fields(tuned, tuning_fields, of_tunings)

tuning_fields <- list(
  solver = type("a solver", function(x, tuned) is.list(check_ranges(x, "solver"))),
  kernel = type("a kernel", function(x, tuned) is.list(check_ranges(x, "kernel"))),
  metric = a_text, maximize = a_flag, n = a_number, precision = or_null(a_number),
  loss = type("a loss", function(x, tuned) is.list(check_ranges(x, "loss"))),
  outcome = type("the name of an outcome", function(x, ...) is_one_text(x) && x %in% names(outcome_kinds)),
  levels = type("names", function(x, tuned) is.character(x) || !predicts_classes(tuned)),
  points = a_number, interrupted = a_flag, stats = record(seconds = a_number, kernel_evaluations = a_number),
  parameters = type("columns of its results", function(x, tuned) {
    is.character(x) && is_plain_table(tuned$results) && all(x %in% names(tuned$results)) && anyDuplicated(x) == 0 &&
      (!"sigma" %in% x || is.numeric(attr(tuned$kernel, "sigma")))
  }),
  results = type("a data frame of parameters, metrics, support vectors and seconds", function(x, tuned) {
    optional <- intersect(c("failed", "unfinished", "folds"), names(x))
    numbers <- c("error", "se", tuned$metric, se_column(tuned$metric), "n_sv", "seconds", optional)
    is_plain_table(x) && all(vapply(x, function(v) is.numeric(v) || is.character(v) || is.logical(v), NA)) &&
      !anyNA(unclass(x)[tuned$parameters], recursive = TRUE) && all(vapply(unclass(x)[numbers], is.numeric, NA))
  }),
  best = or_null(type("a row of its results", function(x, tuned) {
    is_plain_table(x) && nrow(x) == 1 && identical(lapply(x, class), lapply(tuned$results, class))
  })),
  errors = table_with(point = is.numeric, message = is.character),
  folds = type("folds, each with its rows and its seed", function(x, ...) length(x) > 0 && are_runs(x)),
  fit = or_null(of_class("osvm"))
)

# Folds of a tuning, see describe_folds(), given as an argument.
check_runs <- function(folds, name) {
  if (!are_runs(folds)) {
    abort(c("{.arg {name}} is damaged: a fold must have its rows and its seed.", i = of_tunings[2]))
  }
}

are_runs <- function(folds) {
  is.list(folds) && inherits(folds, "osvm_folds") && all(vapply(unclass(folds), has_fields, NA, run_fields))
}

run_rows <- type("numbers of rows", function(x, ...) is.integer(x) && !anyNA(x) && all(x >= 1))

run_fields <- list(
  rep = type("a number from 1 on", function(x, ...) is_one_number(x) && x >= 1), fold = a_number, train = run_rows,
  test = run_rows, seed = type("a seed", function(x, ...) is.integer(x) && length(x) == 1 && !is.na(x))
)

check_comparison <- function(compared) {
  check_fields(compared, comparison_fields, c("The comparison", "Make it anew with {.fn osvm_compare}."))
}

comparison_fields <- list(
  tunings = type("a named list of tunings", function(x, ...) {
    sound <- is.list(x) && length(x) > 0 && is_names(names(x)) && all(vapply(x, inherits, NA, "osvm_tuning"))
    if (sound) for (tuned in x) check_tuning(tuned)
    sound
  }),
  table = type("that of its tunings", function(x, compared) {
    is_plain_table(x) && identical(lapply(x, class), lapply(compare_tunings(compared$tunings), class))
  })
)
