# The metrics of a grid point, from its hold-out outputs, fold by fold.

# An entry of metric_table with its name, or one of the same form for the user's function.
read_metric <- function(metric, maximize, model) {
  one_flag(maximize)
  if (is.function(metric)) {
    return(list(name = "metric", lower = !maximize, needs = "function", value = metric))
  }
  known <- union("error", metric_names("tuning", model$outcome))
  if (!is.character(metric) || length(metric) != 1 || !metric %in% known) {
    abort(c(
      "{.arg metric} must be {.or {.val {known}}}, or a function of truth, predicted and decision.",
      i = value_hint(metric, known, "metric")
    ))
  }
  if (maximize) {
    abort("{.arg maximize} is for a function {.arg metric}; the direction of {.val {metric}} is fixed.")
  }
  c(list(name = metric), find_metric(metric, model$loss))
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
# in the order of the rows; `fine`: whether a fold can be scored. Where the metric needs probabilities, those of a fold
# are fitted to the hold-out outputs of the other folds, and classes follow from them as in the final model.
score_point <- function(task, f, fold, fine) {
  model <- task$model
  metric <- task$metric
  mapped <- metric$needs == "probabilities"
  scores <- if (metric$needs == "scores") class_scores(model, f)
  predicted <- if (!mapped) predict_targets(model, f)
  out <- list(
    error = rep(NA_real_, length(fine)), value = rep(NA_real_, length(fine)),
    message = rep("", length(fine)), map = NULL
  )
  for (k in which(fine)) {
    rows <- which(fold == k)
    f_rows <- f[rows, , drop = FALSE]
    if (mapped) {
      model <- with_map(model, holdout_map(task, f, which(fold != k & fold %in% which(fine))))
      predicted[rows] <- predict_targets(model, f_rows)
    }
    truth <- at_rows(task$labels$class, rows)
    guess <- at_rows(predicted, rows)
    out$error[k] <- mean_error(model, truth, guess)
    value <- tryCatch(
      if (metric$needs == "function") user_value(task, truth, guess, f_rows)
      else metric_value(metric, model, truth, switch(metric$needs,
        scores = scores[rows, , drop = FALSE], probabilities = probabilities(model, f_rows), guess
      )),
      error = function(e) paste("the metric failed:", reason_of(e))
    )
    if (is.character(value)) out$message[k] <- value else out$value[k] <- value
  }
  if (mapped && any(fine)) out$map <- holdout_map(task, f, which(fold %in% which(fine)))
  out
}

holdout_map <- function(task, f, rows) {
  examples <- list(class = task$labels$class[rows], weight = task$weight[rows])
  fit_map(task$model, f[rows, , drop = FALSE], examples$class, own_weight(task$model, examples))
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
