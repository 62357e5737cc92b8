#' Importance of variables
#'
#' How much a model depends on each variable: by the mean absolute Shapley value, by what a metric loses when the values
#' of the variable are permuted, or by the slopes of the model, which needs no data.
#'
#' - `"shapley"`: the mean over the rows of `newdata` of the absolute value of [osvm_shapley()], with the standard error
#'   of that mean. It says how far a variable moves predictions, right or wrong, in the units of these.
#' - `"permutation"`: by how much the metric is worse on `newdata` and `y` when the values of the variable are
#'   exchanged between rows, in the mean over `repeats` permutations, with the standard error of that mean. It says
#'   what the predictions lose; two variables that say the same can each lose little. Draws follow [set.seed()].
#' - `"gradient"`: the root mean square of the gradient of the decision values over the support vectors, in the
#'   direction of each scaled feature; of a linear model the absolute weights of the scaled features. A linear trend
#'   beside the machines, see [osvm()], is part of it. Columns of a factor are combined by the root of the sum of
#'   squares. Any kernel of features has it, and it compares variables only with each other.
#'
#' Several binary classifiers or columns of numbers are combined: absolute values by their mean (of several columns of
#' numbers each divided by its standard deviation in training), gradients by the root of their mean square.
#'
#' Variables are the columns that you gave: a factor is one variable, and so are all terms of a formula that contain
#' the same variable alone. `"permutation"` permutes a variable wherever it occurs; for the other two methods a term of
#' several variables, such as `wind:site`, has a row of its own.
#'
#' @param object A model made by [osvm()], or a tuning or stream, for its final model.
#' @param newdata,y Examples, best such as the model has not learned, and their labels, which `"permutation"` needs.
#'   For a model fitted by formula the labels are in `newdata`. Rows with missing values are left out.
#' @param method See below. `NULL` is `"gradient"` without `newdata`, `"permutation"` with `y`, otherwise `"shapley"`.
#' @param metric,maximize For `"permutation"`, a metric as in [osvm_tune()]; `NULL`: the error for classes, the root
#'   mean square error for numbers.
#' @param repeats The number of permutations of each variable.
#' @param threads Number of threads; `NULL`: see [onlinesvm-package].
#' @param ... Not used: an unknown argument is an error.
#' @returns A data frame of class `osvm_importance` with a row per variable, the most important first: `variable`,
#'   `importance`, `std.error` (`NA` for `"gradient"`) and, where the fit has found weights of features, `weight`,
#'   whose mean square over all features is 1 (of a factor the root mean square of its columns). For a picture see
#'   [`plot()`][plot.osvm_importance].
#' @seealso [osvm_shapley()] for single predictions. `vip::vi()`, [`caret::varImp()`][osvm_caret] and the
#'   [mlr3 learner][mlr_learners_classif.onlinesvm]'s `importance()` return the importance by `"gradient"`.
#' @examples
#' set.seed(1)
#' train <- sample(nrow(iris), 100)
#' fit <- osvm(Species ~ ., iris[train, ])
#' osvm_importance(fit)
#' osvm_importance(fit, iris[-train, ])
#' important <- osvm_importance(fit, iris[-train, ], method = "permutation")
#' important
#' plot(important)
#'
#' # Of numbers, in their units; the same by another metric
#' fit <- osvm(mpg ~ wt + hp + qsec + factor(cyl), mtcars)
#' osvm_importance(fit, mtcars)
#' osvm_importance(fit, mtcars, method = "permutation", metric = "mae")
#' @export
osvm_importance <- function(object, ...) UseMethod("osvm_importance")

#' @rdname osvm_importance
#' @export
osvm_importance.osvm <- function(object, newdata = NULL, y = NULL, method = NULL, metric = NULL, maximize = FALSE,
                                 repeats = 10, threads = NULL, ...) {
  check_dots("osvm_importance", ...)
  model <- check_predictor(object, cells = TRUE)
  refuse_given(model$kernel, "The importance of features")
  method <- importance_method(newdata, y, method)
  if (method != "permutation" && !is.null(metric)) abort("{.arg metric} is for {.code method = \"permutation\"}.")
  table <- switch(method,
    gradient = gradient_importance(model),
    shapley = shapley_importance(model, osvm_shapley.osvm(object, newdata, threads = threads)),
    permutation = {
      if (!is_labelled(model)) abort("A novelty model has no metric to lose: {.code method = \"shapley\"} needs none.")
      metric <- read_metric(if (is.null(metric)) "error" else metric, maximize, model)
      permutation_importance(model, newdata, y, metric, repeats, resolve_threads(threads))
    }
  )
  weight <- model$transform$weight
  if (!is.null(weight)) { # a variable that the model has not by itself has none
    variables <- model_variables(model)
    squares <- tapply(weight^2, factor(variables$names[variables$of], variables$names), mean)
    table$weight <- sqrt(as.vector(squares[match(table$variable, variables$names)]))
  }
  table <- table[order(-table$importance), ]
  rownames(table) <- NULL
  structure(table, class = c("osvm_importance", "data.frame"), method = method)
}

#' @rdname osvm_importance
#' @export
osvm_importance.osvm_tuning <- function(object, ...) osvm_importance.osvm(tuned_model(object), ...)

importance_method <- function(newdata, y, method) {
  known <- c("shapley", "permutation", "gradient")
  if (is.null(method)) {
    method <- if (is.null(newdata)) "gradient" else if (is.null(y)) "shapley" else "permutation"
  }
  method <- one_choice(method, known)
  if (method == "gradient" && !is.null(newdata)) {
    abort("{.code method = \"gradient\"} needs no {.arg newdata}: the slopes are those at the support vectors.")
  }
  if (method != "gradient" && is.null(newdata)) abort("{.arg newdata} is missing: {.val {method}} needs examples.")
  if (method == "shapley" && !is.null(y)) abort("{.arg y} is for {.code method = \"permutation\"}.")
  method
}

importance_table <- function(variable, importance, error = NA_real_) {
  as_table(list(
    variable = variable, importance = unname(importance), std.error = rep_len(unname(error), length(variable))
  ))
}

# ---- by gradient ----

gradient_importance <- function(object) {
  if (has_cells(object)) {
    abort(c(
      "The importance by {.val gradient} is that of one SVM, and this model has one in each of its cells.",
      i = "With {.arg newdata} there are {.code method = \"shapley\"} and {.val permutation}."
    ))
  }
  variables <- model_variables(object)
  weight <- if (is.null(object$transform$weight)) 1 else object$transform$weight
  squares <- rowMeans((gradient_sizes(object, trend = object$trend) * weight)^2)
  importance_table(variables$names, sqrt(rowsum(squares, variables$of)[, 1]))
}

# ---- by Shapley values ----

shapley_importance <- function(object, why) {
  scale <- if (n_columns(object) > 1) label_units(object)$scale else 1
  sizes <- abs(why$values)
  if (length(dim(sizes)) == 3) {
    sizes <- rowMeans(sizes / rep(rep_len(scale, dim(sizes)[3]), each = prod(dim(sizes)[1:2])), dims = 2)
  }
  sizes <- sizes[!is.na(sizes[, 1]), , drop = FALSE]
  if (nrow(sizes) == 0) abort("{.arg newdata} must have at least one row without missing values.")
  error <- apply(sizes, 2, stats::sd) / sqrt(nrow(sizes))
  importance_table(colnames(sizes), colMeans(sizes), error)
}

# ---- by permutation ----

permutation_importance <- function(object, newdata, y, metric, repeats, threads) {
  repeats <- one_whole(repeats, most = 1e4)
  if (metric$needs == "probabilities") need_probability(object)
  if (is.null(y)) y <- formula_labels(object, newdata)
  data <- variable_frame(object, newdata)
  target <- outcome_of(object)$match(object, y, nrow(data))
  kept <- setdiff(seq_len(nrow(data)), incomplete_rows(model_input(object, data, "newdata"), "newdata"))
  if (length(kept) < 2) abort("{.arg newdata} must have at least two rows without missing values.")
  data <- data[kept, , drop = FALSE]
  target <- at_rows(target, kept)
  score <- function(data) {
    f <- decision_values(object, model_input(object, data, "newdata"), threads)
    if (metric$needs == "function") {
      return(tryCatch(
        user_value(list(model = object, metric = metric), target, predict_targets(object, f), f),
        error = function(e) abort("{.arg metric} failed: {reason_of(e)}.")
      ))
    }
    given <- switch(metric$needs, scores = class_scores, probabilities = probabilities, predict_targets)
    metric_value(metric, object, target, given(object, f))
  }
  before <- score(data)
  names <- if (is.null(object$encoding)) feature_labels(object) else names(object$encoding$variables)
  losses <- vapply(seq_along(names), function(k) {
    column <- if (is.null(object$encoding)) k else names[k]
    at_random <- replicate(repeats, {
      data[, column] <- data[sample.int(nrow(data)), column]
      score(data)
    })
    if (metric$lower) at_random - before else before - at_random
  }, numeric(repeats))
  losses <- matrix(losses, repeats)
  importance_table(names, colMeans(losses), apply(losses, 2, stats::sd) / sqrt(repeats))
}

#' @export
print.osvm_importance <- function(x, ...) {
  check_dots("print", ...)
  check_importance(x)
  cat_line(importance_title(attr(x, "method")), ":")
  shown <- utils::head(as.data.frame(x), 20)
  numbers <- vapply(shown, is.numeric, NA)
  shown[numbers] <- lapply(shown[numbers], signif, 4)
  print_rows(shown)
  if (nrow(x) > nrow(shown)) cat_line("and ", plural(nrow(x) - nrow(shown), "other variable"))
  invisible(x)
}

importance_title <- function(method) {
  unname(c(
    shapley = "Mean absolute Shapley value", permutation = "Loss by permutation", gradient = "Size of the gradient"
  )[method])
}

check_importance <- function(x) {
  sound <- is_plain_table(x) && is.character(x$variable) && is.numeric(x$importance) && is.numeric(x$std.error) &&
    is_one_text(attr(x, "method")) && !is.na(importance_title(attr(x, "method")))
  if (!sound) abort("The importance is damaged: compute it anew with {.fn osvm_importance}.")
  x
}
