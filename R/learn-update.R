#' Add examples to a model
#'
#' `update()` adds examples, [forget()] removes them. Training continues from the current model, with its solver, kernel
#' and scaling. With `epochs = 1` and `shuffle = FALSE`, an online solver gives the same model for a stream of chunks
#' as for one pass over all of them; further conditions are on its help page.
#'
#' Features, scaling and kernel width are fixed by the first fit, and so are the classes, unless `new_classes` lets
#' others join: binary classifiers for these are added, and learn the new examples mixed with some of those that the
#' model keeps of each class. (A linear model of weights keeps none: give it examples of the other classes, too.
#' [osvm_stream()] remembers some.) The model is then close to, but not the same as, one that learned the examples in
#' mixed order; only solvers that forget learn all their examples anew. A model that a class joins loses its
#' probabilities and the scores of `conformal = TRUE`. In all other cases these do not change, unless `probability` or
#' `conformal` is `TRUE`.
#'
#' @param object A model made by [osvm()].
#' @param x,y New examples and labels, as in [osvm()]; columns go by name, as in
#'   [`predict()`][predict.osvm]. For a model fitted by formula, `x` is a data frame that
#'   has the labels too, and `y` is not needed. For a kernel of your own see [kernel_matrix()].
#' @param weights A number per new example, as in [osvm()].
#' @param probability Fit the probabilities to the new examples, by their decision values before they are learned? This
#'   needs examples of every class, and is worthwhile from some dozens of each on. The model need not have been fitted
#'   with probabilities.
#' @param conformal Make the scores for prediction intervals and sets anew, see [conformal], by the decision values of
#'   the new examples before they are learned? The model need not have been fitted with scores. Without it they stay as
#'   they are, but for `probability = TRUE`, which makes both anew.
#' @param data Alternative name of `x`, for models fitted by formula.
#' @param na.action What to do with rows that have missing values, as in [osvm()]. Rows left out
#'   are not counted as examples.
#' @param new_levels Levels of factors that the model does not know: an error, or (`"NA"`) missing values, which
#'   `na.action` leaves out.
#' @param new_classes Labels that the model does not know: an error, or new classes that `"join"` it.
#' @param ... Not used: an unknown argument is an error.
#' @return The new model. `object` itself does not change. New examples far outside the range of
#'   those before are learned with a warning, one per column, see [`predict()`][predict.osvm].
#'
#' @section Saving:
#' A process that is killed while [saveRDS()] writes leaves a file that cannot be read. Write to a temporary file in the
#' same folder, and rename it: the old model is there until the new one is complete. The examples show how.
#' @seealso [forget()], [osvm()], [`predict()`][predict.osvm]
#' @export
#' @examples
#' board <- chessboard(1000)
#' first <- 1:200
#' fit <- osvm(board$x[first, ], board$y[first], solver_olsvm(C = 10, epochs = 1))
#' fit <- update(fit, board$x[-first, ], board$y[-first])
#' fit
#'
#' # Saved beside the old file, then renamed: a crash in between loses nothing
#' file <- file.path(tempdir(), "fit.rds")
#' part <- tempfile("part-", dirname(file))
#' saveRDS(fit, part)
#' file.rename(part, file)
#' fit <- readRDS(file)
update.osvm <- function(object, x, y, weights = NULL, data = NULL, probability = FALSE, na.action = stats::na.omit,
                        new_levels = c("error", "NA"), new_classes = c("error", "join"), conformal = FALSE, ...) {
  check_dots("update", ...)
  class <- class(object)
  object <- check_model(object, cells = TRUE)
  check_trainable(object, "update")
  one_flag(probability)
  one_flag(conformal)
  new <- examples_of_update(object, x, y, weights, data, na.action, new_levels, new_classes)
  before <- if (is_given(object$kernel)) new$model else object # whose numbers of examples are those of `new`
  fit <- calibrate_update(new$model, before, new$examples, probability, conformal)
  fit <- structure((if (has_cells(fit)) update_cells else learn)(fit, new$examples), class = class)
  warn_range(object, new$far, "x")
  know(fit)
}

# The examples of an update, checked, and the model with the range and extent that includes them; `far`: columns in
# which they are far outside the range before, to be warned about at the end.
examples_of_update <- function(object, x, y, weights, data, na.action, new_levels = "error", new_classes = "error") {
  new_levels <- one_choice(new_levels, c("error", "NA"))
  new_classes <- one_choice(new_classes, c("error", "join"))
  if (missing(x)) {
    if (is.null(data)) abort("{.arg x} is missing: give the new examples.")
    x <- data
  }
  if (inherits(x, "formula")) {
    abort(c("{.arg x} must be new examples, not a formula.", i = habits$update[["formula"]]))
  }
  if (missing(y)) y <- if (is_labelled(object)) formula_labels(object, x, "new example")
  na.action <- read_na_action(na.action)
  plain <- if (is.null(weights)) plain_example(object, x, y)
  if (!is.null(plain)) {
    return(plain)
  }
  given <- is_given(object$kernel)
  x <- if (given) encoded_examples(object, x, "x", new_levels) else model_columns(object, x, "x", new_levels)
  new <- if (given) number_examples(object$kernel, x) else x
  rows <- learned_rows(list(x = new, y = y, weights = weights), na.action)
  new <- rows$x
  if (nrow(new) == 0) {
    abort("{.arg x} must have at least one row{if (!is.null(rows$na.action)) ' without missing values'}.")
  }
  if (given) {
    extended <- extend_given(object, x, new)
    object <- extended$model
    new <- extended$x
  }
  if (new_classes == "join") object <- admit_classes(object, rows$y)
  learned_examples(object, new, rows$y, rows$weights, if (!given) rows$columns)
}

# Examples in the columns of the model, without missing values: `columns` describes them.
learned_examples <- function(object, x, y, weights = NULL, columns = NULL) {
  recalled <- object$recalled
  object$recalled <- NULL
  transform <- object$transform
  if (!is_constant(transform)) {
    object$transform <- kind_of(transform)$update(transform, x)
    x <- apply_transform(object$transform, x)
    columns <- NULL
  }
  if (is.null(columns)) columns <- describe_columns(x)
  outcome <- outcome_of(object)
  object <- outcome$follow(object, y, nrow(x))
  target <- outcome$match(object, y, nrow(x))
  range <- object$range
  far <- integer()
  if (nrow(x) > 1 || is.null(range) || any(columns[, "low"] < range$low | columns[, "high"] > range$high)) {
    far <- far_columns(object, columns)
    object$extent <- larger_extent(object$extent, data_extent(columns, object$transform, range))
    if (!is.null(far)) {
      new <- column_range(columns)
      object$range <- list(low = pmin.int(range$low, new$low), high = pmax.int(range$high, new$high))
    }
    far <- setdiff(far, object$warned)
    if (length(far) > 0) object$warned <- c(object$warned, far)
  }
  x <- if (object$sparse) as_sparse(x) else if (is.matrix(x)) x else as.matrix(x)
  if (!identical(colnames(x), object$feature_names)) colnames(x) <- object$feature_names
  examples <- list(x = x, class = target, weight = example_weights(object, weights, target))
  list(model = object, examples = if (is.null(recalled)) examples else with_recalled(examples, recalled), far = far)
}

# One row of plain numbers within the range of those learned, with a label that is known: such a row changes nothing but
# what is learned of it. NULL: it is something else.
plain_example <- function(object, x, y) {
  x <- if (!object$sparse && is_constant(object$transform)) plain_row(object, x)
  range <- object$range
  if (is.null(x) || is.null(range) || !isTRUE(all(x >= range$low & x <= range$high))) {
    return(NULL)
  }
  target <- if (length(y) == 1 && (!is.object(y) || is.factor(y) && is_sound_factor(y))) find_targets(object, y)
  if (length(target) == 1 && is.finite(target)) {
    object <- outcome_of(object)$follow(object, y, 1)
    list(model = object, examples = list(x = x, class = target, weight = example_weights(object, NULL, target)))
  }
}

#' @export
update.osvm_tuning <- function(object, ...) {
  check_passed("update", update.osvm, ...)
  abort(c(
    "{.arg object} is a tuning, and {.fn update} needs a model.",
    i = "Its model is {.code fit}: {.code update(tuned$fit, ...)}."
  ))
}
