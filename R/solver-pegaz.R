#' Pegaz: Pegasos over a kernel expansion, without projection
#'
#' Stochastic gradient descent on the regularised hinge loss \eqn{C \sum_i \max(0, 1 - y_i f(x_i)) + |f|^2 / 2}{C sum_i
#' max(0, 1 - y_i f(x_i)) + |f|^2 / 2}. The coefficients are \eqn{\alpha = \eta \beta} with \eqn{\eta = C
#' \sqrt{2/t}}{eta = C sqrt(2/t)} at step \eqn{t}; if the current example violates the margin (\eqn{y_i f(x_i) \le
#' 1}), \eqn{\beta_i} grows by \eqn{y_i}.
#'
#' All violations have the same weight, however old. The coefficients shrink at every
#' step, so that more examples violate the margin and become support vectors than with [solver_olsvm()]. Choose it to
#' compare with the paper, or under concept drift.
#'
#' @inheritParams solver_olsvm
#' @inheritSection solver_olsvm Budgets
#' @inheritSection solver_olsvm Cost
#' @inherit solver_olsvm return
#' @references V. Kecman and G. Melki (2016), *Fast Online Algorithms for Support Vector Machines*, IEEE SoutheastCon,
#'   List 2; after S. Shalev-Shwartz and S. Ben-David (2014), *Understanding Machine Learning*, Cambridge University
#'   Press.
#' @seealso [solver_olsvm()] and [solver_norma()], [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, solver_pegaz(C = 30), kernel_rbf(sigma = 0.3))
#' mean(predict(fit, board$x) == board$y)
solver_pegaz <- function(C = 10, epochs = 10, bias = FALSE, shuffle = TRUE,
                         outputs = c("cached", "list"), average = FALSE,
                         budget = Inf, maintenance = c("merge", "project", "remove"), ...) {
  check_dots("solver_pegaz", ...)
  new_solver("pegaz", epochs = whole(epochs), budget = whole(budget, infinite = TRUE))
}
