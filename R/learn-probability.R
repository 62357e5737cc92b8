# Fits with probabilities: the map is fitted to hold-out outputs.

# The model, and its map if requested, or the boundary of novelty. Ctrl-C ends all fits at once.
fit_model <- function(model, examples, probability, path = FALSE) {
  placed <- has_boundary(model)
  if (!probability && !placed) {
    return(learn(model, examples, path = path))
  }
  what <- if (placed) "placed boundary" else "probabilities"
  stopped <- FALSE
  fit <- withCallingHandlers(learn(model, examples, path = path), osvm_interrupted = function(w) {
    stopped <<- TRUE
    invokeRestart("muffleWarning")
  })
  if (stopped) {
    warn("The fit was interrupted; the model holds what was learned until then, and has no {what}.", "osvm_interrupted")
    return(fit)
  }
  held <- tryCatch(
    if (placed) holdout_boundary(model, examples) else holdout_maps(model, examples, path), interrupt = function(c) NULL
  )
  if (is.null(held)) {
    warn("The fit of the {what} was interrupted; the model is complete, and has no {what}.", "osvm_interrupted")
    return(fit)
  }
  if (placed) {
    fit$boundary <- held / fit$n_seen
    return(fit)
  }
  if (path) fit$path$maps <- held
  with_map(fit, held[[length(held)]])
}

# The decision value below which a share `nu` of held-out rows is, of five folds as far as `most` rows are held out: of
# the rows that it has learned, an SVM leaves fewer outside than of new ones. Decision values grow with the number of
# rows learned.
holdout_boundary <- function(model, examples, folds = 5, most = 2000) {
  rows <- which(examples$weight > 0)
  held <- min(folds, ceiling(folds * most / length(rows)))
  if (length(rows) < 2 * folds) {
    return(0)
  }
  fold <- replace(integer(length(examples$weight)), rows, rep_len(seq_len(folds), length(rows)))
  fold[fold > held] <- 0L
  specs <- function(spec) list(specs = list(spec), of = 1L)
  result <- holdout_outputs(model, examples, fold, specs(model$solver), specs(model$kernel), rep(1, held))
  result <- complete_result(result, "The fit of the boundary")
  f <- result$outputs[fold > 0, 1, 1] * folds / (folds - 1)
  turn <- order(f)
  weight <- examples$weight[fold > 0][turn]
  below <- cumsum(weight) / (sum(weight) + mean(weight)) # of n equal weights, k / (n + 1) for the k-th value
  stats::approx(below, f[turn], role_value(model$loss, "share"), rule = 2, ties = "ordered")$y
}

# The map, with `path` one per epoch. Examples of a fold without which only one class is left have no part in it.
holdout_maps <- function(model, examples, path, folds = 5) {
  class <- examples$class
  fold <- deal_folds(class, folds)
  left <- vapply(seq_len(folds), function(k) any(fold == k) && length(unique(class[fold != k])) > 1, NA)
  fold <- match(fold, which(left), 0L)
  seed <- sample.int(.Machine$integer.max, folds)[left]
  rows <- visit_order(model, seq_along(class))
  last <- solver_traits(model$solver)$epochs
  solvers <- if (path) lapply(seq_len(last), set_role, spec = model$solver, role = "epochs") else list(model$solver)
  points <- seq_along(solvers)
  kernels <- list(specs = list(model$kernel), of = rep(1L, length(points)))
  outputs <- array(NA_real_, c(length(class), nrow(model$machines), length(points)))
  if (any(left)) {
    held <- fold > 0
    result <- holdout_outputs(model, examples, fold, list(specs = solvers, of = points), kernels, seed, rows)
    outputs[held, , ] <- complete_result(result, "The fit of the probabilities")$outputs[held, , ]
  }
  weight <- own_weight(examples, model$class_weights)
  lapply(points, function(i) fit_map(model, matrix(outputs[, , i], length(class)), class, weight))
}

# Weights of examples without those of their classes.
own_weight <- function(examples, class_weights) examples$weight / class_weights[examples$class]

# The map of an update: the outputs of its examples before they are learned are hold-out outputs.
update_map <- function(object, examples) {
  absent <- object$levels[!seq_along(object$levels) %in% examples$class]
  if (length(absent) > 0) {
    abort("{.code probability = TRUE} needs new examples of every class; there are none of {.val {absent}}.")
  }
  f <- decision_values(object, known_input(object, examples$x), object$control$threads)
  fit_map(object, f, examples$class, own_weight(examples, object$class_weights))
}
