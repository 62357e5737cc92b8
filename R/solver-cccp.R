#' Ramp-loss SVM on the whole training set, by CCCP
#'
#' This solves the problem of [solver_ramp()] with the whole training set at once. The concave-convex procedure (CCCP)
#' trains a hinge-loss SVM without bias on \eqn{V}, the examples with \eqn{y f(x) \ge -1}, and recomputes \eqn{V}, until
#' \eqn{V} no longer changes. The starting point is the hinge-loss SVM of some of the examples.
#'
#' Choose it when all data are at hand and labels are noisy, or to compare with
#' [solver_ramp()], which reaches a stationary point of the same problem online.
#'
#' @inheritParams solver_ramp
#' @param start The share of the examples whose hinge-loss SVM is the starting point, between 0 and 1.
#' @param shuffle Use the examples in random order? Then the starting point comes from a random sample.
#' @section Updating:
#' The model keeps its support vectors only: [`update()`][update.osvm] continues the
#' procedure with those and the new examples.
#'
#' @inherit solver_olsvm return
#' @references R. Collobert, F. Sinz, J. Weston and L. Bottou (2006), *Trading Convexity for Scalability*, International
#'   Conference on Machine Learning.
#'
#'   Z. Wang and S. Vucetic (2009), *Fast Online Training of Ramp Loss Support Vector
#'   Machines*, IEEE International Conference on Data Mining, section II C.
#' @seealso [solver_ramp()], [solver_smo()] for hinge loss, [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(600, noise = 0.15)
#' fit <- osvm(board$x, board$y, solver_cccp(C = 10), kernel_rbf(sigma = 0.3))
#' fit
solver_cccp <- function(C = 1, start = 0.1, tolerance = 1e-3, min_gain = 1e-5, shuffle = TRUE, ...) {
  check_dots("solver_cccp", ...)
  new_solver("cccp", start = number(start, above = 0, most = 1))
}

cccp_ranges <- function() ramp_ranges()["min_gain"]

cccp_unfinished <- function(model, stalled = FALSE) warn_ramp(stalled)

cccp_ended <- function(model) describe_ramp(model$convergence)

# Shared by both ramp-loss solvers.
warn_ramp <- function(stalled) {
  warn_unfinished(
    stalled, "The solver stopped after ten million steps, before it reached its tolerance.",
    "Lower {.arg C}, scale the data, or raise {.arg tolerance} or {.arg min_gain}"
  )
}

describe_ramp <- function(ended) paste0("objective ", paste(signif(ended$objective, 6), collapse = ", "))
