#' Detectors of concept drift
#'
#' A detector watches the prequential errors of a stream (from 0 to 1 per labelled example, see [osvm_stream()]) for an
#' increase of their mean. `react` says what happens then. Every detection is recorded, with the estimated number of
#' examples since the change.
#'
#' | `react` | what happens | solvers |
#' |:--|:--|:--|
#' | `"tell"` | the detection is recorded, nothing else | all |
#' | `"forget"` | the examples from before the change are removed from the model | those that forget, see [solvers()] |
#' | `"restart"` | a new model is learned from the examples since the change | all |
#' | `"fade"` | all coefficients are halved | those whose state consists of coefficients |
#'
#' `drift_page_hinkley()` (Page 1954; Gama et al. 2013) sums up how far the errors exceed their mean so far,
#' \eqn{m_t = \sum_i (e_i - \bar e_i - \delta)}{m_t = sum_i (e_i - mean(e)_i - delta)}, and reports a change when
#' \eqn{m_t} exceeds its minimum by
#' `threshold`; then it begins anew. The change is estimated to have come right after the minimum. It is quick to
#' compute and has two parameters to set: a rise of the error by \eqn{d} is found after about
#' `threshold` / \eqn{(d-\delta)} examples. False alarms depend on the variance of the errors: with the
#' defaults there was one in about 55,000 examples of a constant error of 0.2.
#'
#' `drift_adwin()` (Bifet and Gavalda 2007) keeps the longest window of the latest errors that has no two parts of
#' significantly different means, and drops the older part where it has. `delta` bounds the probability of a false
#' alarm, and there is nothing else to set. The window is an exponential histogram: memory and time per example are
#' logarithmic in its length. Cuts are looked for every 32 examples. A decrease of the error shortens the window,
#' too, but is not reported.
#'
#' @param delta For `drift_page_hinkley()` the rise of the error that is tolerated, 0 or more. For `drift_adwin()` the
#'   confidence parameter, above 0 and below 1; smaller values give fewer false alarms and later detections.
#' @param threshold Positive number, in examples: larger values give fewer false alarms and later detections.
#' @param min_examples Number of examples before which nothing is detected.
#' @param react What to do when a change is detected, see the table.
#'
#' @returns A spec: a list of class `osvm_drift` with `name` and `params`.
#' @references
#'   E. S. Page (1954), *Continuous Inspection Schemes*, Biometrika 41, 100-115.
#'
#'   J. Gama, R. Sebastiao and P. P. Rodrigues (2013), *On Evaluating Stream Learning Algorithms*, Machine Learning
#'   90, 317-346.
#'
#'   A. Bifet and R. Gavalda (2007), *Learning from Time-Changing Data with Adaptive Windowing*, SIAM International
#'   Conference on Data Mining, 443-448.
#' @seealso [osvm_stream()], which uses them; [sources]
#' @examples
#' drift_adwin(react = "restart")
#' drift_page_hinkley(threshold = 30)
#' format(drift_none())
#' @name drift
NULL

reactions <- c("tell", "forget", "restart", "fade")

#' @rdname drift
#' @export
drift_none <- function() new_spec("drift", "none", list())

#' @rdname drift
#' @export
drift_page_hinkley <- function(delta = 0.005, threshold = 50, min_examples = 30,
                               react = c("tell", "forget", "restart", "fade")) {
  new_spec("drift", "page_hinkley", list(
    delta = one_number(delta, least = 0), threshold = one_number(threshold, above = 0),
    min_examples = one_whole(min_examples), react = one_choice(react, reactions)
  ))
}

#' @rdname drift
#' @export
drift_adwin <- function(delta = 0.002, react = c("tell", "forget", "restart", "fade")) {
  delta <- one_number(delta, above = 0, below = 1)
  new_spec("drift", "adwin", list(delta = delta, react = one_choice(react, reactions)))
}

# A spec, possibly edited or read from a damaged file: made anew by its constructor.
check_drift <- function(spec, name = "drift") {
  if (!inherits(spec, "osvm_drift")) {
    abort("{.arg {name}} must be made by a {.code drift_} function, not {.obj_type_friendly {spec}}.")
  }
  known <- c("none", "page_hinkley", "adwin")
  usable <- is.character(spec$name) && length(spec$name) == 1 && spec$name %in% known && is.list(spec$params)
  make <- if (usable) constructor("drift", spec$name)
  if (!usable || !setequal(names(spec$params), names(formals(make)))) {
    abort("{.arg {name}} is damaged: make it anew with a {.code drift_} function.")
  }
  do.call(make, spec$params, quote = TRUE)
}

#' @rdname drift
#' @param x A spec made by a function of this page.
#' @param ... Not used: an unknown argument is an error.
#' @export
print.osvm_drift <- function(x, ...) {
  check_dots("print", ...)
  x <- check_drift(x, "x")
  cat_line("<drift> ", drift_titles[[x$name]])
  print_params(x$params)
  invisible(x)
}

#' @rdname drift
#' @export
format.osvm_drift <- function(x, ...) {
  check_dots("format", ...)
  format_spec(check_drift(x, "x"))
}

drift_titles <- c(none = "none", page_hinkley = "Page-Hinkley", adwin = "ADWIN")

# The state of a detector is plain numbers; drift_add() gives it the errors of a chunk, in order.

drift_start <- function(spec) {
  spec <- check_drift(spec)
  numbers <- switch(spec$name,
    none = numeric(),
    page_hinkley = page_hinkley_start,
    adwin = core_result(.Call(ffi_adwin, NULL, spec$params$delta, numeric()), "ADWIN")$state
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
    adwin = {
      delta <- as.double(state$spec$params$delta)
      added <- core_result(.Call(ffi_adwin, as.double(state$numbers), delta, values), "ADWIN")
      if (added$at == 0) added[c("at", "width", "before", "after")] <- NA
      c(list(numbers = added$state, back = added$width), added[c("at", "before", "after")])
    }
  )
  state$numbers <- found$numbers
  list(
    state = state, at = known[as.integer(found$at)], back = as.numeric(found$back), before = as.numeric(found$before),
    after = as.numeric(found$after)
  )
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
