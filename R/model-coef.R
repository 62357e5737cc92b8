#' Weights of a linear model
#'
#' The weights and the intercept in the units of the original data: the
#' scaling that [osvm()] applied is undone, so `x %*% weights + intercept` is the
#' decision value.
#'
#' @param object A model made by [osvm()] with [kernel_linear()].
#' @param ... Not used: an unknown argument is an error.
#'
#' @returns For two classes a named vector, `"(Intercept)"` first; a positive decision
#'   value predicts the second class. For more classes a matrix with one such column
#'   per binary machine: named `"a"` for class a against the rest, `"a/b"` for a against
#'   b, where a positive decision value predicts b.
#'
#' @seealso [predict.osvm()] with `type = "decision"`, which computes these sums.
#' @examples
#' set.seed(1)
#' clouds <- two_normals(1000)
#' fit <- osvm(clouds$x, clouds$y, kernel = "linear")
#' coef(fit)
#'
#' # The same decision values, by hand and by predict()
#' w <- coef(fit)
#' head(drop(clouds$x %*% w[-1] + w[1]))
#' head(predict(fit, clouds$x, type = "decision"))
#' @export
coef.osvm <- function(object, ...) {
  check_dots("coef", ...)
  object <- check_predictor(object)
  if (!is_primal(object)) {
    abort(
      c("Only a linear model has weights; this one has kernel
         {.val {object$kernel$name}}.",
        i = "Its support vectors are in {.code $sv} and their coefficients in
             {.code $coef}.")
    )
  }
  weights <- object$coef
  intercept <- object$intercept
  scaling <- transform_units(object$transform)
  if (!is.null(scaling)) {
    weights <- weights / scaling$scale
    if (!is.null(scaling$center)) {
      intercept <- intercept - colSums(weights * scaling$center)
    }
  }
  out <- rbind(intercept, weights)
  dimnames(out) <- list(
    c("(Intercept)", feature_labels(object)),
    machine_names(object)
  )
  if (ncol(out) == 1) out[, 1] else out
}

feature_labels <- function(object) {
  if (is.null(object$feature_names)) {
    paste0("x", seq_len(object$n_features))
  } else {
    object$feature_names
  }
}
