# Fits with probabilities: the map is fitted to hold-out outputs.

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

# The map of an update: the outputs of its examples before they are learned are hold-out outputs.
update_map <- function(object, examples) {
  absent <- object$levels[!seq_along(object$levels) %in% examples$class]
  if (length(absent) > 0) {
    abort("{.code probability = TRUE} needs new examples of every class; there are none of {.val {absent}}.")
  }
  f <- decision_values(object, examples$x, object$control$threads)
  fit_map(object, f, examples$class, own_weight(examples, object$class_weights))
}

# Stratified folds: the numbers of examples per fold differ by at most one, in
# every class and in total.
deal_folds <- function(class, folds) {
  dealt <- order(class, stats::runif(length(class)))
  fold <- integer(length(class))
  fold[dealt] <- rep_len(sample.int(folds), length(class))
  fold
}
