# What the baselines of prequential evaluation predict, example by example, and the losses.

# No change and majority.
baseline_codes <- function(state, truth) {
  n <- length(truth)
  before <- c(state$last, truth[-n])
  before[is.na(before)] <- 1L
  cbind(before, majority_codes(state$frequency, truth))
}

# Only classes that can catch up with the most frequent one within the chunk are counted along.
majority_codes <- function(frequency, truth) {
  reach <- frequency + tabulate(truth, length(frequency))
  rivals <- which(reach >= max(frequency))
  if (length(rivals) == 1) {
    return(rep(rivals, length(truth)))
  }
  count <- function(k) frequency[k] + cumsum(c(0, truth[-length(truth)] == k))
  counts <- vapply(rivals, count, numeric(length(truth)))
  rivals[max.col(matrix(counts, length(truth)), "first")]
}

# A class the model has no column for has probability 0.
model_loss <- function(probability, labelled, truth, levels, columns) {
  if (is.null(probability)) {
    return(rep(NA_real_, length(labelled)))
  }
  column <- match(levels, if (is.null(colnames(probability))) columns else colnames(probability))[truth]
  p <- probability[cbind(labelled, column)]
  p[is.na(column)] <- 0
  log_losses(p)
}

# The label before has probability (repeats + 1) / (pairs + 2), the others share the rest.
repeat_loss <- function(state, truth) {
  n <- length(truth)
  before <- c(state$last, truth[-n])
  same <- before == truth
  pairs <- state$seen + seq_len(n) - 2
  share <- (state$repeats + c(0, cumsum(replace(same, is.na(same), FALSE))[-n]) + 1) / (pairs + 2)
  classes <- length(state$levels)
  p <- (1 - share) / max(1, classes - 1)
  p[which(same)] <- share[which(same)]
  p[is.na(same)] <- 1 / classes
  log_losses(p)
}

# (count of the class + 1) / (examples + classes), before the example.
frequency_loss <- function(state, truth) {
  turn <- order(truth)
  sorted <- truth[turn]
  earlier <- integer(length(truth))
  earlier[turn] <- seq_along(turn) - match(sorted, sorted) # of the same class in the chunk
  seen <- state$seen + seq_along(truth) - 1
  -log((state$frequency[truth] + earlier + 1) / (seen + length(state$levels)))
}

# ---- values ----

# What a metric of the run needs; a function of the user's may have the name of a metric.
stream_needs <- function(state, metric) {
  if (metric %in% names(state$functions)) "labels" else metric_table[[metric]]$needs
}

needs_probabilities <- function(state) {
  any(vapply(state$metrics, function(metric) stream_needs(state, metric) == "probabilities", NA))
}

# Per metric: of the model, no change and majority, of all examples and of the window.
prequential_values <- function(state) {
  unlist(lapply(state$metrics, function(metric) {
    values <- switch(stream_needs(state, metric),
      probabilities = rbind(state$loss / state$losses, window_loss(state)),
      labels = rbind(state$sums[metric, 1:3] / state$sums[metric, 4:6], window_value(state, metric)),
      counts = rbind(count_values(state$total, metric), count_values(state$recent, metric))
    )
    values[is.nan(values)] <- NA
    stats::setNames(c(values), metric_columns(metric, predictors))
  }))
}

# Of the examples for which the model gave probabilities.
known_losses <- function(loss) loss[!is.na(loss[, 1]), , drop = FALSE]

window_loss <- function(state) {
  if (state$held == 0) {
    return(rep(NA_real_, 3))
  }
  known <- lapply(state$pieces, function(piece) known_losses(piece$loss))
  Reduce(`+`, lapply(known, colSums)) / sum(vapply(known, nrow, 0L))
}

# Of the model and the baselines.
count_values <- function(counts, metric) {
  if (sum(counts[, "truth"]) == 0) {
    return(rep(NA_real_, 3))
  }
  of <- function(what) counts[, paste0(what, predictors), drop = FALSE]
  metric_table[[metric]]$value(counts[, "truth"], of("predicted_"), of("hits_"))
}

# Values of the user's functions for a chunk times its examples, and the examples, per predictor; a chunk without a
# value is not in the mean.
function_sums <- function(state, codes) {
  values <- vapply(names(state$functions), function(name) function_values(state, name, codes), numeric(3))
  values <- matrix(values, 3)
  cbind(t(replace(values, is.na(values), 0)), t(!is.na(values))) * nrow(codes)
}

window_value <- function(state, name) {
  if (state$held == 0) {
    return(rep(NA_real_, 3))
  }
  function_values(state, name, do.call(rbind, lapply(state$pieces, `[[`, "codes")))
}

function_values <- function(state, name, codes) {
  label <- function(code) structure(code, levels = state$levels, class = "factor")
  vapply(2:4, function(k) call_metric(state$functions[[name]], name, label(codes[, 1]), label(codes[, k])), 0)
}

call_metric <- function(metric, name, truth, predicted) {
  value <- tryCatch(
    metric(truth, predicted), error = function(e) abort("The metric {.val {name}} failed: {text_of(e)}")
  )
  if (!is.numeric(value) && !is.logical(value) || length(value) != 1) {
    abort("The metric {.val {name}} must return one number.")
  }
  as.numeric(value)
}
