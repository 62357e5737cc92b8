#' Print, summarise and use a stream
#'
#' `print()` shows what was read and learned, the metrics at the end beside the baselines, and the latest events;
#' `summary()` all events. `predict()` is that of the model at the end, `as.data.frame()` the metrics chunk by chunk.
#'
#' @param x,object A result of [osvm_stream()], or its summary.
#' @param n How many events to show.
#' @param newdata New examples, see [`predict()`][predict.osvm].
#' @param what Which table: `"metrics"`, `"events"`, or `"predictions"`, of a stream that keeps them.
#' @param type,level See [`predict()`][predict.osvm]. With `osvm_stream(level = )` there are sets or intervals, and
#'   `level` is by default the adapted one, `object$level`.
#' @param row.names,optional Not used.
#' @param ... `predict()`: further arguments of [`predict()`][predict.osvm]. Otherwise not used: an unknown argument is
#'   an error.
#' @returns `print()` returns its argument, invisibly. `summary()` returns a list of class `summary.osvm_stream`:
#'   `table`, a data frame with two rows per metric, over all rows and over the window, and the columns `metric`,
#'   `over`, `model`, and the baselines, for classes `no_change` and `majority`; `events`; and the `run`.
#' @seealso [osvm_stream()], [`plot()`][plot.osvm_stream]
#' @examples
#' board <- chessboard(2000)
#' run <- osvm_stream(
#'   source_matrix(board$x, board$y), solver_olsvm(C = 10, epochs = 1),
#'   metrics = c("accuracy", "kappa")
#' )
#' run
#' summary(run)$table
#' @export
print.osvm_stream <- function(x, n = 6, ...) {
  check_dots("print", ...)
  x <- check_stream(x)
  n <- read_shown(n, "events")
  cat_line("<osvm_stream> ", solver_title(x$settings$solver))
  print_fields(describe_stream(x))
  table <- final_metrics(x)
  if (nrow(table) > 0) {
    cat_line()
    print_rows(format(table, digits = 3))
  }
  print_events(x$events, n)
  invisible(x)
}

#' @rdname print.osvm_stream
#' @export
summary.osvm_stream <- function(object, ...) {
  check_dots("summary", ...)
  object <- check_stream(object)
  structure(
    list(run = object, table = final_metrics(object), events = object$events), class = "summary.osvm_stream"
  )
}

#' @rdname print.osvm_stream
#' @export
print.summary.osvm_stream <- function(x, ...) {
  check_dots("print", ...)
  print.osvm_stream(if (is.list(x)) x$run, n = Inf)
  invisible(x)
}

#' @rdname print.osvm_stream
#' @export
predict.osvm_stream <- function(object, newdata, type = "class", ..., level = NULL) {
  check_passed("predict", predict.osvm, ...)
  object <- check_stream(object)
  fit <- stream_model(object)
  asked <- is.character(type) && isTRUE(type %in% c("interval", "set", "p")) ||
    identical(list(...)$interval, "prediction")
  if (is.null(level) && asked && !is.null(object$level)) level <- min(max(object$level, 1e-9), 1 - 1e-9)
  if (is.null(level)) predict.osvm(fit, newdata, type, ...) else predict.osvm(fit, newdata, type, ..., level = level)
}

stream_model <- function(x) {
  x <- check_stream(x)
  if (is.null(x$fit)) abort("The stream has no model: {result_kind(x)$lacks}.")
  x$fit
}

#' @rdname print.osvm_stream
#' @export
as.data.frame.osvm_stream <- function(x, row.names = NULL, optional = FALSE, ...,
                                      what = c("metrics", "events", "predictions")) {
  check_dots("as.data.frame", ...)
  what <- one_choice(what, c("metrics", "events", "predictions"))
  table <- check_stream(x)[[what]]
  if (is.null(table)) abort("The stream kept no predictions: {.code osvm_stream(keep = \"predictions\")} does.")
  table
}

describe_stream <- function(x) {
  rows <- x$rows
  others <- c(
    if (rows[["unlabelled"]] > 0) paste(big(rows[["unlabelled"]]), "without a label"),
    if (rows[["incomplete"]] > 0) paste(big(rows[["incomplete"]]), "with missing values"),
    if (rows[["empty_chunks"]] > 0) plural(rows[["empty_chunks"]], "empty chunk")
  )
  ends <- c(
    source = "at the end of the source", seconds = "by the limit of seconds", chunks = "by the limit of chunks",
    interrupt = "by an interrupt"
  )
  speed <- x$performance
  reading <- sum(x$metrics$reading) / sum(x$metrics$seconds)
  kernel <- x$settings$kernel
  c(
    solver = format(x$settings$solver),
    kernel = if (!is.null(kernel)) format(kernel),
    rows = paste(c(paste0(
      big(rows[["read"]]), " read in ", plural(max(x$metrics$chunk, 0), "chunk"), ", ", big(rows[["learned"]]),
      " learned"
    ), others), collapse = ", "),
    ended = if (is.null(x$ended)) "by an error" else ends[[x$ended]],
    model = if (is.null(x$fit)) paste("none:", result_kind(x)$lacks) else
      paste0(describe_size(x$fit), ", ", outcome_size(x$fit)),
    coverage = describe_coverage(x),
    drift = if (x$settings$drift$name != "none") {
      paste0(format(x$settings$drift), ": ", plural(sum(x$events$event == "drift"), "detection"))
    },
    seconds = paste0(
      format(signif(x$seconds, 2)), if (is.finite(reading)) sprintf(", %.0f %% of them reading", 100 * reading),
      if (is.finite(speed[1])) sprintf("; %s rows a second", big(signif(speed[[1]], 2)))
    ),
    memory = if (!is.null(speed)) sprintf("%.2g MB, the model included", speed[["megabytes"]])
  )
}

# The last chunk's values, in rows `all rows` and `latest <window>` per metric.
final_metrics <- function(x) {
  names <- stream_metrics(x)
  last <- x$metrics[nrow(x$metrics), , drop = FALSE]
  value <- function(who, window) {
    columns <- paste0(names, if (who != "model") paste0("_", who), if (window) "_window")
    as.numeric(unlist(last[intersect(columns, names(last))])) # none, if there was no chunk
  }
  parts <- lapply(c(FALSE, TRUE), function(window) {
    over <- rep(if (window) latest_text(x) else "all rows", length(names))
    values <- lapply(stats::setNames(nm = result_kind(x)$predictors), value, window)
    data.frame(metric = names, over = over, values)
  })
  table <- do.call(rbind, parts)
  table[order(match(table$metric, names)), , drop = FALSE]
}

latest_text <- function(x) paste("latest", big(x$settings$window))

# Names of the metrics: columns that come with a window and the baselines. None, if there was no chunk.
stream_metrics <- function(x) {
  Filter(function(name) all(metric_columns(name, result_kind(x)$predictors) %in% names(x$metrics)), names(x$metrics))
}

print_events <- function(events, n) {
  if (nrow(events) == 0 || n == 0) {
    return(invisible())
  }
  shown <- utils::tail(events, n)
  left <- nrow(events) - nrow(shown)
  cat_line()
  cat_line("Events", if (left > 0) paste0(", the last ", nrow(shown), " of ", big(nrow(events))))
  shown$row <- big(shown$row)
  shown$detail <- format(printable(shown$detail))
  print_rows(shown, right = FALSE)
}

# ---- damage ----

check_stream <- function(x) {
  check_fields(x, result_fields, c("The result of the stream", "Make it anew with {.fn osvm_stream}."))
  if (!is.null(x$fit)) x$fit <- structure(check_model(x$fit), class = class(x$fit))
  invisible(x)
}

stream_columns <- c("chunk", "row", "seconds", "reading", "n_sv") # and the metrics
stream_counts <- c("read", "learned", "unlabelled", "incomplete", "empty_chunks")

are_events <- function(x) {
  is_plain_table(x) && !anyNA(x) && is.numeric(x$chunk) && is.numeric(x$row) && is.character(x$event) &&
    is.character(x$detail)
}

result_fields <- list(
  settings = record(
    window = a_number, level = or_null(a_number), outcome = or_null(one_of(names(outcome_kinds))),
    drift = type("a detector", function(x, ...) is.list(check_drift(x))),
    solver = type("a solver", function(x, ...) inherits(x, "osvm_solver") && is.list(check_spec(x, "solver"))),
    kernel = or_null(type("a kernel", function(x, ...) is.list(x) && is.list(check_spec(x, "kernel"))))
  ),
  metrics = type(paste("a data frame of numbers with", toString(stream_columns), "and metrics"), function(x, run) {
    is_plain_table(x) && all(vapply(x, is.numeric, NA)) && !anyNA(match(stream_columns, names(x))) &&
      all(is.finite(as.matrix(x[stream_columns]))) && (nrow(x) == 0 || length(stream_metrics(run)) > 0)
  }),
  events = type("a table of events", function(x, ...) are_events(x)),
  rows = type(paste("the numbers", toString(stream_counts)), function(x, ...) {
    is.numeric(x) && all(stream_counts %in% names(x)) && all(is.finite(x[stream_counts]))
  }),
  predictions = or_null(table_with(row = is.numeric, label = is.atomic, predicted = is.atomic)),
  performance = or_null(type("the numbers rows_per_second and megabytes", function(x, ...) {
    is.numeric(x) && identical(names(x), c("rows_per_second", "megabytes"))
  })),
  seconds = a_number, level = or_null(a_number), ended = or_null(one_of(c("source", "seconds", "chunks", "interrupt"))),
  fit = or_null(of_class("osvm"))
)
