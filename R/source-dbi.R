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

dbi_source <- list(
  open = open_dbi, position = c("rows", "taken"), labels = "label", here = "a connection of a database",
  goes_on = "after the rows before, which are fetched and thrown away",
  describe = function(source) {
    c(connection = class(source$con)[1], query = source$query, labels = describe_labels(source))
  }
)
