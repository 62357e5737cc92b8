#' Print, summarise and predict with a tuning
#'
#' `print()` shows the best grid points, ranked; `summary()` all of them. `predict()` uses the
#' model trained on all examples with the best parameters.
#'
#' @param x,object A tuning made by [osvm_tune()], or its summary.
#' @param n How many grid points to show.
#' @param newdata,... For `predict()`: see [`predict()`][predict.osvm].
#' @returns `print()` returns its argument, invisibly. `summary()` returns a list of class
#'   `summary.osvm_tuning`: `table`, all grid points ranked, and the `tuning`. `predict()`: see
#'   [`predict()`][predict.osvm].
#' @seealso [osvm_tune()], [`plot()`][plot.osvm_tuning]
#' @examples
#' set.seed(1)
#' tuned <- osvm_tune(Species ~ ., data = iris, solver = solver_lasvm(C = c(1, 10, 100)))
#' tuned
#' table(predict(tuned, iris), iris$Species)
#' @export
print.osvm_tuning <- function(x, n = 10, ...) {
  check_dots("print", ...)
  check_tuning(x)
  n <- read_shown(n)
  cat_line("<osvm_tuning> ", tuning_title(x))
  print_fields(describe_tuning(x))
  print_points(x, n)
  print_hints(x)
  invisible(x)
}

#' @rdname print.osvm_tuning
#' @export
summary.osvm_tuning <- function(object, ...) {
  check_dots("summary", ...)
  check_tuning(object)
  table <- object$results[rank_points(object), , drop = FALSE]
  structure(list(tuning = object, table = table), class = "summary.osvm_tuning")
}

#' @rdname print.osvm_tuning
#' @export
print.summary.osvm_tuning <- function(x, ...) {
  check_dots("print", ...)
  print.osvm_tuning(if (is.list(x)) x$tuning, n = Inf)
  invisible(x)
}

#' @rdname print.osvm_tuning
#' @export
predict.osvm_tuning <- function(object, newdata, ...) {
  check_passed("predict", predict.osvm, ...)
  if (missing(newdata)) {
    abort("{.arg newdata} is missing: a tuning does not keep its training data.")
  }
  stats::predict(tuned_model(object), newdata, ...)
}

read_shown <- function(n, what = "grid points") {
  if (!is.numeric(n) || is.object(n) || length(n) != 1 || is.na(n) || n < 0) {
    abort("{.arg n} must be a number of {what}, or Inf.")
  }
  min(n, .Machine$integer.max)
}

describe_tuning <- function(x) {
  done <- points_done(x)
  behind <- x$points - done
  c(
    solver = if (!is_search(x)) format(x$solver),
    kernel = if (!is_search(x)) format_kernel(x),
    loss = if (!predicts_classes(x)) format(x$loss),
    data = describe_data(x),
    folds = describe_rounds(x),
    points = if (x$interrupted) paste(big(done), "of", big(x$points), "done when interrupted") else
      paste0(big(x$points), if (behind > 0) paste0(", of which ", big(behind), " were given up before the last fold")),
    best = describe_best(x),
    seconds = format(signif(x$stats$seconds, 2))
  )
}

tuning_title <- function(x) if (is_search(x)) "search over kinds of SVM" else solver_title(x$solver)

describe_data <- function(x) paste0(plural(x$n, "example"), ", ", outcome_size(x))

# With sigma in place of gamma, if sigma was varied.
format_kernel <- function(x) {
  kernel <- x$kernel
  if ("sigma" %in% x$parameters) {
    kernel$params <- list(sigma = attr(kernel, "sigma"))
  }
  format(kernel)
}

describe_rounds <- function(x) {
  rounds <- max(vapply(x$folds, `[[`, 0, "rep"))
  paste0(
    length(x$folds) / rounds, if (rounds > 1) paste(", repeated", rounds, "times"),
    if (!is.null(x$precision)) paste0(", with tolerance = ", format(signif(x$precision, 2)))
  )
}

describe_best <- function(x) {
  if (is.null(x$best)) {
    return(NULL)
  }
  value <- x$best[[x$metric]]
  names <- x$parameters
  values <- vapply(x$best[names], format_param, "")
  what <- if (x$metric == "metric") "the metric" else x$metric
  paste0(
    paste(names, "=", values, collapse = ", ", recycle0 = TRUE), if (length(names) > 0) ": ",
    what, " ", format(value, digits = 4)
  )
}

print_points <- function(x, n) {
  table <- x$results
  if (nrow(table) == 0) {
    return(invisible())
  }
  ranking <- rank_points(x)
  shown <- utils::head(ranking, n)
  hidden <- c(if ("sigma" %in% x$parameters) "gamma", if (all(table$n_sv %in% c(0, NA))) "n_sv")
  table <- table[shown, setdiff(names(table), hidden), drop = FALSE]
  cat_line()
  print_table(table)
  if (length(shown) < length(ranking)) {
    cat_line("... and ", plural(length(ranking) - length(shown), "more grid point"))
  }
}

# Seconds are formatted one by one, so that fast grid points keep their digits beside slow ones.
print_table <- function(table) {
  shown <- format(table, digits = 3)
  for (name in intersect(c("seconds", "seconds_per_point"), names(table))) {
    shown[[name]] <- vapply(signif(table[[name]], 2), format, "")
  }
  print_rows(shown)
}

print_hints <- function(x) {
  failures <- unique(x$errors$message)
  if (length(failures) > 0) {
    failed <- length(unique(x$errors$point))
    cat_line()
    cat_line(plural(failed, "grid point"), " failed, in some folds or in all:")
    cat_line("  ", utils::head(failures, 3))
    if (length(failures) > 3) cat_line("  ... see `errors`")
  }
  # Parameters, of three values or more, whose best is the smallest or the largest
  edge <- Filter(function(name) {
    values <- x$results[[name]]
    is.numeric(values) && length(unique(values)) > 2 && isTRUE(x$best[[name]] %in% range(values))
  }, if (!is.null(x$best) && !is_search(x)) x$parameters)
  if (length(edge) > 0) {
    cat_line()
    cat_line(
      "The best ", paste(edge, collapse = " and "), if (length(edge) > 1) " are" else " is",
      " at the edge of the grid: a wider one may do better."
    )
  }
}

#' @export
print.osvm_folds <- function(x, ...) {
  check_dots("print", ...)
  check_runs(x, "x")
  sizes <- range(vapply(x, function(run) length(run$test), 0L))
  held <- paste(unique(sizes), collapse = " to ")
  cat_line("<osvm_folds> ", length(x), " folds with ", held, " examples held out")
  invisible(x)
}
