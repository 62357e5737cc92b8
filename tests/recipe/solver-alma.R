#' ALMA: approximate maximal margin classification
#'
#' The algorithm ALMA of Gentile with the 2-norm, over a kernel expansion: a perceptron that
#' also corrects examples with a small margin. With \eqn{k} corrections made so far,
#' \eqn{\|x\| = \sqrt{k(x, x)}}, an example with
#' \eqn{y f(x) / \|x\| \le (1 - \alpha) / (\alpha \sqrt{k + 1})} is corrected by
#' \eqn{f := f + C y x / (\|x\| \sqrt{k + 1})}; then \eqn{f} is divided by its norm if that is
#' above 1. If the data is separable, the margin of \eqn{f} approaches \eqn{1 - \alpha} times
#' the largest.
#'
#' @param alpha Number above 0 and up to 1: the share of the margin that is given up; 1 is a
#'   perceptron with normalised examples.
#' @param C Positive number: the factor of the steps. The proof of convergence is for \eqn{\sqrt 2}.
#' @inheritParams solver_olsvm
#' @section Cost:
#' A kernel row per correction.
#' @inherit solver_olsvm return
#' @references
#'   C. Gentile (2001), *A New Approximate Maximal Margin Classification Algorithm*, Journal of
#'   Machine Learning Research 2, 213-242.
#' @seealso [solver_perceptron()], [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, solver_alma(alpha = 0.5), kernel_rbf(sigma = 0.3))
#' mean(predict(fit, board$x) == board$y)
solver_alma <- function(alpha = 0.9, C = sqrt(2), epochs = 10, shuffle = TRUE, average = FALSE, ...) {
  check_dots("solver_alma", ...)
  new_solver(
    "alma",
    alpha = number(alpha, above = 0, most = 1), C = positive(C), epochs = whole(epochs), shuffle = flag(shuffle),
    average = flag(average)
  )
}
