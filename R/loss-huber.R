#' @section Numbers:
#' `loss_huber()` is squared for errors up to `delta` and linear beyond, so that few examples that are far off do not
#' move the model. Settings are chosen by the mean absolute error.
#'
#' @param delta Errors beyond this number count by their size, not by its square, in units of the scaled numbers.
#' @references
#' Huber, P. (1964). Robust estimation of a location parameter. *Annals of Mathematical Statistics*, 35.
#'
#' @rdname losses
#' @export
loss_huber <- function(delta = 0.5) new_loss("huber", delta = positive(delta))

huber_metrics <- function() list(metric = "mae", stream = c("mae", "rmse"))
