#' Observations, formula, residuals and training data of a model
#'
#' These are the methods of base R's generics for fitted models. A model does not keep its training data: `fitted()`,
#' `residuals()`, `model.frame()` and `model.matrix()` look up the data named in the call, as [lm()] does with
#' `model = FALSE`, or take it as `data`.
#'
#' @param object,x,formula A model made by [osvm()], or a tuning made by [osvm_tune()], for its final model; for
#'   `nobs()` a stream made by [osvm_stream()], too.
#' @param data The training data, or other data in its form. `NULL`: the data named in the call of the model, less the
#'   rows that were not learned; an error if it is not found, or if its number of rows is not that of the examples
#'   learned, as after [`update()`][update.osvm].
#' @param y The numbers of `data`; for a model fitted by formula they are in `data`.
#' @param ... Not used: an unknown argument is an error.
#' @returns
#'   \item{`nobs()`}{the number of examples learned, less those forgotten}
#'   \item{`formula()`, `terms()`}{those of a model fitted by formula}
#'   \item{`model.frame()`}{the variables of the formula, before factors are encoded}
#'   \item{`model.matrix()`}{the features as the model learned them: factors encoded, not scaled}
#'   \item{`fitted()`}{predictions of the training data; `NA` for rows left out by [na.exclude()]}
#'   \item{`residuals()`}{of a model for numbers: those of the data less their predictions; `NA` as of `fitted()`}
#' @seealso [`tidy()`][tidy.osvm], [`predict()`][predict.osvm], [`coef()`][coef.osvm], [`summary()`][summary.osvm]
#' @examples
#' fit <- osvm(Species ~ log(Petal.Length) + Petal.Width, data = iris)
#' nobs(fit)
#' formula(fit)
#' head(model.frame(fit), 3)
#' head(model.matrix(fit), 3)
#' table(fitted(fit), iris$Species)
#'
#' fit <- osvm(dist ~ speed, cars)
#' summary(residuals(fit))
#' @name base-methods
NULL

#' @rdname base-methods
#' @export
nobs.osvm <- function(object, ...) {
  check_dots("nobs", ...)
  object <- check_model(object, cells = TRUE)
  object$n_seen - if (is.null(object$n_forgotten)) 0 else object$n_forgotten
}

#' @rdname base-methods
#' @export
formula.osvm <- function(x, ...) {
  check_dots("formula", ...)
  stats::formula(formula_terms(check_predictor(x, cells = TRUE)))
}

#' @rdname base-methods
#' @export
terms.osvm <- function(x, ...) {
  check_dots("terms", ...)
  formula_terms(check_predictor(x, cells = TRUE))
}

#' @rdname base-methods
#' @export
model.frame.osvm <- function(formula, data = NULL, ...) {
  check_dots("model.frame", ...)
  object <- check_model(formula, cells = TRUE)
  terms <- formula_terms(object)
  if (is.null(data)) data <- training_data(object, parent.frame())
  if (!is.data.frame(data)) {
    abort("{.arg data} must be a data frame, as in training, not {.obj_type_friendly {data}}.")
  }
  try_formula(stats::model.frame(terms, data, na.action = stats::na.pass))
}

#' @rdname base-methods
#' @export
model.matrix.osvm <- function(object, data = NULL, ...) {
  check_dots("model.matrix", ...)
  object <- check_model(object, cells = TRUE)
  refuse_given(object$kernel, "{.fn model.matrix}")
  if (is.null(data)) data <- training_data(object, parent.frame())
  x <- model_columns(object, data, "data")
  colnames(x) <- feature_labels(object)
  x
}

#' @rdname base-methods
#' @export
fitted.osvm <- function(object, data = NULL, ...) {
  check_dots("fitted", ...)
  fitted_classes(object, data, parent.frame())
}

# Without `data` that of the call, found in `env`; rows left out by na.exclude() are NA.
fitted_classes <- function(object, data, env) {
  object <- check_model(object, cells = TRUE)
  if (!is.null(data)) {
    return(predict.osvm(object, data))
  }
  stats::naresid(object$na.action, predict.osvm(object, training_data(object, env)))
}

#' @rdname base-methods
#' @export
residuals.osvm <- function(object, data = NULL, y = NULL, ...) {
  check_dots("residuals", ...)
  object <- check_model(object, cells = TRUE)
  left <- find_residuals(object, data, y, parent.frame())$residual
  if (is.null(data)) stats::naresid(object$na.action, left) else left
}

# Predictions and residuals of data, without it of that of the call, found in `env`.
find_residuals <- function(object, data, y, env) {
  if (!predicts_numbers(object)) {
    abort("Residuals are those of numbers, and this model predicts {outcome_size(object)}.")
  }
  if (is.null(data)) {
    if (!is.null(y)) abort("{.arg y} needs {.arg data} to go with it.")
    data <- training_data(object, env)
    y <- training_labels(object, data, env)
  } else if (is.null(y)) {
    y <- formula_labels(object, data)
  }
  fitted <- predict.osvm(object, data)
  if (is.data.frame(y)) y <- as_label_columns(y)
  if (length(quantiles_of(object$loss)) > 1 && length(y) == nrow(fitted)) y <- rep(y, ncol(fitted))
  if (!is.numeric(y) || length(y) != length(fitted)) {
    abort("{.arg y} must have a number for each of the {NROW(fitted)} row{?s} of {.arg data}.")
  }
  list(fitted = fitted, residual = as.vector(y) - fitted)
}

# The labels that go with training_data().
training_labels <- function(object, data, env) {
  if (identical(object$encoding$kind, "formula")) {
    return(formula_labels(object, data))
  }
  y <- if (is.call(object$call)) find_selected(object$call$y, env)
  if (is.data.frame(y)) y <- as_label_columns(y)
  if (length(object$na.action) > 0) y <- at_rows(y, -as.integer(object$na.action))
  if (!is.null(object$call$subset) || NROW(y) != nrow(data)) {
    abort("The model does not keep its labels, which are not found where its call has them: give {.arg data} and
           {.arg y}.")
  }
  y
}

# The value of such code, NULL if it has none.
find_selected <- function(code, ...) tryCatch(if (is_selection(code)) eval(code, ...), error = function(e) NULL)

# Whether code, which may come from a file, has only names, values and calls of functions that select.
is_selection <- function(code) {
  if (!is.call(code)) {
    return(is.name(code) || is.atomic(code) && !is.object(code))
  }
  parts <- as.list(code)
  empty <- vapply(parts, identical, NA, quote(x[])[[3]])
  is.name(parts[[1]]) && as.character(parts[[1]]) %in% selecting_functions &&
    all(vapply(parts[-1][!empty[-1]], is_selection, NA))
}

selecting_functions <- c(
  "[", "[[", "$", "(", "-", "+", "*", "/", "%%", ":", "c", "==", "!=", "<", "<=", ">", ">=", "!", "&", "|", "%in%",
  "is.na", "seq", "seq_len", "rep", "rep_len", "head", "tail", "which", "nrow", "ncol", "as.matrix", "data.matrix",
  "as.data.frame", "data.frame", "matrix", "cbind", "rbind", "scale", "log", "sqrt", "exp"
)

formula_terms <- function(object) {
  if (!identical(object$encoding$kind, "formula")) {
    abort("The model was not fitted by a formula: {.code osvm(y ~ ., data)} fits one that is.")
  }
  object$encoding$terms
}

# The data named in the call of the model, as found in `env`, less the rows that were not learned.
training_data <- function(object, env) {
  call <- if (is.call(object$call)) object$call
  data <- find_selected(if (identical(object$encoding$kind, "formula")) call$data else call$x, env)

  subset <- find_selected(call$subset, if (is.data.frame(data)) data, env)
  lost <- is.null(subset) && !is.null(call$subset)
  if (length(dim(data)) != 2 || lost) {
    abort("The model does not keep its training data, which is not found where its call has it: give the data.")
  }
  rows <- if (is.null(subset)) seq_len(nrow(data)) else subset_rows(subset, nrow(data))
  if (length(object$na.action) > 0) rows <- rows[-as.integer(object$na.action)]
  if (length(rows) != object$n_seen) {
    abort(c(
      "The data in the call of the model has {length(rows)} row{?s} to learn, and the model has learned
       {object$n_seen}.",
      i = "Give the data."
    ))
  }
  if (length(rows) == nrow(data)) data else data[rows, , drop = FALSE]
}
