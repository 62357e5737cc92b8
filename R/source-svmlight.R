# Files in svmlight's format, as sparse matrices.

#' @rdname sources
#' @export
source_svmlight <- function(file, n_features = NULL, zero_based = FALSE) {
  one_name(file, "file", null = FALSE)
  if (!is.null(n_features)) {
    one_whole(n_features)
    if (n_features > .Machine$integer.max - 3) abort("{.arg n_features} must be at most 2^31 - 4.")
  }
  one_flag(zero_based)
  check_file(file)
  new_source("svmlight", file = normalizePath(file), n_features = n_features, zero_based = zero_based)
}

# A position is that of the block, the lines before it, the rows taken of it, and the number of features.
open_svmlight <- function(source, position = NULL) {
  features <- position$n_features %||% source$n_features %||% largest_index(source)
  blocks <- open_blocks(source$file, 0, position, source$block %||% block_bytes)
  lines <- position$lines %||% 0
  fetch <- function() {
    bytes <- blocks$read(cut_lines)
    if (is.null(bytes)) {
      return(NULL)
    }
    parsed <- parse_svmlight(bytes, source, features, lines)
    lines <<- lines + parsed$lines
    list(rows = length(parsed$label), take = function(rows) take_sparse(parsed, rows, features))
  }
  mark <- function() c(blocks$position(), list(lines = lines, n_features = features))
  block_reader(fetch, mark, blocks$close, taken = position$taken %||% 0)
}

# Up to the last line feed.
cut_lines <- function(bytes, at_end) {
  if (at_end) {
    return(length(bytes))
  }
  from <- max(1, length(bytes) - 2^16)
  ends <- grepRaw("\n", bytes, offset = from, fixed = TRUE, all = TRUE)
  if (length(ends) == 0 && from > 1) ends <- grepRaw("\n", bytes, fixed = TRUE, all = TRUE)
  if (length(ends) == 0) 0 else ends[length(ends)]
}

parse_svmlight <- function(bytes, source, features, lines) {
  parsed <- core_result(.Call(ffi_svmlight, bytes, if (source$zero_based) 0L else 1L, as.integer(features)), "Reading")
  if (!is.null(parsed$trouble)) {
    zero <- grepl("index 0", parsed$trouble)
    abort(c(
      "Line {big(lines + parsed$line)} of {.file {source$file}} cannot be read: {parsed$trouble}.",
      i = if (zero) "{.code zero_based = TRUE} reads files whose indices begin with 0."
    ))
  }
  parsed
}

empty_sparse <- methods::new("dgCMatrix")

# Examples are the columns of a sparse matrix, which is transposed.
take_sparse <- function(parsed, rows, features) {
  from <- rows[1]
  upto <- rows[length(rows)]
  begin <- parsed$start[from]
  end <- parsed$start[upto + 1]
  at <- seq_len(end - begin) + begin
  columns <- empty_sparse # slots as the parser has checked them
  methods::slot(columns, "i", check = FALSE) <- parsed$feature[at]
  methods::slot(columns, "p", check = FALSE) <- parsed$start[from:(upto + 1)] - begin
  methods::slot(columns, "x", check = FALSE) <- parsed$value[at]
  methods::slot(columns, "Dim", check = FALSE) <- c(as.integer(features), length(rows))
  list(x = Matrix::t(columns), y = parsed$label[rows])
}

# The number of features is not given: one pass over the file.
largest_index <- function(source) {
  blocks <- open_blocks(source$file, 0, size = source$block %||% block_bytes)
  on.exit(blocks$close())
  largest <- -1
  lines <- pairs <- 0
  while (!is.null(bytes <- blocks$read(cut_lines))) {
    parsed <- parse_svmlight(bytes, source, .Machine$integer.max - 3, lines)
    lines <- lines + parsed$lines
    pairs <- pairs + length(parsed$feature)
    if (length(parsed$feature) > 0) largest <- max(largest, parsed$feature)
  }
  if (largest >= min(1e8, max(1e6, 1000 * pairs))) {
    abort(c(
      "{.file {source$file}} has the index {big(largest + !source$zero_based)}, and {plural(pairs, 'value')} in all.",
      i = "If it has so many features, say so with {.arg n_features}: a model has some numbers for each."
    ))
  }
  max(1, largest + 1)
}

svmlight_source <- list(
  open = open_svmlight, position = c("offset", "lines", "taken", "n_features"), stored = TRUE,
  goes_on = "at the next row, in a plain file at once",
  describe = function(source) {
    c(
      file = source$file,
      features = if (is.null(source$n_features)) "as many as the file has" else big(source$n_features),
      indices = if (source$zero_based) "from 0" else "from 1"
    )
  }
)
