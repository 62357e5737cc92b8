# Many equal examples (a constant data set, a few categories) would each become a support vector, and a fit cost the
# square of their number. Where at least half of 1,000 examples or more are repeats, equal ones are folded into one,
# as the solver declares it:
#   "visited"  an example is visited as often as it occurs: the same steps, its coefficients are added
#   "weighed"  one example with the sum of the weights: the same optimum
#   "kept"     not folded: examples are numbered, for forget(), or a visit replaces the example's coefficient
# Returns the rows to learn, as `rows`, the examples with their weights, the visits (from 0, NULL: each row once), and
# how many examples a row stands for (`times`, NULL: its visits count them).
fold_examples <- function(model, examples, rows, least = 1000) {
  as_they_are <- list(examples = examples, rows = rows)
  if (length(rows) < least || !keeps_examples(model)) {
    return(as_they_are)
  }
  repeats <- solver_traits(model$solver)$repeats
  if (repeats == "kept") {
    return(as_they_are)
  }
  weight <- examples$weight[rows]
  labels <- list(class = examples$class[rows], weight = if (repeats == "visited") weight)
  entry <- core_result(.Call(ffi_fold, list(x = examples$x, rows = rows - 1L), labels), "The fit")
  if (length(entry) == 0) {
    return(as_they_are)
  }
  rows <- rows[!duplicated(entry)]
  if (repeats == "visited") {
    return(list(examples = examples, rows = rows, visits = entry))
  }
  examples$weight[rows] <- rowsum(weight, entry)
  list(examples = examples, rows = rows, times = tabulate(entry + 1L))
}

# Examples seen, where rows stand for several.
unfold_counts <- function(counts, times) {
  if (!is.null(times)) counts[["visited"]] <- sum(times[seq_len(counts[["visited"]])])
  counts
}
