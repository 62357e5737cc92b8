# ADWIN with the values themselves in its buckets, oldest bucket first: means and variances by definition. A list of
# detections: the number of the value, the width afterwards, the means on both sides.
reference_adwin <- function(values, delta) {
  buckets <- list()
  out <- NULL
  widths <- integer()
  for (i in seq_along(values)) {
    buckets <- merge_buckets(c(buckets, list(values[i])))
    while (i %% 32 == 0 && !is.null(cut <- reference_cut(buckets, delta))) {
      buckets <- buckets[-1]
      if (cut$after > cut$before) out <- rbind(out, data.frame(at = i, before = cut$before, after = cut$after))
    }
    widths[i] <- length(unlist(buckets))
  }
  list(found = out, width = widths)
}

# At most five buckets of a size; the two oldest of six become one.
merge_buckets <- function(buckets) {
  repeat {
    size <- lengths(buckets)
    many <- which(tabulate(size) > 5)
    if (length(many) == 0) {
      return(buckets)
    }
    two <- which(size == many[1])[1:2]
    buckets[[two[1]]] <- unlist(buckets[two])
    buckets[[two[2]]] <- NULL
  }
}

reference_cut <- function(buckets, delta) {
  all <- unlist(buckets)
  n <- length(all)
  variance <- mean((all - mean(all))^2)
  for (end in cumsum(lengths(buckets))) {
    if (end < 5 || n - end < 5) next
    older <- all[seq_len(end)]
    newer <- all[-seq_len(end)]
    m <- 1 / (1 / length(older) + 1 / length(newer))
    log_term <- log(2 / (delta / log(n)))
    if (abs(mean(older) - mean(newer)) > sqrt(2 / m * variance * log_term) + 2 / (3 * m) * log_term) {
      return(list(before = mean(older), after = mean(newer)))
    }
  }
}

# Page-Hinkley value by value: numbers of the values after which a change is reported, and the values since the minimum.
reference_page_hinkley <- function(values, delta, threshold, min_examples) {
  found <- NULL
  n <- sum <- m <- low_at <- 0
  low <- Inf
  for (i in seq_along(values)) {
    n <- n + 1
    sum <- sum + values[i]
    m <- m + values[i] - sum / n - delta
    if (m <= low) {
      low <- m
      low_at <- n
    }
    if (m - low > threshold && n >= min_examples) {
      found <- rbind(found, data.frame(at = i, back = n - low_at))
      n <- sum <- m <- 0
      low <- Inf
    }
  }
  found
}
