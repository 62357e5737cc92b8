# Errors, and the checks that lead to them. Every message names the argument,
# what is wrong with it, and what would be right.

abort <- function(message, class = NULL, .envir = parent.frame()) {
  text <- with_values(cli::format_error, message, .envir)
  stop(errorCondition(text, class = c(class, "osvm_error"), call = NULL))
}

warn <- function(message, class = NULL, .envir = parent.frame()) {
  text <- with_values(cli::format_warning, message, .envir)
  warning(warningCondition(text, class = class, call = NULL))
}

inform <- function(message, class = NULL, .envir = parent.frame()) {
  text <- paste0(with_values(cli::format_message, message, .envir), "\n")
  message(structure(list(message = text, call = NULL), class = c(class, "osvm_message", "message", "condition")))
}

# Part of a sentence, without colours.
phrase <- function(message, .envir = parent.frame()) {
  cli::ansi_strip(with_values(cli::format_inline, message, .envir))
}

# A message with its values, which may be any text: the code within its innermost braces gives them, but for cli's
# marks, `{.arg }` and `{?s}`.
with_values <- function(format, message, envir) {
  scope <- new.env(parent = envir)
  scope$printable <- printable
  format(gsub("\\{([^{}.?][^{}]*)\\}", "{printable(\\1, 500)}", message), .envir = scope)
}

# The text of a condition, which may have lines and colours, as a sentence; and as a part of one.
text_of <- function(condition) gsub("\\s+", " ", trimws(cli::ansi_strip(conditionMessage(condition))))
reason_of <- function(condition) sub("[.]$", "", text_of(condition))

# A factor may come from a damaged file, or be edited by hand: R's own functions rely on codes and levels.
is_sound_factor <- function(y) {
  levels <- attr(y, "levels")
  codes <- unclass(y)
  is.integer(codes) && is.character(levels) && !is.object(levels) && anyDuplicated(levels) == 0 &&
    !any(codes < 1L | codes > length(levels), na.rm = TRUE)
}

`%||%` <- function(a, b) if (is.null(a)) b else a

# Parameters of specs may have several values, which are a grid; osvm() requires one. Other arguments are `one` value.

check_values <- function(value, name, ok, right) {
  plain <- is.atomic(value) && !is.object(value)
  if (!plain || length(value) == 0 || anyNA(value) || !isTRUE(all(ok(value)))) {
    shown <- if (plain && length(value) > 0) "{.val {value}}" else "{.obj_type_friendly {value}}"
    abort(paste0("{.arg {name}} must be {right}, not ", shown, "."))
  }
  value
}

# From `least` to `most`, or `above` one number and `below` another.
number <- function(value, name = deparse(substitute(value)), least = -Inf, most = Inf, above = -Inf, below = Inf,
                   whole = FALSE, infinite = FALSE, one = FALSE) {
  ok <- function(v) {
    is.numeric(v) && all(
      (infinite | is.finite(v)) & v >= least & v <= most & (v > above | above == -Inf) & (v < below | below == Inf) &
        (!whole | v == round(v))
    )
  }
  shown <- function(bound) format(bound, big.mark = ",", scientific = FALSE)
  right <- paste0(
    if (above == 0 && most == Inf && below == Inf) "positive ", if (whole) "whole ", "number",
    if (is.finite(least)) {
      if (is.finite(most)) paste(" from", shown(least), "to", shown(most)) else paste(" of at least", shown(least))
    } else if (is.finite(below)) {
      paste(" between", shown(above), "and", shown(below))
    } else if (is.finite(most)) {
      paste0(" above ", shown(above), ", up to ", shown(most))
    },
    if (infinite && !(one && whole)) ", or Inf" # one count may be Inf, which goes without saying
  )
  if (!one) {
    return(check_values(value, name, ok, paste("a", right)))
  }
  if (!is.numeric(value) || length(value) != 1 || !isTRUE(ok(value))) abort("{.arg {name}} must be one {right}.")
  as.numeric(value)
}

positive <- function(value, name = deparse(substitute(value)), infinite = FALSE) {
  number(value, name, above = 0, infinite = infinite)
}

whole <- function(value, name = deparse(substitute(value)), least = 1, most = 1e6, infinite = FALSE) {
  number(value, name, least, if (infinite) Inf else most, whole = TRUE, infinite = infinite)
}

one_number <- function(value, name = deparse(substitute(value)), ...) number(value, name, ..., one = TRUE)

one_limit <- function(value, name = deparse(substitute(value))) {
  number(value, name, above = 0, infinite = TRUE, one = TRUE)
}

one_whole <- function(value, name = deparse(substitute(value)), least = 1, most = Inf) {
  number(value, name, least, most, whole = TRUE, infinite = most == Inf, one = TRUE)
}

flag <- function(value, name = deparse(substitute(value))) {
  check_values(value, name, is.logical, "TRUE or FALSE")
}

# The choices are the default of the constructor's argument, so that they are
# written down once; missing means the first.
choice <- function(value, choices, name = deparse(substitute(value))) {
  if (identical(value, choices)) {
    return(choices[1])
  }
  if (!is.character(value) || length(value) == 0 || !all(value %in% choices)) {
    shown <- if (is.atomic(value) && !is.object(value)) "{.val {value}}" else "{.obj_type_friendly {value}}"
    abort(paste0("{.arg {name}} must be {.or {.val {choices}}}, not ", shown, "."))
  }
  value
}

one_flag <- function(value, name = deparse(substitute(value))) {
  if (!is.logical(value) || length(value) != 1 || is.na(value)) abort("{.arg {name}} must be TRUE or FALSE.")
  value
}

one_choice <- function(value, choices, name = deparse(substitute(value))) {
  if (identical(value, choices)) {
    return(choices[1])
  }
  if (!is.character(value) || length(value) != 1 || !value %in% choices) {
    abort(c("{.arg {name}} must be {.or {.val {choices}}}.", i = value_hint(value, choices, name)))
  }
  value
}

need_package <- function(package, what) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort("{.fn {what}} needs the package {.pkg {package}}: {.code install.packages(\"{package}\")}.")
  }
}

# What is computed from small values, again and again from the same ones, is kept: the latest `most` values with their
# results. They are compared by identical(), which takes no time for the same object and finds every change of another.

cache <- new.env(parent = emptyenv())

remembered <- function(what, value, compute, most = 8) {
  all <- cache[[what]]
  for (known in all) {
    if (identical(known$value, value)) {
      return(known$result)
    }
  }
  result <- compute(value)
  cache[[what]] <- c(list(list(value = value, result = result)), all[seq_len(min(length(all), most - 1))])
  result
}

# Values of arguments elsewhere, and here.
value_habits <- list(
  type = c(
    response = "class", raw = "class", label = "class", probabilities = "prob", probability = "prob",
    posterior = "prob", link = "decision", scores = "decision", prediction = "interval", pred_int = "interval",
    sets = "set", p_value = "p"
  ),
  metric = c(
    Accuracy = "accuracy", ROC = "auc", roc_auc = "auc", mn_log_loss = "logloss", f_meas = "f1", brier_class = "brier",
    bal_accuracy = "balanced_accuracy"
  )
)

value_hint <- function(value, choices, name) {
  here <- if (is.character(value) && length(value) == 1) value_habits[[name]][value]
  if (isTRUE(here %in% choices)) paste0("What is {.val ", value, "} elsewhere is {.val ", here, "} here.")
}
