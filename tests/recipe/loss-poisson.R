#' @section Counts:
#' `loss_poisson()` learns the logarithm of the mean of counts.
#' @rdname losses
#' @export
loss_poisson <- function() new_loss("poisson")

poisson_outcome <- function() "counts"

# Predictions are means, not their logarithms.
poisson_metrics <- function() list(metric = "rmse")
