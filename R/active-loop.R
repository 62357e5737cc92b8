# The loop of osvm_active(). Its state is an environment:
#   x, label, test, strategy, h, budget, start   as given; columns: the range of each column of x
#   classes     levels and kind of the labels, NULL until they are known
#   model       the current model, live if its solver is online, untrained before two classes have been observed
#   seen        number of rows processed; asked, answers: rows queried and their labels, as text
#   raw         labels as returned, until the classes are known
#   pending     number of the latest labels that are not learned yet
#   due         numbers of labels at which the accuracy is measured; curve: the measurements
#   stopped     reason of an early stop

open_queries <- function(x, label, classes, model, class_weights, test, settings) {
  n <- nrow(x)
  traits <- model$solver$traits
  bar <- progress_bar(model$control$verbose && !is.function(label))
  # Thousands of short fits: traces and progress bars would cost more than the fits.
  model$control$trace <- model$control$verbose <- FALSE
  most <- min(settings$budget, if (settings$strategy == "greedy") settings$start + ceiling(n / settings$h) else n)
  every <- settings$every
  list2env(c(settings, list(
    x = x, columns = describe_columns(x, moments = FALSE), n = n, label = label, classes = classes, model = model,
    class_weights = class_weights, test = test,
    seen = 0, asked = integer(), answers = character(), raw = list(), pending = 0, curve = list(),
    due = if (is.null(every)) most * (1:50 / 50)^2 else every * seq_len(floor(most / every)),
    # Whether chunks of a stream give the same model as one pass.
    streams = traits$epochs == 1 && !traits$shuffle,
    block = 32, bar = bar, warnings = list(), stopped = NULL
  )))
}

run_queries <- function(s) {
  step <- switch(s$strategy,
    ramp = step_ramp, greedy = function(s) ask_nearest(s, rows_ahead(s, s$h)),
    margin = function(s) ask_nearest(s, seq_len(s$n)[-s$asked], s$n), all = function(s) ask(s, s$seen + 1)
  )
  tryCatch(
    {
      begin_queries(s)
      while (goes_on(s)) step(s)
    },
    interrupt = function(e) s$stopped <- "The stream was interrupted"
  )
  s$bar$done()
  if (is.null(s$model$n_seen)) {
    if (!is.null(s$stopped)) abort("{s$stopped}, before two classes had been observed.")
    abort(c(
      "Only one class was observed, {.val {unique(s$answers)}}; a classifier needs two.",
      i = "{length(s$asked)} label{?s} {?was/were} asked for, of {s$n} row{?s}, with a {.arg budget} of {s$budget}."
    ))
  }
  measure(s)
  s$model <- live_model(s$model)
  for (w in s$warnings) warning(w)
  if (!is.null(s$stopped)) {
    warn("{s$stopped}; the model holds what was learned until then.", "osvm_interrupted")
  }
  curve <- as.data.frame(unique(do.call(rbind, s$curve)))
  answers <- restore_labels(s$model, find_targets(s$model, s$answers))
  c(s$model, list(asked = s$asked, answers = answers, curve = curve, strategy = s$strategy))
}

goes_on <- function(s) {
  rows_left <- if (s$strategy == "margin") length(s$asked) < s$n else s$seen < s$n
  is.null(s$stopped) && rows_left && length(s$asked) < s$budget
}

# Algorithm 3, line 3. The model is constant between queries, so rows are evaluated in
# blocks, whose size doubles while no row is queried.
step_ramp <- function(s) {
  rows <- rows_ahead(s, s$block)
  near <- which(distance(s, rows) <= 1)
  if (length(near) == 0) {
    s$seen <- max(rows)
    s$block <- min(2 * s$block, 4096)
  } else {
    s$seen <- rows[near[1]] - 1
    s$block <- 32
    ask(s, rows[near[1]])
  }
}

ask_nearest <- function(s, rows, seen = max(rows)) ask(s, rows[which.min(distance(s, rows))], seen)

rows_ahead <- function(s, most) s$seen + seq_len(min(most, s$n - s$seen))

distance <- function(s, rows) {
  learn_pending(s)
  distance_to_boundary(s$model, s$x[rows, , drop = FALSE], s$columns)
}

# Queries the first rows, until two classes have been observed.
begin_queries <- function(s) {
  while (s$seen < s$n && length(s$asked) < s$budget && is.null(s$stopped)) {
    ask(s, s$seen + 1)
    if (length(s$asked) >= s$start && length(unique(s$answers)) > 1) break
  }
  if (length(unique(s$answers)) < 2) {
    return()
  }
  if (is.null(s$classes)) s$classes <- read_outcome(do.call(c, s$raw), length(s$raw))
  s$model <- start_outcome(s$model, s$classes, s$class_weights)
  if (s$model$solver$traits$online && !is_live(s$model)) s$model <- open_live(s$model)
  measure(s)
}

# Queries the label of row i, which is learned when the model is next needed.
ask <- function(s, i, seen = i) {
  if (!is.null(s$stopped)) {
    return()
  }
  value <- if (is.function(s$label)) tryCatch(s$label(i), error = identity) else s$label[i]
  if (is.null(s$classes) && is.factor(value) && is_sound_factor(value)) {
    s$classes <- declared_classes(factor(levels(value), levels(value)))
  }
  s$stopped <- refuse_answer(value, i, s$classes)
  if (!is.null(s$stopped)) {
    return()
  }
  k <- length(s$asked) + 1
  s$asked[k] <- as.integer(i)
  s$answers[k] <- as.character(value)
  if (is.null(s$classes)) s$raw[[k]] <- value
  s$pending <- s$pending + 1
  s$seen <- seen
  if (is.null(s$model$outcome)) {
    return()
  }
  if (!s$streams) learn_pending(s)
  if (length(s$asked) >= min(s$due, Inf)) measure(s)
}

refuse_answer <- function(value, i, classes) {
  if (inherits(value, "error")) {
    phrase("{.fn label} failed for row {i}: {reason_of(value)}")
  } else if (!is_label(value) || length(value) != 1) {
    phrase("{.fn label} must return one label, and for row {i} it did not")
  } else if (!is.null(classes) && is.na(find_targets(classes, value))) {
    value <- as.character(value)
    phrase("{.fn label} returned {.val {value}} for row {i}, not {.or {.val {classes$levels}}}")
  }
}

learn_pending <- function(s) {
  if (s$pending == 0) {
    return()
  }
  rows <- utils::tail(s$asked, s$pending)
  class <- find_targets(s$model, utils::tail(s$answers, s$pending))
  examples <- list(x = s$x[rows, , drop = FALSE], class = class, weight = example_weights(s$model, NULL, class))
  with_warnings_kept(s, s$model <- learn(s$model, examples), function() s$stopped <- "The stream was interrupted")
  s$pending <- 0
}

measure <- function(s) {
  learn_pending(s)
  accuracy <- NA_real_
  if (!is.null(s$test)) {
    f <- decision_values(s$model, s$test$x, s$model$control$threads)
    accuracy <- mean(as.character(restore_labels(s$model, predict_targets(s$model, f))) == s$test$y)
  }
  s$curve <- c(s$curve, list(c(seen = s$seen, asked = length(s$asked), accuracy = accuracy)))
  s$due <- s$due[s$due > length(s$asked)]
  show <- s$bar$show
  if (!is.null(show)) show(max(s$seen / s$n, length(s$asked) / s$budget))
}
