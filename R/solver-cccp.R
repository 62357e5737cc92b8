#' SVM^R: the ramp-loss machine off line
#'
#' The problem of [solver_ramp()], with all examples at hand. The concave-convex procedure
#' trains a hinge-loss machine without bias on \eqn{V}, the examples with
#' \eqn{y f(x) \ge -1}, finds \eqn{V} anew, and so on until \eqn{V} stays. The first guess
#' is the hinge-loss machine of some of the examples.
#'
#' Choose it when the data is complete, and as the yardstick for the cost of
#' [solver_ramp()], which arrives at a stationary point of the same problem.
#'
#' @inheritParams solver_ramp
#' @param start Share of the examples whose hinge-loss machine is the first guess.
#' @param shuffle Take the examples in random order? Then the first guess rests on a
#'   random sample.
#' @section Going on:
#' The model keeps its support vectors only: [`update()`][update.osvm] takes up the
#' procedure with those and the new examples.
#'
#' @inherit solver_olsvm return
#' @references
#'   R. Collobert, F. Sinz, J. Weston and L. Bottou (2006), *Trading Convexity for
#'   Scalability*, International Conference on Machine Learning.
#'
#'   Z. Wang and S. Vucetic (2009), *Fast Online Training of Ramp Loss Support Vector
#'   Machines*, IEEE International Conference on Data Mining, section II C.
#' @seealso [solver_ramp()], [solver_smo()] for hinge loss, [osvm()], [solvers()]
#' @export
#' @examples
#' board <- chessboard(600, noise = 0.15)
#' fit <- osvm(board$x, board$y, solver_cccp(C = 10), kernel_rbf(sigma = 0.3))
#' fit
solver_cccp <- function(C = 1, start = 0.1, tolerance = 1e-3, min_gain = 1e-5, shuffle = TRUE) {
  new_solver(
    "cccp",
    C = positive(C), start = share(start), tolerance = positive(tolerance),
    min_gain = positive(min_gain), shuffle = flag(shuffle)
  )
}

cccp_unfinished <- function(model) warn_unsettled()

cccp_ended <- function(model) describe_ramp(model$convergence)

# Both ramp-loss solvers end alike.
warn_unsettled <- function() {
  warn(c(
    "The coefficients did not settle.",
    i = "Raise {.arg tolerance} or {.arg min_gain}; the model is what was reached until then."
  ), "osvm_unfinished")
}

describe_ramp <- function(ended) {
  paste0("objective ", paste(signif(ended$objective, 6), collapse = ", "))
}
