#' Dual coordinate descent: the linear SVM of many rows
#'
#' The optimum of the linear soft-margin SVM, as LIBLINEAR solves it:
#' \deqn{\min_w \frac12 |w|^2 +
#' C \sum_i \max(0, 1 - y_i w \cdot x_i),}{min_w 1/2 |w|^2 + C sum_i max(0, 1 - y_i w . x_i),}
#' by its dual, one coefficient at a time. Other [losses] take the place of the hinge loss: with [loss_logistic()] it is
#' logistic regression, as Yu, Huang and Lin (2011) solve it. It is not an online method: it needs the whole training
#' set at once.
#'
#' It is the default of [osvm()] for [kernel_linear()] and more than 10,000 rows, and for kernels of
#' [low rank][low_rank]: time and memory grow about linearly with the number of rows. The solution is that of
#' [solver_smo()], except that the intercept counts in \eqn{|w|}. With a large `C` and overlapping classes it needs many
#' passes, although from 10,000 rows on it starts from the solutions for smaller values of `C`. Then scale the data, or
#' lower `C`, which hardly changes the model where rows are many.
#'
#' @section Convergence:
#' The model's `convergence` has a row per binary classifier: `iterations`, the visits in passes over its examples;
#' `gap`, the duality gap divided by the objective above, which exceeds its minimum by at most that share of it;
#' `objective`, that of the dual, negative as with [solver_smo()]; and `finished`. A run that reaches `max_iter` first
#' is returned with a warning of class `osvm_unfinished`. There are no epochs, so that `trace` has no rows.
#'
#' @section Updating:
#' The model holds weights, and no examples. [`update()`][update.osvm] minimises \eqn{|w - v|^2 / 2} plus the
#' cost of the new examples, where \eqn{v} are the weights before: what earlier examples contributed is not
#' revised. The result is near the optimum of all examples, but not the same. For the optimum, fit again, or
#' choose [solver_smo()], which keeps its support vectors.
#'
#' @inheritParams solver_smo
#' @param bias Learn an intercept? It is the weight of a constant feature 1 and regularised like the others.
#' @param tolerance The run ends at this duality gap, as a share of the objective.
#' @param max_iter The largest number of passes per binary classifier. A pass over some of its examples, those that
#'   still change, counts as that part of a pass.
#' @section Cost:
#' A visit costs the non-zeros of the example; there are some ten to a hundred visits per example. The binary
#' classifiers of several classes are solved side by side on the `threads` of [osvm()].
#'
#' @inherit solver_olsvm return
#' @references C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan (2008), *A Dual Coordinate Descent
#'   Method for Large-scale Linear SVM*, ICML.
#'
#'   C.-H. Ho and C.-J. Lin (2012), *Large-scale Linear Support Vector Regression*, Journal of Machine Learning Research
#'   13, 3323-3348.
#' @seealso [solver_pegasos()] for streams, [kernel_linear()], [osvm()], [solvers()]
#' @export
#' @examples
#' fit <- osvm(Species ~ ., data = iris, solver = solver_dcd())
#' coef(fit)
#' fit$convergence
#' mean(predict(fit, iris) == iris$Species)
solver_dcd <- function(C = 1, bias = TRUE, tolerance = 1e-4, max_iter = 1e4, ...) {
  check_dots("solver_dcd", ...)
  new_solver("dcd", max_iter = whole(max_iter, most = 1e12))
}

dcd_ranges <- function() list(max_iter = list(range = c(2, 5), log = TRUE))

dcd_unfinished <- function(model, stalled = FALSE) {
  gap <- signif(max(model$convergence$gap), 2)
  warn_unfinished(
    stalled,
    paste0(
      "The solver stopped after {.arg max_iter} = ", model$solver$params$max_iter,
      " passes, with an objective at most ", 100 * gap, " % above the optimum."
    ),
    "Raise {.arg max_iter}, lower {.arg C}, or scale the data"
  )
}

# A lower tolerance takes longer on a kernel of low rank, and has the same errors.
dcd_serves <- function() list(many_rows = solver_dcd(), low_rank = solver_dcd(tolerance = 0.01))

dcd_aliases <- function() "liblinear"
