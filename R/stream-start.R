# The state of a run, and the model that it begins with.

# The state of a run, all of it plain values but for the model, which is live, and the reader.
start_stream <- function(source, settings, fit, levels, solver, kernel, ...) {
  s <- list2env(list(
    source = source, settings = settings, detector = drift_start(settings$drift),
    rows = c(read = 0, learned = 0, unlabelled = 0, incomplete = 0, empty_chunks = 0), chunk = 0, spent = 0,
    waiting = list(), done = 0, map_data = list(), events = list(), warnings = list(),
    metrics = list(blocks = list(), rows = 0, last = NULL, chunks = 1, open = 1)
  ), parent = emptyenv())
  if (is.null(fit)) {
    loss <- list(...)$loss
    if (!is.null(loss)) loss <- as_spec(loss, "loss")
    if (!identical(loss$name, "novelty")) check_labelled(source)
    solver <- if (is.null(solver)) default_online(kernel, loss) else as_spec(solver, "solver")
    if (evaluates_rows(settings$evaluate, settings$delay)) solver <- by_rows(solver)
    s$start <- read_start(levels, NULL, solver, kernel, ...)
    s$class <- c(paste0("osvm_", s$start$specs$solver$name), "osvm")
  } else {
    if (!is.null(solver) || !is.null(kernel) || !is.null(levels) || ...length() > 0) {
      abort("{.arg solver}, {.arg kernel}, {.arg levels} and further arguments must be left out with {.arg fit}.")
    }
    s$model <- live_from(fit)
    s$class <- class(fit)
    s$seen <- fit$n_seen
    s$start <- start_like(s$model)
    s$encoding <- s$model$encoding
    s$model$encoding <- NULL # chunks are encoded when they come
  }
  s$settings$evaluate <- choose_evaluation(settings$evaluate, settings$delay, s$start$specs$solver)
  check_reaction(settings$drift, s$start$specs$solver)
  check_forgetting(settings$forget_after, s$start$specs$solver)
  declare_outcome(s)
  s
}

# Unless the user says otherwise.
evaluates_rows <- function(evaluate, delay) identical(evaluate, "rows") || is.null(evaluate) && delay == 0

# Once and in order, but for what was `given`.
in_order <- function(solver, given = NULL) {
  order <- role_name(solver, "shuffle")
  passes <- role_name(solver, "epochs")
  if (length(setdiff(order, given)) > 0) solver <- set_role(solver, "shuffle", FALSE)
  if (length(setdiff(passes, given)) > 0) solver <- set_role(solver, "epochs", 1)
  solver
}

# The solver in order, if it then learns row by row: others learn better from shuffled chunks.
by_rows <- function(solver) {
  ordered <- in_order(solver, attr(solver, "given"))
  if (ordered$traits$by_rows) ordered else solver
}

choose_evaluation <- function(evaluate, delay, solver) {
  able <- solver$traits$by_rows
  if (identical(evaluate, "rows") && delay > 0) {
    abort(c(
      "{.arg evaluate} must be {.val chunks} with a {.arg delay}: predictions are then made chunk by chunk.",
      i = "{.code chunk = 1} makes them row by row."
    ))
  }
  if (identical(evaluate, "rows") && !able) {
    abort(c(
      "{.arg evaluate} must be {.val chunks} for {.code {format(solver)}}, which does not learn row by row.",
      i = "A solver that does visits every example once and in order, and neither finishes nor averages:
           {.code {format(in_order(default_online(NULL)))}}."
    ))
  }
  if (able && evaluates_rows(evaluate, delay)) "rows" else "chunks"
}

# What a model that follows on this one starts from: a scaling that was given stays.
start_like <- function(model) {
  given <- !is.null(model$scaling) && !"scaling" %in% model$estimated
  scale <- if (given) model$scaling else kind_of(model$transform)$scale
  weights <- stats::setNames(model$class_weights, model$levels)
  control <- model$control
  control <- control[!names(control) %in% c("bounded", if (!isTRUE(control$bounded)) "cache_mb")]
  list(
    levels = model$levels, n_features = NULL, specs = list(solver = model$solver, kernel = model$kernel),
    arguments = c(list(scale = scale, multiclass = model$multiclass, class_weights = weights), control)
  )
}

# ---- the first model ----

# The model starts when two classes are known, or enough numbers, from the examples that have come so far.
begin_model <- function(s, part) {
  s$first <- remember_rows(s$first, part, s$settings$window + length(part$y))
  if (s$classes) s$only <- union(s$only, as.character(unique(part$y)))
  if (!can_start(s)) {
    return()
  }
  first <- latest_rows(s$first, s$settings$window + length(part$y))
  outputs <- start_model(s, first, 0)
  known <- if (s$classes) unique(as.character(utils::head(first$y, -length(part$y))))
  if (length(known) > 0) classes_joined(s, setdiff(as.character(part$y), known), s$model$levels)
  remember_classes(s, first)
  s$first <- s$only <- NULL
  utils::tail(outputs, length(part$y))
}

# `before`: how many of the examples have been counted as learned.
start_model <- function(s, part, before) {
  outputs <- with_warnings_kept(s, {
    new <- start_live(extend_start(s$start, part$y), part$x, if (s$kind$labelled) part$y, NULL, stats::na.omit)
    new$model$control$verbose <- FALSE
    if (is.null(s$encoding)) s$encoding <- new$model$encoding
    new$model$encoding <- NULL # chunks are encoded when they come
    learn_counted(s, open_live(new$model), new$examples, before)
  })
  s$recent$pieces <- lapply(s$recent$pieces, function(piece) {
    if (is.data.frame(piece$x)) piece$x <- encode_new(s$encoding, piece$x, "x", s$settings$new_levels)
    piece
  })
  outputs
}

# Declared classes, and those that have come nevertheless.
extend_start <- function(start, y) {
  if (is.null(start$levels)) {
    return(start)
  }
  new <- setdiff(as.character(unique(y)), as.character(start$levels))
  start$levels <- c(as.character(start$levels), new)
  if (is.numeric(y)) start$levels <- as.numeric(start$levels)
  if (is.numeric(y) && length(new) > 0) {
    survey <- survey_classes(c(start$levels, y), length(start$levels) + length(y))
    check_numeric_classes(survey$values, survey$members, "y")
  }
  start
}
