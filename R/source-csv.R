# Separated values in a file.

#' @rdname sources
#' @export
source_csv <- function(file, label = NULL, header = TRUE, sep = ",", dec = ".", na = c("NA", ""), ignore = NULL,
                       types = NULL, encoding = c("UTF-8", "latin1"), max_columns = 1e6, max_field_bytes = 1e6) {
  one_name(file, "file", null = FALSE)
  one_name(label, "label")
  one_flag(header)
  one_character(sep, "sep")
  one_character(dec, "dec")
  if (sep == dec) abort("{.arg sep} and {.arg dec} must not be the same.")
  if (!is.character(na) || anyNA(na)) abort("{.arg na} must be strings.")
  if (!is.null(ignore) && (!is.character(ignore) || anyNA(ignore))) abort("{.arg ignore} must be names of columns.")
  if (!is.null(types) && (!is.character(types) || is.null(names(types)) || !all(types %in% column_kinds))) {
    abort("{.arg types} must be {.or {.val {column_kinds}}}, named by column.")
  }
  if (!is.null(label) && label %in% ignore) abort("{.arg label} must not be among the columns to {.arg ignore}.")
  check_file(file)
  new_source("csv",
    file = normalizePath(file), label = label, header = header, sep = sep, dec = dec, na = na, ignore = ignore,
    types = types, encoding = one_choice(encoding, c("UTF-8", "latin1")), max_columns = one_whole(max_columns),
    max_field_bytes = one_whole(max_field_bytes)
  )
}

one_character <- function(value, name) {
  one <- is.character(value) && length(value) == 1 && !is.na(value) && nchar(value, "bytes") == 1
  if (!one || value %in% c("\n", "\"")) {
    abort("{.arg {name}} must be one character.")
  }
}

# A position is that of the block, the rows taken of it, the rows before it, and the kinds of all columns.
open_csv <- function(source, position = NULL) {
  head <- read_csv_head(source)
  blocks <- open_blocks(source$file, head$bytes, position, source$block %||% block_bytes)
  state <- list(kinds = position$kinds, rows = position$rows %||% 0)
  fetch <- function() {
    found <- NULL
    block <- blocks$read(function(bytes, at_end) {
      found <<- cut_rows(bytes, at_end, source, length(head$names), state$rows)
      found$bytes
    })
    if (is.null(block)) {
      return(NULL)
    }
    counted <- found$rows
    if (counted == 0) {
      return(list(rows = 0))
    }
    bytes <- as_utf8(block, source, state$rows, found$ascii == 1)
    frame <- read_table(bytes, source, head$names, state$kinds, state$rows)
    if (is.null(state$kinds)) state$kinds <<- decide_kinds(frame, source$label, source$types)
    frame <- apply_kinds(frame, state$kinds, state$rows, quoted(source$file))
    state$rows <<- state$rows + counted
    as_block(split_table(frame, state$kinds, source$label))
  }
  mark <- function() c(blocks$position(), state)
  block_reader(fetch, mark, blocks$close, taken = position$taken %||% 0)
}

# Whole rows of a block, see data-text.h; `fields` of a row, `rows` before these.
cut_rows <- function(bytes, at_end, source, fields, rows, most = Inf) {
  longest <- csv_bound(source, "max_field_bytes")
  found <- core_result(.Call(ffi_text_cut, bytes, list(
    separator = source$sep, quote = "\"", most_rows = most, longest = longest, fields = fields, at_end = at_end
  )), "Reading")
  if (found$zero > 0) {
    abort("{.file {source$file}} is not text: it has a zero byte somewhere after row {big(rows)}.")
  }
  if (found$long_row > 0) {
    abort(c(
      "A field of {.file {source$file}} after row {big(rows + found$long_row - 1)} has more than {big(longest)} bytes.",
      i = "A quote that is not closed makes one field of what follows; {.arg max_field_bytes} lets fields be longer."
    ))
  }
  if (found$ragged_row > 0) {
    abort(c(
      "Row {big(rows + found$ragged_row)} of {.file {source$file}} has {found$ragged_fields} field{?s}, not {fields}.",
      i = "Fields are separated by {.val {source$sep}}; {.arg sep} says otherwise."
    ))
  }
  if (found$in_quotes && (at_end || length(bytes) > longest_row)) {
    abort("A quoted field of {.file {source$file}} after row {big(rows + found$rows)} has no closing quote.")
  }
  found
}

# Sources in checkpoints of earlier versions have no bounds.
csv_bound <- function(source, name) source[[name]] %||% formals(source_csv)[[name]]

# Names of the columns, and the bytes before the first row with values.
read_csv_head <- function(source) {
  begin <- if (has_byte_order_mark(source$file)) 3 else 0
  blocks <- open_blocks(source$file, begin, size = 2^16)
  on.exit(blocks$close())
  found <- NULL
  bytes <- blocks$read(function(bytes, at_end) {
    found <<- cut_rows(bytes, at_end, source, 0, 0, most = 1)
    found$bytes
  })
  if (is.null(bytes)) {
    abort("{.file {source$file}} is empty{if (source$header) ': a row with the names of the columns is expected'}.")
  }
  most <- csv_bound(source, "max_columns")
  if (found$fields > most) {
    abort(c(
      "{.file {source$file}} has {big(found$fields)} columns; {.arg max_columns} is {big(most)}.",
      i = "Fields are separated by {.val {source$sep}}; {.arg sep} says otherwise."
    ))
  }
  names <- paste0("V", seq_len(found$fields))
  if (source$header) {
    fields <- unlist(read_fields(as_utf8(bytes, source, 0), source, rep(2L, length(names)), character()))
    names[!is.na(fields)] <- fields[!is.na(fields)]
  }
  check_label_column(source$label, names[!names %in% source$ignore], quoted(source$file))
  unknown <- setdiff(c(source$ignore, names(source$types)), names)
  if (length(unknown) > 0) {
    abort("{.file {source$file}} has no {cli::qty(unknown)}column{?s} {.var {unknown}}.")
  }
  list(names = names, bytes = if (source$header) begin + length(bytes) else begin)
}

quoted <- function(path) paste0("'", path, "'")

has_byte_order_mark <- function(path) {
  con <- open_bytes(path)
  on.exit(close(con))
  identical(suppressWarnings(readBin(con, "raw", 3)), as.raw(c(0xef, 0xbb, 0xbf)))
}

as_utf8 <- function(bytes, source, rows, ascii = FALSE) {
  if (ascii) {
    return(bytes)
  }
  if (source$encoding == "latin1") {
    return(iconv(list(bytes), "latin1", "UTF-8", toRaw = TRUE)[[1]])
  }
  if (!validUTF8(rawToChar(bytes))) {
    abort(c(
      "{.file {source$file}} is not UTF-8 after row {big(rows)}.",
      i = "{.code encoding = \"latin1\"} reads Western European text."
    ))
  }
  bytes
}

csv_source <- list(
  open = open_csv, position = c("offset", "rows", "taken"), labels = "label", stored = TRUE,
  goes_on = "at the next row, in a plain file at once",
  describe = function(source) {
    c(
      file = source$file, labels = describe_labels(source),
      ignored = if (!is.null(source$ignore)) paste(source$ignore, collapse = ", ")
    )
  }
)
