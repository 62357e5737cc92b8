#' Kernels
#'
#' A kernel \eqn{k(x, z)} measures the similarity of two examples. With `kernel_linear()` a model is a weight per
#' feature; with the others it is a kernel expansion over support vectors.
#'
#' `r kernel_help()`
#'
#' The kernel acts on the scaled data when [osvm()] scales. [kernel_matrix()] and [kernel_function()] take kernel values
#' of your own; for very many rows [kernel_nystrom()] and [kernel_fourier()] approximate a kernel by features.
#'
#' @section A width per feature:
#' `scale = list(scale = width)` of [osvm()] divides each feature by a width of its own, so that `kernel_rbf(sigma = 1)`
#' is \eqn{\exp(-\sum_f (x_f - z_f)^2 / (2 width_f^2))}{exp(-sum_f (x_f - z_f)^2 / (2 width_f^2))}: an anisotropic
#' Gaussian. Features with large widths hardly count.
#'
#' @param gamma Positive number. With `NULL` it is chosen from the data. For kernels of a distance it is 2, divided by
#'   the median of that distance between examples; for `kernel_rbf()` this is about one over the number of features, if
#'   these are scaled and normal. For the other kernels it is one over the number of features.
#' @param sigma Width, instead of `gamma`: \eqn{\gamma = 1 / (2 \sigma^2)} for
#'   `kernel_rbf()`, \eqn{\gamma = 1 / \sigma} for `kernel_laplacian()`.
#' @param degree Degree of the polynomial, a whole number.
#' @param coef0 Constant \eqn{c_0}.
#' @param ... Not used: an unknown argument is an error.
#' @return An object of class `osvm_kernel` for [osvm()]. A parameter with
#'   several values is a grid for [osvm_tune()]; [osvm()] takes one value.
#' @seealso [osvm()], [osvm_tune()], [solvers()]
#' @examples
#' kernel_rbf(sigma = 2)
#' kernel_polynomial(degree = 2, coef0 = 1)
#' fit <- osvm(Species ~ ., data = iris, kernel = kernel_polynomial(degree = 2))
#' mean(predict(fit, iris) == iris$Species)
#'
#' # A width per feature
#' width <- c(Sepal.Length = 3, Sepal.Width = 3, Petal.Length = 1, Petal.Width = 0.5)
#' fit <- osvm(Species ~ ., data = iris, kernel = kernel_rbf(sigma = 1), scale = list(scale = width))
#' mean(predict(fit, iris) == iris$Species)
#' @name kernels
#' @order 1
NULL

#' @rdname kernels
#' @export
kernel_linear <- function(...) {
  check_dots("kernel_linear", ...)
  new_kernel("linear")
}

#' @rdname kernels
#' @export
kernel_polynomial <- function(degree = 3, gamma = NULL, coef0 = 0, ...) {
  check_dots("kernel_polynomial", ...)
  new_kernel(
    "polynomial",
    degree = whole(degree, most = 100),
    gamma = optional(gamma, positive, "gamma"), coef0 = number(coef0)
  )
}

#' @rdname kernels
#' @export
kernel_rbf <- function(gamma = NULL, sigma = NULL, ...) {
  check_dots("kernel_rbf", ...)
  kernel_of_width("rbf", gamma, sigma, function(sigma) 1 / (2 * sigma^2), "1 / (2 sigma^2)")
}

#' @rdname kernels
#' @export
kernel_sigmoid <- function(gamma = NULL, coef0 = 0, ...) {
  check_dots("kernel_sigmoid", ...)
  new_kernel("sigmoid", gamma = optional(gamma, positive, "gamma"), coef0 = number(coef0))
}

# `rate`: gamma as a function of sigma, which `formula` spells.
kernel_of_width <- function(name, gamma, sigma, rate, formula) {
  if (!is.null(gamma) && !is.null(sigma)) {
    abort("Give {.arg gamma} or {.arg sigma}, not both: gamma is {formula}.")
  }
  if (!is.null(sigma)) {
    gamma <- positive(rate(positive(sigma)), "sigma")
  }
  kernel <- new_kernel(name, gamma = optional(gamma, positive, "gamma"))
  # Tables of results show sigma if sigma was given.
  attr(kernel, "sigma") <- sigma
  kernel
}

optional <- function(value, check, name) if (is.null(value)) NULL else check(value, name)

# What the kernels declare, see describe_kernels().
kernel_table <- function() declared$kernels
kernel_info <- function(name) declared$osvm_kernel[[name]]

# What the kernels declare in C: `base` (what their values are functions of: "dots", "squared" or "absolute" distances),
# the `roles` of their parameters by name (spec-roles.R), `linear`, `mergeable`, `product` (of kernels of each feature
# alone), `title` and `formula`. Besides: `width`, whether they are functions of distances, whose scale is one over a
# width; `low_rank`; `core`, the name that the core knows. Those without features come last, and are of the base
# "given".
describe_kernels <- function() {
  exact <- .Call(ffi_kernels)
  exact$core <- exact$name
  maps <- lapply(names(low_rank_kernels), function(name) {
    features <- list(name = name, base = "dots", linear = TRUE, mergeable = FALSE, product = FALSE, core = "linear")
    c(features, low_rank_kernels[[name]])
  })
  given <- lapply(given_kernels, function(name) {
    list(
      name = name, title = name, formula = "", base = "given", roles = character(), linear = FALSE, mergeable = FALSE,
      product = FALSE, core = "given"
    )
  })
  table <- lapply(stats::setNames(nm = names(exact)), function(field) {
    others <- lapply(c(maps, given), `[[`, field)
    c(exact[[field]], if (is.list(exact[[field]])) others else unlist(others))
  })
  table$width <- table$base %in% c("squared", "absolute")
  table$low_rank <- table$name %in% names(low_rank_kernels)
  table
}

# Kernels that are a map to features (transform-map.R) and, of these, the linear kernel, which is all that the core
# knows of them: solvers for linear kernels learn them. They approximate their base kernel, and have its parameters.
low_rank_kernels <- list(
  nystrom = list(
    title = "Nystrom", formula = "\\phi(x) \\cdot \\phi(z)",
    roles = c(kernel = "base", rank = "rank", landmarks = "landmarks")
  ),
  fourier = list(title = "Random Fourier Features", formula = "\\phi(x) \\cdot \\phi(z)", roles = c(features = "rank"))
)

is_low_rank <- function(kernel) .subset2(kernel, "traits")$low_rank

# check_spec() finds a base that is not a name.
base_name <- function(kernel) {
  roles <- low_rank_kernels[[kernel$name]]$roles
  given <- kernel$params[names(roles)[roles == "base"]]
  if (length(given) > 0 && is_one_text(given[[1]]) && given[[1]] %in% spec_names("kernel")) given[[1]] else "rbf"
}

# The kernel that a low-rank one approximates; another is its own.
base_kernel <- function(kernel) {
  if (!is_low_rank(kernel)) {
    return(kernel)
  }
  name <- base_name(kernel)
  new_spec("kernel", name, kernel$params[names(kernel_info(name)$roles)])
}

# What it has of its base.
resolve_low_rank <- function(kernel) {
  base <- base_kernel(kernel)
  kernel$roles <- c(kernel$roles, base$roles)
  kernel$core <- list(name = "linear", values = numeric(), approximated = base$core)
  kernel$traits$width <- base$traits$width
  kernel
}

is_linear <- function(kernel) .subset2(kernel, "traits")$linear
has_width <- function(kernel) .subset2(kernel, "traits")$width

# Whether the scale is to be chosen from the data.
is_open <- function(kernel) is.null(role_value(kernel, "scale", 1))

# Kernel values at base values, or their derivatives there; of the base kernel.
kernel_values <- function(kernel, base, slopes = FALSE) {
  core_result(.Call(ffi_kernel_values, base_kernel(kernel)$core, base, slopes), "The kernel")
}

# What the kernel is a function of, of every row of `points` (a row of the result) with every row of `centers`.
base_values <- function(base, points, centers) {
  products <- function() as.matrix(Matrix::tcrossprod(points, centers))
  differences <- function(f) abs(outer(points[, f], centers[, f], "-"))
  switch(base,
    dots = products(),
    squared = pmax(outer(Matrix::rowSums(points^2), Matrix::rowSums(centers^2), "+") - 2 * products(), 0),
    absolute = Reduce(function(sum, f) sum + differences(f), seq_len(ncol(points)), 0)
  )
}

# A formula in LaTeX for a help page, and as it is read without
rd_formula <- function(formula) {
  plain <- gsub("[{}\\\\]", "", gsub("\\\\cdot", ".", gsub("\\\\, ", " ", formula)))
  sprintf("\\eqn{%s}{%s}", formula, plain)
}

# The table of the help page, from what the kernels declare.
kernel_help <- function() {
  all <- lapply(kernel_table(), `[`, !kernel_table()$low_rank)
  rows <- sprintf("| `kernel_%s()` | %s |", all$name, rd_formula(all$formula))
  paste(c("| kernel | \\eqn{k(x, z)} |", "|---|---|", rows), collapse = "\n")
}
