# Probabilities that agree with the predicted class: one slope for the scores of all classes.

probabilities <- function(object, scores) {
  p <- softmax(object$prob_slope * scores)
  dimnames(p) <- list(rownames(scores), object$levels)
  p
}

softmax <- function(z) {
  e <- exp(z - row_max(z))
  e / rowSums(e)
}

row_max <- function(x) x[cbind(seq_len(nrow(x)), max.col(x, "first"))]

# Maximum-likelihood slope on hold-out outputs: each fold is scored by a model
# trained on the others; folds are stratified by class.
probability_slope <- function(model, examples, folds = 5) {
  n <- length(examples$class)
  fold <- deal_folds(examples$class, folds)
  model$control$verbose <- FALSE
  scores <- matrix(NA_real_, n, length(model$levels))
  for (k in seq_len(folds)) {
    test <- which(fold == k)
    train <- which(fold != k)
    if (length(test) == 0 || length(unique(examples$class[train])) < 2) {
      next
    }
    fit <- learn(model, examples, train)
    f <- decision_values(fit, examples$x[test, , drop = FALSE], model$control$threads)
    scores[test, ] <- class_scores(fit, f)
  }
  scored <- !is.na(scores[, 1])
  if (!any(scored)) {
    return(1)
  }
  fit_slope(scores[scored, , drop = FALSE], examples$class[scored])
}

# The likelihood is unimodal; it is searched on a log scale between 1e-3 and 1e2
# over the median difference of scores. Targets are smoothed by 1/(n + 2), as in
# Platt's method, which keeps the slope finite on separable data.
fit_slope <- function(scores, class) {
  own <- cbind(seq_along(class), class)
  size <- stats::median(abs(scores - scores[own])[scores != scores[own]])
  if (!is.finite(size) || size == 0) {
    return(1)
  }
  doubt <- 1 / (length(class) + 2)
  loss <- function(log_slope) {
    p <- softmax(exp(log_slope) * scores)
    -sum((1 - doubt) * log(pmax(p[own], 1e-300))) - sum(doubt / ncol(scores) * log(pmax(p, 1e-300)))
  }
  exp(stats::optimize(loss, log(c(1e-3, 1e2) / size))$minimum)
}
