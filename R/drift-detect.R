# The state of a detector is plain numbers; drift_add() gives it the errors of a chunk, in order.

drift_start <- function(spec) {
  spec <- check_drift(spec)
  numbers <- switch(spec$name,
    none = numeric(),
    page_hinkley = page_hinkley_start,
    adwin = numeric(adwin_numbers)
  )
  list(spec = spec, numbers = numbers)
}

# list(state, at, back, before, after): `at` is the number, within the chunk, of the error after which a change was
# first detected, NA if none; `back` how many of the latest errors, up to the end of the chunk, have come since the
# last change detected; `before` and `after` the mean errors on both sides. Missing errors are passed over.
drift_add <- function(state, errors) {
  known <- which(!is.na(errors))
  values <- as.double(errors[known])
  found <- switch(state$spec$name,
    none = list(numbers = state$numbers, at = NA, back = NA, before = NA, after = NA),
    page_hinkley = page_hinkley_add(state, values),
    adwin = adwin_add(state, values)
  )
  state$numbers <- found$numbers
  list(
    state = state, at = known[as.integer(found$at)], back = as.numeric(found$back), before = as.numeric(found$before),
    after = as.numeric(found$after)
  )
}

# Numbers of osvm_adwin in src/drift.h: values seen, and 40 rows of a count and twice 6 buckets.
adwin_numbers <- 1 + 40 + 2 * 40 * 6

adwin_add <- function(state, values) {
  found <- core_result(.Call(ffi_adwin, as.double(state$numbers), as.double(state$spec$params$delta), values), "ADWIN")
  if (found$at == 0) {
    return(list(numbers = found$state, at = NA, back = NA, before = NA, after = NA))
  }
  list(numbers = found$state, at = found$at, back = found$width, before = found$before, after = found$after)
}

# Since the last detection: errors seen, their sum, the cumulative difference m and its minimum, errors and their sum
# up to the minimum.
page_hinkley_start <- c(seen = 0, sum = 0, m = 0, minimum = Inf, seen_minimum = 0, sum_minimum = 0)

page_hinkley_add <- function(state, values) {
  now <- state$numbers
  if (!is.numeric(now) || !identical(names(now), names(page_hinkley_start)) || anyNA(now)) {
    abort("The detector's state is damaged.")
  }
  out <- list(numbers = now, at = NA, back = NA, before = NA, after = NA)
  passed <- 0
  while (passed < length(values)) {
    step <- page_hinkley_steps(out$numbers, values[(passed + 1):length(values)], state$spec$params)
    out$numbers <- step$numbers
    passed <- passed + step$taken
    if (step$found) {
      if (is.na(out$at)) out$at <- passed
      out[c("back", "before", "after")] <- list(step$back + length(values) - passed, step$before, step$after)
    }
  }
  out
}

# Up to the first detection, or all.
page_hinkley_steps <- function(now, values, params) {
  n <- now[["seen"]] + seq_along(values)
  sum <- now[["sum"]] + cumsum(values)
  m <- now[["m"]] + cumsum(values - sum / n - params$delta)
  minimum <- pmin(cummin(m), now[["minimum"]])
  alarm <- which(m - minimum > params$threshold & n >= params$min_examples)[1]
  end <- if (is.na(alarm)) length(values) else alarm
  lowest <- which(m[seq_len(end)] <= minimum[end])
  if (length(lowest) > 0) {
    low <- lowest[length(lowest)]
    now[c("minimum", "seen_minimum", "sum_minimum")] <- c(m[low], n[low], sum[low])
  }
  now[c("seen", "sum", "m")] <- c(n[end], sum[end], m[end])
  if (is.na(alarm)) {
    return(list(numbers = now, taken = end, found = FALSE))
  }
  back <- now[["seen"]] - now[["seen_minimum"]]
  list(
    numbers = page_hinkley_start, taken = end, found = TRUE, back = back,
    before = now[["sum_minimum"]] / now[["seen_minimum"]], after = (now[["sum"]] - now[["sum_minimum"]]) / back
  )
}
