#' @section Classes:
#' `loss_logistic()` is logistic regression with a penalty on the weights: outputs are log-odds of the second class.
#' [solver_dcd()] has its optimum for a linear kernel and kernels of low rank, and solvers that descend learn it under
#' any kernel; every example is a support vector then.
#'
#' @references
#' Yu, H.-F., Huang, F.-L. and Lin, C.-J. (2011). Dual coordinate descent methods for logistic regression and maximum
#' entropy models. *Machine Learning*, 85.
#'
#' @rdname losses
#' @export
loss_logistic <- function() new_loss("logistic")
