#' @section Numbers:
#' `loss_logcosh()` is square near 0 and absolute far from it.
#' @rdname losses
#' @export
loss_logcosh <- function() new_loss("logcosh")

logcosh_metrics <- function() list(metric = "mae", stream = "mae")
