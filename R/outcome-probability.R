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

# ---- fits with probabilities ----

# The model, and its map if requested. Ctrl-C ends all fits at once.
fit_model <- function(model, examples, probability, path = FALSE) {
  if (!probability) {
    return(learn(model, examples, path = path))
  }
  stopped <- FALSE
  fit <- withCallingHandlers(learn(model, examples, path = path), osvm_interrupted = function(w) {
    stopped <<- TRUE
    invokeRestart("muffleWarning")
  })
  if (stopped) {
    warn("The fit was interrupted; the model holds what was learned until then, and has no probabilities.",
         "osvm_interrupted")
    return(fit)
  }
  maps <- unless_interrupted(holdout_maps(model, examples, path))
  if (is.null(maps)) {
    warn("The fit of the probabilities was interrupted; the model is complete, and has no probabilities.",
         "osvm_interrupted")
    return(fit)
  }
  if (path) fit$path$maps <- maps
  with_map(fit, maps[[length(maps)]])
}

# NULL after Ctrl-C, within the core or outside.
unless_interrupted <- function(code) tryCatch(code, osvm_interrupted = function(w) NULL, interrupt = function(c) NULL)

# `n_seen`: what the model had learned when the map was fitted.
with_map <- function(fit, map, n_seen = fit$n_seen) {
  fit$probability <- c(map, list(n_seen = n_seen))
  fit
}

# The map, with `path` one per epoch. Each example's outputs are those of a model trained on four
# other folds, stratified by class. Examples are left out if the others have only one class.
holdout_maps <- function(model, examples, path, folds = 5) {
  model$control$verbose <- FALSE
  class <- examples$class
  epochs <- if (path) seq_len(solver_traits(model$solver)$epochs) else 1
  outputs <- rep(list(matrix(NA_real_, length(class), nrow(model$machines))), length(epochs))
  fold <- deal_folds(class, folds)
  for (k in seq_len(folds)) {
    test <- which(fold == k)
    train <- which(fold != k)
    if (length(test) > 0 && length(unique(class[train])) >= 2) {
      fit <- learn(model, examples, train, path = path)
      x <- examples$x[test, , drop = FALSE]
      f <- if (path) path_decisions(fit, x, epochs) else list(decision_values(fit, x, model$control$threads))
      for (e in epochs) outputs[[e]][test, ] <- f[[e]]
    }
  }
  lapply(outputs, function(f) fit_map(model, f, class, own_weight(examples, model$class_weights)))
}

# Weights of examples without those of their classes.
own_weight <- function(examples, class_weights) examples$weight / class_weights[examples$class]

# ---- age ----

# The map of an update: the outputs of its examples before they are learned are hold-out outputs.
update_map <- function(object, examples) {
  absent <- object$levels[!seq_along(object$levels) %in% examples$class]
  if (length(absent) > 0) {
    abort("{.code probability = TRUE} needs new examples of every class; there are none of {.val {absent}}.")
  }
  f <- decision_values(object, examples$x, object$control$threads)
  fit_map(object, f, examples$class, own_weight(examples, object$class_weights))
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
