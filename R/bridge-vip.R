#' Importance of variables, for vip
#'
#' The method by which `vip::vi()` and `vip::vip()` ask a model of [osvm()] for the importance of its variables: that of
#' [osvm_importance()].
#'
#' @param object A model made by [osvm()].
#' @param ... Arguments of [osvm_importance()], such as `newdata`.
#' @returns A tibble of class `vi`, with the columns `Variable` and `Importance`, and `StDev` where there are standard
#'   errors.
#' @seealso [frameworks]
#' @examplesIf requireNamespace("vip", quietly = TRUE)
#' fit <- osvm(Species ~ ., iris)
#' vip::vi(fit)
#' vip::vi(fit, newdata = iris)
#' @exportS3Method vip::vi_model
vi_model.osvm <- function(object, ...) {
  check_passed("vi_model", osvm_importance.osvm, ...)
  sizes <- osvm_importance.osvm(object, ...)
  table <- data.frame(Variable = sizes$variable, Importance = sizes$importance)
  if (!all(is.na(sizes$std.error))) table$StDev <- sizes$std.error
  structure(as_tbl(table), class = c("vi", class(as_tbl(table))), type = attr(sizes, "method"))
}
