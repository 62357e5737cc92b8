# The division of the examples into cells: k-means, again within those that are too large.

most_centers <- 64 # of a node: the search of a nearest one is a product with all of them

# list(size, nodes, rows), `rows`: those of each cell. `fill`: k-means makes cells of unequal sizes, and those with few
# examples are given up; with so many more centres than needed most of the others are not divided again.
divide_examples <- function(model, x, size, fill = 1.3) {
  found <- list2env(list(nodes = list(), rows = list()), parent = emptyenv())
  seed <- sample.int(.Machine$integer.max, 1)
  control <- list(threads = model$control$threads, doubles = needs_doubles(model), level = simd_level())
  divide <- function(x, rows) {
    part <- if (length(rows) > size) {
      centers <- min(most_centers, length(rows), max(2, ceiling(fill * length(rows) / size)))
      least <- min(0.1 * size / length(rows), 0.5 / centers)
      split_rows(model, x, c(control, list(k = centers, seed = seed + length(found$nodes), least = least)))
    }
    if (is.null(part)) {
      found$rows <- c(found$rows, list(rows))
      return(-length(found$rows))
    }
    at <- length(found$nodes) + 1
    found$nodes[[at]] <- list(centers = part$centers, child = integer())
    members <- split(seq_along(rows), part$cell)
    child <- vapply(members, function(mine) divide(x[mine, , drop = FALSE], rows[mine]), 0)
    found$nodes[[at]]$child <- as.integer(child)
    at
  }
  divide(x, seq_len(nrow(x)))
  list(size = size, nodes = found$nodes, rows = found$rows)
}

# By k-means or, where that leaves most examples in one part, by directions, whichever divides them more evenly. NULL:
# all examples are the same.
split_rows <- function(model, x, control) {
  data <- core_data(x, model$transform, rows = seq_len(nrow(x)) - 1L)
  best <- nrow(x)
  found <- NULL
  for (iterations in c(10, 0)) {
    control$iterations <- iterations
    part <- core_result(.Call(ffi_cells_split, data, control), "The division into cells")
    largest <- max(tabulate(part$cell))
    if (largest < best) {
      best <- largest
      found <- part
    }
    if (largest <= 0.7 * nrow(x)) break
  }
  if (!is.null(found)) {
    used <- sort(unique(found$cell))
    centers <- found$centers[used, , drop = FALSE]
    list(centers = if (model$sparse) as_sparse(centers) else centers, cell = match(found$cell, used))
  }
}

# ---- cells that overlap ----

# The rows of each cell, and after these its visitors: rows of other cells whose second nearest mean is that of this
# one. `means`: NULL if cells do not overlap.
with_visitors <- function(model, x, rows, means) {
  if (NROW(means) < 2) {
    return(rows)
  }
  second <- integer(nrow(x))
  for (k in which(lengths(rows) > 0)) {
    nearest <- nearest_center(model, x, rows[[k]], means[-k, , drop = FALSE], model$control$threads)
    second[rows[[k]]] <- nearest + (nearest >= k)
  }
  unname(Map(c, rows, split(seq_along(second), factor(second, seq_along(rows)))))
}
