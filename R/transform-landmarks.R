# The landmarks of a Nystrom map.

# Those without which the kernel matrix has the same rank, to this share of its diagonal, are left out: in single
# precision the features of others would be rounding errors.
smallest_pivot <- 1e-6

# The kernel matrix of more takes gigabytes, and its factor hours.
most_landmarks <- 20000

choose_landmarks <- function(kernel, x, transform) {
  rank <- min(nrow(x), role_value(kernel, "rank"))
  if (rank > most_landmarks) {
    abort(c("{.arg rank} must be at most {big(most_landmarks)}.", i = "{.fn kernel_fourier} takes more features."))
  }
  scaled <- function(rows) {
    z <- packed_rows(transform, x[rows, , drop = FALSE])
    if (is_sparse(z)) Matrix::drop0(`dimnames<-`(z, list(NULL, NULL))) else matrix(as.double(z), nrow(z))
  }
  rows <- sample.int(nrow(x), min(nrow(x), if (role_value(kernel, "landmarks") == "kmeans") 10 * rank else rank))
  z <- scaled(rows[seq_len(rank)])
  if (length(rows) > rank) z <- cluster_centers(scaled(rows), z)
  kernels <- landmark_kernels(base_kernel(kernel), z)
  if (!all_finite(kernels, length(kernels))) {
    abort("The kernel values of {.arg x} grew beyond all numbers: scale the data.")
  }
  factor <- suppressWarnings(chol(kernels, pivot = TRUE, tol = smallest_pivot * max(diag(kernels))))
  z[attr(factor, "pivot")[seq_len(attr(factor, "rank"))], , drop = FALSE]
}

landmark_kernels <- function(kernel, z) {
  kind <- kernel$traits$base
  base <- if (kind == "absolute") as.matrix(stats::dist(as.matrix(z), "manhattan")) else base_values(kind, z, z)
  matrix(kernel_values(kernel, as.double(base)), nrow(z))
}

# Lloyd's algorithm, a few rounds of it; centres without rows stay.
cluster_centers <- function(x, centers, rounds = 5) {
  for (i in seq_len(rounds)) {
    closeness <- as.matrix(Matrix::tcrossprod(x, centers)) - rep(Matrix::rowSums(centers^2) / 2, each = nrow(x))
    nearest <- max.col(closeness, ties.method = "first")
    members <- tabulate(nearest, nrow(centers))
    share <- 1 / members[nearest]
    means <- Matrix::sparseMatrix(nearest, seq_along(nearest), x = share, dims = c(nrow(centers), nrow(x))) %*% x
    filled <- members > 0
    centers[filled, ] <- if (is_sparse(centers)) means[filled, , drop = FALSE] else as.matrix(means)[filled, ]
  }
  centers
}
