# The outcome of a stream, `s$settings$outcome`: that of the model or the loss it is given, of its metrics, or else of
# the labels of the first chunk that has rows. What a stream does by it is in outcome-stream.R.

# Asked at every chunk: what a stream of the outcome does, and whether it is of classes.
know_kind <- function(s) {
  s$classes <- identical(s$settings$target, "classes")
  s$kind <- if (!is.null(s$settings$outcome)) outcome_kinds[[s$settings$outcome]]$stream
}

# Of a result; those before there were others are of classes.
result_kind <- function(x) outcome_kinds[[x$settings$outcome %||% "classes"]]$stream

# The outcome that is known before the first chunk, else NULL.
declare_outcome <- function(s) {
  if (!is.null(s$model) && length(quantiles_of(s$model$loss)) < 2) need_one_column(s$model, "A stream")
  loss <- if (is.null(s$model)) s$start$arguments$loss else s$model$loss
  named <- if (!is.null(s$settings$metrics)) read_stream_metrics(s$settings$metrics)
  known <- unlist(lapply(setdiff(named$names, names(named$functions)), function(name) metric_table[[name]]$outcome))
  if (is.null(loss) && (!is.null(s$start$levels) || "classes" %in% known)) loss <- loss_hinge()
  if (is.null(loss) && "numbers" %in% known) loss <- loss_epsilon()
  if (is.null(loss) && "novelty" %in% known) loss <- loss_novelty()
  if (!is.null(loss)) set_outcome(s, as_spec(loss, "loss"))
}

set_outcome <- function(s, loss) {
  check_learns(s$start$specs$solver, loss)
  s$settings[c("outcome", "target")] <- loss_info(loss$name)[c("outcome", "target")]
  know_kind(s)
  if (!s$classes && !is.null(s$start$levels)) abort("{.arg levels} are for classes: leave them out.")
  s$start$arguments$loss <- loss
  settings <- s$settings
  sets <- if (!is.null(settings$level)) c("coverage", names(s$kind$sets$sizes))
  if (length(sets) == 1) abort("{.arg level} is for classes and numbers: leave it out for novelty.")
  metrics <- if (is.null(settings$metrics)) loss_info(loss$name)$stream else settings$metrics
  s$evaluation <- prequential_start(metrics, settings$window, settings$warm_up, loss, sets)
  if (any(sets %in% s$evaluation$metrics)) {
    abort("{.arg metrics} must not be called {.or {.val {sets}}}: with a {.arg level} these are in the table anyway.")
  }
  pending <- if (settings$evaluate == "rows") 1 else settings$chunk + settings$delay
  s$evaluation$certainty <- level_start(settings$level, pending)
}

# Of a few rows, numbers that are not whole are no classes.
decide_outcome <- function(s, y) {
  broken <- is.numeric(y) && length(y) < first_rows && any(y != round(y), na.rm = TRUE)
  set_outcome(s, if (broken) loss_epsilon() else guess_loss(list(sample_values(y)), first_rows))
}

# So many rows are waited for before the first model, from which scaling and kernel width are estimated.
first_rows <- 20

# Whether a model can start from what has come.
can_start <- function(s) {
  if (s$classes) {
    return(length(s$only) >= 2 || !is.null(s$start$levels))
  }
  fixed <- isFALSE(s$start$arguments$scale) && !is_open(s$start$specs$kernel)
  fixed || sum(piece_rows(s$first)) >= first_rows
}
