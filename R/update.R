#' Add examples to a model
#'
#' `update()` adds examples, [forget()] removes them. Training continues from the
#' current model, with its solver, kernel and scaling. With `epochs = 1` and
#' `shuffle = FALSE`, an on-line solver gives the same model for a stream of chunks as
#' for one pass over all of them; further conditions are on its help page.
#'
#' Classes, features and scaling are fixed by the first fit; a new label is an
#' error. The slope of the probabilities does not change.
#'
#' @param object A model made by [osvm()].
#' @param x,y New examples and labels, as in [osvm()]; columns go by name, as in
#'   [`predict()`][predict.osvm]. For a model fitted by formula, `x` is a data frame that
#'   has the labels too, and `y` is not needed.
#' @param weights A number per new example, as in [osvm()].
#' @param data Alternative name of `x`, for models fitted by formula.
#' @param ... Not used: an unknown argument is an error.
#' @return The new model. `object` itself does not change.
#' @seealso [forget()], [osvm()], [`predict()`][predict.osvm]
#' @export
#' @examples
#' board <- chessboard(1000)
#' first <- 1:200
#' fit <- osvm(board$x[first, ], board$y[first], solver_olsvm(C = 10, epochs = 1))
#' fit <- update(fit, board$x[-first, ], board$y[-first])
#' fit
update.osvm <- function(object, x, y, weights = NULL, data = NULL, ...) {
  check_dots("update", ...)
  class <- class(object)
  fit <- object <- check_model(object)
  check_trainable(object, "update")
  by_formula <- identical(object$encoding$kind, "formula")
  if (missing(x)) {
    if (is.null(data)) abort("{.arg x} is missing: give the new examples.")
    x <- data
  }
  if (inherits(x, "formula")) {
    abort(c("{.arg x} must be new examples, not a formula.", i = habits$update[["formula"]]))
  }
  if (missing(y)) {
    if (!by_formula) abort("{.arg y} is missing: give a label for each new example.")
    y <- encode_labels(object$encoding, x)
  }
  new <- model_input(object, x, "x")
  if (nrow(new) == 0) {
    abort("{.arg x} must have at least one row.")
  }
  columns <- describe_columns(new)
  classes <- match_labels(y, nrow(new), object$levels, object$label)
  fit$extent <- larger_extent(object$extent, data_extent(columns, object$scaling))
  new <- if (object$sparse) as_sparse(new) else if (is.matrix(new)) new else as.matrix(new)
  colnames(new) <- object$feature_names
  fit <- learn(fit, list(
    x = new, class = classes, weight = example_weights(weights, object$class_weights, classes)
  ))
  structure(fit, class = class)
}

#' @export
update.osvm_tuning <- function(object, ...) {
  check_passed("update", update.osvm, ...)
  abort(c(
    "{.arg object} is a tuning, and {.fn update} needs a model.",
    i = "Its model is {.code fit}: {.code update(tuned$fit, ...)}."
  ))
}
