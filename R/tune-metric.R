# The metrics of a grid point, from its hold-out outputs, fold by fold.

# An entry of metric_table with its name, or one of the same form for the user's function.
read_metric <- function(metric, maximize) {
  one_flag(maximize)
  if (is.function(metric)) {
    return(list(name = "metric", lower = !maximize, needs = "labels", value = metric))
  }
  known <- metric_names("tuning")
  if (!is.character(metric) || length(metric) != 1 || !metric %in% known) {
    abort("{.arg metric} must be {.or {.val {known}}}, or a function of truth, predicted and decision.")
  }
  if (maximize) {
    abort("{.arg maximize} is for a function {.arg metric}; the direction of {.val {metric}} is fixed.")
  }
  c(list(name = metric), metric_table[[metric]])
}

# A metric undefined in every fold is an error before anything is computed.
check_metric <- function(metric, plan, class) {
  if (metric$needs == "scores") {
    both <- unlist(lapply(plan, function(round) rowSums(table(round$fold, class) > 0) > 1))
    if (!any(both)) {
      abort("{.arg metric} = {.val {metric$name}} needs test folds with two classes; use fewer {.arg folds}.")
    }
  }
}

# One grid point: the error and the metric of every fold. `f` holds the decision values
# in the order of the rows; `fine`: whether a fold can be scored.
score_point <- function(task, f, fold, fine) {
  class <- task$labels$class
  scores <- if (task$metric$needs == "scores") class_scores(task$model, f)
  predicted <- predict_targets(task$model, f)
  out <- list(
    error = rep(NA_real_, length(fine)), value = rep(NA_real_, length(fine)),
    message = rep("", length(fine)), map = NULL
  )
  for (k in which(fine)) {
    rows <- which(fold == k)
    out$error[k] <- mean_error(task$model, class[rows], predicted[rows])
    known <- which(fold != k & fold %in% which(fine))
    value <- tryCatch(
      fold_value(task, class, scores, predicted, f, rows, known),
      error = function(e) paste("the metric failed:", sub("[.]$", "", conditionMessage(e)))
    )
    if (is.character(value)) out$message[k] <- value else out$value[k] <- value
  }
  if (task$metric$needs == "probabilities" && any(fine)) {
    out$map <- holdout_map(task, f, which(fold %in% which(fine)))
  }
  out
}

# `known`: rows of other folds, to whose hold-out outputs the probabilities are fitted.
fold_value <- function(task, class, scores, predicted, f, rows, known) {
  truth <- class[rows]
  f_rows <- f[rows, , drop = FALSE]
  switch(task$metric$needs,
    classes = task$metric$value(truth, predicted[rows]),
    scores = task$metric$value(truth, scores[rows, , drop = FALSE]),
    probabilities = task$metric$value(truth, probabilities(task$model, f_rows, holdout_map(task, f, known))),
    labels = user_value(task, truth, predicted[rows], f_rows)
  )
}

holdout_map <- function(task, f, rows) {
  examples <- list(class = task$labels$class[rows], weight = task$weight[rows])
  fit_map(task$model, f[rows, , drop = FALSE], examples$class, own_weight(examples, task$model$class_weights))
}

user_value <- function(task, truth, predicted, f) {
  model <- task$model
  restore <- function(class) restore_labels(model, class)
  decision <- if (ncol(f) == 1) f[, 1] else f
  value <- task$metric$value(restore(truth), restore(predicted), decision)
  if (!is.numeric(value) && !is.logical(value) || length(value) != 1 || is.na(value)) {
    stop("it must return one number", call. = FALSE)
  }
  as.numeric(value)
}
