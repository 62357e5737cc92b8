#' Explanations of models, for DALEX
#'
#' Methods by which `DALEX::explain()` recognises a model of [osvm()]. For classes, predictions are probabilities, and
#' the model must have been fitted with `probability = TRUE`. The `y` of `explain()` is then 1 for the second of two
#' levels and 0 for the first; with more classes it is a factor. A model of numbers is a regression, and so are the
#' decision values of a novelty model.
#'
#' @param X.model,model A model made by [osvm()].
#' @param newdata Examples, in the form of the training data.
#' @param is_multiclass Not used: the model has its classes.
#' @param ... Not used: an unknown argument is an error.
#' @returns `yhat()` returns the probability of the second of two classes, with more classes a column of probabilities
#'   per class, and with `predict_function_target_column` in `explain()` that column; for numbers and novelty, decision
#'   values. `model_info()` returns the package, its version and the type of the task.
#' @seealso [frameworks], [`predict()`][predict.osvm]; [osvm_importance()], whose losses by permutation are those of
#'   `DALEX::model_parts()`, and [osvm_shapley()]
#' @examplesIf requireNamespace("DALEX", quietly = TRUE)
#' fit <- osvm(Species ~ ., iris, probability = TRUE)
#' explainer <- DALEX::explain(fit, iris[1:4], iris$Species, verbose = FALSE)
#' DALEX::model_parts(explainer, B = 2)
#' @exportS3Method DALEX::yhat
yhat.osvm <- function(X.model, newdata, ...) {
  check_dots("yhat", ...)
  if (!predicts_classes(check_predictor(X.model, cells = TRUE))) {
    return(unname(predict.osvm(X.model, newdata, type = "decision")))
  }
  p <- predict.osvm(X.model, newdata, type = "prob")
  column <- attr(X.model, "predict_function_target_column")
  if (is.null(column) && ncol(p) == 2) column <- 2
  if (is.null(column)) {
    return(p)
  }
  known <- length(column) == 1 && if (is.character(column)) column %in% colnames(p) else column %in% seq_len(ncol(p))
  if (!isTRUE(known)) abort("{.arg predict_function_target_column} must be one of {.val {colnames(p)}}.")
  unname(p[, column])
}

#' @rdname yhat.osvm
#' @exportS3Method DALEX::model_info
model_info.osvm <- function(model, is_multiclass = FALSE, ...) {
  check_dots("model_info", ...)
  classes <- predicts_classes(check_predictor(model, cells = TRUE))
  several <- length(model$levels) > 2 && is.null(attr(model, "predict_function_target_column"))
  structure(
    list(
      package = "onlinesvm", ver = as.character(utils::packageVersion("onlinesvm")),
      type = if (!classes) "regression" else if (several) "multiclass" else "classification"
    ),
    class = "model_info"
  )
}
