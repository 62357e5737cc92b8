#' Averaged kernel perceptron
#'
#' The perceptron of Freund and Schapire over a kernel expansion \eqn{f(x) = \sum_i \alpha_i k(x_i, x) + b}. An example
#' on the wrong side (\eqn{y_i f(x_i) \le 0}) is a mistake and gets \eqn{\alpha_i := \alpha_i + y_i}; with a bias,
#' \eqn{b := b + y_i}. Any other example does not change \eqn{f}. The model returned is the mean of \eqn{f} over all
#' steps, which weights a hypothesis by the number of steps it was in use; `average = FALSE` gives the last one.
#'
#' There is no `C` to tune, and only mistakes become support vectors, so that there are fewer than with a margin. Choose
#' it for few support vectors on clean data. When classes overlap it is far less accurate without the average, and one
#' epoch is rarely enough. There is no margin: decision values grow with the number of mistakes, and have no scale.
#'
#' If some \eqn{f^*} of norm 1 separates the examples by \eqn{y_i f^*(x_i) \ge \gamma}, the number of mistakes is at
#' most \eqn{(R/\gamma)^2}, with \eqn{R^2} the largest \eqn{k(x_i, x_i)}, however many examples there are. (A bias
#' belongs to \eqn{f^*} and adds 1 to \eqn{R^2}.) An example's weight multiplies what a mistake on it adds.
#'
#' @inheritParams solver_olsvm
#' @inheritSection solver_olsvm Budgets
#' @section Cost:
#' A mistake costs a kernel row (one value per example). With [kernel_linear()] a step costs the non-zeros of the
#' example.
#' @inherit solver_olsvm return
#' @references Y. Freund and R. E. Schapire (1999), *Large Margin Classification Using the Perceptron Algorithm*,
#'   Machine Learning 37, 277-296, Figure 1, with the average in place of the vote.
#'
#'   A. Bordes and L. Bottou (2005), *The Huller: a simple and efficient online SVM*,
#'   where it needs ten epochs to come near an SVM.
#' @seealso [solver_pa()], which has a margin, [solver_olsvm()], [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, solver_perceptron(epochs = 20), kernel_rbf(sigma = 0.3))
#' mean(predict(fit, board$x) == board$y)
#' fit$trace$violations # mistakes in every epoch
solver_perceptron <- function(epochs = 10, average = TRUE, bias = TRUE, shuffle = TRUE,
                              budget = Inf, maintenance = c("merge", "project", "remove"), ...) {
  check_dots("solver_perceptron", ...)
  new_solver("perceptron", epochs = whole(epochs), budget = whole(budget, infinite = TRUE))
}
