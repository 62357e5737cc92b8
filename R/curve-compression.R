#' Error over the size of a compressed model
#'
#' Computes the error of a model, and of versions of it with fewer support vectors.
#'
#' @param object A model made by [osvm()], as for [compress()].
#' @param newdata,y Examples that the model has not learned, as for [`predict()`][predict.osvm], and their labels.
#' @param sizes Numbers of support vectors, or shares of the model's own.
#' @param ... Not used: an unknown argument is an error.
#' @return A curve to print and [`plot()`][plot.osvm_curve]; its `data` has the columns `value_of` (support vectors),
#'   `value` and `se` (error in per cent and its standard error; of numbers the metric of their loss, see [losses()]),
#'   `distance` (of the decision functions, the largest of all binary classifiers: see [compress()]) and `agreement`
#'   (the share of predictions that are the model's; for numbers the share of their variance that is kept).
#' @seealso [compress()], [osvm_validation_curve()]
#' @export
#' @examples
#' set.seed(1)
#' board <- chessboard(1500, noise = 0.05)
#' fit <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(sigma = 0.4))
#' test <- chessboard(1000)
#' curve <- osvm_compression_curve(fit, test$x, test$y)
#' curve
#' plot(curve)
osvm_compression_curve <- function(object, newdata, y, sizes = c(0.02, 0.05, 0.1, 0.2, 0.5, 1), ...) {
  check_dots("osvm_compression_curve", ...)
  if (!inherits(object, "osvm")) abort("{.arg object} must be a model made by {.fn osvm}.")
  object <- structure(check_model(object), class = class(object))
  check_compressible(object)
  sizes <- read_sizes(sizes, object$n_sv, 1)
  own <- predict(object, newdata)
  check_factor(y)
  if (!is.atomic(y) || length(y) != length(own)) abort("{.arg y} must have a label per row of {.arg newdata}.")
  need_one_column(object, "A compression curve")
  target <- find_targets(object, y)
  if (all(is.na(target))) abort("{.arg y} must have labels of a model that predicts {outcome_size(object)}.")
  metric <- if (is_labelled(object)) loss_metric(object) else metric_table$error
  rows <- lapply(sizes, function(size) {
    small <- compress(object, size)
    predicted <- predict(small, newdata)
    known <- which(!is.na(predicted) & !is.na(target))
    error <- metric_value(metric, object, target[known], find_targets(object, predicted[known]))
    se <- if (metric$percent) 100 * sqrt(error * (1 - error) / length(known)) else NA_real_
    data.frame(
      value_of = small$n_sv, set = "compressed", value = metric_unit(metric) * error, se = se,
      distance = max(small$compression$distance), agreement = outcome_of(object)$agreement(own, predicted)
    )
  })
  new_curve(
    "validation", paste("Compression,", solver_title(object$solver)), do.call(rbind, rows),
    metric_label(metric), parameter = "support vectors"
  )
}
