# Checkpoints of a stream: the state of a run as plain values. The random numbers are part of it.

checkpoint_format <- 3L

stream_fields <- c(
  "settings", "evaluation", "detector", "rows", "chunk", "spent", "columns", "label", "encoding", "told", "recent",
  "waiting", "done", "seen", "map_data", "map", "events", "warnings", "metrics", "predictions", "start", "class",
  "first", "only", "position", "memory", "joining"
)

save_checkpoint <- function(s) {
  state <- mget(stream_fields, envir = s, ifnotfound = list(NULL))
  state$model <- if (!is.null(s$model)) live_model(s$model)
  state$source <- if (kind_of_source(s$source)$stored) s$source
  state$kind <- class(s$source)
  state$seed <- get0(".Random.seed", envir = globalenv(), inherits = FALSE)
  write_whole(structure(c(list(format = checkpoint_format), state), class = "osvm_checkpoint"), s$checkpoint)
}

# Beside the file first, then renamed: whenever the process ends, there is the old file or the new one. A full disk may
# be a warning only; to leave saveRDS() at a warning would leave its connection open.
write_whole <- function(object, file) {
  part <- tempfile("checkpoint-", dirname(file))
  on.exit(unlink(part))
  reason <- NULL
  note <- function(condition) reason <<- c(reason, reason_of(condition))
  attempt <- function(code) {
    tryCatch(withCallingHandlers(code, warning = function(w) {
      note(w)
      invokeRestart("muffleWarning")
    }), error = note)
  }
  attempt(saveRDS(object, part, compress = FALSE))
  if (is.null(reason) && !isTRUE(attempt(file.rename(part, file)))) reason <- c(reason, "it could not be renamed")
  if (!is.null(reason)) abort("The checkpoint {.file {file}} could not be written: {reason[1]}.")
}

event_fields <- list(chunk = a_number, row = a_number, event = a_text, detail = a_text)

checkpoint_fields <- list(
  settings = a_list, evaluation = or_null(a_list), detector = a_list, metrics = a_list, start = a_list,
  events = type("a list of events", function(x, ...) is.list(x) && all(vapply(x, has_fields, NA, event_fields))),
  rows = type("numbers", function(x, ...) is.numeric(x)), chunk = a_number, spent = a_number
)

check_checkpoint <- function(file) {
  if (!is.character(file) || length(file) != 1 || is.na(file) || !nzchar(file)) {
    abort("{.arg checkpoint} must be one file name, or NULL.")
  }
  folder <- dirname(file)
  if (!dir.exists(folder)) abort("{.arg checkpoint} is in a folder that does not exist: {.file {folder}}.")
  normalizePath(file, mustWork = FALSE)
}

resume_stream <- function(file, source) {
  check_checkpoint(file)
  state <- tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)
  sound <- inherits(state, "osvm_checkpoint") && is.list(state) && identical(state$format, checkpoint_format)
  if (!sound) abort("{.arg resume} must be a checkpoint written by {.fn osvm_stream}: {.file {file}} is none.")
  state <- unclass(state)
  if (!has_fields(state, checkpoint_fields)) abort("The checkpoint {.file {file}} is damaged.")
  if (is.null(source)) source <- state$source
  if (is.null(source)) {
    abort("{.arg source} must be given again: the checkpoint does not contain a {.cls {state$kind[1]}}.")
  }
  if (!identical(class(check_source(source)), state$kind)) {
    abort("{.arg source} must be of the kind it was, {.cls {state$kind[1]}}, not {.cls {class(source)[1]}}.")
  }
  for (kind in names(state$start$specs)) state$start$specs[[kind]] <- read_spec(state$start$specs[[kind]], kind)
  s <- list2env(state[stream_fields], parent = emptyenv())
  s$source <- source
  s$resumed <- TRUE
  if (!is.null(state$model)) {
    model <- check_model(state$model)
    check_trainable(model, "go on learning")
    s$model <- open_live(model)
  }
  if (!is.null(state$seed)) assign(".Random.seed", state$seed, envir = globalenv())
  s
}
