#' @rdname sources
#' @export
source_rds <- function(file, label = NULL) {
  check_file(one_name(file, "file", null = FALSE))
  new_source("rds", file = normalizePath(file), label = one_name(label, "label"))
}

# A data frame in a file of R. A throwaway that shows what a source needs (CONTRIBUTING.md).
rds_source <- list(
  open = function(source, position) {
    frame <- readRDS(source$file)
    fetch <- function() {
      on.exit(frame <<- NULL)
      frame
    }
    table_reader(fetch, function() NULL, source, position, "the file")
  },
  position = c("rows", "taken"), labels = "label", stored = TRUE, goes_on = "at the next row",
  describe = function(source) c(file = source$file, labels = describe_labels(source))
)
