#' Your own kernel: a matrix or a function
#'
#' With `kernel_matrix()` the `x` of [osvm()] is not a matrix of features but the kernel matrix itself: the value of
#' the kernel for every pair of training rows. With `kernel_function()` a function of yours computes the kernel values.
#' Its examples may be of any kind: rows of a matrix or a data frame, or elements of a character vector or of a list,
#' such as texts, trees or graphs.
#'
#' A kernel must be symmetric and should be positive semi-definite. Where the two values of a pair differ by at most a
#' tenth of the largest value, as those of kernlab's `stringdot()` do, their mean is taken, with a message; beyond that
#' they are an error.
#' Those that are clearly not positive semi-definite, by the eigenvalues of up to 200 of their rows, give a warning of
#' class `osvm_indefinite`: the model need then not be the optimum.
#'
#' There are no features, so that `scale` has no effect on `x`. [`plot()`][plot.osvm], [compress()] and models that
#' learn from data as it comes ([osvm_live()], [osvm_stream()], [osvm_shards()], [osvm_active()]) are not available.
#' Available are all solvers for kernels with all their losses, several classes, `probability`, [osvm_tune()],
#' [`update()`][update.osvm], [forget()] and [loo()]. A `budget` of support vectors takes `maintenance = "project"` or
#' `"remove"`.
#'
#' @section Kernel matrices:
#' - [osvm()] and [osvm_tune()] take a square numeric matrix. A row that is left out, for a missing label or weight, is
#'   left out of the columns, too.
#' - [`predict()`][predict.osvm] takes a row per new example and a column per training row, in their order. If the
#'   training matrix had names and `newdata` has column names, columns are matched by name. Then the columns of the
#'   support vectors suffice; a message says so if others are missing.
#' - [`update()`][update.osvm] takes a row per new example. Its columns are all rows learned before, then the new ones;
#'   they are matched by name if rows and columns have names.
#'
#' The matrix is not copied while the model learns. The model keeps the kernel values among the examples it keeps, for
#' further training: 8 bytes for each pair of them. [strip()] removes these.
#'
#' @section Kernel functions:
#' `f(x, z)` is given two sets of examples, of the kind that `x` is, and returns the matrix of their kernel values, a
#' row per example of the first and a column per example of the second. It is called for blocks of up to four million
#' values, never for single pairs. For a model fitted by a formula, the examples are rows of its model matrix. A
#' function `k` of two single examples can be wrapped:
#' `function(x, z) outer(seq_along(x), seq_along(z), Vectorize(function(i, j) k(x[[i]], z[[j]])))`. Kernels of kernlab
#' are taken as `kernel = stringdot(length = 3)`, those that are kernels here as these.
#'
#' The kernel values of all pairs of training examples (one triangle of their matrix) are computed before the model
#' learns, and kept until it has learned. They take 8 bytes for each pair, within `cache_mb`: its default of 256
#' suffices for 5,792 examples, and with more an error says how much is needed. The time limit `seconds` begins when
#' they are computed. Errors in `f` are passed on, and it can be interrupted. A Gaussian kernel written in R gives the
#' model of [kernel_rbf()], up to 1e-6 at a small tolerance, but takes 9.6 to 28.1 times as long, most of it in
#' R (`bench/results/own-kernels.md`).
#'
#' The model keeps `f`, with the environment in which it was made, and the examples that it needs
#' (`given$examples`). [`predict()`][predict.osvm] and [`update()`][update.osvm] call `f`: as with any code, take models
#' only from sources that you trust.
#'
#' @param f A function of two sets of examples that returns the matrix of their kernel values.
#' @param ... Not used: an unknown argument is an error.
#' @return An object of class `osvm_kernel` for [osvm()] and [osvm_tune()]. The `index` of a model made with it has the
#'   rows of the support vectors.
#' @seealso [kernels] for kernels of features, which are faster and need no matrix
#' @export
#' @examples
#' # A kernel matrix, from distances on the sphere
#' place <- cbind(
#'   lat = c(52.5, 48.9, 40.4, 41.9, -33.9, -37.8, -36.8, -31.9),
#'   lon = c(13.4, 2.3, -3.7, 12.5, 151.2, 144.9, 174.8, 115.9)
#' ) * pi / 180
#' on_sphere <- cbind(
#'   cos(place[, 1]) * cos(place[, 2]), cos(place[, 1]) * sin(place[, 2]), sin(place[, 1])
#' )
#' K <- exp(-acos(pmin(tcrossprod(on_sphere), 1)))
#' fit <- osvm(K, rep(c("north", "south"), each = 4), kernel = kernel_matrix())
#' predict(fit, K[c(1, 8), ])
#'
#' # A kernel function of texts: pieces of three letters that two words have in common
#' spectrum <- function(x, z) {
#'   pieces <- lapply(c(x, z), function(word) substring(word, seq_len(nchar(word) - 2), 3:nchar(word)))
#'   known <- unique(unlist(pieces))
#'   has <- t(vapply(pieces, function(own) as.numeric(known %in% own), numeric(length(known))))
#'   has <- has / sqrt(rowSums(has))
#'   tcrossprod(has[seq_along(x), , drop = FALSE], has[-seq_along(x), , drop = FALSE])
#' }
#' words <- c("walking", "talking", "singing", "running", "walked", "talked", "jumped", "rested")
#' form <- rep(c("-ing", "-ed"), each = 4)
#' fit <- osvm(words, form, kernel = kernel_function(spectrum))
#' fit
#' predict(fit, c("speaking", "looked"))
kernel_matrix <- function(...) {
  if (...length() > 0 && is.null(...names())) {
    abort("{.fn kernel_matrix} has no arguments: the kernel matrix is {.arg x} of {.fn osvm}.")
  }
  check_dots("kernel_matrix", ...)
  new_kernel("matrix")
}

#' @rdname kernel_matrix
#' @export
kernel_function <- function(f, ...) {
  check_dots("kernel_function", ...)
  if (missing(f) || !is.function(f)) {
    abort("{.arg f} must be a function of two sets of examples that returns the matrix of their kernel values.")
  }
  new_kernel("function", f = f)
}

# Kernels without features: their values are given to the core, under one name.
given_kernels <- c("matrix", "function")

# `kernel`: as it is given to osvm(), or that of a model.
is_given <- function(kernel) {
  name <- if (is.list(kernel)) .subset2(kernel, "name") else kernel
  is.character(name) && length(name) == 1 && match(name, given_kernels, 0L) > 0L
}

# Objects of kernlab: those that are kernels here by their name, others as functions.
own_kernel <- function(kernel) {
  if (!isS4(kernel) || !methods::is(kernel, "kernel") || !identical(attr(class(kernel), "package"), "kernlab")) {
    return(kernel)
  }
  need_package("kernlab", "osvm")
  theirs <- kernlab::kpar(kernel)
  kind <- class(kernel)[1]
  own <- switch(kind,
    rbfkernel = kernel_rbf(gamma = theirs$sigma), vanillakernel = kernel_linear(),
    polykernel = kernel_polynomial(degree = theirs$degree, gamma = theirs$scale, coef0 = theirs$offset),
    tanhkernel = kernel_sigmoid(gamma = theirs$scale, coef0 = theirs$offset),
    kernel_function(function(x, z) {
      as_theirs <- function(x) if (length(dim(x)) == 2) as.matrix(x) else as.list(x)
      kernlab::kernelMatrix(kernel, as_theirs(x), as_theirs(z))
    })
  )
  here <- if (is_function_kernel(own)) "a function, as by {.fn kernel_function}" else "{.code {format(own)}}"
  inform(paste0("The {.cls {kind}} of kernlab is taken as ", here, "."))
  own
}

is_function_kernel <- function(kernel) is.list(kernel) && identical(unclass(kernel)$name, "function")

refuse_given <- function(kernel, what) {
  if (is_given(kernel)) {
    name <- if (is.list(kernel)) unclass(kernel)$name else kernel
    abort(paste0(what, " needs features, and there are none with {.fn kernel_{name}}."))
  }
}
