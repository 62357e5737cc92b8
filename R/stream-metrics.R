# Prequential evaluation: every example is predicted before it is learned. Metrics of the model and of two
# baselines, over all examples counted so far and over the latest `window` of them.
#
# Metrics of counts need, per class, the number of examples, of predictions and of hits; `total` and `recent` have them
# as a matrix with a row per class. A chunk costs O(chunk + classes); user's functions of the
# window O(window).
#
# Baselines: `no_change` predicts the label before, `majority` the most frequent label so far (ties: the first of the
# levels); before there is a label, both predict the first level. Their log-loss is that of running frequencies with
# one added to each: of a label being the one before (the rest shared by the others), and of the classes.

predictors <- c("model", "no_change", "majority")
count_columns <- c("truth", paste0("predicted_", predictors), paste0("hits_", predictors))

# `metrics`: names, or a list of names and named functions of truth and predicted, both factors (numbers, flags). Of a
# function the cumulative value is the mean over chunks, weighted by their examples.
prequential_start <- function(metrics = "accuracy", window = 1000, warm_up = 0) {
  metrics <- read_stream_metrics(metrics, "classes")
  window <- one_whole(window)
  warm_up <- one_whole(warm_up, least = 0)
  list(
    metrics = metrics$names, functions = metrics$functions, window = window, warm_up = warm_up,
    levels = character(), frequency = numeric(), seen = 0, last = NA_integer_, repeats = 0,
    total = empty_counts(0), recent = empty_counts(0), loss = c(0, 0, 0), losses = 0,
    sums = matrix(0, length(metrics$functions), 6, dimnames = list(names(metrics$functions), NULL)),
    pieces = list(), held = 0
  )
}

empty_counts <- function(classes) matrix(0, classes, length(count_columns), dimnames = list(NULL, count_columns))

read_stream_metrics <- function(metrics, outcomes = names(error_metrics)) {
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
      i = "{.code list(\"kappa\", f1 = function(truth, predicted) ...)}"
    ))
  }
  if (any(labels[given] == "")) {
    abort("{.arg metrics} has a function without a name: {.code list(f1 = function(truth, predicted) ...)}.")
  }
  labels[named] <- unlist(metrics[named])
  if (anyDuplicated(labels) > 0) {
    abort("{.arg metrics} must have different names; {.val {labels[anyDuplicated(labels)]}} is repeated.")
  }
  list(names = labels, functions = stats::setNames(as.list(metrics[given]), labels[given]))
}

# The labels of a chunk, in order. Without a label an example does not count; without a prediction its label is
# known to the baselines from then on, but it is not evaluated. `probability`: columns are `levels`.
prequential_add <- function(state, truth, predicted, probability = NULL, levels = NULL) {
  if (length(truth) != length(predicted) || !is.null(probability) && NROW(probability) != length(truth)) {
    abort("{.arg truth}, {.arg predicted} and {.arg probability} must be of as many examples.")
  }
  state <- add_levels(state, c(as.character(levels), distinct_labels(truth), distinct_labels(predicted)))
  labelled <- which(!is.na(truth))
  if (length(labelled) == 0) {
    return(state)
  }
  codes <- matrix(0L, length(labelled), 4)
  codes[, 1] <- label_codes(truth[labelled], state$levels)
  codes[, 2] <- label_codes(predicted[labelled], state$levels)
  codes[, 3:4] <- baseline_codes(state, codes[, 1])
  loss <- if (needs_probabilities(state)) {
    cbind(
      model_loss(probability, labelled, codes[, 1], state$levels, levels), repeat_loss(state, codes[, 1]),
      frequency_loss(state, codes[, 1])
    )
  }
  counted <- state$seen + seq_along(labelled) > state$warm_up & !is.na(codes[, 2])
  state <- learn_labels(state, codes[, 1])
  if (any(counted)) {
    state <- count_examples(state, codes[counted, , drop = FALSE], loss[counted, , drop = FALSE])
  }
  state
}

distinct_labels <- function(labels) {
  values <- if (is.factor(labels)) levels(labels) else unique(labels)
  as.character(values[!is.na(values)])
}

# Numbers become text by their distinct values: as.character() of all takes longer than all else.
label_codes <- function(labels, levels) {
  if (is.factor(labels)) {
    return(match(levels(labels), levels)[as.integer(labels)])
  }
  values <- unique(labels)
  match(as.character(values), levels)[match(labels, values)]
}

add_levels <- function(state, levels) {
  new <- setdiff(levels, c(state$levels, NA))
  if (length(new) > 0) {
    state$levels <- c(state$levels, new)
    state$frequency <- c(state$frequency, numeric(length(new)))
    state$total <- rbind(state$total, empty_counts(length(new)))
    state$recent <- rbind(state$recent, empty_counts(length(new)))
  }
  state
}

learn_labels <- function(state, truth) {
  n <- length(truth)
  state$repeats <- state$repeats + sum(truth == c(state$last, truth[-n]), na.rm = TRUE)
  state$frequency <- state$frequency + tabulate(truth, length(state$levels))
  state$seen <- state$seen + n
  state$last <- truth[n]
  state
}

count_examples <- function(state, codes, loss) {
  if (length(state$functions) > 0) state$sums <- state$sums + function_sums(state, codes)
  added <- class_counts(codes, length(state$levels))
  state$total <- state$total + added
  state$recent <- state$recent + added
  if (!is.null(loss)) {
    state$loss <- state$loss + colSums(known_losses(loss))
    state$losses <- state$losses + nrow(known_losses(loss))
  }
  keep_recent(state, codes, loss)
}

# The latest examples as pieces of some hundred rows, oldest first: only the ends of the window change.
keep_recent <- function(state, codes, loss) {
  last <- length(state$pieces)
  new <- list(codes = codes, loss = loss)
  if (last > 0 && nrow(state$pieces[[last]]$codes) < 256) {
    held <- state$pieces[[last]]
    state$pieces[[last]] <- list(codes = rbind(held$codes, codes), loss = rbind(held$loss, loss))
  } else {
    state$pieces[[last + 1]] <- new
  }
  state$held <- state$held + nrow(codes)
  while (state$held > state$window) {
    oldest <- state$pieces[[1]]
    out <- min(state$held - state$window, nrow(oldest$codes))
    leaving <- seq_len(out)
    state$recent <- state$recent - class_counts(oldest$codes[leaving, , drop = FALSE], length(state$levels))
    state$held <- state$held - out
    if (out == nrow(oldest$codes)) {
      state$pieces <- state$pieces[-1]
    } else {
      state$pieces[[1]] <- lapply(oldest, function(columns) columns[-leaving, , drop = FALSE])
    }
  }
  state
}

class_counts <- function(codes, classes) {
  counts <- empty_counts(classes)
  counts[, 1] <- tabulate(codes[, 1], classes)
  for (k in 1:3) {
    counts[, 1 + k] <- tabulate(codes[, 1 + k], classes)
    counts[, 4 + k] <- tabulate(codes[codes[, 1 + k] == codes[, 1], 1], classes)
  }
  counts
}
