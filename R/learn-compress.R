#' A model with fewer support vectors
#'
#' Replaces the support vectors of a finished kernel model by fewer ones: those with the smallest coefficients are
#' merged with others, as with `maintenance = "merge"` in [solver_olsvm()]. The vectors that are left and their
#' coefficients then move towards the model's decision function, by 20 quasi-Newton steps on the distance below (Burges
#' 1996), within the ranges of the model's own support vectors; zeros of sparse data stay zeros. Last, coefficients are
#' fitted to the decision values at the model's support vectors. Prediction takes as much less time, and the model as
#' much less memory. Under kernels other than [kernel_rbf()] support vectors are removed, and only coefficients fitted;
#' vectors stay where they are, too, where the steps would need more memory than `cache_mb` of the model.
#'
#' With \eqn{f} the decision function of a binary classifier without its intercept and \eqn{g} the smaller one's, the
#' cost is \eqn{|f - g| / |f|} in the space of the kernel. It bounds the change of any decision value: \eqn{|f(x) -
#' g(x)| \le |f - g| \sqrt{k(x, x)}}. How many predictions change is counted on `newdata`.
#'
#' @param object A model made by [osvm()], of any solver, with a kernel other than linear.
#' @param n_sv The number of support vectors to keep at most.
#' @param newdata Examples, as for [`predict()`][predict.osvm], on which the two models are compared; `NULL`: on none.
#' @param ... Not used: an unknown argument is an error.
#' @return A model that predicts and prints like `object`, with `n_sv` support vectors at most, and a field
#'   `compression`: a list of `from` and `to`, numbers of support vectors; `distance`, \eqn{|f - g| / |f|} of each
#'   binary classifier; and `agreement`, the share of `newdata` with the same prediction, for numbers the share of the
#'   variance of `object`'s predictions that is kept (rows with missing values do not count), or `NULL`. Models of
#'   solvers whose state is their coefficients ([solver_olsvm()], [solver_pegaz()], [solver_norma()] and [solver_pa()]
#'   without `average`) can be trained further; others are without their training state, as after [strip()]. A model
#'   that has no more support vectors than `n_sv` is returned as it is.
#' @seealso [osvm_compression_curve()] for the accuracy over the size; [solver_olsvm()], whose `budget` bounds the
#'   support vectors during training; [strip()], which leaves all predictions as they are
#' @references C. J. C. Burges (1996), *Simplified support vector decision rules*, Proceedings of the 13th International
#'   Conference on Machine Learning, 71-77.
#'
#'   Z. Wang, K. Crammer and S. Vucetic (2012), *Breaking the Curse of Kernelization: Budgeted Stochastic
#'   Gradient Descent for Large-Scale SVM Training*, Journal of Machine Learning Research 13, 3103-3131.
#' @export
#' @examples
#' set.seed(1)
#' board <- chessboard(2000, noise = 0.05)
#' fit <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(sigma = 0.4))
#' small <- compress(fit, fit$n_sv / 5, newdata = board$x)
#' small
#' small$compression$agreement
compress <- function(object, n_sv, newdata = NULL, ...) UseMethod("compress")

#' @rdname compress
#' @export
compress.osvm <- function(object, n_sv, newdata = NULL, ...) {
  check_dots("compress", ...)
  object <- structure(check_model(object), class = class(object))
  check_compressible(object)
  if (missing(n_sv)) abort("{.arg n_sv} is missing: give the number of support vectors to keep, of {object$n_sv}.")
  n_sv <- floor(one_number(n_sv, least = 1))
  small <- if (n_sv < object$n_sv) merge_vectors(object, n_sv) else object
  distance <- compression_distance(object, small)
  agreement <- if (!is.null(newdata)) outcome_of(object)$agreement(predict(object, newdata), predict(small, newdata))
  small$compression <- list(from = object$n_sv, to = small$n_sv, distance = distance, agreement = agreement)
  small
}

check_compressible <- function(object) {
  refuse_given(object$kernel, "{.fn compress}")
  if (is_primal(object)) {
    abort(c(
      "{.arg object} must have a kernel other than linear: it predicts by its weights, not by support vectors.",
      i = "{.fn strip} removes what only further training needs."
    ))
  }
}

# An expansion with a budget is opened on the model's vectors, which compresses them, and read back; it learns nothing.
merge_vectors <- function(object, n_sv) {
  small <- without_state(object)
  maintenance <- if (object$kernel$traits$mergeable && !isTRUE(object$scaling$normed)) "merge" else "remove"
  machines <- length(object$intercept)
  small$solver <- set_role(set_role(default_solver("expansion"), "budget", n_sv), "maintenance", maintenance)
  traits <- small$solver$traits
  small$scalars <- matrix(0, length(traits$scalars), machines, dimnames = list(traits$scalars, NULL))
  small$scalars["bias", ] <- object$intercept
  small <- run_core(small, no_examples(small), integer())$model
  for (field in c("solver", "n_seen", "stats", "trace")) small[[field]] <- object[[field]]
  expands <- !is_stripped(object) && !needs_state(object$solver) # it goes on from its coefficients
  if (expands) small$scalars <- object$scalars else small[c("state", "scalars")] <- NULL
  small
}

# |f|^2 = sum_i a_i f(x_i), over the model's own vectors
compression_distance <- function(object, small) {
  product <- function(a, b) {
    b$intercept[] <- 0
    b$trend <- NULL
    colSums(unname(a$coef) * unname(decision_values(b, a$sv, b$control$threads)))
  }
  whole <- product(object, object)
  distance <- whole - 2 * product(small, object) + product(small, small)
  stats::setNames(sqrt(pmax(distance, 0) / pmax(whole, .Machine$double.xmin)), names(object$intercept))
}
