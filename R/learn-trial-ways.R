# A way of a large fit as it is tried: its error, and what is expected of all rows. See learn-trial.R.

# NULL: there is no time left for it. A list of `model`, `fit` and `row`, as in `ways`: the kind, its rows or rank, its
# `error` on the held-out rows, and what is expected of all rows: `expected` error, `cost`, by the kernel values
# computed, which depend on the seed alone, and `seconds`, as measured.
try_way <- function(trial, way, size, model = trial$model, sample = max(trial_samples)) {
  if (time_left() < trial$limit && !is.null(trial$ways)) {
    return(NULL)
  }
  rows <- if (way == "cells") trial$near else utils::head(trial$others, if (way == "one SVM") size else sample)
  started <- seconds_now()
  fit <- within_third(suppressWarnings(stop_when_interrupted(
    fit_way(model, take_examples(trial$examples, rows), way, size)
  )))
  if (is.null(fit)) {
    return(NULL)
  }
  seconds <- seconds_now() - started
  growth <- switch(way,
    cells = (if (is.null(trial$names)) 1 else 7) * trial$n / length(rows), # for the choice in each cell
    "low rank" = (if (exceeds_cache(trial)) 1.5 else 1) * trial$n / length(rows), linear = trial$n / length(rows), 1
  )
  if (is.null(trial$first)) trial$first <- fit
  judged <- judge_way(trial, way, fit, trial$held)
  row <- data.frame(
    way = way, rows = size, error = judged$error, se = judged$se, expected = judged$error,
    cost = nominal_seconds(fit) * growth, seconds = seconds * growth
  )
  list(model = model, fit = fit, row = row)
}

# `held`: rows of `all`, and `near`. What cells of a few regions gain there over the first way is what they are taken to
# gain everywhere.
judge_way <- function(trial, way, fit, held) {
  if (way != "cells") {
    return(judge_rows(trial, fit, held$all))
  }
  judged <- judge_rows(trial, fit, held$near)
  if (!identical(held$near, held$all)) {
    everywhere <- judge_rows(trial, trial$first, held$all)$error / judge_rows(trial, trial$first, held$near)$error
    if (is.finite(everywhere)) judged[1:3] <- lapply(judged[1:3], `*`, everywhere)
  }
  judged
}

# The `error` on held-out rows, its standard error `se`, and the error of `most` of them, all but the share
# rarest_share with the largest losses. `heavy`: what few rows add to the error of others is not in that of these, since
# the losses have no variance, or, where numbers are not continued beyond those learned, those of their mean.
judge_rows <- function(trial, fit, held) {
  f <- decision_values(fit, trial$examples$x[held, , drop = FALSE], fit$control$threads)
  target <- at_rows(trial$examples$class, held)
  losses <- row_losses(fit, target, f)
  weight <- trial$examples$weight[held]
  of_losses <- function(losses, weight) error_of_losses(fit, losses, weight)
  error <- of_losses(losses, weight)
  spread <- sqrt(sum((weight * (losses - stats::weighted.mean(losses, weight)))^2)) / sum(weight)
  turn <- order(losses, decreasing = TRUE)
  usual <- turn[cumsum(weight[turn]) > rarest_share * sum(weight)]
  list(
    error = error, se = of_losses(losses + spread, weight) - error, most = of_losses(losses[usual], weight[usual]),
    heavy = predicts_numbers(fit) && (has_heavy_tail(losses) || has_heavy_tail(losses_beyond(fit, target, weight)))
  )
}

# The losses of the mean, by which rows far from those learned are predicted; a line continues.
losses_beyond <- function(fit, target, weight) {
  if (!is.null(fit$trend) || is_linear(fit$kernel) && !is_low_rank(fit$kernel)) {
    return(0)
  }
  center <- outcome_of(fit)$constant(fit, target, weight)
  row_losses(fit, target, matrix(center, length(weight), length(center), byrow = TRUE))
}

# Whether the largest losses fall so slowly, by the estimate of Hill (1975), that they have no variance.
has_heavy_tail <- function(losses) {
  far <- utils::head(sort(losses, decreasing = TRUE), max(20, length(losses) * rarest_share))
  isTRUE(min(far) > 0 && mean(log(far / min(far))) > 0.5)
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
    trial$fits <- c(trial$fits, list(tried$fit))
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
    expected <- if (nrow(one) == 2) grown_error(one, last$error, last$rows, rows) else
      last$error * 0.95^log(rows / last$rows, 4)
    row <- replace(last, c("rows", "error", "expected"), list(rows, NA, expected))
    row[c("cost", "seconds")] <- growth * last[c("cost", "seconds")]
    add_way(trial, list(model = trial$model, fit = trial$fits[[max(which(trial$ways$way == "one SVM"))]], row = row))
  }
}

# From the errors of two samples, `tried`, the second four times as large, to that of more rows: every fourfold sample
# gains half of what the one before it gained, as errors do that fall with the root of the number of rows. A gain within
# its standard error hardly counts.
grown_error <- function(tried, last, from, to) {
  steps <- max(0, log(to / from, 4))
  first <- max(0, tried$error[1] - tried$error[2])
  gain <- if (isTRUE(first > 0)) first^3 / (first^2 + tried$se[2]^2) * (1 - 0.5^steps) else 0
  max(last - gain, 0.7 * last)
}

# With a time limit the choice is by seconds, else by costs.
time_of <- function(ways) if (is.finite(time_left())) ways$seconds else ways$cost
most_time <- function() min(time_left(), stated_seconds)

# What is expected of new rows: the best of several errors is lower than it is on other rows, so that it is measured
# again, on rows that had no part in the choice. What more rows are expected to gain stays; half of it is in doubt.
promise <- function(trial, taken) {
  way <- trial$ways[taken, ]
  fit <- trial$fits[[taken]]
  compared <- judge_way(trial, way$way, fit, trial$held)$error
  judged <- judge_way(trial, way$way, fit, trial$fresh)
  growth <- if (compared > 0) way$expected / compared else 1
  list(
    expected = judged$error * growth, most = judged$most * growth, heavy = judged$heavy,
    se = sqrt(judged$se^2 + ((1 - growth) * judged$error / 2)^2)
  )
}

# A range where the error of new rows may well be more than a twentieth from what is expected; where few rows decide it,
# that of the others.
say_promise <- function(model, promised, shown) {
  what <- if (predicts_classes(model)) "share of errors" else tolower(loss_metric(model)$title)
  if (promised$heavy) {
    share <- paste(100 * (1 - rarest_share), "%")
    return(paste(
      phrase("A few rows decide the {what}, which is expected to be about {shown(promised$expected)}"),
      phrase("and may be far from that. The {share} of new rows with the least errors"),
      phrase("are expected to have one of {shown(promised$most)}.")
    ))
  }
  ends <- pmax(0, promised$expected + c(-2, 2) * promised$se)
  close <- isTRUE(2 * promised$se <= 0.05 * promised$expected)
  if (close) {
    return(phrase("New rows are expected to have a {what} of {shown(promised$expected)}."))
  }
  phrase("New rows are expected to have a {what} between {shown(ends[1])} and {shown(ends[2])}.")
}
