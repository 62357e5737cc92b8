# Record batches of Arrow, by nanoarrow.

#' @rdname sources
#' @export
source_arrow <- function(stream, label = NULL) {
  need_package("nanoarrow", "source_arrow")
  one_name(label, "label")
  new_source("arrow", stream = stream, label = label)
}

open_arrow <- function(source, position = NULL) {
  check_position(position, c("rows", "taken"))
  need_package("nanoarrow", "source_arrow")
  stream <- tryCatch(
    nanoarrow::as_nanoarrow_array_stream(source$stream),
    error = function(e) abort("{.arg stream} cannot be read by nanoarrow: {conditionMessage(e)}")
  )
  if (!nanoarrow::nanoarrow_pointer_is_valid(stream)) {
    abort("The stream of the source has been read before, or is closed: give a new one.")
  }
  fetch <- function() {
    if (is.null(stream)) {
      return(NULL)
    }
    batch <- tryCatch(
      {
        array <- stream$get_next()
        if (!is.null(array)) nanoarrow::convert_array(array)
      },
      error = function(e) abort("Reading the stream failed: {conditionMessage(e)}")
    )
    if (is.null(batch)) {
      return(NULL)
    }
    if (!is.data.frame(batch)) abort("{.arg stream} must have named columns, as the rows of a table.")
    batch
  }
  close <- function() {
    if (!is.null(stream)) try(stream$release(), silent = TRUE)
    stream <<- NULL
  }
  table_reader(fetch, close, source, position, "the stream")
}

describe_arrow <- function(source) {
  c(stream = class(source$stream)[1], labels = describe_labels(source))
}
