#' @section Numbers:
#' `loss_squared()` is that of least squares: under a kernel the model is kernel ridge regression, with penalty
#' \eqn{1 / (2 C)}, and predicts the mean of the numbers at a place. All examples are support vectors, unless `epsilon`
#' is above 0: that is LIBLINEAR's loss for numbers, and gained nothing on ten tables (`bench/results/losses.md`).
#'
#' @rdname losses
#' @export
loss_squared <- function(epsilon = 0) new_loss("squared", epsilon = number(epsilon, least = 0))
