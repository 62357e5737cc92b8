#' @section Quantiles:
#' With `loss_quantile()` about a share `tau` of the labels is below the model, wherever it is evaluated: two of them
#' bound an interval. Settings are chosen by the pinball loss, which is this one.
#'
#' Several quantiles, `loss_quantile(c(0.05, 0.5, 0.95))`, are learned together by an SVM each, which share kernel
#' values. Predictions are a matrix with a column per quantile, named by `tau`; in each row they are sorted, so that
#' they do not cross. Decision values are those of the SVMs, not sorted. Streams and cells
#' take several as well; the pinball loss of a stream is then the mean of theirs.
#'
#' @param tau The quantile, between 0 and 1; 0.5 is the median. The expectile; 0.5 is the mean. Several
#'   quantiles are learned together.
#' @references
#' Koenker, R. and Bassett, G. (1978). Regression quantiles. *Econometrica*, 46.
#'
#' @rdname losses
#' @export
loss_quantile <- function(tau = 0.5) new_loss("quantile", tau = sort(unique(number(tau, above = 0, below = 1))))

quantile_metrics <- function() list(metric = "pinball", stream = "pinball")
