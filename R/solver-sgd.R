#' SGD: linear stochastic gradient descent at a constant rate
#'
#' Stochastic gradient descent on the hinge loss of a linear model: an example with \eqn{y_i w \cdot x_i < 1}{y_i w .
#' x_i < 1} adds \eqn{rate\, y_i x_i}{rate y_i x_i} to the weights. Every epoch visits the examples in a new random
#' order.
#'
#' There is no regularisation (except with [loss_novelty()]), and the step size does not decrease, so that the weights
#' keep fluctuating. Choose [solver_pegasos()] unless you want this very rule.
#' `fit$trace$loss` is the paper's loss of every epoch, per example.
#'
#' @param rate Positive number: the step size.
#' @inheritParams solver_olsvm
#' @param shuffle Visit the examples in random order? With `FALSE` every epoch visits them in the given order.
#' @section Cost:
#' A step costs the non-zeros of the example.
#' @inherit solver_olsvm return
#' @references K. Huang (2018), *Sequential Minimal Optimization and Stochastic Gradient
#'   Descent for Training Support Vector Machines*, Algorithm 1.
#' @seealso [solver_pegasos()], [kernel_linear()], [osvm()], [solvers()]
#' @export
#' @examples
#' fit <- osvm(Species ~ ., data = iris, solver = solver_sgd(epochs = 20))
#' coef(fit)
#' plot(fit$trace$epoch, fit$trace$loss, type = "b", xlab = "epoch", ylab = "mean hinge loss")
solver_sgd <- function(rate = 0.01, epochs = 10, bias = TRUE, shuffle = TRUE, ...) {
  check_dots("solver_sgd", ...)
  new_solver("sgd", epochs = whole(epochs))
}

sgd_serves <- function() list(linear_losses = solver_sgd())
