# A way of a large fit as it is tried: its error, and what is expected of all rows. See learn-trial.R.

# NULL: there is no time left for it. A list of `model`, `fit` and `row`, as in `ways`: the kind, its rows or rank, its
# `error` on the held-out rows, and what is expected of all rows: `expected` error, `cost`, by the kernel values
# computed, which depend on the seed alone, and `seconds`, as measured.
try_way <- function(trial, way, size, model = trial$model, sample = max(trial_samples)) {
  if (time_left() < trial$limit && !is.null(trial$ways)) {
    return(NULL)
  }
  rows <- if (way == "cells") trial$near else utils::head(trial$others, if (way == "one SVM") size else sample)
  held <- if (way == "cells") trial$held_near else trial$held
  started <- seconds_now()
  fit <- within_third(suppressWarnings(stop_when_interrupted(
    fit_way(model, take_examples(trial$examples, rows), way, size)
  )))
  if (is.null(fit)) {
    return(NULL)
  }
  seconds <- seconds_now() - started
  growth <- switch(way,
    cells = (if (is.null(trial$names)) 1 else 15) * trial$n / length(rows), # for the choice in each cell
    "low rank" = (if (exceeds_cache(trial)) 1.5 else 1) * trial$n / length(rows), linear = trial$n / length(rows), 1
  )
  error <- held_error(trial, fit, held)
  if (way == "cells" && trial$n > trial_in_regions) {
    gain <- error / held_error(trial, trial$first, held)
    error <- trial$ways$error[1] * if (is.finite(gain)) gain else 1
  }
  if (is.null(trial$first)) trial$first <- fit
  row <- data.frame(
    way = way, rows = size, error = error, expected = error, cost = nominal_seconds(fit) * growth,
    seconds = seconds * growth
  )
  list(model = model, fit = fit, row = row)
}

held_error <- function(trial, fit, held) {
  f <- decision_values(fit, trial$examples$x[held, , drop = FALSE], fit$control$threads)
  cell_error(fit, trial$examples, held, f)
}

# The value of the code; NULL if it takes longer than a third of the time that a limit leaves.
within_third <- function(code) {
  if (time_left() == Inf) {
    return(code)
  }
  end <- seconds_now() + time_left() / 3
  tryCatch(within_limit(time_left() / 3, code), interrupt = function(c) if (seconds_now() < end) signal_interrupt())
}

add_way <- function(trial, tried) {
  if (!is.null(tried)) {
    trial$ways <- rbind(trial$ways, tried$row, make.row.names = FALSE)
    trial$models <- c(trial$models, list(tried$model))
  }
}

exceeds_cache <- function(trial) trial$n * trial_rank * 4 / 2^20 > trial$model$control$cache_mb

# Whether a way can have the least error, if another of its kind has `hope` times its error; trying that may cost half
# of the best of the others.
promises <- function(trial, way, hope, cost = 0) {
  mine <- trial$ways$way == way
  others <- trial$ways[!mine, ]
  best <- which.min(others$expected)
  any(mine) && (nrow(others) == 0 ||
    hope * min(trial$ways$expected[mine]) < others$expected[best] && cost <= others$cost[best] / 2)
}

# As one core needs them: kernel values and steps of the solver; features of a kernel of low rank.
nominal_seconds <- function(fit) {
  width <- model_width(fit)
  if (is_low_rank(fit$kernel)) {
    return(fit$n_seen * width * (fit$n_features + width / 2) * 4e-11)
  }
  if (is_linear(fit$kernel)) {
    return(sum(fit$stats$steps) * width * 1e-9)
  }
  rows <- if (has_cells(fit)) mean(fit$cells$table$rows) else fit$n_seen
  sum(fit$stats$kernel_evaluations) * (1 + 0.04 * min(fit$n_features, 100)) * 1e-9 +
    sum(fit$stats$steps) * rows * 4e-10
}

# One SVM of the most rows that the time allows, which takes 16 times as long with every fourfold sample. Where a limit
# allowed a single sample, four times as many rows are taken to have 0.95 of its error.
grow_sample <- function(trial) {
  one <- trial$ways[trial$ways$way == "one SVM", ]
  limited <- time_left() < Inf
  if (nrow(one) < 2 && !limited) {
    return()
  }
  last <- one[nrow(one), ]
  time <- most_time() * (if (limited) 0.6 else 1)
  rows <- min(trial$n, floor(last$rows * sqrt(time / max(time_of(last), 1e-6)) / 1000) * 1000)
  if (rows > last$rows) {
    growth <- (rows / last$rows)^2
    expected <- if (nrow(one) == 2) grown_error(one$error, last$error, last$rows, rows) else
      last$error * 0.95^log(rows / last$rows, 4)
    row <- replace(last, c("rows", "error", "expected"), list(rows, NA, expected))
    row[c("cost", "seconds")] <- growth * last[c("cost", "seconds")]
    add_way(trial, list(model = trial$model, row = row))
  }
}

# From the errors of two samples, the second four times as large, to that of more rows: every fourfold sample gains 0.6
# of what the one before it gained.
grown_error <- function(errors, last, from, to) {
  steps <- max(0, log(to / from, 4))
  gain <- if (length(errors) == 2) max(0, errors[1] - errors[2]) * 0.6 * (1 - 0.6^steps) / 0.4 else 0
  max(last - gain, 0.7 * last)
}

# With a time limit the choice is by seconds, else by costs.
time_of <- function(ways) if (is.finite(time_left())) ways$seconds else ways$cost
most_time <- function() min(time_left(), stated_seconds)
