#' @section Classes:
#' `loss_squared_hinge()` counts examples within the margin by the square of what they lack, as LIBLINEAR does by default:
#' coefficients have no bound, and more examples are support vectors than with the hinge.
#'
#' @rdname losses
#' @export
loss_squared_hinge <- function() new_loss("squared_hinge")
