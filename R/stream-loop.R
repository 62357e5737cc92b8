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
  part$y <- stream_labels(s, part$y, n)
  part$at <- s$rows[["read"]] - n + seq_len(n)
  part <- complete_part(s, part)
  s$rows[["unlabelled"]] <- s$rows[["unlabelled"]] + sum(is.na(part$y))
  if (nrow(part$x) > 0 && identical(s$settings$evaluate, "rows")) {
    learn_rows(s, part)
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
  part$prediction <- lapply(part$prediction, of_row)
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
    row = part$at, label = as.character(part$y), predicted = part$prediction$class
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
  type <- class(y)[1]
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

# Predictions before the labels are looked at: list(class, f), f the decision values if probabilities are wanted.
predict_chunk <- function(s, x) {
  if (is.null(s$model)) {
    return(list(class = rep(if (is.null(s$only)) NA_character_ else s$only, nrow(x))))
  }
  with_missing_rows(model_input(s$model, x, "x", "NA"), "x", function(x) {
    as_prediction(s, decision_values(s$model, x, s$model$control$threads))
  })
}

as_prediction <- function(s, f) {
  model <- if (is.null(s$map)) s$model else with_map(s$model, s$map)
  list(
    class = as.character(restore_labels(model, predict_targets(model, f))),
    f = if (wants_probabilities(s)) f, probability = if (!is.null(s$map)) probabilities(model, f)
  )
}

wants_probabilities <- function(s) needs_probabilities(s$evaluation)

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

# ---- by rows ----

# The rows of a chunk, each predicted by the model that has learned those before it. A class that is new to the model
# begins a new piece.
learn_rows <- function(s, part) {
  for (rows in pieces_of(s, part$y)) {
    piece <- take_part(part, rows)
    learned <- which(!is.na(piece$y))
    before <- if (is.null(s$model)) only_classes(s, piece$y) else first_of_class(s, piece)
    if (s$settings$keep == "predictions" && length(learned) < length(rows)) {
      before[-learned] <- predict_chunk(s, piece$x[-learned, , drop = FALSE])$class
    }
    labelled <- take_part(piece, learned)
    levels <- if (is.null(s$model)) as.character(labelled$y[1]) else s$model$levels
    if (needs_recent(s) && length(learned) > 0) s$recent <- remember_rows(s$recent, labelled, s$settings$window)
    f <- if (length(learned) > 0) (if (is.null(s$model)) begin_model else go_on)(s, labelled)
    labelled$levels <- unique(c(levels, s$model$levels)) # as they became known
    labelled$prediction <- row_prediction(s, f, before[learned])
    if (length(learned) > 0) evaluate_chunk(s, labelled, at_hand = 0)
    if (s$settings$keep == "predictions") {
      before[learned] <- labelled$prediction$class
      piece$prediction$class <- before
      keep_predictions(s, piece)
    }
  }
}

pieces_of <- function(s, y) {
  new <- if (!is.null(s$model)) which(!duplicated(y) & !is.na(y) & is.na(find_targets(s$model, y)))
  split(seq_along(y), findInterval(seq_along(y), c(1, setdiff(new, 1))))
}

# What is predicted while there is no model: the only class so far. "": the model that begins within the chunk.
only_classes <- function(s, y) {
  known <- s$only
  out <- rep(NA_character_, length(y))
  for (i in which(!is.na(y))) {
    begun <- length(known) > 1 || length(known) > 0 && !is.null(s$start$levels)
    if (begun) {
      out[i:length(y)] <- ""
      break
    }
    if (length(known) > 0) out[i] <- known
    known <- union(known, as.character(y[i]))
  }
  out
}

# The first row of a class that the model does not know is predicted by the model without it; "": the others.
first_of_class <- function(s, piece) {
  out <- rep("", length(piece$y))
  if (!is.na(piece$y[1]) && is.na(find_targets(s$model, piece$y[1]))) {
    out[1] <- predict_chunk(s, piece$x[1, , drop = FALSE])$class
  }
  out
}

# From the outputs of the examples, NULL if there is no model yet, where no class is given; NA: it was not learned.
row_prediction <- function(s, f, class) {
  asked <- which(class %in% "")
  class[asked] <- NA
  if (is.null(f)) {
    return(list(class = class))
  }
  known <- which(is.finite(f[, 1]))
  prediction <- as_prediction(s, f[known, , drop = FALSE])
  now <- intersect(asked, known)
  class[now] <- prediction$class[match(now, known)]
  spread <- function(values) if (!is.null(values)) values[match(seq_along(class), known), , drop = FALSE]
  list(class = class, f = spread(prediction$f), probability = spread(prediction$probability))
}

# ---- learning ----

# The outputs of the examples before each was learned are the value, if rows are evaluated. The model and the count of
# what it has learned change together, or not at all.
learn_counted <- function(s, model, examples, before) {
  run <- run_examples(model, examples, outputs = identical(s$settings$evaluate, "rows"))
  signal_run(run)
  set_stream_model(s, run$model, min(before, run$model$n_seen))
  run$outputs
}

go_on <- function(s, part) {
  unknown <- unique(part$y[is.na(find_targets(s$model, part$y))])
  if (length(unknown) > 0 && outgrows(s, length(s$model$levels) + length(unknown))) {
    return(begin_again(s, part, unknown))
  }
  outputs <- with_warnings_kept(s, {
    model <- if (length(unknown) > 0) join_model(s$model, unknown, length(part$y)) else s$model
    new <- examples_of_update(model, part$x, part$y, NULL, NULL, stats::na.omit)
    learn_counted(s, new$model, new$examples, s$model$n_seen)
  })
  if (length(unknown) > 0) {
    s$map <- NULL
    add_event(s, "class", paste("new:", paste(as.character(unknown), collapse = ", ")))
  }
  outputs
}

# Whether so many classes are learned one against the rest, where the model has a classifier for each pair, whose
# number, times that of the examples, every further class would multiply.
outgrows <- function(s, classes) {
  is.null(s$start$arguments$multiclass) && choose_multiclass(NULL, classes) != s$model$multiclass &&
    keeps_examples(s$model)
}

# From the examples that the model keeps, and the chunk, with the scaling and the kernel of the model.
begin_again <- function(s, part, unknown) {
  fit <- live_model(s$model)
  known <- which(!is.na(fit$target))
  kept <- list(x = sv_in_units(fit)[known, , drop = FALSE], y = restore_labels(fit, fit$target[known]))
  s$start$levels <- c(as.character(fit$levels), as.character(unknown))
  if (is.numeric(part$y)) s$start$levels <- as.numeric(s$start$levels)
  all <- bind_examples(list(kept, part[c("x", "y")]))
  start <- s$start
  s$start$specs$kernel <- fit$kernel
  if (!is.null(fit$scaling)) s$start$arguments$scale <- fit$scaling
  outputs <- start_model(s, all, length(known))
  s$start <- start
  s$map <- NULL
  add_event(s, "class", paste("new:", paste(as.character(unknown), collapse = ", ")))
  add_event(s, "restart", paste("one against the rest, from", count(length(all$y), "example")))
  utils::tail(outputs, length(part$y))
}

set_stream_model <- function(s, model, before) {
  learned <- s$rows[["learned"]] + model$n_seen - before
  suspendInterrupts({
    s$model <- model
    s$seen <- model$n_seen
    s$rows[["learned"]] <- learned
  })
}

# `at_hand`: how many of the examples are learned afterwards.
evaluate_chunk <- function(s, part, at_hand = length(part$y)) {
  truth <- as.character(part$y)
  s$evaluation <- prequential_add(s$evaluation, truth, part$prediction$class, part$prediction$probability, part$levels)
  if (!is.null(part$prediction$f) && !is.null(s$model)) refresh_map(s, part)
  watch_drift(s, truth != part$prediction$class, at_hand)
}

# ---- the beginning ----

# The model starts when two classes are known, from the examples that have come so far.
begin_model <- function(s, part) {
  s$first <- remember_rows(s$first, part, s$settings$window + length(part$y))
  s$only <- union(s$only, as.character(unique(part$y)))
  if (length(s$only) < 2 && is.null(s$start$levels)) {
    return()
  }
  outputs <- start_model(s, latest_rows(s$first, s$settings$window + length(part$y)), 0)
  s$first <- s$only <- NULL
  utils::tail(outputs, length(part$y))
}

# `before`: how many of the examples have been counted as learned.
start_model <- function(s, part, before) {
  outputs <- with_warnings_kept(s, {
    new <- start_live(extend_start(s$start, part$y), part$x, part$y, NULL, stats::na.omit)
    new$model$control$verbose <- FALSE
    if (is.null(s$encoding)) s$encoding <- new$model$encoding
    new$model$encoding <- NULL # chunks are encoded when they come
    learn_counted(s, open_live(new$model), new$examples, before)
  })
  if (!is.null(s$encoding)) s$recent <- encode_rows(s, s$recent)
  outputs
}

encode_rows <- function(s, held) {
  held$pieces <- lapply(held$pieces, function(piece) {
    if (is.data.frame(piece$x)) piece$x <- encode_new(s$encoding, piece$x, "x", s$settings$new_levels)
    piece
  })
  held
}

# Declared classes, and those that have come nevertheless.
extend_start <- function(start, y) {
  if (!is.null(start$levels)) {
    new <- setdiff(as.character(unique(y)), as.character(start$levels))
    start$levels <- c(as.character(start$levels), new)
    if (is.numeric(y)) {
      start$levels <- as.numeric(start$levels)
      if (length(new) > 0) check_numeric_classes(c(start$levels, y), "y")
    }
  }
  start
}

# New classes join, of which the first examples are among the n to come.
join_model <- function(model, new, n) {
  if (is.numeric(new)) {
    values <- c(model$label$values, new)
    check_distinct(values)
    check_numeric_classes(rep_len(values, max(length(values), model$n_seen + n)), "y")
  }
  open_live(join_classes(live_model(model), if (is.factor(new)) as.character(new) else new))
}

# ---- rows that are kept ----

# The latest examples, `most` of them or some more, in pieces of some hundred rows, oldest first: only the ends change.
remember_rows <- function(held, part, most) {
  part <- part[c("x", "y")]
  last <- length(held$pieces)
  if (last > 0 && length(held$pieces[[last]]$y) < 256) {
    held$pieces[[last]] <- bind_examples(list(held$pieces[[last]], part))
  } else {
    held$pieces[[last + 1]] <- part
  }
  held$rows <- sum(held$rows, length(part$y))
  while (length(held$pieces) > 1 && held$rows - length(held$pieces[[1]]$y) >= most) {
    held$rows <- held$rows - length(held$pieces[[1]]$y)
    held$pieces <- held$pieces[-1]
  }
  held
}

latest_rows <- function(held, most) {
  all <- bind_examples(held$pieces)
  keep <- utils::tail(seq_along(all$y), most)
  list(x = all$x[keep, , drop = FALSE], y = all$y[keep])
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
  of_rows <- function(name, none) c(none, unlist(lapply(s$predictions, `[[`, name)))
  structure(list(
    fit = fit, metrics = as_metrics(s$metrics), events = events, rows = s$rows, ended = s$ended,
    seconds = s$spent,
    predictions = if (s$settings$keep == "predictions") {
      data.frame(row = of_rows("row", numeric()), label = of_rows("label", character()),
        predicted = of_rows("predicted", character()))
    },
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
