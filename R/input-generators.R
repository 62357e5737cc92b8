#' Two-dimensional test data
#'
#' `chessboard()` draws points uniformly from a board whose fields alternate
#' between two classes: not linearly separable, and easy for a kernel.
#' `two_normals()` draws from two overlapping spherical normal distributions, with
#' a Bayes error of 7.9 %. `unequal_normals()` has distributions of different widths:
#' the Bayes boundary is a circle, and the Bayes error 18.5 %.
#'
#' @param n Number of points, at most 1e8.
#' @param size Fields along one side of the board. Coordinates run from 0 to
#'   `size`.
#' @param noise Share of the labels that are switched to the other class, between
#'   0 and 1.
#'
#' @details
#' The distributions of `two_normals()` have unit covariance and means (0, 0) and
#' (2, 2); each gives half of the points. Those of `unequal_normals()`, the *Gauss* data
#' of Wang and Vucetic, have means (0, 0) and (2, 0) and standard deviations 1 and 2. All
#' generators use R's random numbers, so [set.seed()] makes them repeatable.
#'
#' @returns A list with `x`, a matrix of `n` rows and the columns `x1` and `x2`,
#'   and `y`, a factor: `"black"` and `"white"` for the board, where the field at
#'   the origin is black, `"first"` and `"second"` for `two_normals()`, `"narrow"` and
#'   `"wide"` for `unequal_normals()`.
#'
#' @references
#' Kecman, V. and Melki, G. (2016). Fast online algorithms for support vector
#' machines. *IEEE SoutheastCon*.
#'
#' Wang, Z. and Vucetic, S. (2009). Fast online training of ramp loss support
#' vector machines. *IEEE International Conference on Data Mining*.
#'
#' @seealso [osvm()] to train a model, [plot.osvm()] to draw it.
#' @examples
#' set.seed(1)
#' board <- chessboard(500)
#' plot(board$x, col = board$y, asp = 1)
#'
#' noisy <- chessboard(500, noise = 0.15)
#' plot(noisy$x, col = noisy$y, asp = 1)
#'
#' clouds <- two_normals(500)
#' table(clouds$y)
#' plot(clouds$x, col = clouds$y, asp = 1)
#'
#' clouds <- unequal_normals(500)
#' plot(clouds$x, col = clouds$y, asp = 1)
#' @name generators
NULL

#' @rdname generators
#' @export
chessboard <- function(n, size = 4, noise = 0) {
  check_points(n)
  one_number(size, least = 1)
  one_number(noise, least = 0, most = 1)
  x <- plane_matrix(size * stats::runif(2 * n))
  white <- rowSums(floor(x)) %% 2 == 1
  switched <- sample.int(n, round(noise * n))
  white[switched] <- !white[switched]
  list(x = x, y = factor(ifelse(white, "white", "black"), c("black", "white")))
}

#' @rdname generators
#' @export
two_normals <- function(n) {
  check_points(n)
  second <- sample(rep_len(0:1, n))
  x <- plane_matrix(stats::rnorm(2 * n)) + 2 * second
  list(x = x, y = factor(second, 0:1, c("first", "second")))
}

#' @rdname generators
#' @export
unequal_normals <- function(n) {
  check_points(n)
  wide <- sample(rep_len(0:1, n))
  x <- plane_matrix(stats::rnorm(2 * n)) * (1 + wide)
  x[, 1] <- x[, 1] + 2 * wide
  list(x = x, y = factor(wide, 0:1, c("narrow", "wide")))
}

plane_matrix <- function(values) {
  matrix(values, ncol = 2, dimnames = list(NULL, c("x1", "x2")))
}

check_points <- function(n) {
  if (!is.numeric(n) || !isTRUE(n >= 1 & n <= 1e8 & n == floor(n))) {
    abort("{.arg n} must be a whole number from 1 to 1e8.")
  }
}
