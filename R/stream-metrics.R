# Prequential evaluation: every example is predicted before it is learned. Metrics of the model and of the baselines of
# its outcome, over all examples counted so far and over the latest `window` of them.
#
#   rows    of examples, a matrix: `truth` and a column per predictor, which are numbers of classes, numbers or flags;
#           then the parts of each metric that is a mean over rows, per predictor, under its name
#   tally   of rows: their `sums` and the `sizes` (examples with a part), per column; if a metric needs them, counts per
#           class: `truth`, `predicted` and `hits`. Tallies are added up: `total` is that of all rows
#   pieces  the latest examples, oldest first, each with its tally; only the ends change. `inner`: the tally of the
#           others. Nothing is subtracted, so that rounding does not add up
#   before  what the baselines know of all labels so far, evaluated or not; `seen`: how many these are
#   means   of a user's function, values times examples, and examples, per predictor, over chunks
#
# A chunk costs O(chunk + classes + window / 64); user's functions of the window O(window).

# `metrics`: names, or a list of names and named functions of truth and predicted: factors, numbers, flags. Of a
# function the cumulative value is the mean over chunks, weighted by their examples.
# `sets`: names of what level_rows() measures, which is added to the parts.
prequential_start <- function(metrics, window = 1000, warm_up = 0, loss = loss_hinge(), sets = NULL) {
  outcome <- loss_outcome(loss)
  metrics <- read_stream_metrics(metrics, outcome)
  own <- setdiff(metrics$names, names(metrics$functions))
  entries <- metric_table[own]
  predictors <- outcome_kinds[[outcome]]$stream$predictors
  has <- function(what) vapply(entries, function(metric) !is.null(metric[[what]]), NA)
  means <- matrix(0, length(metrics$functions), 2 * length(predictors), dimnames = list(names(metrics$functions), NULL))
  list(
    outcome = outcome, metrics = metrics$names, functions = metrics$functions, window = window, warm_up = warm_up,
    loss = loss, predictors = predictors, levels = character(), before = NULL, seen = 0, origin = NULL,
    by_row = own[has("row")], counts = any(has("counts")),
    probabilities = any(vapply(entries, function(metric) metric$needs == "probabilities", NA)),
    total = NULL, means = means, pieces = list(), inner = NULL, held = 0, sets = sets,
    columns = c(
      unlist(lapply(metrics$names, metric_columns, predictors)), unlist(lapply(sets, metric_columns, "model"))
    )
  )
}

read_stream_metrics <- function(metrics, outcomes = names(outcome_kinds)) {
  known <- metric_names("stream", outcomes)
  if (is.function(metrics)) metrics <- list(metric = metrics)
  if (!is.character(metrics) && !is.list(metrics)) metrics <- NULL
  named <- vapply(metrics, function(m) is.character(m) && length(m) == 1 && m %in% known, NA)
  given <- vapply(metrics, is.function, NA)
  labels <- if (is.null(names(metrics))) rep("", length(metrics)) else names(metrics)
  of_outcome <- if (length(outcomes) == 1) paste(" for", outcomes) else ""
  if (length(metrics) == 0 || !all(named | given)) {
    abort(c(
      "{.arg metrics} must be {.or {.val {known}}}{of_outcome}, or a list that has functions as well.",
      i = "{.code list(\"kappa\", gain = function(truth, predicted) ...)}"
    ))
  }
  if (any(labels[given] == "")) {
    abort("{.arg metrics} has a function without a name: {.code list(gain = function(truth, predicted) ...)}.")
  }
  labels[named] <- unlist(metrics[named])
  if (anyDuplicated(labels) > 0) {
    abort("{.arg metrics} must have different names; {.val {labels[anyDuplicated(labels)]}} is repeated.")
  }
  list(names = labels, functions = stats::setNames(as.list(metrics[given]), labels[given]))
}

# The examples of a chunk, in order. Without a label an example does not count; without a prediction its label is known
# to the baselines from then on, but it is not evaluated. `probability`: of the classes `levels`. `center`: what
# the baselines of numbers predict before there is one. `columns`: of several quantiles the predictions of each; the
# pinball loss is the mean of theirs. `sets`: what level_rows() says of the examples.
prequential_add <- function(state, truth, predicted, probability = NULL, levels = NULL, center = 0, columns = NULL,
                            sets = NULL) {
  stream <- outcome_kinds[[state$outcome]]$stream
  if (!is.null(stream$encode)) {
    coded <- stream$encode(truth, predicted, c(state$levels, as.character(levels)))
    state$levels <- coded$levels
    truth <- coded$truth
    predicted <- coded$predicted
  }
  labelled <- which(!is.na(truth))
  if (length(labelled) == 0) {
    return(state)
  }
  truth <- as.numeric(truth[labelled])
  if (is.null(state$origin)) state$origin <- truth[1]
  guesses <- if (!is.null(stream$guess)) stream$guess(state$before, truth, center)
  rows <- cbind(truth, as.numeric(predicted[labelled]), guesses, deparse.level = 0)
  colnames(rows) <- c("truth", state$predictors)
  given <- lapply(seq_along(state$predictors), function(k) rows[, 1 + k])
  beliefs <- if (state$probabilities) {
    own <- model_beliefs(probability, levels, state$levels, labelled)
    c(list(own), stream$believe(state$before, truth, length(state$levels)))
  }
  learned <- list(loss = state$loss, origin = state$origin)
  parts <- lapply(state$by_row, function(name) {
    metric <- metric_table[[name]]
    tau <- if (name == "pinball") quantiles_of(state$loss)
    if (length(tau) < 2) {
      return(row_parts(metric, name, truth, if (metric$needs == "probabilities") beliefs else given, learned))
    }
    parts <- lapply(seq_along(tau), function(k) {
      given[[1]] <- if (is.null(columns)) given[[1]] else columns[labelled, k]
      row_parts(metric, name, truth, given, list(loss = set_role(state$loss, "quantile", tau[k])))
    })
    Reduce(`+`, parts) / length(tau)
  })
  counted <- which(state$seen + seq_along(truth) > state$warm_up & !is.na(rows[, 2]))
  if (!is.null(stream$follow)) state$before <- stream$follow(state$before, truth)
  state$seen <- state$seen + length(truth)
  if (length(counted) == 0) {
    return(state)
  }
  if (!is.null(sets)) parts$sets <- sets[labelled, , drop = FALSE]
  count_rows(state, do.call(cbind, c(list(rows), unname(parts)))[counted, , drop = FALSE])
}

# Probabilities of all classes, NA if there are none. A class that the model has no column for has probability 0.
model_beliefs <- function(probability, levels, all, rows) {
  if (is.null(probability)) {
    return(matrix(NA_real_, length(rows), length(all)))
  }
  known <- match(all, if (is.null(colnames(probability))) levels else colnames(probability))
  out <- probability[rows, known, drop = FALSE]
  out[, is.na(known)] <- 0 * probability[rows, 1]
  out
}

# A column per predictor and part. Baselines are measured where the model is.
row_parts <- function(metric, name, truth, given, learned) {
  parts <- do.call(cbind, lapply(given, function(predicted) metric$row(truth, predicted, learned)))
  parts[is.na(parts[, 1]), ] <- NA
  colnames(parts) <- rep(name, ncol(parts))
  parts
}

# ---- totals and the window ----

count_rows <- function(state, rows) {
  for (name in names(state$functions)) {
    values <- function_values(state, name, rows)
    state$means[name, ] <- state$means[name, ] + nrow(rows) * c(ifelse(is.na(values), 0, values), !is.na(values))
  }
  new <- new_piece(state, rows)
  state$total <- add_tallies(list(state$total, new$tally))
  last <- length(state$pieces)
  moved <- TRUE # whether other pieces are between the first and the last than before
  if (last > 0 && nrow(state$pieces[[last]]$rows) < max(64, state$window / 64)) {
    held <- state$pieces[[last]]
    new <- list(rows = rbind(held$rows, rows), tally = add_tallies(list(held$tally, new$tally)))
    last <- last - 1
    moved <- FALSE
  }
  pieces <- state$pieces
  pieces[[last + 1]] <- new
  over <- state$held + nrow(rows) - state$window
  state$held <- min(state$held + nrow(rows), state$window)
  while (over > 0) {
    oldest <- pieces[[1]]$rows
    pieces[[1]] <- if (over < nrow(oldest)) new_piece(state, oldest[-seq_len(over), , drop = FALSE])
    moved <- moved || over >= nrow(oldest)
    over <- over - nrow(oldest)
  }
  if (moved) state$inner <- add_tallies(lapply(pieces[-c(1, length(pieces))], `[[`, "tally"))
  state$pieces <- pieces
  state
}

new_piece <- function(state, rows) {
  own <- seq_len(1 + length(state$predictors))
  parts <- rows[, -own, drop = FALSE]
  sizes <- if (state$probabilities || length(state$sets) > 0) colSums(!is.na(parts)) else rep(nrow(parts), ncol(parts))
  counts <- if (state$counts) count_classes(rows[, 1], rows[, own[-1], drop = FALSE], length(state$levels))
  list(rows = rows, tally = c(list(sums = colSums(parts, na.rm = TRUE), sizes = sizes), counts))
}

# NULL: of no rows. Some may know more classes than others.
add_tallies <- function(tallies) {
  add <- function(a, b) {
    if (length(a) == length(b)) {
      return(a + b)
    }
    grown <- function(counts) rbind(as.matrix(counts), matrix(0, max(NROW(a), NROW(b)) - NROW(counts), NCOL(counts)))
    grown(a) + grown(b)
  }
  Reduce(function(a, b) Map(add, a, b), Filter(length, tallies))
}

# ---- values ----

# Per metric, of the model and the baselines: of all examples and of the window.
prequential_values <- function(state) {
  ends <- unique(c(1, length(state$pieces)))
  recent <- add_tallies(c(lapply(state$pieces[ends], `[[`, "tally"), list(state$inner)))
  values <- vapply(state$metrics, function(name) {
    if (name %in% names(state$functions)) {
      means <- matrix(state$means[name, ], 2, byrow = TRUE)
      rbind(means[1, ] / means[2, ], window_value(state, name))
    } else {
      rbind(tally_value(state, name, state$total), tally_value(state, name, recent))
    }
  }, matrix(0, 2, length(state$predictors)))
  tallies <- list(state$total, recent)
  values <- c(values, unlist(lapply(state$sets, function(name) vapply(tallies, part_mean, 0, name))))
  values[!is.finite(values)] <- NA
  stats::setNames(values, state$columns)
}

part_mean <- function(tally, name) {
  if (is.null(tally)) NaN else tally$sums[[name]] / tally$sizes[names(tally$sums) == name]
}

tally_value <- function(state, name, tally) {
  if (is.null(tally)) {
    return(rep(NA_real_, length(state$predictors)))
  }
  metric <- metric_table[[name]]
  if (!is.null(metric$counts)) {
    return(metric$counts(c(tally$truth), tally$predicted, tally$hits))
  }
  own <- names(tally$sums) == name
  mean <- matrix(tally$sums[own] / tally$sizes[own], ncol = length(state$predictors))
  as.numeric(metric$of(mean, list(loss = state$loss)))
}

window_value <- function(state, name) {
  if (state$held == 0) {
    return(rep(NA_real_, length(state$predictors)))
  }
  function_values(state, name, do.call(rbind, lapply(state$pieces, `[[`, "rows")))
}

# Of a user's function, per predictor.
function_values <- function(state, name, rows) {
  given <- function(column) outcome_kinds[[state$outcome]]$stream$decode(unname(rows[, column]), state$levels)
  vapply(state$predictors, function(column) {
    value <- tryCatch(
      state$functions[[name]](given("truth"), given(column)),
      error = function(e) abort("The metric {.val {name}} failed: {text_of(e)}")
    )
    if (!is.numeric(value) && !is.logical(value) || length(value) != 1) {
      abort("The metric {.val {name}} must return one number.")
    }
    as.numeric(value)
  }, 0)
}

# Names of a metric's columns in the table of a stream.
metric_columns <- function(metric, predictors) {
  who <- rep(c("", sprintf("_%s", predictors[-1])), each = 2)
  paste0(metric, who, c("", "_window"))
}
