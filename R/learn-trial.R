# Which way a default fit with a kernel takes beyond many_rows: cells of two sizes, a kernel of low rank, or one SVM
# of as many rows as the time allows. Each is tried on a few neighbouring regions, whose density is that of all rows,
# or on samples, and judged by the same held-out rows. bench/trial.R has the measurements.

held_rows <- 2000
region_rows <- 20000
region_size <- 5000
trial_cells <- c(2000, 5000)
trial_samples <- c(5000, 20000)
trial_rank <- 500
stated_seconds <- 120 # of the fit, where `seconds` is not given

wants_trial <- function(model, n, solver) {
  is.null(solver) && n > many_rows && !is_linear(model$kernel) && !is_given(model$kernel) && is_labelled(model) &&
    model$transform$kind != "running" && (model$outcome == "classes" || nrow(model$machines) == 1)
}

# `kernel`: as given.
fit_by_trial <- function(model, examples, kernel, probability) {
  ways <- try_ways(model, examples, kernel)
  way <- pick_way(ways)
  inform_way(model, ways, way, length(examples$class))
  fit <- switch(ways$way[way],
    cells = fit_in_cells(model, examples, ways$rows[way], kernel, TRUE, probability),
    "low rank" = fit_sample(of_low_rank(model), examples, Inf, kernel, probability),
    fit_sample(model, examples, ways$rows[way], kernel, probability)
  )
  fit$choice <- ways
  fit
}

# The model with a kernel of low rank in place of its own.
of_low_rank <- function(model) {
  model$kernel <- kernel_nystrom(model$kernel, trial_rank)
  model$solver <- default_solver("low_rank")
  model
}

fit_sample <- function(model, examples, size, kernel, probability) {
  n <- length(examples$class)
  rows <- if (size < n) sort(sample.int(n, size)) else seq_len(n)
  if (size < n) examples <- take_examples(examples, rows)
  fit <- fit_model(choose_setting(model, examples, kernel), examples, probability)
  if (!is.null(fit$index)) fit$index <- rows[fit$index]
  fit
}

# A row per way: its kind, its rows or rank, its `error` on the held-out rows as tried, and what is expected of all
# rows: `expected` error, and `seconds` by the kernel values computed, which do not depend on the machine. With a time
# limit the seconds are measured, and what would not leave time for a fit is not tried.
try_ways <- function(model, examples, kernel) {
  model$control$verbose <- FALSE
  n <- length(examples$class)
  regions <- divide_examples(model, examples$x, region_size)$rows
  regions <- unlist(regions[unique(round(seq(1, length(regions), length.out = max(2, region_rows / region_size))))])
  held <- regions[sample.int(length(regions), min(held_rows, length(regions) %/% 5))]
  near <- setdiff(regions, held)
  others <- sample(setdiff(seq_len(n), held))
  limit <- time_left() / 2
  attempt <- function(way, size, rows, fit, growth) {
    if (time_left() < limit) {
      return(NULL)
    }
    started <- proc.time()[["elapsed"]]
    fit <- suppressWarnings(stop_when_interrupted(fit(take_examples(examples, rows))))
    error <- held_error(fit, examples, held)
    seconds <- if (is.finite(limit)) proc.time()[["elapsed"]] - started else nominal_seconds(fit)
    data.frame(way = way, rows = size, error = error, expected = error, seconds = seconds * (n / length(rows))^growth)
  }
  one <- lapply(trial_samples, function(size) {
    attempt("one SVM", size, others[seq_len(min(size, length(others)))], function(part) {
      learn(choose_setting(model, part, kernel), part)
    }, 0)
  })
  cells <- lapply(trial_cells, function(size) {
    attempt("cells", size, near, function(part) fit_in_cells(model, part, size, kernel, TRUE, FALSE), 1)
  })
  rank <- if (!is_sparse(examples$x)) {
    attempt("low rank", trial_rank, others[seq_len(min(max(trial_samples), length(others)))], function(part) {
      learn(choose_setting(of_low_rank(model), part, kernel), part)
    }, 1)
  }
  rbind(do.call(rbind, cells), rank, grow_sample(do.call(rbind, one), n))
}

held_error <- function(fit, examples, held) {
  x <- examples$x[held, , drop = FALSE]
  cell_error(fit, examples, held, decision_values(fit, x, fit$control$threads))
}

# As one core needs them: kernel values, of the cross-validation in cells as well; features of a kernel of low rank.
nominal_seconds <- function(fit) {
  if (is_low_rank(fit$kernel)) {
    return(fit$n_seen * model_width(fit) * 6e-8)
  }
  values <- sum(unlist(fit$stats$kernel_evaluations)) * (if (has_cells(fit)) 15 else 1)
  values * (1 + 0.04 * min(fit$n_features, 100)) * 1e-9
}

# From the errors of two samples to that of the most rows that the time allows: every fourfold sample gains 0.6 of what
# the one before it gained, and takes 16 times as long.
grow_sample <- function(one, n) {
  if (NROW(one) < 2) {
    return(one)
  }
  last <- one[nrow(one), ]
  time <- min(time_left(), stated_seconds)
  rows <- min(n, floor(last$rows * sqrt(time / max(last$seconds, 1e-6)) / 1000) * 1000)
  if (rows <= last$rows) {
    return(one[one$seconds < time | seq_len(nrow(one)) == 1, ])
  }
  steps <- log(rows / last$rows, 4)
  gain <- max(0, one$error[nrow(one) - 1] - last$error) * 0.6 * (1 - 0.6^steps) / 0.4
  grown <- data.frame(
    way = last$way, rows = rows, error = NA, expected = max(last$expected - gain, last$expected / 2),
    seconds = last$seconds * (rows / last$rows)^2
  )
  rbind(one, grown)
}

# The fastest of those whose expected error is nearly the least, within the time.
pick_way <- function(ways) {
  able <- ways$seconds <= min(time_left(), stated_seconds)
  if (!any(able)) {
    return(which.min(ways$seconds))
  }
  good <- able & ways$expected <= min(ways$expected[able]) * 1.03
  which(good)[which.min(ways$seconds[good])]
}

inform_way <- function(model, ways, way, n) {
  show <- function(i) {
    what <- switch(ways$way[i],
      cells = "cells of {big(ways$rows[i])} rows", "low rank" = "a kernel of rank {big(ways$rows[i])}",
      if (ways$rows[i] < n) "one SVM of {big(ways$rows[i])} rows" else "one SVM of all rows"
    )
    error <- if (model$outcome == "classes") "{format(signif(100 * ways$expected[i], 3))} % errors" else
      "an error of {format(signif(ways$expected[i] * model$label$scale, 3))}"
    cli::format_inline(paste0(what, " (", error, ", {format(signif(ways$seconds[i], 2))} s)"))
  }
  others <- vapply(setdiff(seq_len(nrow(ways)), way), show, "")
  inform(c(
    "{big(n)} rows: {show(way)} promise{if (ways$way[way] == 'cells') '' else 's'} most; {.field choice} of the model
     has the trial.",
    if (length(others) > 0) c(i = "Tried on held-out rows: {others}."),
    i = "{.arg cells} or {.arg solver} choose otherwise."
  ))
}
