# Tables of ARCHITECTURE.md, and a count of checks: what tools/check-layers-r.R checks and tools/architecture.R draws.

passed <- failed <- 0
check <- function(message, offenders) {
  if (length(offenders) == 0) {
    passed <<- passed + 1
  } else {
    failed <<- failed + 1
    cat(message, ":\n", paste0("  ", offenders, "\n"), sep = "")
  }
}

# The rows below a heading, a vector of cells each.
table_below <- function(heading) {
  text <- readLines("ARCHITECTURE.md", encoding = "UTF-8")
  from <- match(paste("##", heading), text)
  end <- c(grep("^## ", text), length(text) + 1)
  rows <- grep("^\\| `", text[seq(from, min(end[end > from]) - 1)], value = TRUE)
  stopifnot(length(rows) > 1)
  strsplit(gsub("^\\| *| *\\|$", "", rows), " | ", fixed = TRUE)
}

# What is in backticks, without the dash of a prefix.
quoted <- function(cell) sub("-$", "", gsub("`", "", regmatches(cell, gregexpr("`[^`]+`", cell))[[1]]))

# The layer of each prefix or file, by number, the lowest first.
layer_ranks <- function(heading) {
  names <- lapply(table_below(heading), function(cells) quoted(cells[1]))
  stats::setNames(rep(seq_along(names), lengths(names)), unlist(names))
}
layer_of <- function(file, ranks) {
  file <- basename(file)
  unname(ifelse(file %in% names(ranks), ranks[file], ranks[sub("[-.].*", "", file)]))
}
