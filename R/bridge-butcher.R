#' Smaller models, for butcher
#'
#' Methods for the generic functions of the package butcher, which remove parts of a model that prediction does not
#' need. `butcher::butcher()` removes all of them, and gives the model that [strip()] gives. The methods also work on
#' models within fitted workflows and parsnip models.
#'
#' @param x A model made by [osvm()].
#' @param verbose Report the memory released?
#' @param ... Not used: an unknown argument is an error.
#' @returns The model, without its call (`axe_call()`), its state and the examples that only further training needs
#'   (`axe_data()`), or its trace and the models after each epoch (`axe_fitted()`). The attribute `butcher_disabled`
#'   lists the functions that no longer work on it.
#' @seealso [strip()], [frameworks]
#' @examplesIf requireNamespace("butcher", quietly = TRUE)
#' fit <- osvm(Species ~ ., iris)
#' small <- butcher::butcher(fit, verbose = TRUE)
#' identical(predict(fit, iris), predict(small, iris))
#' @exportS3Method butcher::axe_call
axe_call.osvm <- function(x, verbose = FALSE, ...) {
  check_dots("axe_call", ...)
  axe(x, function(x) without_fields(x, "call"), c("fitted()", "model.frame()"), verbose)
}

#' @rdname axe_call.osvm
#' @exportS3Method butcher::axe_data
axe_data.osvm <- function(x, verbose = FALSE, ...) {
  check_dots("axe_data", ...)
  axe(x, without_state, c("update()", "forget()", "loo()"), verbose)
}

#' @rdname axe_call.osvm
#' @exportS3Method butcher::axe_fitted
axe_fitted.osvm <- function(x, verbose = FALSE, ...) {
  check_dots("axe_fitted", ...)
  axe(x, function(x) without_fields(x, c("trace", "path")), "multi_predict()", verbose)
}

without_fields <- function(x, fields) {
  x[fields] <- NULL
  x
}

axe <- function(x, remove, disabled, verbose) {
  one_flag(verbose)
  x <- structure(check_model(x, cells = TRUE), class = class(x))
  small <- remove(x)
  attr(small, "butcher_disabled") <- union(attr(x, "butcher_disabled"), disabled)
  if (verbose) {
    bytes <- as.numeric(utils::object.size(x)) - as.numeric(utils::object.size(small))
    inform("Memory released: {big(max(bytes, 0))} bytes.")
  }
  small
}
