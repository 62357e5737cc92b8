#' OL SVM: online learning of the hinge loss with cached outputs
#'
#' Stochastic gradient descent on the hinge loss \eqn{\sum_i \max(0, 1 - y_i f(x_i))}{sum_i max(0, 1 - y_i f(x_i))}. At
#' step \eqn{t}, with \eqn{\eta = C \sqrt{2/t}}{eta = C sqrt(2/t)}, an example that violates the margin (\eqn{y_i
#' f(x_i) < 1}) gets \eqn{\alpha_i := \alpha_i + \eta y_i}; any other example costs almost nothing. With `regularized
#' = TRUE` the loss is that of [solver_norma()], and \eqn{\alpha_i} is multiplied by \eqn{1 - \eta/C} first.
#'
#' Choose it to search a wide grid of parameters ([osvm_tune()]): its time depends little on `C` and on the width of the
#' kernel, while that of [solver_smo()] grows with `C` and varies with the width. For a single fit `solver_smo()` is
#' more accurate. On chess boards with a tenth of the labels wrong, `solver_smo()` took twice as long for 4,000
#' examples, as long for some 20,000, and half as long for 64,000. With too small a `C` every example violates the
#' margin; values around 10 did best on scaled data.
#'
#' @param C Positive number: the step size and, in a regularised loss, the cost of margin violations.
#' @param epochs Number of passes over the data.
#' @param bias Learn an intercept?
#' @param shuffle Visit the examples in random order, drawn once? With `FALSE` they are visited in the given order.
#' @param regularized Minimise the regularised hinge loss (List 3a) instead of the plain one (List 3b)?
#' @param outputs How to compute the current output on an example. `"cached"` keeps the outputs of all examples up to
#'   date and computes kernel values only when a coefficient changes; `"list"` sums over all examples at every step, as
#'   the paper lists it. Both give the same model up to rounding. With a linear kernel the solver works on the weights,
#'   and needs neither.
#' @param average Return the mean of the coefficients over all steps instead of the last ones?
#' @param budget The largest number of support vectors after any step, shared by all binary classifiers; `Inf` sets no
#'   limit. A linear kernel has weights and needs no budget.
#' @param maintenance What happens to the support vector that is one too many. `"merge"` replaces the one with the
#'   smallest coefficients and another by one between them, chosen so that the decision function changes least; it needs
#'   [kernel_rbf()]. `"project"` expresses the one nearest to the span of the others by them. `"remove"` leaves out the
#'   one of the smallest norm.
#' @param ... Not used: an unknown argument is an error.
#' @section Budgets:
#' Without a budget the support vectors of a stream grow without end. With one, a step costs a kernel row of `budget`
#' values, and prediction, memory and model files do not grow. Merging costs as much as two or three steps.
#' Projection changes the decision function least; it costs `budget`^2 multiplications, and as much memory within
#' `cache_mb`, and an [`update()`][update.osvm] begins with `budget`^3. Removal costs least, and loses most. Merged
#' vectors are not examples; `fit$merged` says which they are. In sparse data they have the non-zeros of all vectors
#' that were merged into them, and a fit that merges takes memory for `budget` dense vectors. Several classes
#' share their vectors: the coefficients of all binary classifiers decide which are merged. [solver_lasvm()] has no
#' budget: its dual variables satisfy constraints of the examples they belong to, which a merged vector does not have.
#' [compress()] reduces the support vectors of its models.
#' @section Cost:
#' A changed coefficient costs a kernel row (one value per example). With [kernel_linear()] a step costs the non-zeros
#' of the example.
#'
#' @return An object of class `osvm_solver` for [osvm()]. A parameter with several values is a grid for [osvm_tune()];
#'   [osvm()] takes one value.
#' @references V. Kecman and G. Melki (2016), *Fast Online Algorithms for Support
#'   Vector Machines*, IEEE SoutheastCon, Lists 3b (plain) and 3a (regularised).
#'
#'   Z. Wang, K. Crammer and S. Vucetic (2012), *Breaking the Curse of Kernelization: Budgeted Stochastic Gradient
#'   Descent for Large-Scale SVM Training*, Journal of Machine Learning Research 13, 3103-3131: budgets.
#'
#'   T. Glasmachers and S. Qaadan (2018), *Speeding Up Budgeted Stochastic Gradient Descent SVM Training with
#'   Precomputed Golden Section Search*, arXiv 1806.10180: merging by a table.
#' @seealso [solver_norma()] and [solver_pegaz()], [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, solver_olsvm(C = 30), kernel_rbf(sigma = 0.3))
#' mean(predict(fit, board$x) == board$y)
#'
#' # At most 50 support vectors, however long the stream
#' bounded <- osvm(board$x, board$y, solver_olsvm(C = 30, budget = 50), kernel_rbf(sigma = 0.3))
#' bounded
solver_olsvm <- function(C = 10, epochs = 10, bias = FALSE, shuffle = TRUE,
                         regularized = FALSE, outputs = c("cached", "list"), average = FALSE,
                         budget = Inf, maintenance = c("merge", "project", "remove"), ...) {
  check_dots("solver_olsvm", ...)
  new_solver("olsvm", epochs = whole(epochs), budget = whole(budget, infinite = TRUE))
}

olsvm_serves <- function() list(example = solver_olsvm())
