#' Kernels
#'
#' A kernel \eqn{k(x, z)} measures the similarity of two examples. With
#' `kernel_linear()` a model is a weight per feature; with the others it is a
#' kernel expansion over support vectors.
#'
#' | kernel | \eqn{k(x, z)} |
#' |---|---|
#' | `kernel_linear()` | \eqn{x \cdot z} |
#' | `kernel_polynomial()` | \eqn{(\gamma\, x \cdot z + c_0)^{degree}} |
#' | `kernel_rbf()` | \eqn{\exp(-\gamma |x - z|^2)}, \eqn{\gamma = 1 / (2 \sigma^2)} |
#' | `kernel_sigmoid()` | \eqn{\tanh(\gamma\, x \cdot z + c_0)} |
#'
#' The kernel acts on the scaled data when [osvm()] scales.
#'
#' @param gamma Positive number. `NULL`: for `kernel_rbf()` two over the median
#'   squared distance between examples (about one over the number of features, if these
#'   are scaled and normal), for the others one over the number of features.
#' @param sigma Width of the Gaussian, instead of `gamma`.
#' @param degree Degree of the polynomial, a whole number.
#' @param coef0 Constant \eqn{c_0}.
#' @return An object of class `osvm_kernel` for [osvm()]. A parameter with
#'   several values is a grid for [osvm_tune()]; [osvm()] takes one value.
#' @seealso [osvm()], [osvm_tune()], [solvers()]
#' @examples
#' kernel_rbf(sigma = 2)
#' kernel_polynomial(degree = 2, coef0 = 1)
#' fit <- osvm(Species ~ ., data = iris, kernel = kernel_polynomial(degree = 2))
#' mean(predict(fit, iris) == iris$Species)
#' @name kernels
NULL

kernel_names <- c("linear", "polynomial", "rbf", "sigmoid")

#' @rdname kernels
#' @export
kernel_linear <- function() new_kernel("linear")

#' @rdname kernels
#' @export
kernel_polynomial <- function(degree = 3, gamma = NULL, coef0 = 0) {
  new_kernel(
    "polynomial",
    degree = whole(degree, most = 100),
    gamma = optional(gamma, positive, "gamma"), coef0 = number(coef0)
  )
}

#' @rdname kernels
#' @export
kernel_rbf <- function(gamma = NULL, sigma = NULL) {
  if (!is.null(gamma) && !is.null(sigma)) {
    abort("Give {.arg gamma} or {.arg sigma}, not both: gamma is 1 / (2 sigma^2).")
  }
  if (!is.null(sigma)) {
    gamma <- positive(1 / (2 * positive(sigma)^2), "sigma")
  }
  kernel <- new_kernel("rbf", gamma = optional(gamma, positive, "gamma"))
  # Tables of results show sigma if sigma was given.
  attr(kernel, "sigma") <- sigma
  kernel
}

#' @rdname kernels
#' @export
kernel_sigmoid <- function(gamma = NULL, coef0 = 0) {
  new_kernel("sigmoid", gamma = optional(gamma, positive, "gamma"), coef0 = number(coef0))
}

optional <- function(value, check, name) if (is.null(value)) NULL else check(value, name)

# The kernel with all parameters set, given data as the core is given them, and their transform.
complete_kernel <- function(kernel, x, transform) {
  if (kernel$name != "linear" && is.null(kernel$params$gamma)) {
    kernel$params$gamma <- if (kernel$name == "rbf") {
      median_gamma(x, transform)
    } else {
      1 / ncol(x)
    }
  }
  kernel
}

# Evenly spaced rows rather than random ones: the kernel does not depend on the
# seed.
median_gamma <- function(x, transform, most = 300) {
  rows <- unique(round(seq(1, nrow(x), length.out = min(nrow(x), most))))
  sample <- packed_rows(transform, x[rows, , drop = FALSE])
  products <- as.matrix(Matrix::tcrossprod(sample))
  norms <- diag(products)
  distances <- outer(norms, norms, "+") - 2 * products
  distances <- distances[lower.tri(distances)]
  # Distances of duplicates are zero up to rounding and are left out.
  distances <- distances[distances > 1e-10 * max(norms)]
  gamma <- 2 / stats::median(distances)
  # There may be no distance, or none whose inverse is finite.
  if (is.finite(gamma)) gamma else 1 / ncol(x)
}

# The four numbers the core takes: type, gamma, coef0, degree.
numeric_kernel <- function(kernel) {
  remembered("kernels", kernel, function(kernel) {
    params <- kernel$params
    or <- function(value, default) if (is.null(value)) default else as.numeric(value)
    c(
      match(kernel$name, kernel_names) - 1,
      or(params$gamma, 1), or(params$coef0, 0), or(params$degree, 1)
    )
  })
}
