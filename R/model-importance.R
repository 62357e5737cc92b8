# Sensitivity of decision values to features: for a linear kernel the absolute weights of the scaled features, for
# others the same of the tangent planes, as a root mean square over support vectors.

# A row per column of the features, a column per binary machine.
gradient_sizes <- function(object, most = 500) {
  if (is_primal(object)) {
    return(abs(object$coef))
  }
  centers <- as.matrix(packed_rows(object$transform, object$sv))
  rows <- unique(round(seq(1, nrow(centers), length.out = min(nrow(centers), most))))
  points <- centers[rows, , drop = FALSE]
  base <- kernel_info(object$kernel$name)$base
  slopes <- kernel_values(object$kernel, base_values(base, points, centers), TRUE)
  sizes <- vapply(seq_len(ncol(object$coef)), function(m) {
    weighted <- slopes * rep(object$coef[, m], each = nrow(points))
    sqrt(colMeans(base_gradients(base, weighted, points, centers)^2))
  }, numeric(ncol(centers)))
  matrix(sizes, ncol(centers))
}

base_values <- function(base, points, centers) {
  differences <- function(f) abs(outer(points[, f], centers[, f], "-"))
  switch(base,
    dots = tcrossprod(points, centers),
    squared = pmax(outer(rowSums(points^2), rowSums(centers^2), "+") - 2 * tcrossprod(points, centers), 0),
    absolute = Reduce(function(sum, f) sum + differences(f), seq_len(ncol(points)), 0)
  )
}

# Per point the sum over centers of weight times the gradient of the base value with respect to the point.
base_gradients <- function(base, weights, points, centers) {
  switch(base,
    dots = weights %*% centers,
    squared = 2 * (rowSums(weights) * points - weights %*% centers),
    absolute = vapply(
      seq_len(ncol(points)), function(f) rowSums(weights * sign(outer(points[, f], centers[, f], "-"))),
      numeric(nrow(points))
    )
  )
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
