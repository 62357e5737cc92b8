#' NORMA: kernel stochastic gradient descent with decaying coefficients
#'
#' Stochastic gradient descent on the regularised hinge loss \eqn{C \sum_i \max(0, 1 - y_i f(x_i)) + |f|^2 / 2}{C sum_i
#' max(0, 1 - y_i f(x_i)) + |f|^2 / 2}. At step \eqn{t}, with \eqn{\eta = C \sqrt{2/t}}{eta = C sqrt(2/t)}, every
#' coefficient but that of the current example is multiplied by \eqn{1 - \eta/C}; if the example violates the margin
#' (\eqn{y_i f(x_i) \le 1}) its coefficient *becomes* \eqn{\eta y_i}.
#'
#' Coefficients decay quickly, so that old examples hardly contribute. Choose it to compare with the paper. Under
#' concept drift it was as accurate as [solver_lasvm()] on two streams of two normal distributions, and much less
#' accurate on the three others of `vignette("which-solver", "onlinesvm")`. On stationary data [solver_olsvm()] is
#' usually more accurate.
#'
#' @inheritParams solver_olsvm
#' @inheritSection solver_olsvm Budgets
#' @inheritSection solver_olsvm Cost
#' @inherit solver_olsvm return
#' @references V. Kecman and G. Melki (2016), *Fast Online Algorithms for Support Vector Machines*, IEEE SoutheastCon,
#'   List 1; after J. Kivinen, A. J. Smola and R. C. Williamson (2002), *Large Margin Classification for Drifting
#'   Targets*, NIPS.
#' @seealso [solver_olsvm()] and [solver_pegaz()], [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, solver_norma(C = 100), kernel_rbf(sigma = 0.3))
#' mean(predict(fit, board$x) == board$y)
solver_norma <- function(C = 100, epochs = 20, bias = FALSE, shuffle = TRUE,
                         outputs = c("cached", "list"), average = FALSE,
                         budget = Inf, maintenance = c("merge", "project", "remove"), ...) {
  check_dots("solver_norma", ...)
  new_solver("norma", epochs = whole(epochs), budget = whole(budget, infinite = TRUE))
}

norma_serves <- function() list(expansion = solver_norma())
