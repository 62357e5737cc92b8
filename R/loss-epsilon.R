#' @section Numbers:
#' `loss_epsilon()` is the loss of support vector regression: examples within a tube around the model cost nothing and
#' are no support vectors, and larger errors count by their size, not by its square.
#'
#' @param epsilon Errors up to this number cost nothing, in units of the scaled numbers. Examples within this tube
#'   around the model are not support vectors.
#' @references
#' Smola, A. and Schölkopf, B. (2004). A tutorial on support vector regression. *Statistics and Computing*, 14.
#'
#' @rdname losses
#' @export
loss_epsilon <- function(epsilon = 0.1) new_loss("epsilon", epsilon = number(epsilon, least = 0))
