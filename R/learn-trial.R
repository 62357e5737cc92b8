# Which way a default fit with a kernel takes beyond many_rows: cells of two sizes, a kernel of low rank, a linear SVM
# of all rows, or one SVM of as many rows as the time allows. Transform, kernel, weights of features, cost and width are
# chosen once, on a sample, by the search of smaller fits. Each way is judged by held-out rows that are drawn from all
# rows. Numbers may have a linear trend: then machines learn what it leaves. Of very many rows cells are tried in a few
# regions, whose density is that of all rows: what they gain there over one SVM of a sample is what they are expected to
# gain everywhere. What is cheap is tried first, and what cannot win any more is not tried.
# bench/trial.R has the measurements.

held_rows <- 10000
trial_in_regions <- 100000 # from which on cells are tried in some regions
region_size <- 5000
trial_regions <- 4
trial_cells <- c(2000, 5000)
trial_samples <- c(5000, 20000)
trial_rank <- 500
trial_rounds <- 12
rarest_share <- 0.01 # of the rows, whose errors are left out where few rows decide the error
stated_seconds <- 120 # of the fit, where `seconds` is not given

wants_trial <- function(model, n, solver) {
  is.null(solver) && n > many_rows && !is_linear(model$kernel) && !is_given(model$kernel) && is_labelled(model) &&
    model$transform$kind != "running"
}

# `open`: what is to be chosen, see search_model().
fit_by_trial <- function(model, examples, kernel, open, calibrated, effort = 1) {
  started <- seconds_now()
  trial <- open_trial(model, examples, kernel, open, calibrated, effort)
  try_ways(trial)
  ways <- trial$ways
  if (is.null(ways)) {
    abort("{.arg seconds} must leave time for a trial of {big(trial$n)} rows; {.arg solver} spares it.")
  }
  taken <- pick_way(ways)
  promised <- promise(trial, taken)
  ways[taken, c("expected", "se")] <- promised[c("expected", "se")]
  inform_way(trial$models[[taken]], ways, taken, promised, seconds_now() - started, trial$n)
  chosen <- replace(trial$models[[taken]], "control", model["control"])
  fit <- fit_way(chosen, examples, ways$way[taken], ways$rows[taken], trial$names, calibrated)
  ways$taken <- seq_along(ways$way) == taken
  fit$choice <- ways[names(ways) != "cost"]
  fit
}

# `size`: the most rows of a cell, the rank, or the rows of one SVM. `names`: what each cell chooses.
fit_way <- function(model, examples, way, size, names = NULL, calibrated = NULL) {
  n <- length(examples$weight)
  if (way == "cells") {
    divided <- divide_examples(model, examples$x, size)
    return(learn_divided(model, examples, divided, settings = near_settings(model, names), calibrated = calibrated))
  }
  if (way == "low rank") {
    return(fit_model(of_low_rank(model, size, examples$x), examples, calibrated))
  }
  if (way == "linear") {
    return(fit_model(as_linear(model), examples, calibrated))
  }
  if (size >= n) {
    return(fit_model(model, examples, calibrated))
  }
  rows <- sort(sample.int(n, size))
  fit <- fit_model(model, take_examples(examples, rows), calibrated)
  fit$index <- rows[fit$index]
  fit
}

# The model with a kernel of low rank in place of its own. A large cost takes many passes and gains nothing where the
# rank limits the machine.
of_low_rank <- function(model, rank, x) {
  cost <- min(role_value(model$solver, "cost"), 10)
  model$kernel <- kernel_nystrom(model$kernel, rank)
  model$solver <- set_role(default_solver("low_rank"), "cost", cost)
  model$transform <- fit_features(model$transform, model$kernel, x)
  model
}

# The model with a linear kernel in place of its own, at the usual cost.
as_linear <- function(model) {
  model$kernel <- default_kernel(linear = TRUE)
  model$solver <- default_solver("many_rows")
  model$estimated <- setdiff(model$estimated, "kernel width")
  model
}

# ---- the trial ----

# An environment: `model`, with the settings of a sample, and `scaled`, without; rows that are not held out, `others`,
# in random order; rows to learn of a few regions, `near`, or else all others; rows that are `held` out for the choice,
# of all and of these regions, and `fresh` ones; a row of `ways` per way tried, with its model in `models` and its fit
# in `fits`. With a time limit a way is not tried once half of the time has passed.
open_trial <- function(model, examples, kernel, open, calibrated, effort) {
  n <- length(examples$weight)
  trial <- list2env(list(
    scaled = model, examples = examples, kernel = kernel, open = open, effort = effort,
    names = open_settings(model, kernel), calibrated = calibrated, n = n, limit = time_left() / 2, models = list()
  ), parent = emptyenv())
  trial$scaled$control$verbose <- FALSE
  drawn <- sample.int(n)
  held <- hold_out_twice(drawn, min(held_rows, n %/% 5))
  trial$others <- held$left
  trial$model <- choose_for_sample(trial, trial$scaled)
  near <- if (n > trial_in_regions) {
    regions <- divide_examples(trial$model, examples$x, region_size)$rows
    unlist(regions[evenly_spaced(length(regions), trial_regions)])
  }
  learned <- utils::head(trial$others, trial_samples[1])
  if (!is.null(near)) near <- near[order(near %in% learned, stats::runif(length(near)))]
  held_near <- if (is.null(near)) held else hold_out_twice(near, length(near) %/% 5)
  trial$near <- held_near$left
  trial$held <- list(all = held$choice, near = held_near$choice)
  trial$fresh <- list(all = held$promise, near = held_near$promise)
  trial
}

choose_for_sample <- function(trial, model) {
  sample <- trial_sample(trial)
  found <- if (!is.null(trial$names) && can_search(model)) {
    within_third(search_model(model, sample, trial$open, trial$effort, many = TRUE))
  }
  if (!is.null(found)) found else choose_setting(model, sample, trial$kernel)
}

# Rows for the choice among ways, for what the chosen one promises, and those left to learn. Of regions the last are
# those that the first way has learned.
hold_out_twice <- function(rows, count) {
  list(choice = rows[seq_len(count)], promise = rows[count + seq_len(count)], left = rows[-seq_len(2 * count)])
}

# Of the rows that are not held out.
trial_sample <- function(trial) take_examples(trial$examples, utils::head(trial$others, max(trial_samples)))

try_ways <- function(trial) {
  add_way(trial, try_way(trial, "one SVM", trial_samples[1]))
  if (is.null(trial$ways)) {
    return()
  }
  add_way(trial, try_way(trial, "linear", trial$n, trial$scaled))
  if (can_have_trend(trial$scaled) && time_left() >= trial$limit) try_trend(trial)
  if (!is_sparse(trial$examples$x) && !(length(trial$calibrated) > 0 && exceeds_cache(trial))) {
    sharper <- try_low_rank(trial)
    if (!identical(sharper, trial$model)) take_model(trial, sharper)
  }
  cells <- if (time_left() >= trial$limit) choose_for_cells(trial)
  add_way(trial, try_way(trial, "cells", trial_cells[1], cells))
  cost <- 16 * trial$ways$cost[1]
  # More rows, or larger cells with settings of their own, may gain so much of the error.
  if (promises(trial, "one SVM", 0.5, cost)) add_way(trial, try_way(trial, "one SVM", trial_samples[2]))
  for (size in trial_cells[-1]) if (promises(trial, "cells", 0.85)) add_way(trial, try_way(trial, "cells", size, cells))
  grow_sample(trial)
}

# The model of which it is then.
try_low_rank <- function(trial) {
  small <- try_way(trial, "low rank", trial_rank, sample = trial_samples[1])
  first <- try_way(trial, "low rank", trial_rank)
  if (is.null(first)) {
    return(trial$model)
  }
  best <- if ("feature weights" %in% trial$model$estimated) sharpen_weights(trial, first) else first
  tried <- rbind(small$row, first$row)
  best$row$expected <- grown_error(tried, best$row$error, max(trial_samples), trial$n)
  add_way(trial, best)
  best$model
}

# The gradient of a machine of low rank, by more rows than the sample has, gives sharper weights of the features, and
# these a better machine: round by round, until three of them have not lowered the error. The first is that without
# weights, if it is better: few rows may have hidden features that only interact. A narrow kernel lets features
# in which the boundary bends often keep their weights; settings are chosen anew at the end.
sharpen_weights <- function(trial, first) {
  unweighted <- without_weights(trial$model)
  plain <- replace(unweighted, "solver", trial$model["solver"])
  plain$kernel <- set_role(plain$kernel, "scale", median_scale(plain$kernel, trial$examples$x, plain$transform))
  plain <- try_way(trial, "low rank", trial_rank, plain)
  scale <- function(model) role_value(model$kernel, "scale")
  multiple <- max(2, scale(trial$model) / median_scale(trial$model$kernel, trial$examples$x, trial$model$transform))
  better <- function(a, b) isTRUE(a$row$error < b$row$error) || is.null(b)
  last <- if (better(plain, first)) plain else first
  best <- NULL
  for (round in seq_len(trial_rounds)) {
    weighted <- weigh_by(unweighted, last$fit, trial$examples)
    model <- replace(weighted, "solver", trial$model["solver"])
    model$kernel <- set_role(model$kernel, "scale", multiple * scale(model))
    last <- try_way(trial, "low rank", trial_rank, model)
    if (is.null(last)) break
    if (better(last, best)) best <- c(last, list(weighted = weighted, round = round))
    if (round == best$round + 3) break
  }
  if (!is.null(best) && time_left() >= trial$limit) {
    chosen <- search_model(best$weighted, trial_sample(trial), settings_alone, many = TRUE)
    chosen <- if (!is.null(chosen)) try_way(trial, "low rank", trial_rank, chosen)
    if (better(chosen, best)) best <- chosen
  }
  if (better(best, first)) best else first
}

# Machines that learn what a linear trend leaves, with settings of their own.
try_trend <- function(trial) {
  trend <- fit_trend(trial_sample(trial))
  if (!is.null(trend)) {
    model <- replace(trial$scaled, "trend", list(trend))
    take_model(trial, choose_for_sample(trial, model), gain = 0.99)
  }
}

# For the other ways as well, if it lowers the error of the first.
take_model <- function(trial, model, gain = 1) {
  again <- try_way(trial, trial$ways$way[1], trial$ways$rows[1], model)
  if (isTRUE(again$row$error < gain * trial$ways$error[1])) {
    trial$model <- trial$models[[1]] <- model
    trial$fits[[1]] <- trial$first <- again$fit
    trial$ways[1, ] <- again$row
  }
}

# Settings for cells, from a few of them.
choose_for_cells <- function(trial) {
  if (is.null(trial$names)) {
    return(trial$model)
  }
  near <- take_examples(trial$examples, trial$near)
  rows <- divide_examples(trial$model, near$x, trial_cells[1])$rows
  best_point(trial$model, choose_in_cells(trial$model, near, rows, seq_along(rows), trial$names, 3))
}

# Of those whose expected error is nearly the least, within the time, the fastest; a second or two do not count.
pick_way <- function(ways) {
  time <- time_of(ways)
  able <- time <= most_time()
  if (!any(able)) {
    return(which.min(time))
  }
  good <- able & ways$expected <= min(ways$expected[able]) * 1.03
  good <- good & time <= max(2, min(time[good]))
  which(good)[which.min(ways$expected[good])]
}

# `seconds`: that the trial took.
inform_way <- function(model, ways, taken, promised, seconds, n) {
  what <- Map(function(way, rows) {
    switch(way,
      linear = "a linear SVM of all rows", cells = paste("cells of", big(rows), "rows"),
      "low rank" = paste("a kernel of rank", big(rows)),
      paste("one SVM of", if (rows < n) big(rows) else "all", "rows")
    )
  }, ways$way, ways$rows)
  rounded <- function(x, digits) vapply(x, function(v) format(signif(v, digits)), "")
  shown <- function(error) if (predicts_classes(model)) paste(rounded(100 * error, 3), "%") else rounded(error, 3)
  trend <- if (!is.null(model$trend)) ", which learns what a linear trend leaves" else ""
  others <- sprintf("%s (%s, %s s)", what, shown(ways$expected), rounded(ways$seconds, 2))[-taken]
  inform(c(
    "{big(n)} rows are learned by {what[[taken]]}{trend}, as a trial on held-out rows suggests.
     {say_promise(model, promised, shown)} It takes about {rounded(seconds + ways$seconds[taken], 2)} s in all,
     {rounded(seconds, 2)} s of them for the trial.",
    if (length(others) > 0) c(i = "It compared {others}."),
    i = "{.field choice} of the model has the table; {.arg cells}, {.arg kernel} or {.arg solver} choose otherwise."
  ))
}
