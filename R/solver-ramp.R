#' Online ramp-loss SVM
#'
#' Hinge loss makes every misclassified example a support vector, even if its label is wrong. The ramp loss \eqn{R =
#' \min(\max(0, 1 - y f(x)), 2)}{R = min(max(0, 1 - y f(x)), 2)} is constant beyond the far side of the margin, so that
#' examples with \eqn{y f(x) < -1} do not contribute:
#' \deqn{\min_f \frac12 |f|^2 + \sum_i C R(y_i f(x_i)).}{min_f 1/2 |f|^2 + sum_i C R(y_i f(x_i)).}
#' This is robust to label noise. Of nine data sets, tuned for both losses, ramp loss had about a half to a sixth of the
#' support vectors of hinge loss on the six whose classes overlap or whose labels are noisy, as many on two, and a third
#' more on one. It was 1.5 percentage points more accurate where labels had been switched, and within 0.2 points
#' elsewhere (`bench/results/ramp-table.md`). There is no bias.
#'
#' Tune `C`: where it is too large, wrong labels are learned as with hinge loss, and more so. On chess boards of 2,000
#' examples, 15 per cent of them with wrong labels, the accuracy on clean labels was 95.5 per cent with `C = 10`, where
#' hinge loss had 92.5, and 93.0 with `C = 100`, where hinge loss had 93.2 (`bench/results/claims.md`, means of ten
#' draws).
#'
#' A new example with \eqn{g = 1 - y f(x)} below 0 or above 2 does not change the model. Otherwise it gets a
#' coefficient, and coordinate descent changes one coefficient at a time, the one with the largest gain first, until the
#' optimality conditions hold for all examples in \eqn{V}, those with \eqn{g \le 2}. Examples that leave \eqn{V} lose
#' their coefficient, and those that return are considered again, until \eqn{V} no longer changes. So after every
#' example the model is a stationary point of the objective of all examples learned.
#'
#' Choose it for streams with label noise, also if examples may have to be removed
#' again ([forget()]), and for active learning ([query()]). Do not choose it under concept drift: examples far
#' on the wrong side have no effect, so that a model does not follow a change of the classes.
#'
#' @param C Positive number: cost of margin violations, of which none costs more than
#'   \eqn{2C}. An example's weight multiplies it.
#' @param tolerance Largest violation of the optimality conditions, in units of the decision value.
#' @param min_gain Steps that would improve the (dual) objective by less are not taken. Where that
#'   would leave out all steps because `C` is small or \eqn{k(x, x)} large, a thousandth of
#'   \eqn{\min(1 / k(x, x), C)}{min(1 / k(x, x), C)} is used instead.
#' @param keep The largest number of examples to keep that are not support vectors: those closest to the decision
#'   boundary. `Inf` keeps all; otherwise the stationary point is that of the examples kept. With 10,000 examples,
#'   `keep = 1000` took a fifth less time; it cost no accuracy on a noisy chess board, and a third of a percentage point
#'   on forest cover types.
#' @param ... Not used: an unknown argument is an error.
#' @section Cost:
#' Every example costs a kernel row over the support vectors. Where it changes the model, every step costs a
#' pass over all examples kept or a working set of them, and the kernel rows of the examples whose
#' coefficients change, each computed once within `cache_mb` of [osvm()].
#'
#' @section What the model keeps:
#' The model keeps all examples, or the support vectors and `keep` others, in `sv`. `coef` is 0
#' for those that are not support vectors, and `n_sv` counts those that are. Examples are
#' learned in the given order; `id` has their numbers in that order, for [forget()].
#'
#' @inherit solver_olsvm return
#' @references Z. Wang and S. Vucetic (2009), *Fast Online Training of Ramp Loss Support Vector Machines*, IEEE
#'   International Conference on Data Mining, Algorithms 1 and 2 ("or" in line 10 of Algorithm 1 reads "and").
#' @seealso [solver_cccp()] for the same problem in batch, [solver_idsvm()] for hinge loss,
#'   [forget()], [query()], [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(2000, noise = 0.15)
#' fit <- osvm(board$x, board$y, solver_ramp(C = 10), kernel_rbf(sigma = 0.3))
#' hinge <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(sigma = 0.3))
#' c(ramp = fit$n_sv, hinge = hinge$n_sv)
#'
#' clean <- chessboard(1000)
#' mean(predict(fit, clean$x) == clean$y)
#' mean(predict(hinge, clean$x) == clean$y)
solver_ramp <- function(C = 1, tolerance = 1e-3, min_gain = 1e-5, keep = Inf, ...) {
  check_dots("solver_ramp", ...)
  new_solver("ramp", keep = whole(keep, least = 0, infinite = TRUE))
}

ramp_ranges <- function() {
  list(min_gain = list(range = c(-6, -1), log = TRUE), keep = list(range = c(100, 5000), log = FALSE))
}

ramp_unfinished <- function(model, stalled = FALSE) warn_ramp(stalled)

ramp_ended <- function(model) describe_ramp(model$convergence)

ramp_serves <- function() list(active = solver_ramp())
