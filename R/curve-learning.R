#' Learning and validation curves
#'
#' Both curves have the error on the examples that were learned and on those held out, by cross-validation.
#' `osvm_learning_curve()` has it over the number of examples learned, `osvm_validation_curve()` over the values of one
#' parameter.
#'
#' Two curves that meet at a high error call for another kernel or more features; a gap that closes with the number of
#' examples calls for more of them.
#'
#' Scaling, the kernel width and the setting of a solver that is left out come from all examples, as in [osvm_tune()].
#' Classes are predicted from decision values, not from probabilities.
#'
#' @inheritParams osvm
#' @param x,y,formula,data As in [osvm()]. For `osvm_learning_curve()` `x` may be a model or a tuning, whose solver,
#'   kernel and other settings are used; examples are then `newdata`, or `data` for a formula. For
#'   `osvm_validation_curve()` it may be a tuning, whose results are drawn: these are errors on examples held out alone.
#'   Of a stream made by [osvm_stream()] the learning curve is that of its metrics, with those of its baselines.
#' @param newdata Examples, as `x` in [osvm()].
#' @param sizes Numbers of examples to learn, or shares of the training folds, up to 1.
#' @param folds Number of folds, stratified by class.
#' @param metric One of `r metric_values("curve")`, see [osvm_tune()]; for a stream one of its metrics.
#' @param parameter For a tuning of several parameters, the one to draw; the others are those of the best grid point.
#' @param ... Further arguments of [osvm()]: `loss`, `scale`, `multiclass`, `class_weights`, `cache_mb`, `threads`.
#' @returns A curve, see [`plot()`][plot.osvm_curve]. Its `data` has the `value` of the metric on the `set`,
#'   `"training"` or `"hold-out"`, mean over the folds, its standard error `se`, and the processor time of the fits,
#'   `seconds`.
#' @seealso [osvm_tune()], [osvm_roc()]
#' @examples
#' set.seed(1)
#' board <- chessboard(400, noise = 0.1)
#' kernel <- kernel_rbf(sigma = 0.5)
#' plot(osvm_learning_curve(board$x, board$y, solver_smo(C = 10), kernel, folds = 3))
#' plot(osvm_validation_curve(board$x, board$y, solver_smo(C = 10^(-1:3)), kernel, folds = 3))
#' @export
osvm_learning_curve <- function(x, ...) {
  if (!missing(x)) check_package(x)
  UseMethod("osvm_learning_curve")
}

#' @rdname osvm_learning_curve
#' @export
osvm_learning_curve.default <- function(x, y, solver = NULL, kernel = NULL, sizes = seq(0.1, 1, length.out = 5),
                                        folds = 5, metric = "error", weights = NULL, ...) {
  check_passed("osvm_learning_curve", curve_task, ...)
  if (missing(y)) y <- without_labels(list(...)$loss)
  task <- curve_task(x, y, solver, kernel, folds, metric, weights, ...)
  model <- task$model
  class <- task$labels$class
  sizes <- read_sizes(sizes, min(NROW(class) - tabulate(task$fold, folds)), max(2, length(model$levels)))
  runs <- expand.grid(fold = seq_len(folds), size = sizes)
  scored <- Map(function(fold, size) {
    held <- as.integer(task$fold == fold)
    # At random, one of each class first
    others <- which(held == 0)
    others <- others[sample.int(length(others))]
    first <- is.integer(class) & !duplicated(class[others])
    rows <- c(visit_order(model, c(others[first], others[!first])[seq_len(size)]), which(held == 1))
    seed <- sample.int(.Machine$integer.max, 1)
    score_runs(task, holdout_outputs(
      model, tuned_examples(task), held, vary_spec(model$solver, NULL), vary_spec(model$kernel, NULL), seed, rows,
      whole = TRUE
    ), held, sort(rows))
  }, runs$fold, runs$size)
  data <- summarise_runs(scored, runs$size, "size")
  new_curve("learning", paste("Learning curve,", task$title), data, metric_label(task$metric))
}

#' @rdname osvm_learning_curve
#' @export
osvm_learning_curve.data.frame <- function(x, y, ..., weights = NULL) {
  curve_of_examples("osvm_learning_curve", osvm_learning_curve.default, ...)
}

#' @rdname osvm_learning_curve
#' @export
osvm_learning_curve.formula <- function(formula, data = NULL, ..., weights = NULL) {
  curve_of_examples("osvm_learning_curve", osvm_learning_curve.default, ...)
}

# By the data frame or formula method that calls this.
curve_of_examples <- function(name, curve, ..., method = parent.frame(), caller = parent.frame(2)) {
  check_passed(name, curve, ..., .also = names(formals(curve_task)))
  examples <- examples_of(method, caller)
  curve(examples$x, examples$y, ..., weights = examples$weights)
}

#' @rdname osvm_learning_curve
#' @export
osvm_learning_curve.osvm <- function(x, newdata, y = NULL, ...) {
  check_passed("osvm_learning_curve", osvm_learning_curve.default, ..., .also = names(formals(curve_task)))
  fit <- check_model(x)
  if (missing(newdata)) abort("{.arg newdata} is missing: a model does not keep its training data.")
  refuse_given(fit$kernel, "A learning curve of a model")
  input <- model_input(fit, newdata, "newdata")
  if (is.null(y)) y <- formula_labels(fit, newdata)
  if (!is_labelled(fit)) abort("A learning curve needs labels; a novelty model has none.")
  weighted <- any(fit$class_weights != 1)
  osvm_learning_curve.default(
    input, y, solver = fit$solver, kernel = fit$kernel, loss = fit$loss,
    scale = if (is.null(fit$scaling)) FALSE else kind_of(fit$transform)$scale,
    multiclass = fit$multiclass,
    class_weights = if (weighted) stats::setNames(fit$class_weights, fit$levels), ...
  )
}

#' @rdname osvm_learning_curve
#' @export
osvm_learning_curve.osvm_tuning <- function(x, newdata, y = NULL, ...) {
  osvm_learning_curve.osvm(tuned_model(x), newdata, y, ...)
}

#' @rdname osvm_learning_curve
#' @export
osvm_validation_curve <- function(x, ...) {
  if (!missing(x)) check_package(x)
  UseMethod("osvm_validation_curve")
}

#' @rdname osvm_learning_curve
#' @export
osvm_validation_curve.default <- function(x, y, solver = NULL, kernel = NULL, folds = 5, metric = "error",
                                          weights = NULL, loss = NULL, ...) {
  check_passed("osvm_validation_curve", curve_task, ...)
  if (missing(y)) y <- without_labels(loss)
  varied <- c(several_values(solver), several_values(kernel), several_values(loss))
  if (length(varied) != 1) {
    abort("One parameter must have several values, such as {.code C = 10^(-1:3)}; {length(varied)} have.")
  }
  task <- curve_task(
    x, y, first_values(solver), first_values(kernel), folds, metric, weights, loss = first_values(loss), ...
  )
  task$points <- as_table(varied)
  task[c("solvers", "kernels", "losses")] <- lapply(task$model[spec_kinds], vary_spec, task$points)
  round <- list(fold = task$fold, order = sample.int(length(task$fold)))
  round$seed <- round$core_seed <- sample.int(.Machine$integer.max, folds)
  calls <- lapply(split_calls(task, list(round), 64e6 / folds), `[[`, "points")
  scored <- lapply(calls, function(points) {
    losses <- task$losses$specs[task$losses$of[points]]
    score_runs(task, hold_out(task, round, points, whole = TRUE), round$fold, losses = losses)
  })
  data <- summarise_runs(scored, rep(unlist(calls), each = folds), "value_of")
  data$value_of <- varied[[1]][data$value_of]
  title <- paste0("Validation curve, ", task$title)
  new_curve("validation", title, data, metric_label(task$metric), parameter = names(varied))
}

#' @rdname osvm_learning_curve
#' @export
osvm_validation_curve.data.frame <- function(x, y, ..., weights = NULL) {
  curve_of_examples("osvm_validation_curve", osvm_validation_curve.default, ...)
}

#' @rdname osvm_learning_curve
#' @export
osvm_validation_curve.formula <- function(formula, data = NULL, ..., weights = NULL) {
  curve_of_examples("osvm_validation_curve", osvm_validation_curve.default, ...)
}

#' @rdname osvm_learning_curve
#' @export
osvm_validation_curve.osvm_tuning <- function(x, parameter = NULL, ...) {
  check_dots("osvm_validation_curve", ...)
  check_tuning(x)
  check_drawable(x)
  varied <- varied_parameters(x)
  if (length(varied) == 0) abort("The tuning varies no parameter.")
  parameter <- if (is.null(parameter)) varied[1] else one_choice(parameter, varied)
  table <- x$results
  for (name in setdiff(varied, parameter)) table <- table[table[[name]] == x$best[[name]], ]
  unit <- metric_unit(find_metric(x$metric, x$loss))
  data <- data.frame(
    value_of = table[[parameter]], set = "hold-out", value = unit * table[[x$metric]],
    se = unit * table[[se_column(x$metric)]], seconds = table$seconds
  )
  new_curve(
    "validation", paste("Validation curve,", solver_title(x$solver)), data, tune_measure(x, x$metric)$label,
    parameter = parameter
  )
}
