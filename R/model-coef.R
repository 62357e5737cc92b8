#' Weights of a linear model
#'
#' The weights and the intercept in the units of the original data: the scaling that [osvm()] applied to features and
#' numbers is undone, so `x %*% weights + intercept` is the decision value, and for numbers the prediction.
#'
#' Of a kernel of [low rank][low_rank] they are the weights of the features of its map, `phi1`, `phi2`, ..., which have
#' no other names. A linear trend beside the machines, see [osvm()], is not among them.
#'
#' @param object A model made by [osvm()] with [kernel_linear()], or a kernel of low rank.
#' @param ... Not used: an unknown argument is an error.
#'
#' @returns For two classes and for numbers a named vector, `"(Intercept)"` first; a positive decision value predicts
#'   the second class. For more classes a matrix with one such column per binary classifier: named `"a"` for class a
#'   against the rest, `"a/b"` for a against b, where a positive decision value predicts b.
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
#'
#' # Numbers
#' coef(osvm(dist ~ speed, cars, kernel = "linear"))
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
  if (!is.null(object$scaling$warp) && is.null(object$transform$map)) {
    abort(c(
      "A model with {.code scale = \"{object$transform$kind}\"} is not linear in the units of the data.",
      i = "The weights of its scaled features are in {.code $coef}."
    ))
  }
  intercept <- in_label_units(object, object$intercept)
  weights <- object$coef * rep(label_units(object)$scale, each = nrow(object$coef))
  mapped <- !is.null(object$transform$map)
  scaling <- if (!mapped) transform_units(object$transform)
  if (!is.null(scaling)) {
    weights <- weights / scaling$scale
    if (!is.null(scaling$center)) {
      intercept <- intercept - colSums(weights * scaling$center)
    }
  }
  out <- rbind(intercept, weights)
  dimnames(out) <- list(
    c("(Intercept)", if (mapped) paste0("phi", seq_len(nrow(weights))) else feature_labels(object)),
    machine_names(object)
  )
  if (ncol(out) == 1) out[, 1] else out
}

# Sensitivity of decision values to features: for a linear kernel the absolute weights of the scaled features, for
# others the same of the tangent planes, as a root mean square over support vectors.

# A row per column of the features, a column per binary machine. `trend`: what is added to the machines, or NULL.
gradient_sizes <- function(object, most = 500, trend = NULL) {
  transform <- object$transform
  if (!is.null(transform$map)) {
    if (is_fourier(transform$map)) {
      return(matrix(fourier_gradients(object, trend_slopes(trend, transform)), object$n_features))
    }
    object <- as_expansion(object)
  }
  if (is_primal(object)) {
    return(abs(object$coef + trend_slopes(trend, transform)))
  }
  centers <- as.matrix(packed_rows(object$transform, object$sv))
  points <- centers[evenly_spaced(nrow(centers), most), , drop = FALSE]
  coef <- matrix(as.double(object$coef), nrow(centers))
  added <- if (!is.null(trend)) trend_slopes(trend, transform, points)
  kernel <- base_kernel(object$kernel)$core
  core_result(.Call(ffi_kernel_gradients, kernel, t(points), centers, coef, added), "The importance of features")
}
