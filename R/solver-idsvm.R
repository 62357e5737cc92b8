#' IDSVM: incremental and decremental SVM
#'
#' The support vector machine of [solver_smo()], updated exactly: after every example the model is the batch solution
#' for all examples learned, and after every [forget()] that of the remaining examples. All computations are in double
#' precision.
#'
#' Every example is in one of three sets: *margin* support vectors have \eqn{y f(x) = 1} and coefficients between 0 and
#' `C`; *error* support vectors have \eqn{y f(x) \le 1} and coefficients at `C`; *reserve* examples have \eqn{y f(x) \ge
#' 1} and coefficient 0. The coefficient of a new example grows from 0, while bias and margin coefficients change so
#' that \eqn{y f(x) = 1} holds on the margin. The path is piecewise linear: each piece ends when an example migrates to
#' another set, the last one when the new example satisfies the optimality conditions.
#'
#' Numbers, quantiles and novelty ([loss_epsilon()], [loss_quantile()], [loss_novelty()]) are learned, forgotten and
#' left out just as exactly. With the tube of `loss_epsilon()` the examples on its edge are the margin, those outside
#' have coefficient `C` or `-C` and are the error set, and those inside are the reserve. Novelty always has an
#' intercept.
#'
#' Choose it when each intermediate model must be exact, when examples must be unlearned exactly, or for the
#' leave-one-out error ([loo()]), and when there are at most some thousands of examples: all are kept.
#'
#' @inheritParams solver_smo
#' @inheritParams solver_olsvm
#' @section Cost:
#' A migration costs a pass over the kernel rows of the margin support vectors, each with a value
#' per example, and the square of the number of margin support vectors.
#'
#' @section What the model keeps:
#' The model keeps all examples in `sv`; `coef` is 0 for the reserve, and `n_sv` counts the others. `sets` has the
#' sizes of the three sets. Examples are learned in the given order; `id` has their numbers in that order, for
#' [forget()].
#'
#' @inherit solver_olsvm return
#' @references G. Cauwenberghs and T. Poggio (2001), *Incremental and Decremental Support Vector Machine Learning*,
#'   Advances in Neural Information Processing Systems 13.
#'
#'   J. Ma, J. Theiler and S. Perkins (2003), *Accurate On-line Support Vector Regression*, Neural Computation 15.
#'
#'   P. Laskov, C. Gehl, S. Krueger and K.-R. Mueller (2006), *Incremental Support Vector Learning: Analysis,
#'   Implementation and Applications*, Journal of Machine Learning Research 7.
#' @seealso [forget()], [loo()], [solver_smo()] for the batch solution alone,
#'   [solver_ramp()] for label noise, [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(300)
#' fit <- osvm(board$x, board$y, solver_idsvm(C = 10), kernel_rbf(sigma = 0.5))
#' fit
#'
#' batch <- osvm(board$x, board$y, solver_smo(C = 10, tolerance = 1e-8), fit$kernel)
#' max(abs(predict(fit, board$x, type = "decision") - predict(batch, board$x, type = "decision")))
solver_idsvm <- function(C = 1, bias = TRUE, ...) {
  check_dots("solver_idsvm", ...)
  new_solver("idsvm")
}

idsvm_sets <- c("margin", "error", "reserve")

# The sets' sizes, a row per machine.
idsvm_fields <- function(model) {
  set <- matrix(model$state[, , "set"], ncol = nrow(model$machines))
  sizes <- vapply(seq_along(idsvm_sets), function(k) colSums(set == k), numeric(ncol(set)))
  model$sets <- as.data.frame(matrix(sizes, ncol = 3, dimnames = list(NULL, idsvm_sets)))
  if (nrow(model$sets) > 1) rownames(model$sets) <- colnames(model$coef)
  model
}

idsvm_unfinished <- function(model, stalled = FALSE) {
  off <- signif(max(model$convergence$gap), 2)
  warn(c(
    "Some examples violate the optimality conditions: the kernel matrix is singular to rounding.",
    i = "A smaller {.arg C} or another kernel width helps; the largest violation is {off}."
  ), "osvm_unfinished")
}

idsvm_ended <- function(model) {
  sets <- colSums(model$sets)
  paste0(
    paste(big(sets), names(sets), collapse = ", "),
    if (nrow(model$convergence) == 1) paste(", objective", signif(model$convergence$objective, 6))
  )
}
