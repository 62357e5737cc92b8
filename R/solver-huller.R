#' Huller: online hard-margin SVM
#'
#' The hard-margin SVM with bias, learned one example at a time. The convex hulls of separable classes do not intersect,
#' and the SVM is the hyperplane half-way between the two nearest points of the hulls:
#' \deqn{\min_\alpha |X_P - X_N|^2, \quad X_P = \sum_{y_i = +1} \alpha_i x_i, \quad
#' X_N = \sum_{y_i = -1} \alpha_i x_i,}{min_alpha |X_P - X_N|^2,
#' X_P = sum_(y_i = +1) alpha_i x_i, X_N = sum_(y_i = -1) alpha_i x_i,} where \eqn{\alpha_i \ge 0} and the
#' \eqn{\alpha_i} of each class sum to 1.
#'
#' An update with an example \eqn{x_k} of the positive class moves \eqn{X_P} along the line to
#' it, to the point nearest to \eqn{X_N} within the hull:
#' \deqn{X_P := (1 - \lambda) X_P + \lambda x_k, \quad
#' \lambda = \min\left(1, \max\left(\frac{-\alpha_k}{1 - \alpha_k}, \frac{(X_P - X_N) \cdot (X_P - x_k)}{|X_P -
#' x_k|^2}\right)\right);}{X_P := (1 - lambda) X_P + lambda x_k,
#' lambda = min(1, max(-alpha_k / (1 - alpha_k),
#' (X_P - X_N) . (X_P - x_k) / |X_P - x_k|^2));} an example of the negative class moves \eqn{X_N} in the same way. The
#' starting points are the means of the first few examples of each class. Then every visit makes two updates: one with
#' the example, which may become a support vector, and one with a support vector drawn at random, which may be removed.
#' An example that already is a support vector gets a single update. Decision values are divided by \eqn{|X_P - X_N|^2 /
#' 2}, so that the margin lies at -1 and +1.
#'
#' A finite `C` allows margin violations with quadratic slack, \eqn{C/2} times the sum of their
#' squares. This is a hard margin with \eqn{1/C} added to the diagonal of the kernel matrix.
#' [solver_smo()] and [solver_lasvm()] have linear slack, and fewer support vectors.
#'
#' Choose it for large and clean data, where one or two epochs come close to the batch solution at a fraction of its
#' cost. For noisy data choose [solver_lasvm()], its successor, or a finite `C`.
#'
#' @section Convergence:
#' If the classes are not separable their convex hulls intersect, and there is no hard margin. A
#' binary classifier whose \eqn{|X_P - X_N|^2} is zero up to rounding stops learning and keeps its
#' coefficients. Long before that, many support vectors are on the wrong side of the boundary,
#' where at the solution there are none. If more than a tenth of them are there after the last epoch, or the
#' hulls intersect, [osvm()] warns with class `osvm_not_separable`. This happens with `C = Inf`
#' only. A Gaussian kernel separates any data without equal examples in different classes, but
#' with noise the hulls may be too close for the working precision, or for a few epochs. A model with this warning
#' depends on rounding, as its decision values are divided by a small difference of large sums: another order of the
#' columns changes them by 1e-4 of the largest in one of 15 problems, and by up to two thirds where the hulls meet.
#' Without the warning it is less than 1e-4.
#'
#' In the model's `convergence`, `gap` and `objective` are those of [solver_smo()], but the gap is over the support
#' vectors alone. At the solution it is 0, the objective is \eqn{-|w|^2 / 2}, and the margin is
#' \eqn{1 / |w|} wide on either side. `fit$scalars["wrong", ]` is the share of support vectors on
#' the wrong side.
#'
#' @section Updating:
#' A stream of chunks with `epochs = 1` and `shuffle = FALSE` gives the model of one pass, if the
#' first chunk has at least `start` examples of each class: the means are computed only once. Until a
#' second class is observed, only the mean of the first is kept, and that class is predicted. The
#' seed of the random draws is kept in the model.
#'
#' @inheritParams solver_olsvm
#' @param C Positive number: cost of squared margin violations; `Inf` is a hard margin. An example's weight multiplies
#'   it, so that with `Inf` weights make no difference. An example of weight 0 is left out.
#' @param start The number of examples of each class whose means are the starting points.
#' @section Cost:
#' A visit takes two kernel rows over the support vectors, unless they are cached (`cache_mb` of [osvm()]). Memory
#' grows with the square of the number of support vectors, up to that bound, and not with the number of examples.
#' @inherit solver_olsvm return
#' @references A. Bordes and L. Bottou (2005), *The Huller: a simple and efficient online SVM*,
#'   European Conference on Machine Learning, Figs 3 and 4.
#' @seealso [solver_lasvm()] for noisy data, [solver_smo()] for the exact solution, [osvm()], [solvers()]
#' @export
#' @examples
#' flowers <- subset(iris, Species != "virginica")
#' fit <- osvm(droplevels(Species) ~ ., data = flowers, solver = "huller", kernel = kernel_linear())
#' coef(fit)
#'
#' # Overlapping classes have no hard margin: a finite C allows violations
#' clouds <- two_normals(500)
#' fit <- osvm(clouds$x, clouds$y, solver_huller(C = 1), kernel_rbf(sigma = 1))
#' fit$n_sv
#' mean(predict(fit, clouds$x) == clouds$y)
solver_huller <- function(epochs = 2, C = Inf, start = 5, shuffle = TRUE, ...) {
  check_dots("solver_huller", ...)
  new_solver("huller", epochs = whole(epochs), C = positive(C, infinite = TRUE), start = whole(start))
}

# At the solution no support vector is on the wrong side; without a solution, many are.
huller_unfinished <- function(model, stalled = FALSE) {
  ended <- model$convergence
  apart <- ended$finished
  which <- rownames(ended)[!apart]
  wrong <- if (is_live(model)) 0 else round(100 * max(model$scalars["wrong", !apart]))
  warn(c(
    paste0(
      "The classes", if (length(apart) > 1) " of the {cli::qty(which)}binary classifier{?s} {.val {which}}",
      " are not separated: their convex hulls intersect",
      if (wrong > 0) ", or nearly ({wrong} % of the support vectors are on the wrong side)", "."
    ),
    i = "Give {.arg C} a finite value to allow for violated margins, choose another kernel, or more {.arg epochs}."
  ), "osvm_not_separable")
}

# The margin's half-width is 1/|w|, and the dual objective -|w|^2 / 2.
huller_ended <- function(model) {
  ended <- model$convergence
  margin <- signif(1 / sqrt(-2 * range(ended$objective)), 3)
  paste0(
    "margin ", paste(unique(margin), collapse = " to "),
    if (!all(ended$finished)) paste(", hulls intersect in", plural(sum(!ended$finished), "binary classifier"))
  )
}
