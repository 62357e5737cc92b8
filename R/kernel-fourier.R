#' @rdname low_rank
#' @export
kernel_fourier <- function(gamma = NULL, sigma = NULL, features = 1000, ...) {
  check_dots("kernel_fourier", ...)
  base <- kernel_rbf(gamma, sigma)
  params <- c(base$params, list(features = whole(features)))
  structure(new_spec("kernel", "fourier", params), sigma = attr(base, "sigma"))
}
