#' @section Novelty:
#' A novelty model learns without labels: `loss_novelty()` is that of the one-class SVM. [`predict()`][predict.osvm]
#' returns `TRUE` for what belongs to the data it has learned, and `FALSE` for what does not; about a share `nu` of new
#' rows like those learned is novel. The cost `C` of a solver has no effect on it.
#'
#' The SVM has at most a share `nu` of the rows that it has learned below a decision value of 0, and more of new ones,
#' the more so the fewer rows and the more features there are: with 100 normal rows of ten features and `nu = 0.05` it
#' is 39 %, with 1,000 11 % (`bench/results/claims.md`). [solver_smo()], the default, therefore places the boundary on
#' held-out rows: below it are 3.0 and 4.5 % of new rows (`bench/results/claims.md`). Decision values are
#' those of LIBSVM, and `predict(threshold = 0)` returns what it predicts. Other solvers have their boundary at 0;
#' [osvm_threshold()] chooses one for every model.
#'
#' The model is a hyperplane between the data and the origin. With [kernel_linear()] there is none where the data lie
#' around the origin, as they do with `scale = TRUE`: all decision values are then 0 but for rounding, which differs
#' with the order of the rows, and [osvm()] warns with class `osvm_not_separable`. Where no example is on the margin,
#' which happens where `nu` times their number is whole, the threshold is the middle of those that are optimal.
#'
#' @param nu A share of the examples, above 0 and up to 1: at most this share of those learned has a decision value
#'   below 0, and at least this share are support vectors.
#' @references
#' Schölkopf, B., Platt, J., Shawe-Taylor, J., Smola, A. and Williamson, R. (2001). Estimating the support of a
#' high-dimensional distribution. *Neural Computation*, 13.
#'
#' @rdname losses
#' @export
loss_novelty <- function(nu = 0.1) new_loss("novelty", nu = number(nu, above = 0, most = 1))
