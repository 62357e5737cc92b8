# Generics of base R for a tuning: those of its final model.

#' @rdname base-methods
#' @export
nobs.osvm_tuning <- function(object, ...) {
  check_dots("nobs", ...)
  check_tuning(object)
  object$n
}

#' @rdname base-methods
#' @export
formula.osvm_tuning <- function(x, ...) formula.osvm(tuned_model(x), ...)

#' @rdname base-methods
#' @export
terms.osvm_tuning <- function(x, ...) terms.osvm(tuned_model(x), ...)

#' @rdname base-methods
#' @export
model.frame.osvm_tuning <- function(formula, data = NULL, ...) {
  check_dots("model.frame", ...)
  object <- tuned_model(formula)
  model.frame.osvm(object, if (is.null(data)) training_data(object, parent.frame()) else data)
}

#' @rdname base-methods
#' @export
fitted.osvm_tuning <- function(object, data = NULL, ...) {
  check_dots("fitted", ...)
  fitted_classes(tuned_model(object), data, parent.frame())
}

# The model trained on all examples with the best parameters.
tuned_model <- function(object) {
  if (is.list(object) && !is.null(object$fit)) {
    check_fields(object, tuning_fields["fit"], of_tunings)
    return(object$fit)
  }
  abort(c(
    "The tuning has no final model.",
    i = "It was made with {.code refit = FALSE} or interrupted: fit one with {.fn osvm} and the parameters in
         {.field best}."
  ))
}
