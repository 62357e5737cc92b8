#' Explanations of models, for DALEX
#'
#' Methods by which `DALEX::explain()` recognises a model of [osvm()]: predictions are probabilities, and the task is a
#' classification in two or more classes. The model must have been fitted with `probability = TRUE`. For two classes `y`
#' is 1 for the second level and 0 for the first, for more a factor. Numbers are a regression, and so are the decision
#' values of novelty.
#'
#' @param X.model,model A model made by [osvm()].
#' @param newdata Examples, in the form of the training data.
#' @param is_multiclass Not used: the model has its classes.
#' @param ... Not used.
#' @returns `yhat()`: for two classes the probability of the second; for more, or with
#'   `predict_function_target_column` in `explain()`, a column of probabilities per class, or that column.
#'   `model_info()`:
#'   package, version and type of task.
#' @seealso [frameworks], [`predict()`][predict.osvm]
#' @examplesIf requireNamespace("DALEX", quietly = TRUE)
#' fit <- osvm(Species ~ ., iris, probability = TRUE)
#' explainer <- DALEX::explain(fit, iris[1:4], iris$Species, verbose = FALSE)
#' DALEX::model_parts(explainer, B = 2)
#' @exportS3Method DALEX::yhat
yhat.osvm <- function(X.model, newdata, ...) {
  check_dots("yhat", ...)
  if (!identical(X.model$outcome, "classes")) {
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
  several <- length(model$levels) > 2 && is.null(attr(model, "predict_function_target_column"))
  structure(
    list(
      package = "onlinesvm", ver = as.character(utils::packageVersion("onlinesvm")),
      type = if (model$outcome != "classes") "regression" else if (several) "multiclass" else "classification"
    ),
    class = "model_info"
  )
}
