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
      if (!is.null(s$checkpoint) && s$ended != "interrupt") save_checkpoint(s)
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
  run <- stream_result(s)
  withCallingHandlers({
    for (w in s$warnings) warning(w)
    if (s$ended == "interrupt") {
      warn("The stream was interrupted; the model holds what was learned until then.", "osvm_interrupted")
    }
  }, warning = function(w) {
    if (is.null(w$run)) {
      w$run <- run
      warning(w)
      invokeRestart("muffleWarning")
    }
  })
  run
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
    if (length(s$waiting) > s$done) {
      take_labels(s, Inf)
      record_metrics(s, proc.time()[["elapsed"]] - started, reading)
    }
    s$spent <- elapsed(s)
    if (is.null(s$ended)) s$ended <- "source"
    return()
  }
  s$chunk <- s$chunk + 1
  read_chunk(s, part)
  s$position <- s$reader$position()
  finished <- proc.time()[["elapsed"]]
  s$spent <- elapsed(s)
  record_metrics(s, finished - started, reading)
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
  part$x <- in_stream_order(s, part$x)
  if (is.null(s$settings$outcome)) decide_outcome(s, part$y)
  part$y <- labels_by_outcome(s, part$y, n)
  part$at <- s$rows[["read"]] - n + seq_len(n)
  part <- complete_part(s, part)
  s$rows[["unlabelled"]] <- s$rows[["unlabelled"]] + sum(is.na(part$y))
  if (nrow(part$x) > 0 && identical(s$settings$evaluate, "rows")) {
    (if (has_classes(s)) learn_rows else learn_value_rows)(s, part)
  } else if (nrow(part$x) > 0) {
    part$levels <- s$model$levels
    part$prediction <- predict_chunk(s, part$x)
    part$row <- s$rows[["read"]]
    if (s$settings$keep == "predictions") keep_predictions(s, part)
    append_to(s, "waiting", part)
  }
  take_labels(s, s$rows[["read"]] - s$settings$delay)
}

# Rows of a chunk, with what belongs to them.
take_part <- function(part, rows) {
  of_row <- function(value) if (length(dim(value)) == 2) value[rows, , drop = FALSE] else value[rows]
  per_row <- intersect(names(part), c("x", "y", "at"))
  part[per_row] <- lapply(part[per_row], of_row)
  if (!is.null(part$prediction)) part$prediction <- lapply(part$prediction, of_row)
  part
}

# A data frame as the matrix that the model learns, once its encoding is known; rows with missing values, and with
# levels of factors that are new, are passed over.
complete_part <- function(s, part) {
  if (!is.null(s$encoding) && is.null(part$encoded)) {
    if (is.data.frame(part$x)) note_new_levels(s, part$x)
    part$x <- encode_new(s$encoding, part$x, "x", s$settings$new_levels)
    part$encoded <- TRUE
  }
  gone <- incomplete_rows(part$x)
  s$rows[["incomplete"]] <- s$rows[["incomplete"]] + length(gone)
  if (length(gone) > 0) take_part(part, -gone) else part
}

# An event for the first new level of a column.
note_new_levels <- function(s, x) {
  for (name in setdiff(intersect(names(x), names(s$encoding$variables)), s$told)) {
    variable <- s$encoding$variables[[name]]
    new <- if (variable$type == "factor") setdiff(as.character(unique(x[[name]])), c(variable$levels, NA))
    if (length(new) > 0 && s$settings$new_levels == "NA") {
      s$told <- c(s$told, name)
      add_event(s, "level", paste0("new in ", name, ": ", shorten(new, 60), "; such rows are passed over"))
    }
  }
}

keep_predictions <- function(s, part) {
  append_to(s, "predictions", list(
    row = part$at, label = kept_labels(s, part$y), predicted = part$prediction$class
  ))
}

# Without a copy: the list is nobody else's while it grows.
append_to <- function(s, name, value) {
  force(value)
  suspendInterrupts({
    held <- s[[name]]
    s[[name]] <- NULL
    held[[length(held) + 1]] <- value
    s[[name]] <- held
  })
}

# The columns of the first chunk, in its order by name where it has names.
in_stream_order <- function(s, x) {
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
    return(x)
  }
  if (identical(given, known)) {
    return(x)
  }
  new <- setdiff(given, known)
  gone <- setdiff(known, given)
  if (length(new) > 0) abort("The source has a new {cli::qty(new)}column{?s} from row {row} on: {.var {new}}.")
  if (length(gone) > 0) abort("The source lacks the {cli::qty(gone)}column{?s} {.var {gone}} from row {row} on.")
  order_columns(x, list(feature_names = known, n_features = length(known)), "x")
}

label_types <- c(
  numeric = "numbers", logical = "TRUE or FALSE", character = "text", factor = "text", integer = "numbers"
)

# Labels are of the type of the first ones: numbers, flags or text. Text and factors are converted to each other.
stream_labels <- function(s, y, n) {
  if (is.null(y) || all(is.na(y))) {
    return(rep(NA, n))
  }
  type <- if (is.factor(y)) "factor" else class(y)[1]
  if (!type %in% names(label_types)) check_labels(y, n)
  if (is.null(s$label)) s$label <- if (is.null(s$model)) type else s$model$label$kind
  before <- label_types[[s$label]]
  if (label_types[[type]] != before) {
    abort(c(
      "The labels are {label_types[[type]]} from row {s$rows[['read']] - n + 1} on, and were {before} before.",
      i = "The source must give all of them as one or the other."
    ))
  }
  if (before != "text" || type == s$label) y else if (s$label == "factor") as.factor(y) else as.character(y)
}

# Predictions before the labels are looked at: list(class, f), class being text, a number or a flag, f the decision
# values if probabilities are wanted.
predict_chunk <- function(s, x) {
  if (is.null(s$model)) {
    none <- if (has_classes(s)) NA_character_ else NA
    return(list(class = rep(if (is.null(s$only)) none else s$only, nrow(x))))
  }
  with_missing_rows(model_input(s$model, x, "x", "NA"), "x", function(x) {
    as_prediction(s, decision_values(s$model, x, s$model$control$threads))
  })
}

as_prediction <- function(s, f) {
  model <- if (is.null(s$map)) s$model else with_map(s$model, s$map)
  labels <- restore_labels(model, predict_targets(model, f))
  list(
    class = if (has_classes(s)) as.character(labels) else labels,
    f = if (wants_probabilities(s)) f, probability = if (!is.null(s$map)) probabilities(model, f)
  )
}

wants_probabilities <- function(s) has_classes(s) && needs_probabilities(s$evaluation)

# Labels of the examples up to this row have come: they are evaluated and learned, chunk by chunk. The first `done`
# chunks are behind us, and stay until they are half of all.
take_labels <- function(s, upto) {
  done <- s$done
  while (done < length(s$waiting) && s$waiting[[done + 1]]$row <= upto) {
    part <- s$waiting[[done + 1]]
    done <- s$done <- done + 1
    learn_chunk(s, part)
  }
  if (2 * done >= length(s$waiting)) {
    s$waiting <- s$waiting[-seq_len(done)]
    s$done <- 0
  }
}

learn_chunk <- function(s, part) {
  part <- take_part(part, which(!is.na(part$y)))
  if (is.null(part$encoded) && !is.null(s$encoding)) part <- complete_part(s, part)
  if (length(part$y) == 0) {
    return()
  }
  evaluate_chunk(s, part)
  if (needs_recent(s)) s$recent <- remember_rows(s$recent, part, s$settings$window)
  if (is.null(s$model)) begin_model(s, part) else go_on(s, part)
}

# ---- events ----

most_events <- 1000

add_event <- function(s, event, detail) {
  s$events[[length(s$events) + 1]] <- list(chunk = s$chunk, row = s$rows[["read"]], event = event, detail = detail)
  if (length(s$events) > most_events) s$events <- s$events[-1]
}

# ---- probabilities ----

# The map is fitted to the decision values of the latest examples, made before they were learned, when a tenth of them
# is `new`.
refresh_map <- function(s, part) {
  if (ncol(part$prediction$f) != nrow(s$model$machines)) {
    return()
  }
  class <- find_targets(s$model, part$y)
  new <- sum(s$map_data$new, length(class))
  s$map_data <- if (ncol(part$prediction$f) == NCOL(s$map_data$f)) {
    list(f = rbind(s$map_data$f, part$prediction$f), class = c(s$map_data$class, class))
  } else {
    list(f = part$prediction$f, class = class)
  }
  keep <- utils::tail(which(!is.na(s$map_data$class) & is.finite(s$map_data$f[, 1])), s$settings$window)
  s$map_data <- list(f = s$map_data$f[keep, , drop = FALSE], class = s$map_data$class[keep], new = new)
  enough <- tabulate(s$map_data$class, length(s$model$levels)) >= 10
  if (all(enough) && (is.null(s$map) || new >= s$settings$window / 10)) {
    s$map <- fit_map(s$model, s$map_data$f, s$map_data$class)
    s$map_data$new <- 0
  }
}

# ---- the result ----

stream_result <- function(s) {
  told <- function(name, none) c(none, unlist(lapply(s$events, `[[`, name)))
  events <- data.frame(
    chunk = told("chunk", numeric()), row = told("row", numeric()), event = told("event", character()),
    detail = told("detail", character())
  )
  fit <- if (!is.null(s$model)) live_model(s$model)
  if (!is.null(fit)) {
    fit$encoding <- s$encoding
    # An interrupt may come after the core has learned, and before that is counted here.
    if (!is.null(s$seen)) s$rows[["learned"]] <- s$rows[["learned"]] + fit$n_seen - s$seen
    s$seen <- fit$n_seen
    if (!is.null(s$map)) fit <- with_map(fit, s$map)
    class(fit) <- s$class
  }
  of_rows <- function(name, none) {
    values <- unlist(lapply(s$predictions, `[[`, name))
    if (is.null(values)) none else values
  }
  structure(list(
    fit = fit, metrics = as_metrics(s$metrics), events = events, rows = s$rows, ended = s$ended,
    seconds = s$spent,
    performance = c(
      rows_per_second = if (s$spent > 0) s$rows[["read"]] / s$spent else NA,
      megabytes = as.numeric(utils::object.size(c(list(fit), mget(held_fields, s, ifnotfound = list(NULL))))) / 2^20
    ),
    predictions = if (s$settings$keep == "predictions") {
      data.frame(row = of_rows("row", numeric()), label = of_rows("label", character()),
        predicted = of_rows("predicted", character()))
    },
    settings = c(s$settings, list(solver = s$start$specs$solver,
      kernel = if (is.null(fit)) s$start$specs$kernel else fit$kernel))
  ), class = "osvm_stream")
}

# What a run holds besides its model.
held_fields <- c(
  "evaluation", "detector", "recent", "waiting", "first", "map_data", "metrics", "events", "predictions", "memory"
)

stream_bar <- function(verbose) {
  if (!verbose) {
    return(list(show = function(s) NULL, done = function() NULL))
  }
  text <- ""
  id <- cli::cli_progress_bar(format = "{cli::pb_spin} {cli::pb_extra$text()}", clear = TRUE, .auto_close = FALSE,
    extra = list(text = function() text))
  list(
    show = function(s) {
      values <- evaluation_values(s)
      text <<- paste0(big(s$rows[["read"]]), " rows, ", names(values)[1], " ", format(c(values)[1], digits = 3))
      cli::cli_progress_update(id = id)
    },
    done = function() cli::cli_progress_done(id = id)
  )
}
