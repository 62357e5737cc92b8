# The metrics of a grid point, from its hold-out outputs, fold by fold.

metric_names <- c("error", "balanced", "auc", "logloss")

# `measure` is the user's function, NULL for a named metric.
read_metric <- function(metric, maximize) {
  one_flag(maximize)
  if (is.function(metric)) {
    return(list(name = "metric", maximize = maximize, measure = metric))
  }
  if (!is.character(metric) || length(metric) != 1 || !metric %in% metric_names) {
    abort("{.arg metric} must be {.or {.val {metric_names}}}, or a function of truth, predicted and decision.")
  }
  if (maximize) {
    abort("{.arg maximize} is for a function {.arg metric}; the direction of {.val {metric}} is fixed.")
  }
  list(name = metric, maximize = metric == "auc", measure = NULL)
}

# A metric undefined in every fold is an error before anything is computed.
check_metric <- function(metric, plan, class) {
  if (metric$name == "auc") {
    both <- unlist(lapply(plan, function(round) rowSums(table(round$fold, class) > 0) > 1))
    if (!any(both)) {
      abort("{.arg metric} = {.val auc} needs test folds with two classes; use fewer {.arg folds}.")
    }
  }
}

# One grid point: the error and the metric of every fold. `f` holds the decision values
# in the order of the rows; `fine`: whether a fold can be scored.
score_point <- function(task, f, fold, fine) {
  class <- task$labels$class
  scores <- class_scores(task$model, f)
  predicted <- winners(scores)
  out <- list(
    error = rep(NA_real_, length(fine)), value = rep(NA_real_, length(fine)),
    message = rep("", length(fine)), map = NULL
  )
  for (k in which(fine)) {
    rows <- which(fold == k)
    out$error[k] <- mean(predicted[rows] != class[rows])
    known <- which(fold != k & fold %in% which(fine))
    value <- tryCatch(
      fold_value(task, class, scores, predicted, f, rows, known),
      error = function(e) paste("the metric failed:", sub("[.]$", "", conditionMessage(e)))
    )
    if (is.character(value)) out$message[k] <- value else out$value[k] <- value
  }
  if (task$metric$name == "logloss" && any(fine)) {
    out$map <- holdout_map(task, f, which(fold %in% which(fine)))
  }
  out
}

# `known`: rows of other folds, to whose hold-out outputs the probabilities are fitted.
fold_value <- function(task, class, scores, predicted, f, rows, known) {
  truth <- class[rows]
  switch(task$metric$name,
    error = mean(predicted[rows] != truth),
    balanced = mean(tapply(predicted[rows] != truth, truth, mean)),
    auc = mean_auc(scores[rows, , drop = FALSE], truth),
    logloss = log_loss(task, f, rows, known),
    metric = user_value(task, truth, predicted[rows], f[rows, , drop = FALSE])
  )
}

# AUC: the probability that an example of the class has a larger score than one of another; ties count half.
area_under <- function(score, member) {
  inside <- sum(member)
  outside <- sum(!member)
  (sum(rank(score)[member]) - inside * (inside + 1) / 2) / (inside * outside)
}

# Two classes: the AUC of the second. More: the mean of the one-vs-rest AUCs of the
# classes for which it is defined; NA if there is none.
mean_auc <- function(scores, truth) {
  classes <- if (ncol(scores) == 2) 2 else seq_len(ncol(scores))
  areas <- vapply(classes, function(k) area_under(scores[, k], truth == k), 0)
  if (all(is.nan(areas))) NA_real_ else mean(areas, na.rm = TRUE)
}

log_loss <- function(task, f, rows, known) {
  p <- probabilities(task$model, f[rows, , drop = FALSE], holdout_map(task, f, known))
  -mean(log(pmax(p[cbind(seq_along(rows), task$labels$class[rows])], 1e-15)))
}

holdout_map <- function(task, f, rows) {
  examples <- list(class = task$labels$class[rows], weight = task$weight[rows])
  fit_map(task$model, f[rows, , drop = FALSE], examples$class, own_weight(examples, task$model$class_weights))
}

user_value <- function(task, truth, predicted, f) {
  model <- task$model
  restore <- function(class) restore_labels(model, class)
  decision <- if (ncol(f) == 1) f[, 1] else f
  value <- task$metric$measure(restore(truth), restore(predicted), decision)
  if (!is.numeric(value) && !is.logical(value) || length(value) != 1 || is.na(value)) {
    stop("it must return one number", call. = FALSE)
  }
  as.numeric(value)
}
