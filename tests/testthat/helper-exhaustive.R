# `make test` runs a part of the long loops, `make test-all` (OSVM_TEST_ALL=1) all of them. No part leaves out a solver,
# a kernel, a kind of data or a multiclass scheme.

exhaustive <- function() nzchar(Sys.getenv("OSVM_TEST_ALL"))

# All of `values`, or those at `few`.
some_of <- function(values, few) if (exhaustive()) values else values[few]

# Combinations of values, each a list: all of them, or enough for every pair of values to occur in one (a covering array
# of strength 2, greedily: the combination with most pairs still missing comes next).
combinations <- function(...) {
  values <- lapply(list(...), as.list)
  index <- as.matrix(do.call(expand.grid, lapply(values, seq_along)))
  rows <- if (exhaustive() || length(values) < 3) seq_len(nrow(index)) else cover_pairs(index)
  lapply(rows, function(r) Map(`[[`, values, index[r, ]))
}

cover_pairs <- function(index) {
  columns <- utils::combn(ncol(index), 2)
  pairs <- apply(columns, 2, function(k) paste(k[1], k[2], index[, k[1]], index[, k[2]]))
  missing <- unique(c(pairs))
  rows <- integer()
  while (length(missing) > 0) {
    best <- which.max(rowSums(matrix(pairs %in% missing, nrow(pairs))))
    missing <- setdiff(missing, pairs[best, ])
    rows <- c(rows, best)
  }
  sort(rows)
}
