#' Detectors of concept drift
#'
#' A stream's prequential errors (0 or 1 per labelled example) are watched for an increase of their mean. What
#' happens then is `react`'s choice; every detection is recorded, with the estimated number of examples since the
#' change.
#'
#' | `react` | what happens | solvers |
#' |:--|:--|:--|
#' | `"tell"` | the detection is recorded, nothing else | all |
#' | `"forget"` | the examples from before the change are removed from the model | those that forget, see [solvers()] |
#' | `"restart"` | a new model is learned from the examples since the change | all |
#' | `"fade"` | all coefficients are halved | those whose state consists of coefficients |
#'
#' `drift_page_hinkley()` (Page 1954; Gama et al. 2013) sums up how far the errors exceed their mean so far,
#' \eqn{m_t = \sum_i (e_i - \bar e_i - \delta)}, and reports a change when \eqn{m_t} exceeds its minimum by
#' `threshold`; then it begins anew. The change is estimated to have come right after the minimum. It is quick to
#' compute and has two parameters to set: a rise of the error by \eqn{d} is found after about
#' `threshold` / \eqn{(d-\delta)} examples. False alarms depend on the variance of the errors: with the
#' defaults there was one in about 60,000 examples of a constant error of 0.2.
#'
#' `drift_adwin()` (Bifet and Gavalda 2007) keeps the longest window of the latest errors that has no two parts of
#' significantly different means, and drops the older part where it has. `delta` bounds the probability of a false
#' alarm, and there is nothing else to set. The window is an exponential histogram: memory and time per example are
#' logarithmic in its length. Cuts are looked for every 32 examples. A decrease of the error shortens the window,
#' too, but is not reported.
#'
#' @param delta `drift_page_hinkley()`: a rise of the error by less is tolerated, 0 or more. `drift_adwin()`: the
#'   confidence parameter, above 0 and below 1; smaller values give fewer false alarms and later detections.
#' @param threshold Positive number, in examples: larger values give fewer false alarms and later detections.
#' @param min_examples No detection before so many examples.
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
#' @seealso [sources]
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
  if (!is.numeric(delta) || length(delta) != 1 || !is.finite(delta) || delta < 0) {
    abort("{.arg delta} must be one number, 0 or more.")
  }
  new_spec("drift", "page_hinkley", list(
    delta = delta, threshold = one_positive(threshold), min_examples = one_whole(min_examples),
    react = one_choice(react, reactions)
  ))
}

#' @rdname drift
#' @export
drift_adwin <- function(delta = 0.002, react = c("tell", "forget", "restart", "fade")) {
  if (!is.numeric(delta) || length(delta) != 1 || !isTRUE(delta > 0 && delta < 1)) {
    abort("{.arg delta} must be one number above 0 and below 1.")
  }
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
  cat("<drift> ", drift_titles[[x$name]], "\n", sep = "")
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
