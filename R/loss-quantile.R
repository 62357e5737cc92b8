#' @section Quantiles:
#' With `loss_quantile()` about a share `tau` of the labels is below the model, wherever it is evaluated: two of them
#' bound an interval. Settings are chosen by the pinball loss, which is this one.
#'
#' @param tau The quantile, between 0 and 1; 0.5 is the median. The expectile; 0.5 is the mean.
#' @references
#' Koenker, R. and Bassett, G. (1978). Regression quantiles. *Econometrica*, 46.
#'
#' @rdname losses
#' @export
loss_quantile <- function(tau = 0.5) new_loss("quantile", tau = number(tau, above = 0, below = 1))

quantile_metrics <- function() list(metric = "pinball", stream = "pinball")
