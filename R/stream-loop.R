# The loop of osvm_stream(). Its state `s` is an environment, see start_stream().

follow_stream <- function(s) {
  s$began <- s$saved <- proc.time()[["elapsed"]]
  s$before <- s$spent
  s$at_start <- s$chunk
  s$reader <- open_source(s$source, s$position)
  on.exit(s$reader$close())
  bar <- stream_bar(s$limits$verbose)
  failure <- tryCatch(
    {
      while (is.null(s$ended)) {
        next_chunk(s)
        bar$show(s)
      }
      NULL
    },
    interrupt = function(e) {
      s$ended <- "interrupt"
      NULL
    },
    error = identity
  )
  bar$done()
  if (!is.null(failure)) stop_stream(s, failure)
  if (!is.null(s$checkpoint) && s$ended != "interrupt") save_checkpoint(s)
  for (w in s$warnings) warning(w)
  if (s$ended == "interrupt") {
    warn("The stream was interrupted; the model holds what was learned until then.", "osvm_interrupted")
  }
  stream_result(s)
}

# The error of a chunk, with the result until then. A checkpoint may come from anywhere: whatever fails after it is said
# in one sentence.
stop_stream <- function(s, failure) {
  if (!is.null(s$resumed) && !inherits(failure, "osvm_error")) {
    reason <- sub("[.]$", "", conditionMessage(failure))
    abort("The run could not go on from its checkpoint: {reason}.")
  }
  failure$run <- stream_result(s)
  stop(failure)
}

elapsed <- function(s) s$before + proc.time()[["elapsed"]] - s$began

next_chunk <- function(s) {
  started <- proc.time()[["elapsed"]]
  s$position <- s$reader$position()
  part <- s$reader$read(s$settings$chunk)
  reading <- proc.time()[["elapsed"]] - started
  if (is.null(part)) {
    take_labels(s, Inf)
    s$ended <- "source"
    return()
  }
  s$chunk <- s$chunk + 1
  read_chunk(s, part)
  s$position <- s$reader$position()
  finished <- proc.time()[["elapsed"]]
  s$spent <- elapsed(s)
  n_sv <- if (is.null(s$model)) 0 else s$model$n_sv
  s$metrics <- add_row(s$metrics, c(
    chunk = s$chunk, row = s$rows[["read"]], seconds = finished - started, reading = reading, n_sv = n_sv,
    prequential_values(s$evaluation)
  ))
  if (is.null(s$ended)) {
    if (s$spent - s$before >= s$limits$seconds) s$ended <- "seconds"
    else if (s$chunk - s$at_start >= s$limits$chunks) s$ended <- "chunks"
  }
  due <- s$chunk %% s$settings$every_chunks == 0 || finished - s$saved >= s$settings$every_seconds
  if (!is.null(s$checkpoint) && due && is.null(s$ended)) {
    save_checkpoint(s)
    s$saved <- proc.time()[["elapsed"]]
  }
}

read_chunk <- function(s, part) {
  n <- nrow(part$x)
  if (n == 0) {
    s$rows[["empty_chunks"]] <- s$rows[["empty_chunks"]] + 1
    return()
  }
  s$rows[["read"]] <- s$rows[["read"]] + n
  check_stream_columns(s, part$x)
  gone <- incomplete_rows(part$x)
  if (length(gone) > 0) {
    s$rows[["incomplete"]] <- s$rows[["incomplete"]] + length(gone)
    part <- list(x = part$x[-gone, , drop = FALSE], y = part$y[-gone])
    if (nrow(part$x) == 0) {
      return()
    }
  }
  if (is.null(part$y)) part$y <- rep(NA, nrow(part$x))
  s$rows[["unlabelled"]] <- s$rows[["unlabelled"]] + sum(is.na(part$y))
  part$levels <- s$model$levels
  part$prediction <- predict_chunk(s, part$x)
  part$row <- s$rows[["read"]]
  s$waiting[[length(s$waiting) + 1]] <- part
  take_labels(s, s$rows[["read"]] - s$settings$delay)
}

# The columns of the first chunk, by name where it has names.
check_stream_columns <- function(s, x) {
  given <- column_names(x)
  if (is.null(s$columns)) {
    known <- if (!is.data.frame(x)) s$model$feature_names
    s$columns <- list(number = ncol(x), names = if (is.null(known)) given else known)
  }
  known <- s$columns$names
  row <- s$rows[["read"]] - nrow(x) + 1
  if (is.null(given) || is.null(known)) {
    before <- s$columns$number
    if (ncol(x) != before) abort("The source has {ncol(x)} column{?s} from row {row} on, and had {before} before.")
  } else if (!identical(given, known)) {
    new <- setdiff(given, known)
    gone <- setdiff(known, given)
    if (length(new) > 0) abort("The source has a new {cli::qty(new)}column{?s} from row {row} on: {.var {new}}.")
    if (length(gone) > 0) abort("The source lacks the {cli::qty(gone)}column{?s} {.var {gone}} from row {row} on.")
  }
}

# Predictions before the labels are looked at: list(class, f), f the decision values if probabilities are wanted.
predict_chunk <- function(s, x) {
  if (is.null(s$model)) {
    return(list(class = rep(if (is.null(s$only)) NA_character_ else s$only, nrow(x))))
  }
  with_missing_rows(model_input(s$model, x, "x", "NA"), "x", function(x) {
    f <- decision_values(s$model, x, s$model$control$threads)
    model <- if (is.null(s$map)) s$model else with_map(s$model, s$map)
    list(
      class = as.character(restore_labels(model, predict_targets(model, f))),
      f = if (wants_probabilities(s)) f, probability = if (!is.null(s$map)) probabilities(model, f)
    )
  })
}

wants_probabilities <- function(s) needs_probabilities(s$evaluation)

# Labels of the examples up to this row have come: they are evaluated and learned, chunk by chunk.
take_labels <- function(s, upto) {
  while (length(s$waiting) > 0 && s$waiting[[1]]$row <= upto) {
    part <- s$waiting[[1]]
    s$waiting <- s$waiting[-1]
    learn_chunk(s, part)
  }
}

learn_chunk <- function(s, part) {
  labelled <- which(!is.na(part$y))
  if (length(labelled) == 0) {
    return()
  }
  part <- list(
    x = part$x[labelled, , drop = FALSE], y = part$y[labelled], levels = part$levels,
    prediction = lapply(part$prediction, function(p) if (is.matrix(p)) p[labelled, , drop = FALSE] else p[labelled])
  )
  evaluate_chunk(s, part)
  if (needs_recent(s)) remember_recent(s, part)
  s$rows[["learned"]] <- s$rows[["learned"]] + length(part$y)
  if (is.null(s$model)) {
    begin_model(s, part)
    return()
  }
  unknown <- unique(part$y[is.na(find_targets(s$model, part$y))])
  if (length(unknown) > 0) welcome_classes(s, unknown)
  with_warnings_kept(s, {
    new <- examples_of_update(s$model, part$x, part$y, NULL, NULL, stats::na.omit)
    s$model <- learn(new$model, new$examples)
  })
}

evaluate_chunk <- function(s, part) {
  truth <- as.character(part$y)
  s$evaluation <- prequential_add(s$evaluation, truth, part$prediction$class, part$prediction$probability, part$levels)
  if (!is.null(part$prediction$f) && !is.null(s$model)) refresh_map(s, part)
  watch_drift(s, truth != part$prediction$class)
}

# ---- the beginning ----

# The model starts when two classes are known, from the examples that have come so far.
begin_model <- function(s, part) {
  if (!is.null(s$first)) part <- bind_examples(list(s$first, part[c("x", "y")]))
  values <- unique(part$y)
  if (length(values) < 2 && is.null(s$start$levels)) {
    keep <- utils::tail(seq_along(part$y), s$settings$window)
    s$first <- list(x = part$x[keep, , drop = FALSE], y = part$y[keep])
    s$only <- as.character(values)
    return()
  }
  s$first <- s$only <- NULL
  with_warnings_kept(s, {
    new <- start_live(extend_start(s$start, part$y), part$x, part$y, NULL, stats::na.omit)
    new$model$control$verbose <- FALSE
    s$model <- learn(open_live(new$model), new$examples)
  })
}

# Declared classes, and those that have come nevertheless.
extend_start <- function(start, y) {
  if (!is.null(start$levels)) {
    new <- setdiff(as.character(unique(y)), as.character(start$levels))
    start$levels <- c(as.character(start$levels), new)
    if (is.numeric(y)) start$levels <- as.numeric(start$levels)
  }
  start
}

welcome_classes <- function(s, new) {
  s$model <- open_live(join_classes(live_model(s$model), if (is.factor(new)) as.character(new) else new))
  s$map <- NULL
  add_event(s, "class", paste("new:", paste(as.character(new), collapse = ", ")))
}

add_event <- function(s, event, detail) {
  s$events[[length(s$events) + 1]] <- list(chunk = s$chunk, row = s$rows[["read"]], event = event, detail = detail)
}

# ---- probabilities ----

# The map is fitted to the decision values of the latest examples, made before they were learned.
refresh_map <- function(s, part) {
  if (ncol(part$prediction$f) != nrow(s$model$machines)) {
    return()
  }
  class <- find_targets(s$model, part$y)
  s$map_data <- if (ncol(part$prediction$f) == NCOL(s$map_data$f)) {
    list(f = rbind(s$map_data$f, part$prediction$f), class = c(s$map_data$class, class))
  } else {
    list(f = part$prediction$f, class = class)
  }
  keep <- utils::tail(which(!is.na(s$map_data$class) & is.finite(s$map_data$f[, 1])), s$settings$window)
  s$map_data <- list(f = s$map_data$f[keep, , drop = FALSE], class = s$map_data$class[keep])
  enough <- tabulate(s$map_data$class, length(s$model$levels)) >= 10
  if (all(enough)) s$map <- fit_map(s$model, s$map_data$f, s$map_data$class)
}

# ---- the result ----

stream_result <- function(s) {
  told <- function(name, none) c(none, unlist(lapply(s$events, `[[`, name)))
  events <- data.frame(
    chunk = told("chunk", numeric()), row = told("row", numeric()), event = told("event", character()),
    detail = told("detail", character())
  )
  fit <- if (!is.null(s$model)) live_model(s$model)
  if (!is.null(fit) && !is.null(s$map)) fit <- with_map(fit, s$map)
  if (!is.null(fit)) class(fit) <- s$class
  structure(list(
    fit = fit, metrics = as_metrics(s$metrics), events = events, rows = s$rows, ended = s$ended,
    seconds = s$spent,
    settings = c(s$settings, list(warm_up = s$evaluation$warm_up, solver = s$start$specs$solver,
      kernel = if (is.null(fit)) s$start$specs$kernel else fit$kernel))
  ), class = "osvm_stream")
}

stream_bar <- function(verbose) {
  if (!verbose) {
    return(list(show = function(s) NULL, done = function() NULL))
  }
  text <- ""
  id <- cli::cli_progress_bar(format = "{cli::pb_spin} {cli::pb_extra$text()}", clear = TRUE, .auto_close = FALSE,
    extra = list(text = function() text))
  list(
    show = function(s) {
      values <- prequential_values(s$evaluation)
      text <<- paste0(big(s$rows[["read"]]), " rows, ", names(values)[1], " ", format(values[[1]], digits = 3))
      cli::cli_progress_update(id = id)
    },
    done = function() cli::cli_progress_done(id = id)
  )
}
