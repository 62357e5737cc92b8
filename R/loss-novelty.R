#' @section Novelty:
#' A novelty model learns without labels: `loss_novelty()` is that of the one-class SVM. [`predict()`][predict.osvm]
#' returns `TRUE` for what belongs to the data it has learned, and `FALSE` for what does not; about a share `nu` of the
#' training data is left outside. The cost `C` of a solver has no effect on it.
#'
#' @param nu A share of the examples, above 0 and up to 1: at most this share is left outside, and at least this share
#'   are support vectors.
#' @references
#' Schölkopf, B., Platt, J., Shawe-Taylor, J., Smola, A. and Williamson, R. (2001). Estimating the support of a
#' high-dimensional distribution. *Neural Computation*, 13.
#'
#' @rdname losses
#' @export
loss_novelty <- function(nu = 0.1) new_loss("novelty", nu = number(nu, above = 0, most = 1))
