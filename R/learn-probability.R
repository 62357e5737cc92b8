# Fits of what hold-out outputs are needed for: probabilities and scores, which share them, and the boundary of novelty.

# The model, and what is `calibrated`: "probabilities", "scores", both or neither, by the hold-out outputs that a search
# has left, if there are (`held`). Ctrl-C ends all fits at once.
fit_model <- function(model, examples, calibrated = NULL, path = FALSE) {
  known <- model$held
  model$held <- NULL
  # Of novelty: at the optimum of a dual the share of the rows learned is known, and a solver that forgets must know
  # nothing of what it has forgotten.
  placed <- !is_labelled(model) && model$solver$traits$optimal && !model$solver$traits$forgets
  if (length(calibrated) == 0 && !placed) {
    return(learn(model, examples, path = path))
  }
  what <- if (placed) "placed boundary" else paste(calibrated, collapse = " and ")
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
    if (placed) holdout_boundary(model, examples)
    else if (is.null(known)) cross_outputs(model, examples, path, what) else list(known),
    interrupt = function(c) NULL
  )
  if (is.null(held)) {
    warn("The fit of the {what} was interrupted; the model is complete, and has no {what}.", "osvm_interrupted")
    return(fit)
  }
  if (placed) {
    fit$boundary <- held / fit$n_seen
    return(fit)
  }
  if (path && "probabilities" %in% calibrated) {
    weight <- own_weight(model, examples)
    fit$path$maps <- lapply(seq_along(held), function(i) fit_map(model, held[[i]], examples$class, weight))
  }
  calibrate(fit, examples, held[[length(held)]], calibrated)
}

# The model with the map and the scores of decision values `f`, predicted `by` one that had not learned the examples.
calibrate <- function(fit, examples, f, calibrated, by = fit) {
  weight <- own_weight(by, examples)
  if ("probabilities" %in% calibrated) fit <- with_map(fit, fit_map(by, f, examples$class, weight))
  if ("scores" %in% calibrated) {
    by$probability <- fit$probability
    fit <- with_scores(fit, f, examples$class, weight, by)
  }
  fit
}

# Checked
what_to_calibrate <- function(model, probability, conformal) {
  if (probability && !predicts_classes(model)) abort("{.arg probability} is for classes: leave it out.")
  if (conformal && !is_labelled(model)) abort("{.arg conformal} is for classes and numbers: leave it out.")
  c("probabilities"[probability], "scores"[conformal])
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
  solvers <- vary_spec(model$solver, NULL)
  result <- holdout_outputs(model, examples, fold, solvers, vary_spec(model$kernel, NULL), rep(1, held))
  result <- complete_result(result, "The fit of the boundary")
  f <- result$outputs[fold > 0, 1, 1] * folds / (folds - 1)
  turn <- order(f)
  weight <- examples$weight[fold > 0][turn]
  below <- cumsum(weight) / (sum(weight) + mean(weight)) # of n equal weights, k / (n + 1) for the k-th value
  stats::approx(below, f[turn], role_value(model$loss, "share"), rule = 2, ties = "ordered")$y
}

# Held-out decision values of all examples, with `path` after each epoch: a list of matrices. Examples of a fold without
# which only one class is left have none: NA.
cross_outputs <- function(model, examples, path, what, folds = 5) {
  class <- first_target(examples$class)
  fold <- deal_folds(class, folds)
  left <- vapply(seq_len(folds), function(k) {
    any(fold == k) && length(unique(class[fold != k])) > predicts_classes(model)
  }, NA)
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
    outputs[held, , ] <- complete_result(result, paste("The fit of the", what))$outputs[held, , ]
  }
  lapply(points, function(i) matrix(outputs[, , i], length(class)))
}

# Weights of examples without those of their classes.
own_weight <- function(model, examples) examples$weight / outcome_of(model)$weigh(model, examples$class)

# An update: the outputs of its examples before they are learned are hold-out outputs. Scores go by the probabilities,
# so that these are never renewed without them. `before`: the model to which the examples are new.
calibrate_update <- function(model, before, examples, probability, conformal) {
  calibrated <- what_to_calibrate(
    model, probability, !is_full(model) && (conformal || probability && !is.null(model$conformal))
  )
  if (length(calibrated) == 0) {
    return(model)
  }
  if (predicts_classes(model) && length(model$levels) > length(before$levels)) {
    abort("{.arg y} must have no new classes where the {calibrated} are fitted to the examples.")
  }
  absent <- before$levels[!seq_along(before$levels) %in% examples$class]
  if (probability && length(absent) > 0) {
    abort("{.code probability = TRUE} needs new examples of every class; there are none of {.val {absent}}.")
  }
  f <- decision_values(before, known_input(before, examples$x), before$control$threads)
  calibrate(model, examples, f, calibrated, before)
}
