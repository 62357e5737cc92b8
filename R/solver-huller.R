#' The Huller: two points that approach each other
#'
#' A hard-margin machine with bias, learned one example at a time. Where the classes can
#' be told apart their convex hulls do not meet, and the machine is the hyperplane half-way
#' between the two nearest points of the hulls:
#' \deqn{\min_\alpha |X_P - X_N|^2, \quad X_P = \sum_{y_i = +1} \alpha_i x_i, \quad
#' X_N = \sum_{y_i = -1} \alpha_i x_i,}
#' where \eqn{\alpha_i \ge 0} and the \eqn{\alpha_i} of each class sum to 1.
#'
#' Offered an example \eqn{x_k} of the positive class, the Huller moves \eqn{X_P} along the
#' line to it, as near to \eqn{X_N} as it gets without leaving the hull:
#' \deqn{X_P := (1 - \lambda) X_P + \lambda x_k, \quad
#' \lambda = \min\left(1, \max\left(\frac{-\alpha_k}{1 - \alpha_k},
#' \frac{(X_P - X_N) \cdot (X_P - x_k)}{|X_P - x_k|^2}\right)\right);}
#' an example of the negative class moves \eqn{X_N} in the same way. It begins with the
#' average of the first few examples of each class. Then every visit offers an example, which
#' may become a support vector, and after it a support vector drawn at random, which may cease to
#' be one; an example that is a support vector already is offered alone. Decision values are
#' divided by \eqn{|X_P - X_N|^2 / 2}, so that the margin lies at -1 and +1.
#'
#' With a finite `C` violated margins are allowed at a quadratic price, \eqn{C/2} times the
#' sum of their squares. That is a hard margin again, under a kernel with \eqn{1/C} added on
#' its diagonal. It is not the machine of [solver_smo()] or [solver_lasvm()], whose price is
#' linear: more examples become support vectors.
#'
#' Choose it for large and clean data, where one or two epochs come close to the batch
#' solution at a fraction of its cost. For noisy data [solver_lasvm()], its successor, is the
#' better choice; a finite `C` is the other way out.
#'
#' @section How it ended:
#' Classes that cannot be told apart have hulls that meet, and then there is no hard margin. A
#' machine that finds \eqn{|X_P - X_N|^2} down to rounding stops learning and keeps what it
#' has. Long before that, many support vectors are on the wrong side of the boundary, as none
#' is at the solution: if there are more than a tenth of them after the last epoch, or the hulls have
#' met, [osvm()] warns with class `osvm_not_separable`. This happens with `C = Inf` only. A
#' Gaussian kernel can tell any data apart, if no two examples of different classes are equal,
#' but noise may bring the hulls so near to each other that numbers cannot, or not in a few
#' epochs. In the model's `convergence`, `gap` is the share of support vectors on the wrong side
#' and `objective` is \eqn{|w|^2 / 2}, so that the margin is \eqn{1 / |w|} wide on either side.
#'
#' @section Going on:
#' A stream of chunks with `epochs = 1` and `shuffle = FALSE` gives the model of one pass, if the
#' first chunk has at least `start` examples of each class: a model makes its average once. Its
#' draws come from a seed of its own, which it keeps.
#'
#' @param epochs How often to go through the data.
#' @param C Positive number: what the square of a violated margin costs; `Inf`: no margin may be
#'   violated. An example's weight multiplies it, so that with `Inf` weights make no
#'   difference. An example of weight 0 is left out.
#' @param start How many examples of each class to average at the beginning.
#' @param shuffle Visit the examples in random order, drawn once? `FALSE`: as they
#'   come.
#' @section Cost:
#' The kernel values of two examples with all support vectors per visit, where they are not among
#' those kept (`cache_mb` of [osvm()]). Memory grows with the square of the number of support
#' vectors, up to that bound, and not with the number of examples.
#' @inherit solver_olsvm return
#' @references A. Bordes and L. Bottou (2005), *The Huller: a simple and efficient online SVM*,
#'   European Conference on Machine Learning, Figs 3 and 4.
#' @seealso [solver_lasvm()] for noisy data, [solver_smo()] for the exact solution, [osvm()],
#'   [solvers()]
#' @export
#' @examples
#' flowers <- subset(iris, Species != "virginica")
#' fit <- osvm(droplevels(Species) ~ ., data = flowers, solver = "huller", kernel = kernel_linear())
#' coef(fit)
#'
#' # Clouds that overlap have no hard margin
#' clouds <- two_normals(500)
#' fit <- osvm(clouds$x, clouds$y, solver_huller(C = 1), kernel_rbf(sigma = 1))
#' fit$n_sv
#' mean(predict(fit, clouds$x) == clouds$y)
solver_huller <- function(epochs = 2, C = Inf, start = 5, shuffle = TRUE) {
  new_solver(
    "huller",
    epochs = whole(epochs), C = positive(C, infinite = TRUE), start = whole(start),
    shuffle = flag(shuffle)
  )
}

# At the solution no support vector is on the wrong side; where there is none, many are.
huller_unfinished <- function(model) {
  ended <- model$convergence
  apart <- ended$finished
  which <- rownames(ended)[!apart]
  wrong <- round(100 * max(ended$gap[!apart]))
  warn(c(
    paste0(
      "The classes", if (length(apart) > 1) " of the {cli::qty(which)}machine{?s} {.val {which}}",
      " are not separated: their hulls meet",
      if (wrong > 0) ", or nearly ({wrong} % of the support vectors are on the wrong side)", "."
    ),
    i = "Give {.arg C} a finite value to allow for violated margins, choose another kernel, or more {.arg epochs}."
  ), "osvm_not_separable")
}

# The margin's half-width is 1/|w|, and the objective |w|^2 / 2.
huller_ended <- function(model) {
  ended <- model$convergence
  margin <- signif(1 / sqrt(2 * range(ended$objective)), 3)
  paste0(
    "margin ", paste(unique(rev(margin)), collapse = " to "),
    if (!all(ended$finished)) paste(", hulls met in", count(sum(!ended$finished), "machine"))
  )
}
