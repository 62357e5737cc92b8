#' Predict with an on-line support vector machine
#'
#' @param object A model made by [osvm()].
#' @param newdata New examples: a matrix or sparse matrix, as in [osvm()], whichever the
#'   model was trained on, or a data frame for a model of one. Where both have column names the columns go by name, in any order: a
#'   missing one is an error, and others are dropped with a message of class
#'   `osvm_message` (without one for a formula, which selects its columns).
#' @param type `"class"`: labels, of the kind used in training. `"decision"`: decision
#'   values; for two classes a vector, positive for the second level, otherwise a
#'   column per binary machine. `"prob"`: a column of probabilities per class, if the
#'   model was fitted with `probability = TRUE`.
#' @param threads Number of threads; `NULL`: see [onlinesvm-package].
#' @param ... Not used: an unknown argument is an error.
#' @return See `type`.
#' @details
#' Probabilities are \eqn{1 / (1 + \exp(-s f))} of the decision value \eqn{f}, and with
#' more classes the softmax of \eqn{s} times the classes' scores. The slope \eqn{s} is
#' fitted to hold-out outputs, as in Platt's method but without a shift, so that the
#' most probable class is always the predicted one.
#' @seealso [osvm()], [`update()`][update.osvm]
#' @export
#' @examples
#' fit <- osvm(Species ~ ., data = iris, probability = TRUE)
#' table(predict(fit, iris), iris$Species)
#' head(predict(fit, iris, type = "decision"))
#' head(predict(fit, iris, type = "prob"))
predict.osvm <- function(object, newdata, type = c("class", "decision", "prob"),
                         threads = NULL, ...) {
  check_dots("predict", ...)
  type <- one_choice(type, c("class", "decision", "prob"))
  object <- check_predictor(object)
  if (missing(newdata)) {
    abort("{.arg newdata} is missing: a model does not keep its training data.")
  }
  if (type == "prob" && is.null(object$prob_slope)) {
    abort("Probabilities need a model fitted with {.code probability = TRUE}.")
  }
  x <- model_input(object, newdata, "newdata")
  f <- decision_values(object, x, resolve_threads(threads))
  switch(type,
    decision = if (ncol(f) == 1) stats::setNames(f[, 1], rownames(x)) else f,
    class = restore_labels(winners(class_scores(object, f)), object$levels, object$label),
    prob = probabilities(object, class_scores(object, f))
  )
}

# New data in the columns of the training data.
model_input <- function(object, newdata, name) {
  if (!is.null(object$encoding)) {
    x <- encode_new(object$encoding, newdata, name)
    need(ncol(x) == object$n_features, "its encoding does not fit its features")
    return(x)
  }
  check_not_row(newdata, object$n_features, name)
  order_columns(as_input(newdata, name), object, name)
}

decision_values <- function(object, x, threads) {
  columns <- describe_columns(x, "newdata", moments = FALSE)
  extent <- data_extent(columns, object$scaling)
  control <- list(
    threads = threads, level = simd_level(), unit_norm = solver_traits(object$solver)$unit_norm,
    doubles = wants_doubles(object, larger_extent(extent, object$extent), "newdata")
  )
  model <- core_data(object$sv, object$scaling, coef = as.double(object$coef), machines = nrow(object$machines))
  decide <- function(x) {
    core_result(
      .Call(ffi_decide, model, core_data(x, object$scaling), numeric_kernel(object$kernel), control),
      "The prediction"
    )
  }
  centred <- inherits(x, "dgCMatrix") && !is.null(object$scaling$center)
  f <- if (centred) decide_in_slices(x, decide) else decide(x)
  f <- f + rep(object$intercept, each = nrow(f))
  dimnames(f) <- list(rownames(x), if (ncol(f) > 1) machine_names(object$machines, object$levels))
  f
}

as_sparse <- function(x) {
  if (inherits(x, "dgCMatrix")) x else as_matrix_class(methods::as(x + 0, "CsparseMatrix"), "x")
}

# Centring makes sparse examples dense: at most `most` values at a time.
decide_in_slices <- function(x, decide, most = 2e6) {
  size <- max(1, floor(most / ncol(x)))
  starts <- seq(1, max(nrow(x), 1), by = size)
  do.call(rbind, lapply(starts, function(from) {
    rows <- seq_len(nrow(x))
    decide(as.matrix(x[rows[rows >= from & rows < from + size], , drop = FALSE]))
  }))
}

# Scores, a column per class; the largest is predicted. One-vs-one: votes, plus the
# sum of decision values mapped to (-1/3, 1/3), which breaks ties.
class_scores <- function(object, f) {
  if (length(object$levels) == 2) {
    return(cbind(numeric(nrow(f)), f))
  }
  if (object$multiclass == "ovr") {
    return(f)
  }
  votes <- total <- matrix(0, nrow(f), length(object$levels))
  for (m in seq_len(ncol(f))) {
    a <- object$machines$negative[m]
    b <- object$machines$positive[m]
    votes[, b] <- votes[, b] + (f[, m] > 0)
    votes[, a] <- votes[, a] + (f[, m] <= 0)
    total[, b] <- total[, b] + f[, m]
    total[, a] <- total[, a] - f[, m]
  }
  votes + total / (3 * (abs(total) + 1))
}

winners <- function(scores) if (nrow(scores) == 1) which.max(scores) else max.col(scores, ties.method = "first")
