#' SMO: sequential minimal optimization
#'
#' The soft-margin SVM, as LIBSVM and `e1071::svm()` solve it:
#' \deqn{\min_\alpha \frac12 \sum_{ij} \alpha_i \alpha_j y_i y_j k(x_i, x_j) - \sum_i \alpha_i, \quad
#' 0 \le \alpha_i \le C, \quad \sum_i y_i \alpha_i = 0,}{min_alpha 1/2 sum_ij alpha_i alpha_j y_i y_j k(x_i, x_j) -
#' sum_i alpha_i, 0 <= alpha_i <= C, sum_i y_i alpha_i = 0,} two coefficients at a time. It is not an online method: it
#' needs the whole training set at once, and ends when no pair violates the optimality conditions by more than
#' `tolerance`.
#'
#' Choose it when all examples are at hand. It is the default of [osvm()] up to 10,000 rows with a linear kernel and
#' 50,000 with others (not of [low rank][low_rank]). Its time grows faster than the number of rows, and with `C`.
#'
#' @section Convergence:
#' The model's `convergence` has a row per binary classifier: `iterations`; `gap`, the remaining violation of the
#' optimality conditions; `objective`, the value of the minimum above (negative, as LIBSVM prints it); and `finished`. A
#' run that reaches `max_iter` first is returned with a warning of class `osvm_unfinished`. There are no epochs, so that
#' `trace` has no rows; `stats` counts pairs as steps.
#'
#' @section Without a bias:
#' With `bias = FALSE` there is no intercept, and the constraint \eqn{\sum_i y_i \alpha_i = 0}{sum_i y_i alpha_i = 0} is
#' dropped. A step changes a pair of coefficients or a single one, whichever gains more. The run ends when the largest
#' violations of the optimality conditions in either direction sum to less than `tolerance`. Choose it, or let
#' [osvm_tune()] choose, with a kernel that makes up for the intercept: a Gaussian or Laplacian one, or a polynomial
#' with `coef0` above 0. With a linear kernel the boundary goes through the centre of the scaled features. After tuning,
#' the error on ten data sets was 0.12 points lower in the mean, from 1.45 lower to 0.66 higher, and a grid was 0.96
#' times as fast (`bench/results/tune-ways.md`). [loss_novelty()] needs the bias.
#'
#' @section Updating:
#' [`update()`][update.osvm] is a warm start from the old coefficients. It takes few iterations if the new examples
#' change little. The model keeps its support vectors only, so the result is the optimum of those and the new
#' examples, which is the optimum of all examples if none of those left out would have become a support vector.
#'
#' @param C Positive number: cost of margin violations. An example's weight multiplies it.
#' @param tolerance When to stop: with `"second_order"` at this violation of the optimality conditions, in units of the
#'   decision value; with `"random"` at this change (Euclidean norm) of the coefficients over a whole sweep.
#' @param selection Working set selection. `"second_order"` takes the most violating example and the partner with the
#'   largest second-order gain. `"random"` is the sweep of Huang's Algorithm 2, which pairs every example with a random
#'   partner. It is slower, and may stop before the optimum, near which few random pairs improve the objective.
#' @param shrinking Use shrinking, which temporarily removes examples at a bound that are
#'   unlikely to be selected? It changes the time, not the solution, and is not used by `"random"`.
#' @param max_iter The largest number of iterations (pairs) per binary classifier.
#' @param bias Learn an intercept?
#' @param ... Not used: an unknown argument is an error.
#' @section Cost:
#' A pair takes two passes over the examples that are not shrunk, and its two kernel rows
#' unless they are cached (`cache_mb` of [osvm()]).
#'
#' @inherit solver_olsvm return
#' @references K. Huang (2018), *Sequential Minimal Optimization and Stochastic Gradient Descent for Training Support
#'   Vector Machines*, Algorithm 2 (`"random"`; the upper bound for equal labels and the clipped variable are
#'   corrected).
#'
#'   R.-E. Fan, P.-H. Chen and C.-J. Lin (2005), *Working Set Selection Using Second Order Information for Training
#'   Support Vector Machines*, Journal of Machine Learning Research 6, 1889-1918 (`"second_order"`).
#'
#'   I. Steinwart, D. Hush and C. Scovel (2011), *Training SVMs Without Offset*, Journal of Machine Learning Research
#'   12, 141-202.
#' @seealso [solver_dcd()] for linear SVMs, [solver_lasvm()] for streams, [solver_olsvm()] for wide grids of parameters,
#'   [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(sigma = 0.5))
#' fit$convergence
#' mean(predict(fit, board$x) == board$y)
solver_smo <- function(C = 1, tolerance = 1e-3, selection = c("second_order", "random"),
                       shrinking = TRUE, max_iter = 1e7, bias = TRUE, ...) {
  check_dots("solver_smo", ...)
  new_solver("smo", max_iter = whole(max_iter, most = 1e12))
}

smo_ranges <- function() list(max_iter = list(range = c(3, 7), log = TRUE))

smo_unfinished <- function(model, stalled = FALSE) {
  limit <- model$solver$params$max_iter
  warn_unfinished(
    stalled,
    paste0("The solver stopped after {.arg max_iter} = ", limit, " iterations, before it reached its tolerance."),
    "Raise {.arg max_iter}, lower {.arg C}, or scale the data"
  )
}

smo_serves <- function() list(fit = solver_smo())

smo_aliases <- function() "libsvm"
