#' @section Classes:
#' `loss_squared_hinge()` counts examples within the margin by the square of what they lack, as LIBLINEAR does by
#' default: coefficients have no bound, and more examples are support vectors than with the hinge. With a linear
#' kernel errors on ten tables were 26.6 % in the mean, those of the hinge 26.9, in 1.83 times the time
#' (`bench/results/losses.md`).
#'
#' @rdname losses
#' @export
loss_squared_hinge <- function() new_loss("squared_hinge")
