#' LASVM: an on-line machine that arrives at the batch solution
#'
#' The soft-margin machine with bias, the problem of [solver_smo()], learned one example at a
#' time. In signed coefficients \eqn{b_i = y_i \alpha_i} it is
#' \deqn{\min_b \frac12 \sum_{ij} b_i b_j k(x_i, x_j) - \sum_i y_i b_i, \quad
#' 0 \le y_i b_i \le C, \quad \sum_i b_i = 0.}
#' LASVM keeps a small set \eqn{S} of examples with their errors
#' \eqn{e_s = y_s - \sum_i b_i k(x_i, x_s)}. One step takes a pair whose errors differ by more
#' than `tolerance`, lets the coefficient with the larger error rise and the other one fall by
#' \deqn{\frac{e_i - e_j}{k(x_i, x_i) + k(x_j, x_j) - 2 k(x_i, x_j)}}
#' as far as their bounds allow, and so never makes the objective worse. A visit is two such
#' steps:
#'
#' * *Process*: the example at hand with its worst partner in \eqn{S}. It joins \eqn{S} if they
#'   are worth a step; otherwise nothing is left of it.
#' * *Reprocess*: the worst pair within \eqn{S}. Then examples leave \eqn{S} whose coefficient is
#'   0 and which no pair would choose.
#'
#' At the end, with `finish = TRUE`, pairs of \eqn{S} are improved until none is worth a step:
#' the exact solution for the examples of \eqn{S}. The bias is the middle between the largest error
#' that may still rise and the smallest that may still fall.
#'
#' Choose it when there is more data than [solver_smo()] can swallow and no time to tune: one pass
#' usually comes close to the accuracy of the batch solution, and several come close to the
#' solution itself. Not before both classes have been seen does anything move; until then the
#' first five examples join \eqn{S}.
#'
#' @section Choosing examples:
#' `selection = "random"` visits the examples as [osvm()] ordered them. `"gradient"` and
#' `"margin"` look, before every visit, at up to 50 examples that were not visited in this epoch,
#' drawn at random, and visit the one that promises most: the smallest \eqn{y f(x)}, or the
#' smallest \eqn{|f(x)|}. After more than 20 visits in a row of examples that were not inside the
#' margin and brought nothing, the 50 are visited without choosing. This spends kernel values on
#' looking, many times those of learning, to meet the examples that matter first: `"gradient"` the
#' worst mistakes, wrong labels among them; `"margin"` does not look at labels when it chooses. A
#' pass that is finished usually comes closer to the exact solution than one in random
#' order. With several machines the smallest value of all decides. To save labels rather
#' than time see [osvm_active()].
#'
#' @section Going on:
#' [`update()`][update.osvm] goes on with \eqn{S}, which is in the model. A stream of chunks with
#' `epochs = 1`, `shuffle = FALSE`, `selection = "random"` and `finish = FALSE` gives the model of
#' one pass. With `finish = TRUE` every chunk is finished, which makes each model better and the
#' stream slower.
#'
#' @param C Positive number: what a violated margin costs. An example's weight
#'   multiplies it.
#' @param epochs How often to go through the data.
#' @param selection Which example to visit next; see below.
#' @param finish Improve pairs at the end until none violates the optimality conditions by more
#'   than `tolerance`?
#' @param tolerance Positive number: errors that differ by no more than this, in units of the
#'   decision value, are not worth a step.
#' @param shuffle Visit the examples in random order, drawn once? `FALSE`: as they
#'   come.
#' @section Cost:
#' A kernel row over \eqn{S} per visit, and a pass over \eqn{S} per step; two for an example that
#' joins. With a selection other than `"random"`, up to 50 rows per visit. Rows of \eqn{S} are
#' kept as far as `cache_mb` of [osvm()] reaches: memory grows with the square of the size of
#' \eqn{S}, not with the number of examples.
#' @inherit solver_olsvm return
#' @references A. Bordes, S. Ertekin, J. Weston and L. Bottou (2005), *Fast Kernel Classifiers with
#'   Online and Active Learning*, Journal of Machine Learning Research 6, 1579-1619.
#' @seealso [solver_smo()] for the exact solution, [solver_huller()], [solver_olsvm()], [osvm()],
#'   [solvers()]
#' @export
#' @examples
#' board <- chessboard(1000)
#' fit <- osvm(board$x, board$y, solver_lasvm(C = 10), kernel_rbf(sigma = 0.5))
#' mean(predict(fit, board$x) == board$y)
#'
#' # The worst mistakes first: closer to the optimum after one pass
#' worst <- solver_lasvm(C = 10, selection = "gradient")
#' closer <- osvm(board$x, board$y, worst, kernel_rbf(sigma = 0.5))
#' exact <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(sigma = 0.5))
#' sapply(list(fit, closer, exact), function(fit) fit$convergence$objective)
solver_lasvm <- function(C = 1, epochs = 1, selection = c("random", "gradient", "margin"),
                         finish = TRUE, tolerance = 1e-3, shuffle = TRUE) {
  new_solver(
    "lasvm",
    C = positive(C), epochs = whole(epochs),
    selection = choice(selection, c("random", "gradient", "margin")), finish = flag(finish),
    tolerance = positive(tolerance), shuffle = flag(shuffle)
  )
}
