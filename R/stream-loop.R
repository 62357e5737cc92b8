# The loop of osvm_stream(). Its state `s` is an environment, see start_stream().

# An error of a chunk has the result until then.
follow_stream <- function(s) {
  s$began <- s$saved <- proc.time()[["elapsed"]]
  s$before <- s$spent
  s$at_start <- s$chunk
  s$reader <- open_source(s$source, s$position)
  on.exit(s$reader$close())
  bar <- stream_bar(s$limits$verbose)
  failure <- tryCatch(
    {
      know_kind(s)
      while (is.null(s$ended)) {
        next_chunk(s)
        bar$show(s)
      }
      if (!is.null(s$checkpoint) && s$ended != "interrupt") save_checkpoint(s)
    },
    interrupt = function(e) s$ended <- "interrupt",
    error = identity
  )
  bar$done()
  failed <- inherits(failure, "error")
  # A checkpoint may come from anywhere: whatever fails after it is said in one sentence.
  if (failed && !is.null(s$resumed) && !inherits(failure, "osvm_error")) {
    abort("The run could not go on from its checkpoint: {reason_of(failure)}.")
  }
  run <- stream_result(s)
  if (failed) {
    failure$run <- run
    stop(failure)
  }
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
  kind <- if (is.null(s$label)) s$model$label$kind else s$label
  if (is.null(kind) && !all(is.na(part$y))) s$label <- label_type(part$y)
  part$y <- s$kind$read(part$y, n, kind, s$rows[["read"]] - n + 1) # NA: not learned
  part$at <- s$rows[["read"]] - n + seq_len(n)
  part <- complete_part(s, part)
  s$rows[["unlabelled"]] <- s$rows[["unlabelled"]] + sum(is.na(part$y))
  if (nrow(part$x) > 0 && identical(s$settings$evaluate, "rows")) {
    learn_rows(s, part)
  } else if (nrow(part$x) > 0) {
    part$levels <- s$model$levels
    part$prediction <- with_limit(s, predict_chunk(s, part$x, part$columns))
    part$row <- s$rows[["read"]]
    if (s$settings$keep == "predictions") keep_predictions(s, part)
    append_to(s, "waiting", part)
  }
  take_labels(s, s$rows[["read"]] - s$settings$delay)
}

# Predictions before the labels are looked at: list(class, f, probability, columns, strange, scale), class being text, a
# number or a flag, f the decision values if probabilities are wanted; of several quantiles class is the one nearest the
# median, and columns has all of them; of a stream with a level how unusual each class is, and on which scale that is
# measured. `x`, `columns`: of a part, see complete_part().
predict_chunk <- function(s, x, columns = NULL) {
  model <- s$model
  if (is.null(model)) {
    return(list(class = rep(if (is.null(s$only)) s$kind$text(NA) else s$only, nrow(x))))
  }
  if (!is_constant(model$transform)) {
    x <- apply_transform(model$transform, x)
    columns <- NULL
  }
  if (is.null(columns)) columns <- describe_columns(x, moments = FALSE)
  as_prediction(s, decision_values(model, x, model$control$threads, columns))
}

as_prediction <- function(s, f) {
  model <- if (is.null(s$map)) s$model else with_map(s$model, s$map)
  class <- restore_labels(model, predict_targets(model, f))
  columns <- if (is.matrix(class)) class
  if (!is.null(columns)) class <- unname(columns[, which.min(abs(quantiles_of(model$loss) - 0.5))])
  out <- list(
    class = s$kind$text(class), columns = columns,
    f = if (s$evaluation$probabilities) f, probability = if (!is.null(s$map)) probabilities(model, f)
  )
  if (!is.null(s$evaluation$certainty)) {
    out$scale <- rep(threshold_scale(model), nrow(f))
    if (s$classes) out$strange <- structure(class_strangeness(model, f), dimnames = list(NULL, model$levels))
  }
  out
}

# Labels of the examples up to this row have come: they are evaluated and learned, chunk by chunk. The first `done`
# chunks are behind us, and stay until they are half of all.
take_labels <- function(s, upto) {
  done <- s$done
  while (done < length(s$waiting) && s$waiting[[done + 1]]$row <= upto) {
    part <- s$waiting[[done + 1]]
    done <- s$done <- done + 1
    if (anyNA(part$y)) part <- take_part(part, which(!is.na(part$y)))
    if (is.null(part$encoded) && !is.null(s$encoding)) part <- complete_part(s, part)
    if (length(part$y) > 0) {
      evaluate_chunk(s, part)
      learn_part(s, part)
    }
  }
  if (2 * done >= length(s$waiting)) {
    s$waiting <- s$waiting[-seq_len(done)]
    s$done <- 0
  }
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
