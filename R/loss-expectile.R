#' @section Quantiles:
#' `loss_expectile()` is to the mean what a quantile is to the median: errors upwards count `tau`, those downwards
#' `1 - tau` times their square. Expectiles depend on how far the labels are from the model, quantiles on how many are.
#'
#' @references
#' Newey, W. and Powell, J. (1987). Asymmetric least squares estimation and testing. *Econometrica*, 55.
#'
#' @rdname losses
#' @export
loss_expectile <- function(tau = 0.5) new_loss("expectile", tau = sort(unique(number(tau, above = 0, below = 1))))

expectile_metrics <- function() list(metric = "expectile", stream = "expectile")
