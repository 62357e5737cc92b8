# What a run tells: events, predictions, the table of metrics, the result.

most_events <- 1000

add_event <- function(s, event, detail) {
  s$events[[length(s$events) + 1]] <- list(chunk = s$chunk, row = s$rows[["read"]], event = event, detail = detail)
  if (length(s$events) > most_events) s$events <- s$events[-1]
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

keep_predictions <- function(s, part, told = told_rows(s, part$prediction), columns = part$prediction$columns) {
  label <- if (s$kind$labelled) s$kind$text(part$y) else NA & part$y
  append_to(s, "predictions", c(list(row = part$at, label = label, columns = columns), told))
}

# Of several quantiles a column each, NA in rows that came before there was a model.
as_predictions <- function(parts, table) {
  columns <- lapply(parts, `[[`, "columns")
  known <- lengths(columns) > 0
  if (any(known)) {
    of_each <- matrix(NA_real_, nrow(table), ncol(columns[[which(known)[1]]]))
    colnames(of_each) <- colnames(columns[[which(known)[1]]])
    of_each[rep(known, vapply(parts, function(part) length(part$row), 0)), ] <- do.call(rbind, columns[known])
    table <- cbind(table, of_each)
  }
  table
}

# The table of metrics, in blocks of which only the last changes: a chunk costs the same however many came before. When
# there are most_metrics rows, two become one, of twice as many chunks; the last row is the latest chunk's.
#   last    the rows after the blocks
#   chunks  per row; `open`: in the last row so far
most_metrics <- 10000
block_rows <- 64

# Times are those since the row before.
record_metrics <- function(s, seconds, reading) {
  if (is.null(s$evaluation)) {
    return() # nothing but empty chunks so far
  }
  n_sv <- if (is.null(s$model)) 0 else s$model$n_sv
  row <- c(
    chunk = s$chunk, row = s$rows[["read"]], seconds = seconds, reading = reading, n_sv = n_sv,
    prequential_values(s$evaluation)
  )
  table <- s$metrics
  at <- NROW(table$last)
  new <- at == 0 || table$last[[at, "chunk"]] != s$chunk # else labels that came at the end
  if (new && table$open == table$chunks) {
    if (at == block_rows) table <- close_block(table)
    table$last <- rbind(table$last, row, deparse.level = 0)
    table$open <- 1
  } else {
    times <- c("seconds", "reading")
    row[times] <- row[times] + table$last[at, times]
    table$last[at, ] <- row
    table$open <- table$open + new
  }
  s$metrics <- table
}

close_block <- function(table) {
  table$blocks[[length(table$blocks) + 1]] <- table$last
  table$rows <- table$rows + block_rows
  table$last <- NULL
  if (table$rows + block_rows > most_metrics) {
    all <- do.call(rbind, table$blocks)
    second <- seq(2, nrow(all), by = 2)
    times <- c("seconds", "reading")
    all[second, times] <- all[second, times] + all[second - 1, times]
    table$blocks <- list(all[second, , drop = FALSE])
    table$rows <- length(second)
    table$chunks <- 2 * table$chunks
  }
  table
}

stream_result <- function(s) {
  collect <- function(parts, columns) {
    found <- lapply(names(columns), function(name) unlist(lapply(parts, `[[`, name)) %||% columns[[name]])
    as_table(stats::setNames(found, names(columns)))
  }
  none <- matrix(0, 0, length(stream_columns), dimnames = list(NULL, stream_columns))
  metrics <- if (is.null(s$metrics$last)) list(none) else c(s$metrics$blocks, list(s$metrics$last))
  fit <- if (!is.null(s$model)) live_model(s$model)
  if (!is.null(fit)) {
    fit$encoding <- s$encoding
    # An interrupt may come after the core has learned, and before that is counted here.
    if (!is.null(s$seen)) s$rows[["learned"]] <- s$rows[["learned"]] + fit$n_seen - s$seen
    s$seen <- fit$n_seen
    if (!is.null(s$map)) fit <- with_map(fit, s$map)
    fit <- with_stream_scores(s, fit)
    class(fit) <- s$class
  }
  structure(list(
    fit = fit, metrics = as.data.frame(do.call(rbind, metrics)),
    events = collect(s$events, list(chunk = numeric(), row = numeric(), event = character(), detail = character())),
    rows = s$rows, ended = s$ended, level = s$evaluation$certainty$now, seconds = s$spent,
    performance = c(
      rows_per_second = if (s$spent > 0) s$rows[["read"]] / s$spent else NA,
      megabytes = as.numeric(utils::object.size(c(list(fit), mget(held_fields, s, ifnotfound = list(NULL))))) / 2^20
    ),
    predictions = if (s$settings$keep == "predictions") {
      sets <- setdiff(names(s$predictions[[1]]), c("row", "label", "predicted", "columns"))
      types <- list(row = numeric(), label = character(), predicted = character())
      as_predictions(s$predictions, collect(s$predictions, c(types, sapply(sets, function(name) character()))))
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
      values <- prequential_values(s$evaluation)
      text <<- paste0(big(s$rows[["read"]]), " rows, ", names(values)[1], " ", format(c(values)[1], digits = 3))
      cli::cli_progress_update(id = id)
    },
    done = function() cli::cli_progress_done(id = id)
  )
}
