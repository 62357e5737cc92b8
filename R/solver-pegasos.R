#' Pegasos: linear SVM by stochastic sub-gradient descent
#'
#' Stochastic gradient descent on \eqn{\lambda |w|^2 / 2} plus the mean of
#' \eqn{\max(0, 1 - y_i w \cdot x_i)}{max(0, 1 - y_i w . x_i)} with steps \eqn{1/(\lambda t)}: the weights are
#' multiplied by \eqn{1 - 1/t}, and an example that violates the margin adds \eqn{y_i x_i / (\lambda t)}.
#'
#' Choose it for long streams, dense or sparse, also with a kernel of [low rank][low_rank]. Further epochs bring it
#' closer to the optimum; where all rows are at hand, [solver_dcd()] reaches it. `lambda` corresponds to
#' \eqn{1 / (C n)} of a batch SVM.
#'
#' @param lambda Positive number: the strength of the regularisation.
#' @inheritParams solver_dcd
#' @inheritParams solver_olsvm
#' @param project Project onto the ball \eqn{|w| \le 1/\sqrt\lambda}{|w| <= 1 / sqrt(lambda)}, which contains the
#'   solution?
#' @param average Return the mean of the weights over all steps instead of the last ones? Step \eqn{t} counts
#'   \eqn{t} times, since the first steps are large.
#' @param batch Mini-batch size: number of examples per step, whose gradients are averaged.
#'   An incomplete mini-batch at the end of a fit or update is a step of its own.
#' @param unit_norm Scale every example to norm 1, here and when predicting?
#' @section Cost:
#' A step costs the non-zeros of the example, projection and averaging included (the average is updated lazily). With
#' both and a small `lambda`, the first steps, about `1 / sqrt(lambda)` of them, occasionally need a pass over all
#' weights.
#' @inherit solver_olsvm return
#' @references J. A. Bagnell (2010), *Notes on efficient online SVM implementation*, Algorithm 1; after S.
#'   Shalev-Shwartz, Y. Singer and N. Srebro (2007), *Pegasos: Primal Estimated sub-GrAdient SOlver for SVM*, ICML.
#'
#'   S. Lacoste-Julien, M. Schmidt and F. Bach (2012), *A simpler approach to obtaining an O(1/t) convergence rate for
#'   the projected stochastic subgradient method*, arXiv:1212.2002.
#' @seealso [solver_dcd()], [solver_sgd()], [kernel_linear()], [osvm()], [solvers()]
#' @export
#' @examples
#' fit <- osvm(Species ~ ., data = iris, solver = solver_pegasos(lambda = 1e-3))
#' coef(fit)
#' mean(predict(fit, iris) == iris$Species)
solver_pegasos <- function(lambda = 1e-4, epochs = 5, project = TRUE, average = TRUE, batch = 1,
                           unit_norm = FALSE, bias = TRUE, shuffle = TRUE, ...) {
  check_dots("solver_pegasos", ...)
  new_solver("pegasos", epochs = whole(epochs), batch = whole(batch))
}

pegasos_ranges <- function() list(batch = list(range = c(1, 64), log = FALSE))

pegasos_serves <- function() list(shards_linear = solver_pegasos())
