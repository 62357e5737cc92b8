# Probabilities of classes: hold-out outputs, the map of calibrate.R applied to decision values,
# and agreement with the predicted class.

probabilities <- function(object, f, map = object$probability) {
  class <- predict_targets(object, f)
  p <- agree(map_outputs(object, f, map), replace(class, is.na(class), 1), object$class_weights)
  dimnames(p) <- list(rownames(f), object$levels)
  p
}

map_outputs <- function(object, f, map) {
  g <- affine(f, map)
  if (ncol(g) == 1) {
    softmax(cbind(numeric(nrow(g)), g))
  } else if (is_softmax_map(object)) {
    softmax(g)
  } else {
    softmax(map$power * couple_pairs(g, object$machines, length(object$levels)))
  }
}

affine <- function(f, map) {
  g <- if (is.matrix(map$slope)) f %*% map$slope else f * rep(map$slope, each = nrow(f))
  g + rep(map$shift, each = nrow(f))
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

# The probabilities nearest to p (in Kullback-Leibler divergence) whose product with the class
# weights is largest for `class`, by 1 part in 10,000. The predicted class and those above it
# keep their sum, which is divided in proportion to 1 / weight.
agree <- function(p, class, class_weights) {
  own <- cbind(seq_along(class), class)
  part <- array(rep(1 / class_weights, each = nrow(p)), dim(p))
  part[own] <- part[own] * (1 + 1e-4)
  height <- p / part
  shared <- matrix(FALSE, nrow(p), ncol(p))
  shared[own] <- TRUE
  sum <- p[own]
  parts <- part[own]
  height[own] <- 0
  repeat {
    top <- cbind(seq_along(class), max.col(height, "first"))
    top <- top[which(height[top] * parts > sum), , drop = FALSE]
    if (nrow(top) == 0) break
    rows <- top[, 1]
    shared[top] <- TRUE
    sum[rows] <- sum[rows] + p[top]
    parts[rows] <- parts[rows] + part[top]
    height[top] <- 0
  }
  shared[rowSums(shared) == 1, ] <- FALSE
  p[shared] <- ((sum / parts) * part)[shared]
  p
}

# `n_seen`: what the model had learned when the map was fitted.
with_map <- function(fit, map, n_seen = fit$n_seen) {
  fit$probability <- c(map, list(n_seen = n_seen))
  fit
}

check_probability <- function(object) {
  map <- object$probability
  if (is.null(map)) {
    abort("Probabilities need a model fitted with {.code probability = TRUE}.")
  }
  need(is_one_number(object$n_seen), "its counts are damaged")
  if (object$n_seen > 2 * map$n_seen) {
    warn(c(
      "The probabilities are old: fitted when the model had learned {big(map$n_seen)} of its {big(object$n_seen)}
       examples.",
      i = "{.code update(..., probability = TRUE)} fits them to new examples, before it learns those."
    ), "osvm_old_probabilities")
  }
}
