#' Losses: what is predicted, and what an error costs
#'
#' The loss decides what a model learns: classes, numbers, quantiles, or what belongs to the data. [osvm()] chooses it
#' by the labels if it is not given: numbers that look like measurements (not all whole, or of many different values)
#' are learned with `loss_epsilon()`, other labels with `loss_hinge()`, and data without labels with `loss_novelty()`.
#'
#' For the label \eqn{y} and the output \eqn{f} of the model:
#'
#' | loss | \eqn{L(y, f)} | for |
#' |---|---|---|
#' | `loss_hinge()` | \eqn{\max(0, 1 - y f)}{max(0, 1 - y f)} | classes, \eqn{y = \pm 1}{y = +- 1} |
#' | `loss_epsilon()` | \eqn{\max(0, |y - f| - \epsilon)}{max(0, |y - f| - epsilon)} | numbers: regression |
#' | `loss_quantile()` | \eqn{\tau (y - f)} if \eqn{f < y}, else \eqn{(1 - \tau) (f - y)} | a quantile of numbers |
#' | `loss_novelty()` | \eqn{\max(0, -f)}{max(0, -f)} | what belongs to the data: one-class SVM |
#'
#' With `scale` in [osvm()], numbers are scaled to mean 0 and standard deviation 1 before they are learned, so that
#' `epsilon` is in standard deviations, and `C` does not depend on the unit of `y`. Predictions are in the units of `y`.
#'
#' A novelty model learns without labels. [`predict()`][predict.osvm] returns `TRUE` for what belongs to the data it has
#' learned, and `FALSE` for what does not; about a share `nu` of the training data is left outside. The cost `C` of a
#' solver has no effect on it.
#'
#' @param epsilon Errors up to this number cost nothing, in units of the scaled numbers. Examples within this tube
#'   around the model are not support vectors.
#' @param tau The quantile, between 0 and 1; 0.5 is the median.
#' @param nu A share of the examples, above 0 and up to 1: at most this share is left outside, and at least this share
#'   are support vectors.
#' @return An object of class `osvm_loss` for [osvm()]. A parameter with several values is a grid for [osvm_tune()];
#'   [osvm()] takes one value.
#' @seealso [osvm()]; [solvers()] shows which solver learns which loss
#' @references
#' Koenker, R. and Bassett, G. (1978). Regression quantiles. *Econometrica*, 46.
#'
#' Schölkopf, B., Platt, J., Shawe-Taylor, J., Smola, A. and Williamson, R. (2001). Estimating the support of a
#' high-dimensional distribution. *Neural Computation*, 13.
#'
#' Smola, A. and Schölkopf, B. (2004). A tutorial on support vector regression. *Statistics and Computing*, 14.
#' @name losses
#' @examples
#' fit <- osvm(dist ~ speed, cars)
#' predict(fit, data.frame(speed = c(10, 20)))
#'
#' # Nine of ten distances are below this
#' high <- osvm(dist ~ speed, cars, loss = loss_quantile(0.9))
#' predict(high, data.frame(speed = c(10, 20)))
#'
#' # What does not look like these flowers?
#' usual <- osvm(~ Petal.Length + Petal.Width, iris[1:50, ], loss = loss_novelty(nu = 0.1))
#' table(predict(usual, iris), iris$Species)
NULL

#' @rdname losses
#' @export
loss_hinge <- function() new_loss("hinge")

#' @rdname losses
#' @export
loss_epsilon <- function(epsilon = 0.1) {
  new_loss("epsilon", epsilon = check_values(epsilon, "epsilon", function(v) {
    is.numeric(v) && all(is.finite(v) & v >= 0)
  }, "a number of at least 0"))
}

#' @rdname losses
#' @export
loss_quantile <- function(tau = 0.5) {
  new_loss("quantile", tau = check_values(tau, "tau", function(v) {
    is.numeric(v) && all(v > 0 & v < 1)
  }, "a number between 0 and 1"))
}

#' @rdname losses
#' @export
loss_novelty <- function(nu = 0.1) new_loss("novelty", nu = share(nu))

new_loss <- function(name, ...) new_spec("loss", name, list(...))

# The roles of their parameters.
loss_roles <- c(epsilon = "margin", tau = "quantile", nu = "share")

# What each loss predicts: a name of outcome_kinds.
loss_outcomes <- c(hinge = "classes", epsilon = "numbers", quantile = "numbers", novelty = "novelty")

core_loss <- function(loss) {
  remembered("losses", loss, function(loss) list(name = loss$name, params = numeric_params(loss, "loss")))
}

loss_parameter <- function(loss) loss$params[[1]]

check_learns <- function(solver, loss) {
  if (!loss$name %in% solver_info(solver$name)$losses) {
    all <- solver_table()
    able <- intersect(usual_solvers(), all$name[vapply(all$losses, function(losses) loss$name %in% losses, NA)])
    what <- switch(loss_outcomes[[loss$name]], numbers = "numbers", novelty = "without labels", classes = "classes")
    abort(c(
      "The solver {.val {solver$name}} does not learn {what} by {.fn loss_{loss$name}}.",
      i = "{.val {able}} and others of {.fn solvers} do.",
      i = if (what == "numbers") "If the labels are classes, give {.code factor(y)}."
    ))
  }
}
