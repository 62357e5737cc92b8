# Columns of a source whose types are fixed by its first block: numbers, flags, text, dates.

column_kinds <- c("numeric", "logical", "character", "Date", "POSIXct")

# A column without a value in the first block is numeric; labels without one are text. `types` are the user's.
decide_kinds <- function(frame, label, types = NULL) {
  kinds <- vapply(frame, function(v) {
    if (inherits(v, c("Date", "POSIXct"))) {
      class(v)[1]
    } else if (is.character(v) || is.factor(v)) {
      "character"
    } else if (is.logical(v) && !all(is.na(v))) {
      "logical"
    } else {
      "numeric"
    }
  }, "")
  empty <- vapply(frame, function(v) all(is.na(v)), NA)
  if (!is.null(label) && empty[[label]]) kinds[[label]] <- "character"
  kinds[names(types)] <- types
  kinds
}

# The columns as the kinds have it. `from`: rows before these, for messages.
apply_kinds <- function(frame, kinds, from, what) {
  columns <- unclass(frame)[names(kinds)]
  other <- which(kinds != "numeric" | !vapply(columns, function(v) is.double(v) && !is.object(v), NA))
  columns[other] <- Map(function(value, name, kind) {
    if (is.factor(value)) value <- as.character(value)
    made <- switch(kind,
      numeric = suppressWarnings(as.double(value)), logical = as_flags(value), character = as.character(value),
      Date = as_dates(value), POSIXct = as_times(value)
    )
    bad <- which(is.na(made) & !is.na(value) & !(is.numeric(value) & value %in% NaN))[1]
    if (!is.na(bad)) refuse_value(value[bad], name, kind, from + bad, what)
    made
  }, columns[other], names(kinds)[other], kinds[other])
  as_table(columns)
}

refuse_value <- function(value, name, kind, row, what) {
  value <- substr(as.character(value), 1, 40)
  is <- c(numeric = "numbers", logical = "TRUE or FALSE", Date = "dates", POSIXct = "times")[[kind]]
  abort(c(
    "Column {.var {name}} of {what} has {.val {value}} in about row {big(row)}; before, it had only {is}.",
    i = "A column's type is that of its first values; {.code types = c({name} = \"character\")} reads it as text."
  ))
}

as_flags <- function(value) {
  if (is.numeric(value)) value[!value %in% 0:1] <- NA
  if (is.character(value)) value <- replace(replace(value, value %in% "1", "TRUE"), value %in% "0", "FALSE")
  as.logical(value)
}

date_pattern <- "^\\d{4}-\\d\\d?-\\d\\d?$"
time_pattern <- "^\\d{4}-\\d\\d?-\\d\\d?([ T]\\d\\d?:\\d\\d(:\\d\\d([.]\\d*)?)?Z?)?$"

as_dates <- function(value) {
  if (is.character(value)) value <- replace(value, !grepl(date_pattern, value), NA)
  as.Date(value, optional = TRUE, tryFormats = "%Y-%m-%d")
}

# A date is its midnight; times without a zone are UTC.
as_times <- function(value) {
  if (inherits(value, "POSIXct")) {
    return(value)
  }
  text <- as.character(value)
  text[!grepl(time_pattern, text)] <- NA
  text <- sub("T", " ", sub("Z$", "", text))
  text <- sub("^([^:]*:[^:]*)$", "\\1:00", sub("^([^ ]*)$", "\\1 00:00", text))
  as.POSIXct(strptime(text, "%Y-%m-%d %H:%M:%OS", tz = "UTC"))
}

# list(x =, y =) of a frame: a matrix where all features are numbers or flags.
split_table <- function(frame, kinds, label) {
  y <- if (!is.null(label)) frame[[label]]
  x <- frame[setdiff(names(frame), label)]
  if (all(kinds[names(x)] %in% c("numeric", "logical"))) {
    x <- matrix(as.double(unlist(x, use.names = FALSE)), nrow(frame), length(x), dimnames = list(NULL, names(x)))
  }
  list(x = x, y = y)
}

check_label_column <- function(label, names, what) {
  twice <- unique(names[duplicated(names)])
  if (length(twice) > 0) {
    abort("Column names of {what} must be unique; {.var {twice}} {?is/are} repeated.")
  }
  if (!is.null(label) && !label %in% names) {
    known <- shorten(names, 60)
    abort("{.arg label} must be a column of {what}, which has {known}; it is {.val {label}}.")
  }
  if (length(setdiff(names, label)) == 0) {
    abort("{what} must have at least one column besides the label.")
  }
}

# ---- rows of a query or a stream ----

or_abort <- function(code, what) tryCatch(code, error = function(e) abort(paste0(what, ": {text_of(e)}")))

# A reader over data frames: fetch() gives the next, NULL at the end; the first decides the kinds of the columns. Rows
# before the position are read again.
table_reader <- function(fetch, close, source, position, what) {
  state <- new.env(parent = emptyenv())
  state$rows <- 0
  state$kinds <- position$kinds
  next_block <- function() {
    frame <- fetch()
    if (is.null(frame)) {
      NULL
    } else if (nrow(frame) == 0) {
      list(rows = 0)
    } else {
      frame <- as.data.frame(frame, stringsAsFactors = FALSE)
      for (name in names(frame)[vapply(frame, is.list, NA)]) refuse_column(name, frame[[name]])
      if (is.null(state$kinds)) {
        check_label_column(source$label, names(frame), what)
        state$kinds <- decide_kinds(frame, source$label)
      }
      frame <- apply_kinds(frame, state$kinds, state$rows, what)
      state$rows <- state$rows + nrow(frame)
      as_block(split_table(frame, state$kinds, source$label))
    }
  }
  mark <- function() list(rows = state$rows, kinds = state$kinds)
  block_reader(next_block, mark, close, taken = sum(position$rows, position$taken))
}
