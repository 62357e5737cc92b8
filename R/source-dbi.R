# Rows of a query.

#' @rdname sources
#' @export
source_dbi <- function(con, query, label = NULL) {
  need_package("DBI", "source_dbi")
  one_name(query, "query", null = FALSE)
  one_name(label, "label")
  if (!inherits(con, "DBIConnection")) {
    abort("{.arg con} must be a connection of the package {.pkg DBI}, not {.obj_type_friendly {con}}.")
  }
  new_source("dbi", con = con, query = query, label = label)
}

rows_at_once <- 10000

open_dbi <- function(source, position = NULL) {
  check_position(position, c("rows", "taken"))
  need_package("DBI", "source_dbi")
  if (!DBI::dbIsValid(source$con)) abort("The connection of the source is closed.")
  holder <- new.env(parent = emptyenv())
  holder$result <- or_abort(DBI::dbSendQuery(source$con, source$query), "The query failed")
  clear <- function(holder) {
    if (!is.null(holder$result)) try(DBI::dbClearResult(holder$result), silent = TRUE)
    holder$result <- NULL
  }
  reg.finalizer(holder, clear)
  fetch <- function() {
    if (!is.null(holder$result) && !DBI::dbHasCompleted(holder$result)) {
      or_abort(DBI::dbFetch(holder$result, n = rows_at_once), "Fetching rows of the query failed")
    }
  }
  table_reader(fetch, function() clear(holder), source, position, "the query")
}

or_abort <- function(code, what) tryCatch(code, error = function(e) abort(paste0(what, ": {text_of(e)}")))

# A reader over data frames: fetch() gives the next, NULL at the end. Rows before the position are read again.
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
      as_block(as_examples(frame, state, source$label, what))
    }
  }
  mark <- function() list(rows = state$rows, kinds = state$kinds)
  taken <- if (is.null(position)) 0 else position$rows + position$taken
  block_reader(next_block, mark, close, taken = taken)
}

describe_dbi <- function(source) {
  c(connection = class(source$con)[1], query = source$query, labels = describe_labels(source))
}
