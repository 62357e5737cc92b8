# Record batches of Arrow, by nanoarrow.

#' @rdname sources
#' @export
source_arrow <- function(stream, label = NULL) {
  need_package("nanoarrow", "source_arrow")
  one_name(label, "label")
  new_source("arrow", stream = stream, label = label)
}

open_arrow <- function(source, position = NULL) {
  need_package("nanoarrow", "source_arrow")
  stream <- or_abort(nanoarrow::as_nanoarrow_array_stream(source$stream), "{.arg stream} cannot be read by nanoarrow")
  if (!nanoarrow::nanoarrow_pointer_is_valid(stream)) {
    abort("The stream of the source has been read before, or is closed: give a new one.")
  }
  fetch <- function() {
    array <- if (!is.null(stream)) or_abort(stream$get_next(), "Reading the stream failed")
    batch <- if (!is.null(array)) or_abort(nanoarrow::convert_array(array), "Reading the stream failed")
    if (!is.null(batch) && !is.data.frame(batch)) {
      abort("{.arg stream} must have named columns, as the rows of a table.")
    }
    batch
  }
  close <- function() {
    if (!is.null(stream)) try(stream$release(), silent = TRUE)
    stream <<- NULL
  }
  table_reader(fetch, close, source, position, "the stream")
}

arrow_source <- list(
  open = open_arrow, position = c("rows", "taken"), labels = "label", once = "a stream of Arrow",
  goes_on = "after the rows before, which are read and thrown away",
  describe = function(source) c(stream = class(source$stream)[1], labels = describe_labels(source))
)
