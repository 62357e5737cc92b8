#' Passive-Aggressive online learning
#'
#' An example without hinge loss, \eqn{l = \max(0, 1 - y_i f(x_i)) = 0}{l = max(0, 1 - y_i f(x_i)) = 0}, does not change
#' \eqn{f} (passive). Any other replaces \eqn{f} by the nearest function that corrects it (aggressive): \eqn{\alpha_i :=
#' \alpha_i + \tau y_i}, and with a bias \eqn{b := b + \tau y_i}.
#'
#' The variants have these step sizes, and minimise these objectives over the next function \eqn{g}:
#'
#' | `variant` | \eqn{\tau} | objective |
#' |:--|:--|:--|
#' | `"PA"` | \eqn{l / K} | \eqn{|g - f|^2 / 2}, with no loss left |
#' | `"PA-I"` | \eqn{\min(C, l / K)}{min(C, l / K)} | \eqn{|g - f|^2 / 2 + C l(g)} |
#' | `"PA-II"` | \eqn{l / (K + 1/(2C))} | \eqn{|g - f|^2 / 2 + C l(g)^2} |
#'
#' Here \eqn{K = k(x_i, x_i)}, plus 1 with a bias, which is the weight of a feature that is always 1. Where the
#' denominator is not above 0 (as for a row of zeros under a linear kernel without bias) the example is skipped. With
#' [kernel_sigmoid()] it can be close to 0: the steps of `"PA"` are then huge, while `C` bounds those of `"PA-I"`. For
#' numbers ([loss_epsilon()]) the sign of \eqn{y_i - f(x_i)} takes the place of \eqn{y_i}.
#'
#' The step size does not decrease with the number of steps, so that the model follows concept drift;
#' `solver_lasvm(finish = FALSE)` had a smaller error on four of the five drifting streams of
#' `vignette("which-solver", "onlinesvm")`. For the same reason it does not converge on noisy data, where `"PA"` fits
#' every wrong label. There a small `C` helps, and [solver_olsvm()] and [solver_perceptron()] are usually more
#' accurate and have fewer support vectors.
#'
#' @inheritParams solver_olsvm
#' @param C Positive number: the aggressiveness parameter. `"PA-I"` bounds the change of a coefficient by it, `"PA-II"`
#'   shortens all steps; `"PA"` does not use it. Values above about \eqn{1/K} make no difference: that is 1 for
#'   [kernel_rbf()], and one over the number of features for a linear kernel on scaled data. An example's weight
#'   multiplies `C`; with weight 0 it is left out, whatever the variant.
#' @param variant The update rule; see the table in the details.
#' @inheritSection solver_olsvm Budgets
#' @section Cost:
#' An example with a loss costs a kernel row (one value per example), and nearly all examples have a loss at some step.
#' With [kernel_linear()] a step costs the non-zeros of the example.
#' @inherit solver_olsvm return
#' @references K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer (2006), *Online Passive-Aggressive
#'   Algorithms*, Journal of Machine Learning Research 7, 551-585, Figure 1.
#'
#'   Z. Wang and S. Vucetic (2009), *Fast Online Training of Ramp Loss Support Vector
#'   Machines*, IEEE International Conference on Data Mining, who compare with it.
#' @seealso [solver_perceptron()], [solver_norma()], [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, solver_pa(C = 1), kernel_rbf(sigma = 0.3))
#' mean(predict(fit, board$x) == board$y)
#'
#' # A stream: every example once, in chunks
#' once <- solver_pa(C = 1, epochs = 1)
#' stream <- osvm(board$x[1:100, ], board$y[1:100], once, kernel_rbf(sigma = 0.3))
#' for (rows in split(101:500, rep(1:4, each = 100))) {
#'   stream <- update(stream, board$x[rows, ], board$y[rows])
#' }
#' mean(predict(stream, board$x) == board$y)
solver_pa <- function(C = 0.1, variant = c("PA-I", "PA", "PA-II"), epochs = 10, bias = TRUE, shuffle = TRUE,
                      budget = Inf, maintenance = c("merge", "project", "remove"), ...) {
  check_dots("solver_pa", ...)
  new_solver("pa", epochs = whole(epochs), budget = whole(budget, infinite = TRUE))
}

pa_serves <- function() list(live_linear = solver_pa())
