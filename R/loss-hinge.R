#' @section Classes:
#' `loss_hinge()` is the loss of the soft-margin SVM: examples beyond the margin, \eqn{y f > 1}, cost nothing and are no
#' support vectors.
#'
#' @rdname losses
#' @export
loss_hinge <- function() new_loss("hinge")
