#' LASVM: online SMO
#'
#' The soft-margin SVM with bias, the problem of [solver_smo()], learned one example at a
#' time. In signed coefficients \eqn{b_i = y_i \alpha_i} it is
#' \deqn{\min_b \frac12 \sum_{ij} b_i b_j k(x_i, x_j) - \sum_i y_i b_i, \quad
#' 0 \le y_i b_i \le C, \quad \sum_i b_i = 0.}{min_b 1/2 sum_ij b_i b_j k(x_i, x_j) - sum_i y_i b_i, 0 <= y_i b_i <= C,
#' sum_i b_i = 0.}
#'
#' LASVM keeps a small set \eqn{S} of potential support vectors with the negative gradient \eqn{g_s =
#' y_s - \sum_i b_i k(x_i, x_s)}. One SMO step takes a violating pair, with \eqn{g_i - g_j} above `tolerance`, and
#' increases \eqn{b_i} and decreases \eqn{b_j} by
#' \deqn{\frac{g_i - g_j}{k(x_i, x_i) + k(x_j, x_j) -
#' 2 k(x_i, x_j)}}{(g_i - g_j) / (k(x_i, x_i) + k(x_j, x_j) - 2 k(x_i, x_j))}
#' as far as their bounds allow, which never increases the objective. A visit is two such steps:
#'
#' * PROCESS: the current example with its most violating partner in \eqn{S}. It joins \eqn{S} if
#'   the pair is violating; otherwise it is discarded.
#' * REPROCESS: the most violating pair in \eqn{S}. Then examples leave \eqn{S} whose coefficient
#'   is 0 and which are in no violating pair.
#'
#' At the end, with `finish = TRUE`, SMO steps follow until \eqn{S} has no violating pair. Then all examples of the fit
#' are checked: those in a violating pair join \eqn{S}, and steps follow again, until no example is in such a pair.
#' The result is the optimum that [solver_smo()] computes. The bias is the mean of the largest \eqn{g} of a
#' coefficient that can increase and the smallest \eqn{g} of one that can decrease.
#'
#' Numbers and quantiles ([loss_epsilon()], [loss_quantile()]) are learned by the same steps. Their coefficients may
#' have either sign. With a tube, \eqn{g \pm \epsilon}{g +- epsilon} takes the place of \eqn{g}, and a step also ends
#' where a coefficient reaches 0. `selection` takes the example with the largest deviation, or the nearest to the edge
#' of the tube.
#'
#' Choose it when examples arrive one after the other, with `finish = FALSE`: one pass usually comes close to the
#' accuracy of the batch solution, and the model follows concept drift. Coefficients change only once both classes have
#' been observed; until then the first five examples join \eqn{S}.
#'
#' @section Convergence:
#' The columns of the model's `convergence` are those of [solver_smo()], and `gap` and `finished`
#' hold over all examples of the fit, or of the [`update()`][update.osvm] and the support vectors
#' before it. With `finish = FALSE` both are `NA`, since examples that left \eqn{S} are not checked.
#'
#' @section Selection:
#' `selection = "random"` visits the examples as [osvm()] ordered them. `"gradient"` and `"margin"` evaluate, before
#' every visit, up to 50 random examples that were not visited in this epoch, and visit the one with the smallest \eqn{y
#' f(x)} or the smallest \eqn{|f(x)|}. After more than 20 successive visits of examples outside the margin without an
#' update, the 50 are visited without selection. This costs many times the kernel values of training in random order,
#' but informative examples come first: with `"gradient"` the largest margin violations, mislabelled examples among
#' them, with `"margin"` those near the boundary, whatever their labels. With `finish = FALSE`
#' one pass then comes closer to the optimum than in random order; with a finish the result is the same. With several
#' binary classifiers the smallest value of all is used. To save labels rather than time, see [osvm_active()].
#'
#' @section Updating:
#' [`update()`][update.osvm] continues with \eqn{S}, which is in the model. A stream of chunks with `epochs = 1`,
#' `shuffle = FALSE`, `selection = "random"` and `finish = FALSE` gives the model of one pass. With `finish = TRUE`
#' every chunk is finished, which improves each model and slows down the stream.
#'
#' @inheritParams solver_smo
#' @inheritParams solver_olsvm
#' @param selection Which example to visit next; see the section on selection.
#' @param finish Take SMO steps at the end until no pair of all examples violates the optimality
#'   conditions by more than `tolerance`?
#' @param tolerance Positive number: pairs that violate the optimality conditions by no more than
#'   this, in units of the decision value, take no step.
#' @section Cost:
#' A visit takes a kernel row over \eqn{S}, and two if the example joins; a step takes a pass over \eqn{S}. With a
#' selection other than `"random"` a visit takes up to 50 rows. The finish checks every example, often several times,
#' each time by a row over \eqn{S}. Rows of \eqn{S} are cached within `cache_mb` of [osvm()]: memory grows with the
#' square of the size of \eqn{S}, not with the number of examples.
#' @inherit solver_olsvm return
#' @references A. Bordes, S. Ertekin, J. Weston and L. Bottou (2005), *Fast Kernel Classifiers with
#'   Online and Active Learning*, Journal of Machine Learning Research 6, 1579-1619.
#' @seealso [solver_smo()] for the exact solution, [solver_huller()], [solver_olsvm()], [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(1000)
#' fit <- osvm(board$x, board$y, solver_lasvm(C = 10), kernel_rbf(sigma = 0.5))
#' mean(predict(fit, board$x) == board$y)
#'
#' # One pass without a finish: largest violations first come closer to the optimum
#' once <- solver_lasvm(C = 10, finish = FALSE)
#' worst <- solver_lasvm(C = 10, finish = FALSE, selection = "gradient")
#' learn <- function(solver) osvm(board$x, board$y, solver, kernel_rbf(sigma = 0.5))
#' fits <- lapply(list(once, worst), learn)
#' sapply(c(fits, list(fit)), function(fit) fit$convergence$objective)
solver_lasvm <- function(C = 1, epochs = 1, selection = c("random", "gradient", "margin"),
                         finish = TRUE, tolerance = 1e-3, shuffle = TRUE, ...) {
  check_dots("solver_lasvm", ...)
  new_solver("lasvm", epochs = whole(epochs))
}

lasvm_ended <- function(model) if (!model$solver$params$finish) "without a finish"

lasvm_unfinished <- function(model, stalled = FALSE) {
  off <- signif(max(model$convergence$gap), 2)
  warn_unfinished(
    stalled, paste0("The finish stopped before it reached its tolerance, at a gap of ", off, "."),
    "Raise {.arg tolerance}, lower {.arg C}, or scale the data"
  )
}

lasvm_serves <- function() list(live = solver_lasvm(finish = FALSE))
