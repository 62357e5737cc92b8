#' Shapley values, for shapviz
#'
#' The method by which `shapviz::shapviz()` takes the values of [osvm_shapley()], for its waterfall, force, beeswarm and
#' dependence plots.
#'
#' @param object Values made by [osvm_shapley()].
#' @param X The values of the variables, with a row for each of `object`.
#' @param collapse Variables whose values are to be summed, as in `shapviz::shapviz()`.
#' @param ... Not used: an unknown argument is an error.
#' @returns An object of class `shapviz`; of several binary classifiers or columns of numbers one of class `mshapviz`,
#'   with an element for each. Rows with missing values are left out. shapviz knows one base for all rows: of a model of
#'   cells it is the mean.
#' @seealso [frameworks], [osvm_shapley()]
#' @examplesIf requireNamespace("shapviz", quietly = TRUE)
#' fit <- osvm(mpg ~ wt + hp + qsec + factor(cyl), mtcars)
#' shown <- shapviz::shapviz(osvm_shapley(fit, mtcars))
#' shapviz::sv_importance(shown, kind = "beeswarm")
#' @exportS3Method shapviz::shapviz
shapviz.osvm_shapley <- function(object, X = object$x, collapse = NULL, ...) {
  check_dots("shapviz", ...)
  check_shapley(object)
  X <- as.data.frame(if (is.data.frame(X)) X else as.matrix(X), optional = TRUE)
  known <- which(!is.na(object$decision[, 1]))
  base <- if (is.matrix(object$base)) colMeans(object$base[known, , drop = FALSE]) else object$base
  of_machine <- function(m) {
    values <- machine_values(object, m)[known, , drop = FALSE]
    shapviz::shapviz(values, X = X[known, , drop = FALSE], baseline = base[[m]], collapse = collapse)
  }
  machines <- colnames(object$decision)
  if (length(machines) == 1) {
    return(of_machine(1))
  }
  shapviz::mshapviz(stats::setNames(lapply(seq_along(machines), of_machine), machines))
}
