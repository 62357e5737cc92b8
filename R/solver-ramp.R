#' OnlineSVM^R: ramp loss, optimal after every example
#'
#' Hinge loss makes every example on the wrong side a support vector, however wrong its
#' label. The ramp loss \eqn{R = \min(\max(0, 1 - y f(x)), 2)} stops counting at the far
#' side of the margin, so that examples with \eqn{y f(x) < -1} have no say:
#' \deqn{\min_f \frac12 |f|^2 + \sum_i C R(y_i f(x_i)).}
#' With noisy labels the model is more accurate and several times sparser. There is no bias.
#'
#' Each new example is judged by \eqn{g = 1 - y f(x)}. With \eqn{g < 0} or \eqn{g > 2} the
#' model stays as it is. Otherwise the example gets a coefficient, and coefficients are
#' changed one at a time, the one with the largest gain first, until the optimality
#' conditions hold for all examples in \eqn{V = \{i: g_i \le 2\}}; examples that have left
#' \eqn{V} lose their coefficient, those that came back are considered again, until \eqn{V}
#' stays. So after every example the model is a stationary point for all seen until then.
#'
#' Choose it for streams with wrong labels, where examples may have to be forgotten
#' again ([forget()]), and for active learning ([query()]).
#'
#' @param C Positive number: what a violated margin costs, at most twice. An example's
#'   weight multiplies it.
#' @param tolerance By how much the optimality conditions may be violated, in units of the
#'   decision value.
#' @param min_gain Steps that would improve the (dual) objective by less are left undone.
#' @param keep The most examples to keep that are no support vectors: those closest to
#'   the decision boundary stay. `Inf` keeps all, which makes the model exact. 1000 of 10,000
#'   bounded memory and time and cost no accuracy on a noisy chess board, half a point on
#'   forest cover types.
#' @section Cost:
#' Kernel values with the support vectors for every example. Where the model changes, a
#' pass over all examples kept for every step, and the kernel rows of the examples whose
#' coefficients move, each computed once while `cache_mb` of [osvm()] allows.
#'
#' @section What the model keeps:
#' All examples, or the support vectors and `keep` others: `sv` has them all, `coef` is 0
#' for those that are no support vectors, `n_sv` counts those that are. Examples are
#' learned in the order they come; `id` counts them in that order, for [forget()].
#'
#' @inherit solver_olsvm return
#' @references
#'   Z. Wang and S. Vucetic (2009), *Fast Online Training of Ramp Loss Support Vector
#'   Machines*, IEEE International Conference on Data Mining, Algorithms 1 and 2 ("or" in
#'   line 10 of Algorithm 1 reads "and").
#' @seealso [solver_cccp()] for the same machine off line, [solver_idsvm()] for hinge loss,
#'   [forget()], [query()], [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(600, noise = 0.15)
#' fit <- osvm(board$x, board$y, solver_ramp(C = 10), kernel_rbf(sigma = 0.3))
#' hinge <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(sigma = 0.3))
#' c(ramp = fit$n_sv, hinge = hinge$n_sv)
#'
#' clean <- chessboard(1000)
#' mean(predict(fit, clean$x) == clean$y)
#' mean(predict(hinge, clean$x) == clean$y)
solver_ramp <- function(C = 1, tolerance = 1e-3, min_gain = 1e-5, keep = Inf) {
  new_solver(
    "ramp",
    C = positive(C), tolerance = positive(tolerance), min_gain = positive(min_gain),
    keep = whole_or_inf(keep)
  )
}

ramp_unfinished <- function(model) warn_unsettled()

ramp_ended <- function(model) describe_ramp(model$convergence)
