# Sensitivity of decision values to features: for a linear kernel the absolute weights of the scaled features, for
# others
# the same of the tangent planes, as a root mean square over support vectors.

# A row per column of the features, a column per binary machine.
gradient_sizes <- function(object, most = 500) {
  if (is_primal(object)) {
    return(abs(object$coef))
  }
  centers <- as.matrix(packed_rows(object$transform, object$sv))
  rows <- unique(round(seq(1, nrow(centers), length.out = min(nrow(centers), most))))
  points <- centers[rows, , drop = FALSE]
  slopes <- kernel_slopes(object$kernel, points, centers)
  sizes <- vapply(seq_len(ncol(object$coef)), function(m) {
    weighted <- slopes * rep(object$coef[, m], each = nrow(points))
    gradient <- weighted %*% centers
    if (object$kernel$name == "rbf") gradient <- gradient - rowSums(weighted) * points
    sqrt(colMeans(gradient^2))
  }, numeric(ncol(centers)))
  matrix(sizes, ncol(centers))
}

# s(x, z) in the gradient of k(x, z) with respect to x: s z, for a Gaussian s (z - x).
kernel_slopes <- function(kernel, points, centers) {
  gamma <- kernel$params$gamma
  products <- tcrossprod(points, centers)
  if (kernel$name == "rbf") {
    distances <- outer(rowSums(points^2), rowSums(centers^2), "+") - 2 * products
    return(2 * gamma * exp(-gamma * pmax(distances, 0)))
  }
  inner <- gamma * products + kernel$params$coef0
  if (kernel$name == "sigmoid") {
    return(gamma * (1 - tanh(inner)^2))
  }
  gamma * kernel$params$degree * inner^(kernel$params$degree - 1)
}

# A number per variable of the training data, largest first: root mean square over machines, summed over the columns of
# a factor.
variable_importance <- function(object) {
  squares <- rowMeans(gradient_sizes(object)^2)
  variables <- object$encoding$variables
  of <- if (identical(object$encoding$kind, "frame")) {
    widths <- vapply(variables, function(v) if (v$type == "factor") length(v$levels) else 1L, 1L)
    rep(names(variables), widths)
  } else {
    feature_labels(object)
  }
  sizes <- sqrt(rowsum(squares, of, reorder = FALSE)[, 1])
  sort(sizes, decreasing = TRUE)
}
