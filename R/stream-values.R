# Prequential evaluation of numbers and of novelty: every example is predicted before it is learned. Metrics are means
# over examples, of the model and, for numbers, of two baselines: `no_change` predicts the number before, `mean` the
# mean of all before. Of novelty there is no truth and no baseline.
#
#   sums     a row per metric, a column per predictor: of the examples' parts, or for a user's function of values times
#            examples; `sizes`: the examples in them
#   moments  of the truth: number, mean and sum of squared deviations; `known`: those of all labels, evaluated or not
#   pieces   the latest examples, oldest first, some hundred each: `rows` (the truth, and a column per predictor), and
#            the sums and moments of these
#
# A chunk costs O(chunk + window / 256); user's functions of the window O(window).

values_start <- function(metrics, window, warm_up, outcome, loss) {
  metrics <- read_stream_metrics(metrics, outcome)
  predictors <- stream_predictors[[outcome]]
  empty <- matrix(0, length(metrics$names), length(predictors), dimnames = list(metrics$names, predictors))
  list(
    outcome = outcome, metrics = metrics$names, functions = metrics$functions, window = window, warm_up = warm_up,
    loss = loss, predictors = predictors, seen = 0, last = NA_real_, known = numeric(3), sums = empty, sizes = empty,
    moments = numeric(3), pieces = list(), held = 0
  )
}

# The examples of a chunk, in order. Without a prediction a label is known to the baselines from then on, but not
# evaluated. `first`: what the baselines predict before there is a label.
values_add <- function(state, truth, predicted, first = 0) {
  rows <- cbind(truth, predicted, deparse.level = 0)
  if (state$outcome == "numbers") {
    if (state$seen == 0) state$last <- first
    rows <- cbind(rows, c(state$last, truth[-length(truth)]), means_before(state$known, truth, first))
    state$last <- truth[length(truth)]
    state$known <- merge_moments(state$known, moments_of(truth))
  }
  counted <- state$seen + seq_along(truth) > state$warm_up & !is.na(predicted)
  state$seen <- state$seen + length(truth)
  if (any(counted)) count_values_of(state, rows[counted, , drop = FALSE]) else state
}

count_values_of <- function(state, rows) {
  new <- new_piece(state, rows)
  state$sums <- state$sums + new$sums
  state$sizes <- state$sizes + nrow(rows)
  for (name in names(state$functions)) {
    values <- rows_value(state, name, rows)
    state$sums[name, ] <- state$sums[name, ] + ifelse(is.na(values), 0, values * nrow(rows))
    state$sizes[name, is.na(values)] <- state$sizes[name, is.na(values)] - nrow(rows)
  }
  state$moments <- merge_moments(state$moments, new$moments)
  slide_window(state, new)
}

# Sums and moments of the window are those of its pieces: nothing is subtracted, and rounding does not add up.
slide_window <- function(state, new) {
  pieces <- state$pieces
  last <- length(pieces)
  if (last > 0 && nrow(pieces[[last]]$rows) < 256) {
    held <- pieces[[last]]
    pieces[[last]] <- list(
      rows = rbind(held$rows, new$rows), sums = held$sums + new$sums, moments = merge_moments(held$moments, new$moments)
    )
  } else {
    pieces[[last + 1]] <- new
  }
  over <- state$held + nrow(new$rows) - state$window
  while (over > 0 && nrow(pieces[[1]]$rows) <= over) {
    over <- over - nrow(pieces[[1]]$rows)
    pieces <- pieces[-1]
  }
  if (over > 0) pieces[[1]] <- new_piece(state, pieces[[1]]$rows[-seq_len(over), , drop = FALSE])
  state$held <- min(state$held + nrow(new$rows), state$window)
  state$pieces <- pieces
  state
}

new_piece <- function(state, rows) {
  sums <- vapply(seq_along(state$predictors), function(k) {
    vapply(state$metrics, function(metric) {
      if (metric %in% names(state$functions)) 0 else sum(metric_table[[metric]]$row(rows[, 1], rows[, 1 + k], state))
    }, 0)
  }, numeric(length(state$metrics)))
  list(rows = rows, sums = matrix(sums, length(state$metrics)), moments = moments_of(rows[, 1]))
}

# As prequential_values().
values_now <- function(state) {
  held <- lapply(c("sums", "moments"), function(part) lapply(state$pieces, `[[`, part))
  recent <- list(
    sums = Reduce(`+`, held[[1]], 0 * state$sums), moments = Reduce(merge_moments, held[[2]], numeric(3))
  )
  unlist(lapply(state$metrics, function(metric) {
    window <- if (metric %in% names(state$functions) && state$held > 0) {
      rows_value(state, metric, do.call(rbind, lapply(state$pieces, `[[`, "rows")))
    } else {
      mean_value(state, metric, recent$sums[metric, ] / state$held, recent$moments)
    }
    values <- rbind(mean_value(state, metric, state$sums[metric, ] / state$sizes[metric, ], state$moments), window)
    values[!is.finite(values)] <- NA
    stats::setNames(c(values), metric_columns(metric, state$predictors))
  }))
}

mean_value <- function(state, metric, mean, moments) {
  if (metric %in% names(state$functions)) mean else metric_table[[metric]]$of(mean, moments[3] / moments[1], state)
}

# Of a user's function, per predictor.
rows_value <- function(state, name, rows) {
  given <- function(values) if (state$outcome == "novelty") values == 1 else values
  vapply(seq_along(state$predictors), function(k) {
    call_metric(state$functions[[name]], name, given(rows[, 1]), given(rows[, 1 + k]))
  }, 0)
}

# The mean of all numbers before each of y.
means_before <- function(moments, y, first) {
  n <- moments[1] + seq_along(y) - 1
  means <- moments[2] + c(0, cumsum(y - moments[2])[-length(y)]) / pmax(n, 1)
  if (moments[1] == 0) means[1] <- first
  means
}
