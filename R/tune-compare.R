#' Compare solvers over their grids
#'
#' Tunes several solvers on the same folds and tabulates their results: the mean over the
#' grid, which shows the sensitivity to the parameters, the best grid point, and the total time.
#'
#' @param x,y,formula,data As in [osvm_tune()]. Or `x` alone: a tuning made by
#'   [osvm_tune()], or a list of tunings, whose names go into table and legend.
#' @param solvers A list of solvers such as [solver_olsvm()], whose parameters may have
#'   several values, or their names. The list's own names, if it has some, go into table and legend.
#' @param kernel The kernel for all of them.
#' @param folds,repeats,foldid The folds for all of them, see [osvm_tune()].
#' @param weights,subset,na.action As in [osvm()].
#' @param refit Train each solver's best grid point on all examples? The models are in
#'   `tunings`.
#' @param ... Further arguments of [osvm_tune()], such as `grid`, `metric` and `scale`; for the
#'   formula and data frame methods, the arguments above; with a tuning, further tunings.
#' @return A list of class `osvm_comparison` with
#'   \item{table}{a data frame with a row per solver: the number of `points`, mean and best of the
#'     metric over them, the best one's standard error `se`, and the
#'     `seconds`, in all and per grid point}
#'   \item{tunings}{the tunings, as [osvm_tune()] returns them}
#' @details Ctrl-C returns what is done so far, as in [osvm_tune()].
#' @seealso [osvm_tune()], [`plot()`][plot.osvm_comparison]
#' @export
#' @examples
#' set.seed(1)
#' board <- chessboard(300)
#' C <- 10^(0:3)
#' both <- osvm_compare(
#'   board$x, board$y, list(solver_olsvm(C), solver_smo(C)), kernel_rbf(sigma = c(0.1, 0.3, 1))
#' )
#' both
#' plot(both)
osvm_compare <- function(x, ...) {
  if (!missing(x)) check_package(x)
  UseMethod("osvm_compare")
}

#' @rdname osvm_compare
#' @export
osvm_compare.default <- function(x, y, solvers, kernel = NULL, ..., folds = 5, repeats = 1, foldid = NULL,
                                 weights = NULL, refit = FALSE, na.action = stats::na.omit) {
  check_dots("osvm_compare", ..., .also = tune_arguments)
  if (missing(y)) y <- without_labels(list(...)$loss)
  rows <- learned_rows(list(x = as_input(x), y = y, weights = weights, foldid = foldid), na.action)
  solvers <- check_solvers(if (missing(solvers)) NULL else solvers)
  loss <- choose_loss(split_spec(list(...)$loss)$spec, rows$y)
  plan <- make_plan(read_outcome(rows$y, nrow(rows$x), loss = loss), folds, repeats, rows$foldid)
  shared <- describe_folds(plan, shuffled = TRUE)
  tunings <- list()
  for (name in names(solvers)) {
    tuned <- suppressMessages(classes = "osvm_guess", osvm_tune.default( # said above
      rows$x, rows$y, solvers[[name]], kernel, folds = shared, weights = rows$weights, refit = refit, ...
    ))
    tunings[[name]] <- called_tuning(tuned, match.call(), rows)
    if (tuned$interrupted) break
  }
  new_comparison(tunings)
}

#' @rdname osvm_compare
#' @export
osvm_compare.data.frame <- function(x, y, ..., foldid = NULL, weights = NULL, subset = NULL,
                                    na.action = stats::na.omit) {
  check_passed("osvm_compare", osvm_compare.default, ..., .also = tune_arguments)
  examples <- examples_of()
  compared <- osvm_compare.default(examples$x, examples$y, ..., foldid = examples$foldid, weights = examples$weights)
  compared$tunings <- lapply(compared$tunings, called_tuning, match.call(), examples)
  compared
}

#' @rdname osvm_compare
#' @export
osvm_compare.formula <- function(formula, data = NULL, ..., foldid = NULL, weights = NULL, subset = NULL,
                                 na.action = stats::na.omit) {
  check_passed("osvm_compare", osvm_compare.default, ..., .also = tune_arguments)
  examples <- examples_of()
  compared <- osvm_compare.default(examples$x, examples$y, ..., foldid = examples$foldid, weights = examples$weights)
  compared$tunings <- lapply(compared$tunings, called_tuning, match.call(), examples)
  compared
}

#' @rdname osvm_compare
#' @export
osvm_compare.list <- function(x, ...) {
  check_dots("osvm_compare", ...)
  if (length(x) == 0 || !all(vapply(x, inherits, NA, "osvm_tuning"))) {
    abort("{.arg x} must be a list of tunings made by {.fn osvm_tune}.")
  }
  for (tuned in x) check_tuning(tuned)
  metrics <- unique(vapply(x, `[[`, "", "metric"))
  if (length(metrics) > 1) {
    abort("{.arg x} holds tunings by different metrics: {.val {metrics}}.")
  }
  names(x) <- solver_labels(x, lapply(x, `[[`, "solver"))
  new_comparison(x)
}

#' @rdname osvm_compare
#' @export
osvm_compare.osvm_tuning <- function(x, ...) {
  for (name in dot_names(...)[!vapply(list(...), inherits, NA, "osvm_tuning")]) {
    if (name == "") abort("Further arguments must be tunings made by {.fn osvm_tune}.")
    abort("{.arg {name}} must be a tuning made by {.fn osvm_tune}.")
  }
  osvm_compare.list(list(x, ...))
}

# The arguments of osvm_tune() that osvm_compare() passes on.
tune_arguments <- c(
  "grid", "random", "metric", "maximize", "scale", "multiclass", "class_weights", "cache_mb", "threads", "progress",
  "loss", "precision", "race"
)

check_solvers <- function(solvers) {
  if (inherits(solvers, "osvm_solver")) {
    solvers <- list(solvers)
  }
  if (length(solvers) == 0 || !is.list(solvers) && !is.character(solvers)) {
    abort("{.arg solvers} must be a list of solvers made by {.code solver_} functions, or their names.")
  }
  solvers <- as.list(solvers)
  specs <- lapply(solvers, function(solver) as_spec(split_spec(solver)$spec, "solver"))
  stats::setNames(solvers, solver_labels(solvers, specs))
}

# The names given, else those of the solvers, made unique.
solver_labels <- function(things, specs) {
  given <- if (is.null(names(things))) rep("", length(things)) else names(things)
  own <- vapply(specs, `[[`, "", "name")
  make.unique(ifelse(given == "", own, given), sep = " ")
}

new_comparison <- function(tunings) {
  structure(list(table = compare_tunings(tunings), tunings = tunings), class = "osvm_comparison")
}

compare_tunings <- function(tunings) {
  metric <- tunings[[1]]$metric
  column <- function(f) vapply(tunings, f, 0, USE.NAMES = FALSE)
  or_na <- function(value) if (is.null(value)) NA_real_ else value
  table <- data.frame(solver = names(tunings), points = column(function(t) nrow(t$results)))
  table[[paste0("mean_", metric)]] <- column(function(t) mean(t$results[[metric]], na.rm = TRUE))
  table[[paste0("best_", metric)]] <- column(function(t) or_na(t$best[[metric]]))
  table$se <- column(function(t) or_na(t$best[[se_column(metric)]]))
  table$seconds <- column(function(t) sum(t$results$seconds))
  table$seconds_per_point <- table$seconds / pmax(table$points, 1)
  table
}

#' @export
print.osvm_comparison <- function(x, ...) {
  check_dots("print", ...)
  check_comparison(x)
  one <- x$tunings[[1]]
  cat_line("<osvm_comparison> ", plural(length(x$tunings), "solver"))
  print_fields(c(
    kernel = format_kernel(one),
    data = describe_data(one),
    folds = describe_rounds(one)
  ))
  cat_line()
  print_table(x$table)
  invisible(x)
}
