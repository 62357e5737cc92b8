# What a stream does by its outcome, `s$settings$outcome`: that of the model or the loss it is given, of its metrics, or
# else of the labels of the first chunk that has rows.

# The model, and what its metrics are beside.
stream_predictors <- list(
  classes = c("model", "no_change", "majority"), numbers = c("model", "no_change", "mean"), novelty = "model"
)

# Of a result; those before there were others are of classes.
result_predictors <- function(x) stream_predictors[[outcome_kinds[[x$settings$outcome %||% "classes"]]$target]]

metric_columns <- function(metric, predictors) {
  who <- rep(c("", sprintf("_%s", predictors[-1])), each = 2)
  paste0(metric, who, c("", "_window"))
}

# The outcome that is known before the first chunk, else NULL.
declare_outcome <- function(s) {
  if (!is.null(s$model)) need_one_column(s$model, "A stream")
  loss <- if (is.null(s$model)) s$start$arguments$loss else s$model$loss
  named <- if (!is.null(s$settings$metrics)) read_stream_metrics(s$settings$metrics)
  known <- unlist(lapply(metric_table[setdiff(named$names, names(named$functions))], `[[`, "outcome"))
  if (is.null(loss) && (!is.null(s$start$levels) || "classes" %in% known)) loss <- loss_hinge()
  if (is.null(loss) && "numbers" %in% known) loss <- loss_epsilon()
  if (is.null(loss) && "novelty" %in% known) loss <- loss_novelty()
  if (!is.null(loss)) set_outcome(s, as_spec(loss, "loss"))
}

set_outcome <- function(s, loss) {
  check_learns(s$start$specs$solver, loss)
  if (length(quantiles_of(loss)) > 1) abort("{.arg loss} must be of one quantile in a stream.")
  s$settings[c("outcome", "target")] <- loss_info(loss$name)[c("outcome", "target")]
  if (!has_classes(s) && !is.null(s$start$levels)) abort("{.arg levels} are for classes: leave them out.")
  s$start$arguments$loss <- loss
  settings <- s$settings
  metrics <- if (is.null(settings$metrics)) loss_info(loss$name)$stream else settings$metrics
  s$evaluation <- if (has_classes(s)) {
    prequential_start(metrics, settings$window, settings$warm_up)
  } else {
    values_start(metrics, settings$window, settings$warm_up, s$settings$target, loss)
  }
}

# Of a few rows, numbers that are not whole are no classes.
decide_outcome <- function(s, y) {
  broken <- is.numeric(y) && length(y) < first_rows && any(y != round(y), na.rm = TRUE)
  set_outcome(s, if (broken) loss_epsilon() else guess_loss(list(sample_values(y)), first_rows))
}

has_classes <- function(s) identical(s$settings$target, "classes")

# The labels of a chunk; NA: an example that is not learned. Novelty learns all.
labels_by_outcome <- function(s, y, n) {
  if (s$settings$target == "novelty") {
    if (!is.null(y) && !all(is.na(y))) abort("The source must have no labels: novelty is learned without them.")
    return(rep(TRUE, n))
  }
  if (has_classes(s)) {
    return(stream_labels(s, y, n))
  }
  if (is.null(y) || all(is.na(y))) {
    return(rep(NA_real_, n))
  }
  if (!is.numeric(y) || is.object(y)) {
    from <- s$rows[["read"]] - n + 1
    abort("The labels must be numbers for a model that predicts numbers; from row {from} on they are not.")
  }
  as.numeric(y)
}

kept_labels <- function(s, y) switch(s$settings$target, classes = as.character(y), numbers = y, novelty = NA & y)

evaluation_values <- function(s) (if (has_classes(s)) prequential_values else values_now)(s$evaluation)

learned_labels <- function(s, y) if (s$settings$target != "novelty") y

# ---- numbers and novelty ----

# The rows of a chunk, each predicted by the model that has learned those before it, as in learn_rows().
learn_value_rows <- function(s, part) {
  learned <- which(!is.na(part$y))
  values <- rep(NA, length(part$y))
  if (s$settings$keep == "predictions" && length(learned) < length(values)) {
    values[-learned] <- predict_chunk(s, part$x[-learned, , drop = FALSE])$class
  }
  if (length(learned) > 0) {
    labelled <- take_part(part, learned)
    f <- learn_part(s, labelled)
    if (!is.null(f)) values[learned] <- as_prediction(s, f)$class
    labelled$prediction$class <- values[learned]
    evaluate_values(s, labelled, at_hand = 0)
  }
  if (s$settings$keep == "predictions") {
    part$prediction$class <- values
    keep_predictions(s, part)
  }
}

# The detector is given errors between 0 and 1: of novelty whether an example was called novel; of numbers the absolute
# error, of two standard deviations of the numbers so far.
evaluate_values <- function(s, part, at_hand) {
  predicted <- part$prediction$class
  first <- if (is.null(s$model$label$center)) 0 else s$model$label$center
  s$evaluation <- values_add(s$evaluation, as.numeric(part$y), as.numeric(predicted), first)
  if (s$settings$target == "novelty") {
    return(watch_drift(s, !predicted, at_hand))
  }
  known <- s$evaluation$known
  unit <- 2 * sqrt(known[3] / known[1])
  if (!isTRUE(unit > 0)) unit <- 1
  watch_drift(s, pmin(abs(part$y - predicted) / unit, 1), at_hand, unit)
}

# So many rows are waited for before the first model, from which scaling and kernel width are estimated.
first_rows <- 20

# Whether a model can start from what has come.
can_start <- function(s) {
  if (has_classes(s)) {
    return(length(s$only) >= 2 || !is.null(s$start$levels))
  }
  fixed <- isFALSE(s$start$arguments$scale) && !is_open(s$start$specs$kernel)
  fixed || sum(piece_rows(s$first)) >= first_rows
}

no_model_text <- function(x) {
  if (identical(result_predictors(x), stream_predictors$classes)) "fewer than two classes came"
  else paste("fewer than", first_rows, "rows came")
}
