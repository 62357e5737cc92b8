# The model after every epoch of one run, which replaces a fit per number of epochs. A path is a list:
#   sv         the support vectors of all epochs; NULL where there are weights
#   coef       their coefficients, or the weights: the machines of the first epoch
#              side by side, then those of the second ...
#   intercept  in the same order
#   maps       to probabilities, one per epoch, if requested

# Whether one run serves all numbers of epochs, for each combination of the values `given` for other parameters.
all_nested <- function(solver, given) {
  others <- given[setdiff(intersect(names(given), names(solver$params)), role_name(solver, "epochs"))]
  points <- if (length(others) > 0) combine(others) else data.frame(row.names = 1L)
  nested <- function(i) solver_traits(set_values(solver, as.list(points[i, , drop = FALSE])))$nested
  all(vapply(seq_len(nrow(points)), nested, NA))
}

# osvm() with the path kept. Random numbers are drawn in the order of osvm(probability = TRUE).
fit_path <- function(x, y, probability, ...) {
  encoded <- encode_input(x)
  prepared <- prepare_fit(encoded$x, y, ...)
  fit <- fit_model(prepared$model, prepared$examples, "probabilities"[probability], path = TRUE)
  fit$encoding <- encoded$encoding
  as_osvm(fit)
}

# `model` as it was before the run, untrained.
read_path <- function(model, path, x, rows) {
  coef <- matrix(path$coef, ncol = length(path$intercept))
  if (!keeps_examples(model)) {
    return(list(coef = coef, intercept = path$intercept))
  }
  kept <- which(rowSums(coef != 0) > 0)
  sv <- x[rows[kept], , drop = FALSE]
  coef <- coef[kept, , drop = FALSE]
  if (is_primal(model)) {
    coef <- primal_weights(model$transform, sv, coef)
    sv <- NULL
  }
  list(sv = sv, coef = coef, intercept = path$intercept)
}

# Decision values after each of these numbers of epochs. They are passed to the core as
# further machines of one model, which share their kernel values.
path_decisions <- function(object, x, epochs) {
  path <- object$path
  machines <- nrow(object$machines)
  each <- seq_len(machines)
  columns <- rep((epochs - 1) * machines, each = machines) + each
  object$coef <- path$coef[, columns, drop = FALSE]
  object$intercept <- path$intercept[columns]
  object$machines <- object$machines[rep(each, length(epochs)), ]
  if (!is.null(path$sv)) object$sv <- path$sv
  f <- decision_values(object, x, object$control$threads)
  lapply(seq_along(epochs), function(k) f[, (k - 1) * machines + each, drop = FALSE])
}

path_predictions <- function(object, newdata, epochs, type) {
  if (any(epochs > length(object$path$intercept) / nrow(object$machines))) {
    abort("The model has not learned for {max(epochs)} epochs.")
  }
  x <- model_input(object, newdata, "newdata")
  with_missing_rows(x, "newdata", function(x, columns) {
    Map(function(f, epoch) {
      object$probability <- object$path$maps[[epoch]]
      if (type == "class") restore_labels(object, predict_targets(object, f)) else probabilities(object, f)
    }, path_decisions(object, x, epochs), epochs)
  })
}
