#' Sources of a stream
#'
#' A source says where the examples of a stream come from. It is a description and opens nothing; a stream reads it
#' chunk by chunk, within bounded memory.
#'
#' `r source_help()`
#'
#' @section Columns of files and tables:
#' The first block (4 MB of a file) fixes what a column is: numbers (also hexadecimal ones, `Inf` and `NaN`), `TRUE` and
#' `FALSE`, dates, times (a date among them is its midnight, UTC), or text. An integer column may have decimals later;
#' text in a column of numbers is an error that names the column and the row. Empty
#' fields and the strings `na` are missing values, quoted or not. A column without any value in the first block is taken
#' for numbers; `types` decides otherwise. Where all features are numbers, chunks are matrices with column names, else
#' data frames. The labels are given on as they are: numbers, text or flags, `NA` where missing.
#'
#' Files are UTF-8, plain or compressed by gzip, bzip2 or xz, and read in blocks. Lines end with a line feed, a carriage
#' return, or both. Quoted fields may contain line ends; rows with too
#' many or too few fields are an error that gives the number of the row. Blank rows are passed over.
#'
#' @section svmlight files:
#' A row is a label and then `index:value` pairs, separated by blanks; `#` begins a comment; `qid` is passed over.
#' The label `NA` or `?` is a missing one. Indices within a row may be in any order, but each occurs once. Chunks are
#' sparse matrices (`dgCMatrix`) of `n_features` columns. With `n_features = NULL` the whole file is read once
#' beforehand to find the largest index, which is an error if it is above a million and a thousand times the number of
#' values, or above 100 million; so is a larger index than `n_features`.
#'
#' @param x A matrix, a sparse matrix of any class that [osvm()] accepts, or a data frame: an example per row.
#' @param y Labels, one per row, `NA` where missing; `NULL` if there are none.
#' @param file Path of the file.
#' @param label Name of the column with the labels; `NULL` if there are none, so that the stream can only be predicted
#'   or learned as novelty.
#' @param header Whether the first row has the names of the columns; else they are `V1`, `V2`, ...
#' @param sep,dec One character each: the field separator and the decimal point.
#' @param na Strings that stand for a missing value.
#' @param ignore Names of columns to leave out.
#' @param types `"numeric"`, `"logical"`, `"character"`, `"Date"` or `"POSIXct"`, named by column: the types of
#'   columns that are not to be guessed.
#' @param encoding `"UTF-8"` or `"latin1"`.
#' @param max_columns,max_field_bytes The most columns, and the most bytes of a field, that a file is believed to have:
#'   more is an error, before it costs memory.
#' @param n_features Number of columns. With `NULL` the file is read once beforehand to find it.
#' @param zero_based Whether indices begin with 0 rather than 1.
#' @param con A connection of the package DBI, open as long as the stream runs.
#' @param query A `SELECT` statement. For a run to be resumed it must give its rows in the same order again, by
#'   `ORDER BY`.
#' @param stream What `nanoarrow::as_nanoarrow_array_stream()` takes: Arrow's record batch readers, tables and
#'   datasets' scanners, nanoarrow's streams, data frames. A stream can be read once.
#' @param f A function of the number of rows wanted that returns `list(x =, y =)` of at most that number of rows, `y`
#'   `NULL` or with `NA` where labels are missing. It returns no rows if none are there yet, and `NULL` at the end. If
#'   it has an argument `position`, the first call of a run gives it the number of rows delivered before: 0, or more in
#'   a run that is resumed.
#'
#' @returns An object of class `osvm_source`.
#' @seealso [osvm_stream()] and [osvm_shards()], which read them; [drift_adwin()]
#' @examples
#' board <- chessboard(1000)
#' source_matrix(board$x, board$y)
#'
#' file <- tempfile(fileext = ".csv")
#' write.csv(data.frame(board$x, colour = board$y), file, row.names = FALSE)
#' source_csv(file, label = "colour")
#'
#' # Endless: x is drawn when it is asked for
#' source_function(function(n) chessboard(n))
#' @name sources
NULL

# A kind of source is the list `<kind>_source` in a file of its own, beside the constructor `source_<kind>()`:
#   open      function(source, position): a reader of its rows, from the beginning or from an earlier reader's position:
#               read(n)     list(x =, y =) of at most n rows, fewer at the end only or where none are there yet; NULL at
#                           the end
#               position()  a small plain value
#               close()     may be called again
#   position  names of the counts in such a position
#   describe  lines of print()
#   goes_on   where a run that is resumed does, for the help
#   labels    the argument that says where the labels are; NULL: there is none
#   stored    whether the description alone suffices to read it, later and elsewhere
#   once      what it is, if it can be read only once
#   here      what it is, if it cannot be sent to another process
source_kinds <- tables_named("source", list(stored = FALSE))

new_source <- function(kind, ...) structure(list(...), class = c(paste0("osvm_source_", kind), "osvm_source"))

check_source <- function(source) {
  if (!inherits(source, "osvm_source") || is.null(kind_of_source(source))) {
    abort("{.arg source} must be made by a {.code source_} function, not {.obj_type_friendly {source}}.")
  }
  source
}

source_name <- function(source) sub("osvm_source_", "", class(source)[1])
kind_of_source <- function(source) source_kinds[[source_name(source)]]

open_source <- function(source, position = NULL) {
  kind <- kind_of_source(check_source(source))
  is_count <- function(value) is_one_number(value) && value >= 0 && value == floor(value)
  sound <- is.null(position) || is.list(position) && all(vapply(position[kind$position], is_count, NA))
  if (!sound) abort("The position in the source is damaged.")
  kind$open(source, position)
}

check_labelled <- function(source) {
  from <- kind_of_source(source)$labels
  if (!is.null(from) && is.null(source[[from]])) {
    abort(c(
      "{.arg source} has no labels: without them a stream can only be predicted, by a model given as {.arg fit}.",
      i = "{.code source_{source_name(source)}({from} = )} says where they are;
           {.code loss = loss_novelty()} learns without them."
    ))
  }
}

# The table of the help page.
source_help <- function() {
  resumed <- vapply(source_kinds, function(kind) {
    if (kind$stored) "by the checkpoint alone" else if (is.null(kind$once)) "given the source again" else
      "given a new one"
  }, "")
  rows <- sprintf("| `source_%s()` | yes, %s | %s |", names(source_kinds), resumed,
    vapply(source_kinds, `[[`, "", "goes_on"))
  paste(c("| source | can a run be resumed? | where it goes on |", "|:--|:--|:--|", rows), collapse = "\n")
}

# A reader over blocks of rows. fetch() gives the next block, list(rows =, take = function(rows)), NULL at the end;
# mark() where that block begins, as a list.
block_reader <- function(fetch, mark, close, taken) {
  begins <- mark()
  block <- NULL
  ended <- FALSE
  ready <- function() {
    while (!ended && (is.null(block) || taken >= block$rows)) {
      if (!is.null(block)) taken <<- taken - block$rows
      begins <<- mark()
      block <<- fetch()
      ended <<- is.null(block)
    }
    !ended
  }
  list(
    read = function(n) {
      parts <- list()
      while (n > 0 && ready()) {
        upto <- min(block$rows, taken + n)
        n <- n - (upto - taken)
        parts[[length(parts) + 1]] <- block$take(seq(taken + 1, upto))
        taken <<- upto
      }
      bind_examples(parts)
    },
    position = function() {
      if (!is.null(block) && taken >= block$rows) {
        return(c(mark(), taken = taken - block$rows))
      }
      c(begins, taken = if (ended) 0 else taken)
    },
    close = close
  )
}

# Columns go by name where both have names.
bind_examples <- function(parts) {
  if (length(parts) <= 1) {
    return(if (length(parts) == 1) parts[[1]])
  }
  as_first <- list(feature_names = column_names(parts[[1]]$x), n_features = ncol(parts[[1]]$x))
  list(
    x = do.call(rbind, lapply(parts, function(part) order_columns(part$x, as_first, "x"))),
    y = do.call(c, lapply(parts, `[[`, "y"))
  )
}

# A block of a parsed table or matrix.
as_block <- function(examples) {
  list(rows = nrow(examples$x), take = function(rows) {
    if (length(rows) == nrow(examples$x)) {
      return(examples)
    }
    x <- examples$x[rows, , drop = FALSE]
    if (is.data.frame(x)) attr(x, "row.names") <- .set_row_names(length(rows))
    list(x = x, y = examples$y[rows])
  })
}

one_name <- function(value, name, null = TRUE) {
  if (!(null && is.null(value)) && (!is.character(value) || length(value) != 1 || is.na(value) || value == "")) {
    abort("{.arg {name}} must be one string{if (null) ' or NULL'}.")
  }
  value
}

#' @rdname sources
#' @param ... Not used: an unknown argument is an error.
#' @export
print.osvm_source <- function(x, ...) {
  check_dots("print", ...)
  cat_line("<source> ", source_name(check_source(x)))
  print_fields(kind_of_source(x)$describe(x))
  invisible(x)
}

describe_labels <- function(source) if (is.null(source$label)) "none" else paste("column", source$label)

# Kept by a worker: an environment, in which prepare_shard() keeps the examples in the form of the header.
read_shard <- function(source) {
  reader <- open_source(source)
  on.exit(reader$close())
  parts <- list()
  while (!is.null(part <- reader$read(1e5))) if (nrow(part$x) > 0) parts[[length(parts) + 1]] <- part
  part <- bind_examples(parts)
  if (is.null(part)) abort("The source has no rows.")
  if (is.null(part$y)) abort("The source has no labels.")
  gone <- union(incomplete_rows(part$x), which(is.na(part$y)))
  if (length(gone) > 0) part <- list(x = part$x[-gone, , drop = FALSE], y = part$y[-gone])
  if (nrow(part$x) == 0) abort("The source has no rows without missing values.")
  list2env(list(x = part$x, y = part$y, left_out = length(gone)), parent = emptyenv())
}
