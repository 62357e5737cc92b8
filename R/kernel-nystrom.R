#' Kernels of low rank
#'
#' These kernels map examples to a moderate number of features whose inner products approximate a kernel. A linear SVM
#' of these features is nearly the SVM of the kernel, and has a weight per feature instead of support vectors. The
#' time of a fit grows with the number of rows, not with its square, and the size of the model and the time of a
#' prediction do not grow at all. Every solver that takes [kernel_linear()] takes these kernels, in fits, updates,
#' live models, streams, shards and tunings. The default is [solver_dcd()] with a tolerance of 0.01; [osvm()]
#' describes how `C` and `gamma` are chosen for it.
#'
#' `kernel_nystrom()` maps by *landmarks*, some of the rows: with their kernel matrix \eqn{K = L L'} the features of a
#' row are \eqn{\phi(x) = L^{-1} k(x)}{phi(x) = L^-1 k(x)}, where \eqn{k(x)} are its kernel values with the landmarks.
#' Among landmarks the inner products are the kernel itself, and elsewhere its projection. Landmarks that the others
#' already represent, such as repeated rows, are left out, so that there may be fewer than `rank` features.
#'
#' `kernel_fourier()` maps by random directions: \eqn{\phi_j(x) = \sqrt{2/m} \cos(w_j \cdot x + u_j)}{phi_j(x) =
#' sqrt(2 / m) cos(w_j.x + u_j)} with normal \eqn{w_j} of variance \eqn{2 \gamma}{2 gamma} and uniform \eqn{u_j}, for
#' the Gaussian kernel \eqn{\exp(-\gamma |x - z|^2)}{exp(-gamma |x - z|^2)}. An inner product is off by about \eqn{1 /
#' \sqrt{m}}{1 / sqrt(m)}.
#'
#' @section Which one, and how large:
#' With the same number of features, landmarks were more accurate than random directions on four data sets
#' (`bench/results/lowrank.md`), since they are where the data are. A feature costs \eqn{d + m / 2} multiplications
#' per row for landmarks and \eqn{d} for random directions, with \eqn{d} columns and \eqn{m} features. A prediction by
#' landmarks costs \eqn{d} per landmark. The error falls with the rank, quickly at first: choose it, and `gamma`, by
#' [osvm_tune()] on a sample of the rows. A low rank suits smooth, noisy problems of many rows. Where classes have
#' fine structure, as in covertype, cells with SVMs of the kernel itself are better than any rank up to 4,000 that was
#' tried.
#'
#' Centres of a clustering (`landmarks = "kmeans"`) take longer to find. With few landmarks they had lower errors than
#' random rows on some data sets, and about the same on others.
#'
#' @section Memory:
#' Rows are mapped in blocks, outside of R's memory: there is no mapped copy of the data in R. If the features of all
#' rows (rows times features times 4 bytes) exceed `cache_mb` of [osvm()], 256 MB by default, online solvers map rows
#' as they visit them, with the same result, and [solver_dcd()] works on as many rows at a time as fit, several times on
#' each. Unless `cache_mb` is given, mapped rows are kept in a quarter of the free memory, so that each is mapped once;
#' no number depends on what is free. With less memory, or within `cache_mb`, a fit takes two to three times as long.
#' Solvers that keep support vectors, tunings and probabilities need all features at
#' once; where these exceed `cache_mb`, an error says how much is needed. `kernel_fourier()` also needs a number for
#' each column and feature: for sparse data with very many columns `kernel_nystrom()` needs less. The same numbers as
#' a sparse and as a dense matrix, scaled alike, give the same features up to rounding, since products are summed in
#' another order.
#'
#' @section The model:
#' `coef` and [`coef()`][coef.osvm] refer to the features of the map. The model keeps the scaled landmarks, or the seed
#' of the directions; what follows from them is computed again after [readRDS()]. Landmarks are drawn from the rows of
#' the first fit, and in a stream from its first chunk, which should therefore have several times `rank` rows. Updates
#' do not change them. With `scale = "running"` they are scaled as the first rows were.
#'
#' @param kernel The kernel to approximate, such as [kernel_laplacian()], or its name.
#' @param rank The largest number of landmarks.
#' @param landmarks `"random"` draws rows at random; `"kmeans"` takes centres of a clustering of ten times as many rows.
#' @param gamma,sigma As in [kernel_rbf()]; with `NULL` they are chosen from the data.
#' @param features The number of features.
#' @param ... For `kernel_nystrom()`, parameters of the kernel, in place of those in `kernel`. Otherwise not used: an
#' unknown argument is an error.
#' @return An object of class `osvm_kernel` for [osvm()]. A parameter with several values is a grid for [osvm_tune()].
#' @references
#' Williams, C. and Seeger, M. (2001). Using the Nystrom method to speed up kernel machines. *Advances in Neural
#' Information Processing Systems 13*.
#'
#' Zhang, K., Tsang, I. and Kwok, J. (2008). Improved Nystrom low-rank approximation and error analysis. *ICML*.
#'
#' Rahimi, A. and Recht, B. (2008). Random features for large-scale kernel machines. *Advances in Neural Information
#' Processing Systems 20*.
#' @seealso [kernels], [solver_dcd()], [osvm_tune()]; `cells` of [osvm()] for many rows and intricate boundaries
#' @examples
#' set.seed(1)
#' board <- chessboard(5000)
#' new <- chessboard(1000)
#' fit <- osvm(board$x, board$y, kernel = kernel_nystrom(rank = 100))
#' fit
#' mean(predict(fit, new$x) == new$y)
#'
#' # The rank and the width, chosen on a sample
#' some <- sample(5000, 1000)
#' tuned <- osvm_tune(
#'   board$x[some, ], board$y[some], solver_dcd(C = 10),
#'   kernel_nystrom(rank = c(50, 100), gamma = c(1, 3, 10)), folds = 3
#' )
#' tuned$best
#'
#' # Online, by random Fourier features
#' fit <- osvm(
#'   board$x[1:1000, ], board$y[1:1000], solver_pegasos(lambda = 1e-4), kernel_fourier(gamma = 3)
#' )
#' fit <- update(fit, board$x[-(1:1000), ], board$y[-(1:1000)])
#' mean(predict(fit, new$x) == new$y)
#'
#' # Another kernel
#' kernel_nystrom("polynomial", degree = 2, coef0 = 1, rank = 200)
#' @name low_rank
NULL

#' @rdname low_rank
#' @export
kernel_nystrom <- function(kernel = "rbf", rank = 500, landmarks = c("random", "kmeans"), ...) {
  base <- if (inherits(kernel, "osvm_kernel")) check_ranges(kernel, "kernel") else as_spec(kernel, "kernel")
  if (is_low_rank(base) || is_given(base)) {
    abort("{.arg kernel} must be a kernel to be approximated, not {.val {base$name}}.")
  }
  make <- constructor("kernel", base$name)
  check_dots("kernel_nystrom", ..., .also = setdiff(names(formals(make)), "..."))
  if (...length() > 0) {
    kept <- base$params[!vapply(base$params, is.null, NA)]
    base <- do.call(make, c(kept[setdiff(names(kept), ...names())], list(...)), quote = TRUE)
  }
  own <- list(kernel = base$name, rank = whole(rank), landmarks = choice(landmarks, c("random", "kmeans")))
  structure(new_spec("kernel", "nystrom", c(own, base$params)), sigma = attr(base, "sigma"))
}
