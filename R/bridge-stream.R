# Streams as data frames, and by base R's questions.

#' @rdname tidy.osvm
#' @exportS3Method generics::tidy
tidy.osvm_stream <- function(x, ...) {
  check_dots("tidy", ...)
  metrics <- check_stream(x)$metrics
  parts <- lapply(setdiff(names(metrics), stream_columns), function(name) {
    data.frame(chunk = metrics$chunk, row = metrics$row, metric = rep(name, nrow(metrics)), estimate = metrics[[name]])
  })
  as_tbl(do.call(rbind, parts))
}

#' @rdname tidy.osvm
#' @exportS3Method generics::glance
glance.osvm_stream <- function(x, ...) {
  check_dots("glance", ...)
  check_stream(x)
  last <- utils::tail(x$metrics, 1)
  metric <- setdiff(names(x$metrics), stream_columns)[1]
  value <- if (nrow(last) > 0 && !is.na(metric)) last[[metric]] else NA_real_
  as_tbl(data.frame(
    solver = if (is.null(x$fit)) NA_character_ else x$fit$solver$name,
    kernel = if (is.null(x$fit)) NA_character_ else x$fit$kernel$name, rows = x$rows[["read"]],
    nobs = x$rows[["learned"]], chunks = nrow(x$metrics), events = NROW(x$events), metric = metric,
    estimate = value,
    n_sv = if (nrow(last) == 0) NA_real_ else last$n_sv, seconds = sum(x$metrics$seconds),
    ended = if (is.null(x$ended)) NA_character_ else x$ended
  ))
}

#' @rdname tidy.osvm
#' @exportS3Method generics::augment
augment.osvm_stream <- function(x, data = NULL, newdata = NULL, ...) {
  check_passed("augment", predict.osvm, ...)
  if (is.null(newdata)) newdata <- data
  if (is.null(newdata)) abort("{.arg newdata} is missing: a stream does not keep its examples.")
  augment_examples(stream_model(x), newdata, ...)
}

#' @rdname base-methods
#' @export
nobs.osvm_stream <- function(object, ...) {
  check_dots("nobs", ...)
  unname(check_stream(object)$rows[["learned"]])
}

#' @rdname osvm_roc
#' @export
osvm_roc.osvm_stream <- function(object, newdata, y = NULL, ...) osvm_roc.osvm(stream_model(object), newdata, y, ...)

#' @rdname osvm_threshold
#' @export
osvm_threshold.osvm_stream <- function(object, ...) osvm_threshold.osvm(stream_model(object), ...)

#' @rdname osvm_shapley
#' @export
osvm_shapley.osvm_stream <- function(object, newdata, ...) osvm_shapley.osvm(stream_model(object), newdata, ...)

#' @rdname osvm_importance
#' @export
osvm_importance.osvm_stream <- function(object, ...) osvm_importance.osvm(stream_model(object), ...)

#' @rdname osvm_roc
#' @export
osvm_calibration.osvm_stream <- function(object, newdata, y = NULL, bins = 10, ...) {
  osvm_calibration.osvm(stream_model(object), newdata, y, bins, ...)
}

#' @rdname osvm_learning_curve
#' @export
osvm_learning_curve.osvm_stream <- function(x, metric = NULL, ...) { # nolint: object_length_linter.
  check_dots("osvm_learning_curve", ...)
  metrics <- check_stream(x)$metrics
  measured <- setdiff(names(metrics), stream_columns)
  known <- measured[paste0(measured, "_window") %in% measured]
  if (length(known) == 0 || nrow(metrics) == 0) abort("The stream has no metrics to draw.")
  metric <- if (is.null(metric)) known[1] else one_choice(metric, known)
  lines <- c(metric, paste0(metric, c("_window", "_no_change", "_majority", "_mean")))
  named <- c("all rows", "window", "baseline: label before", "baseline: majority", "baseline: running mean")
  names <- named[lines %in% measured]
  lines <- lines[lines %in% measured]
  parts <- Map(function(line, name) {
    data.frame(size = metrics$row, set = name, value = metrics[[line]], se = NA_real_)
  }, lines, names)
  data <- do.call(rbind, unname(parts))
  data <- data[is.finite(data$value), ]
  if (nrow(data) == 0) abort("The stream has no metrics to draw.")
  new_curve("learning", paste("Prequential", metric), data, metric)
}
