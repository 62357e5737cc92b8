#' @section Classes:
#' `loss_squared_hinge()` counts examples within the margin by the square of what they lack, as LIBLINEAR does by
#' default: coefficients have no bound, and more examples are support vectors than with the hinge. Errors were about
#' equal on ten tables, in 1.5 to 2 times the time (`bench/results/losses.md`).
#'
#' @rdname losses
#' @export
loss_squared_hinge <- function() new_loss("squared_hinge")
