# Probabilities of classes: the map of outcome-calibrate.R applied to decision values. A model with a map takes its
# classes from them.

probabilities <- function(object, f) {
  map <- object$probability
  g <- affine(if (is.null(map$sigmoids)) f else log_sigmoids(f, map$sigmoids), map)
  p <- if (ncol(g) == 1) {
    softmax(cbind(numeric(nrow(g)), g))
  } else if (is_softmax_map(object)) {
    softmax(g)
  } else {
    softmax(map$power * couple_pairs(g, object$machines, length(object$levels)))
  }
  dimnames(p) <- list(rownames(f), object$levels)
  p
}

# Two classes: the decision value above which the second is predicted; novelty: above which an example belongs.
class_threshold <- function(object) {
  map <- object$probability
  if (!is_labelled(object)) {
    return(novelty_boundary(object))
  }
  if (is.null(map)) 0 else (log(object$class_weights[1] / object$class_weights[2]) - map$shift) / map$slope
}

# What predict() compares with a threshold.
threshold_scale <- function(object) if (is.null(object$probability)) "decision" else "prob"

affine <- function(f, map) {
  g <- if (is.matrix(map$slope)) f %*% map$slope else f * rep(map$slope, each = nrow(f))
  g + rep(map$shift, each = nrow(f))
}

# A column per class. Where one says nothing but no, it is bounded.
log_sigmoids <- function(f, sigmoids) {
  g <- affine(f, list(slope = sigmoids[1, ], shift = sigmoids[2, ]))
  g[] <- pmax(stats::plogis(g, log.p = TRUE), -500)
  g
}

# Logarithms of p_k = 1 / (1 + sum_j exp(-g_kj)) from the log-odds g_kj of class k against class j,
# which is exact if g_kj = log(p_k / p_j): Price et al. (1995), equation (4), in log-odds.
couple_pairs <- function(g, machines, classes) {
  g <- pmin(pmax(g, -500), 500) # exp() stays finite
  total <- matrix(1, nrow(g), classes)
  for (m in seq_len(ncol(g))) {
    a <- machines$negative[m]
    b <- machines$positive[m]
    total[, b] <- total[, b] + exp(-g[, m])
    total[, a] <- total[, a] + exp(g[, m])
  }
  -log(total)
}

softmax <- function(z) {
  e <- exp(z - row_max(z))
  e / rowSums(e)
}

row_max <- function(x) x[cbind(seq_len(nrow(x)), max.col(x, "first"))]

# `n_seen`: what the model had learned when the map was fitted.
with_map <- function(fit, map, n_seen = fit$n_seen) {
  fit$probability <- c(map, list(n_seen = n_seen))
  fit
}

need_probability <- function(object) {
  need_classes(object, "A probability")
  if (is.null(object$probability)) abort("Probabilities need a model fitted with {.code probability = TRUE}.")
}

# Classes follow from probabilities, and age with them; so do intervals and sets with the `scores` of held-out examples.
check_calibration_age <- function(object, scores = FALSE) {
  warn_of_age(object, object$probability, "probabilities", "probability")
  if (scores) warn_of_age(object, object$conformal, "scores", "conformal")
}

warn_of_age <- function(object, made, what, argument) {
  if (is.null(made)) {
    return()
  }
  need(is_one_number(object$n_seen), "its counts are damaged")
  if (object$n_seen > 2 * made$n_seen) {
    text <- c(
      "The {what} are old: fitted when the model had learned {big(made$n_seen)} of its {big(object$n_seen)}
       examples.",
      i = "{.code update(..., {argument} = TRUE)} fits them to new examples, before it learns those."
    )
    if (what == "scores") warn(text, "osvm_old_scores") else warn(text, "osvm_old_probabilities")
  }
}
