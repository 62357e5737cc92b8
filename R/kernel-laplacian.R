#' @section Laplacian kernel:
#' The Laplacian kernel decreases with the sum of absolute differences, the Gaussian with that of squared ones. So a
#' single feature with a large difference lowers the similarity less, and the decision boundary may have corners.
#' kernlab's `laplacedot()` is another kernel, \eqn{\exp(-\sigma |x - z|)}{exp(-sigma |x - z|)} with the Euclidean
#' distance.
#' @examples
#' # Corners in the decision boundary
#' set.seed(1)
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, kernel = kernel_laplacian())
#' new <- chessboard(500)
#' mean(predict(fit, new$x) == new$y)
#'
#' @rdname kernels
#' @export
kernel_laplacian <- function(gamma = NULL, sigma = NULL, ...) {
  check_dots("kernel_laplacian", ...)
  kernel_of_width("laplacian", gamma, sigma, function(sigma) 1 / sigma, "1 / sigma")
}
