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

# Parameters of specs. More than one value is allowed there (a grid); osvm() requires one.

check_values <- function(value, name, ok, right) {
  plain <- is.atomic(value) && !is.object(value)
  if (!plain || length(value) == 0 || anyNA(value) || !isTRUE(all(ok(value)))) {
    shown <- if (plain && length(value) > 0) "{.val {value}}" else "{.obj_type_friendly {value}}"
    abort(paste0("{.arg {name}} must be {right}, not ", shown, "."))
  }
  value
}

positive <- function(value, name = deparse(substitute(value)), infinite = FALSE) {
  check_values(value, name, function(v) {
    is.numeric(v) && all((infinite | is.finite(v)) & v > 0)
  }, if (infinite) "a positive number or Inf" else "a positive number")
}

number <- function(value, name = deparse(substitute(value))) {
  check_values(value, name, function(v) is.numeric(v) && all(is.finite(v)), "a number")
}

whole <- function(value, name = deparse(substitute(value)), most = 1e6) {
  check_values(value, name, function(v) {
    is.numeric(v) && all(is.finite(v) & v >= 1 & v <= most & v == round(v))
  }, paste("a whole number from 1 to", format(most, big.mark = ",")))
}

whole_or_inf <- function(value, name = deparse(substitute(value)), least = 0) {
  check_values(value, name, function(v) {
    is.numeric(v) && all(v >= least & v == round(v))
  }, paste0("a whole number from ", least, " on, or Inf"))
}

share <- function(value, name = deparse(substitute(value))) {
  check_values(value, name, function(v) is.numeric(v) && all(v > 0 & v <= 1), "a number above 0, up to 1")
}

level <- function(value, name = deparse(substitute(value))) {
  check_values(value, name, function(v) is.numeric(v) && all(v > 0 & v < 1), "a number between 0 and 1")
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

# Arguments of osvm() and its methods: one value.

# `ok` is not evaluated unless the value is one number.
one_number <- function(name, value, ok, right) {
  if (!is.numeric(value) || length(value) != 1 || !isTRUE(ok)) abort("{.arg {name}} must be one {right}.")
  as.numeric(value)
}

one_whole <- function(value, name = deparse(substitute(value))) {
  one_number(name, value, value >= 1 && value == round(value), "whole number of at least 1")
}

one_count <- function(value, name = deparse(substitute(value))) {
  one_number(name, value, value >= 0 && value == round(value), "whole number of at least 0")
}

one_positive <- function(value, name = deparse(substitute(value))) {
  one_number(name, value, is.finite(value) && value > 0, "positive number")
}

one_limit <- function(value, name = deparse(substitute(value))) {
  one_number(name, value, value > 0, "positive number, or Inf")
}

one_rate <- function(value, name = deparse(substitute(value))) {
  one_number(name, value, value >= 0 && value <= 1, "number from 0 to 1")
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

# What is computed from small values, again and again from the same ones, is kept: by name, or the latest `most` values
# with their results. These are compared by identical(), which takes no time for the same object and finds every change
# of another.

cache <- new.env(parent = emptyenv())

remembered <- function(what, value, compute, most = 8) {
  all <- cache[[what]]
  if (is.character(value)) {
    result <- all[[value]]
    if (is.null(result)) {
      result <- compute(value)
      cache[[what]][[value]] <- result
    }
    return(result)
  }
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
    posterior = "prob", link = "decision", scores = "decision"
  ),
  metric = c(Accuracy = "error", accuracy = "error", ROC = "auc", roc_auc = "auc", mn_log_loss = "logloss")
)

value_hint <- function(value, choices, name) {
  here <- if (is.character(value) && length(value) == 1) value_habits[[name]][value]
  if (isTRUE(here %in% choices)) paste0("What is {.val ", value, "} elsewhere is {.val ", here, "} here.")
}
