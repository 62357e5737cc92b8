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
  maps <- tryCatch(holdout_maps(model, examples, path), interrupt = function(c) NULL)
  if (is.null(maps)) {
    warn("The fit of the probabilities was interrupted; the model is complete, and has no probabilities.",
         "osvm_interrupted")
    return(fit)
  }
  if (path) fit$path$maps <- maps
  with_map(fit, maps[[length(maps)]])
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
