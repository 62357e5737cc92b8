#' @section Rational quadratic kernel:
#' It falls off more slowly than a Gaussian: a mixture of Gaussians of all widths.
#' @rdname kernels
#' @export
kernel_rational <- function(degree = 1, gamma = NULL) {
  new_kernel("rational", degree = whole(degree, most = 100), gamma = optional(gamma, positive, "gamma"))
}
