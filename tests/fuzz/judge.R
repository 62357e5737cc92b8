# What a case shows: "ok", "refused" (an osvm_error), "void" (the statements before the call failed as such), or a
# finding with its `kind` and `text`.

# Errors of others that are right, and why.
allowed_errors <- c(
  "no applicable method" = "R's own dispatch: the first argument is no object of the package",
  "is missing, with no default|argument is missing" = "R's own message on an argument without a default",
  "unused argument" = "R's own matching, in functions without dots",
  "matched by multiple actual arguments|matches multiple formal" = "R's own matching",
  "There is no method available" = "vetiver's own dispatch",
  "the caller's own" = "raised by a function the caller gave",
  "cannot allocate vector|memory exhausted" = "R's limit of memory"
)

outcome <- function(case) {
  setup <- value_of(case$setup)
  error <- attr(setup, "error")
  if (!is.null(error)) {
    return(list(kind = "void", text = first_line(error)))
  }
  state <- state_of(setup)
  # A formula holds the environment of the call, which may gain variables; a live model is changed by update().
  setup <- Filter(function(value) !inherits(value, c("formula", "osvm_live")), setup)
  before <- serialize(setup, NULL)
  options(onlinesvm.evaluated = NULL)
  result <- attempt(str2lang(case$call), state)
  # The junk that sets it has been run, whatever became of the call.
  if (!is.null(getOption("onlinesvm.evaluated"))) {
    return(list(kind = "argument evaluated", text = ""))
  }
  changed <- is_changed(before, as.list(state)[names(setup)])
  if (inherits(result, "osvm_error")) {
    found <- if (changed) "arguments changed" else "refused"
    text <- first_line(result)
    # The message of stop("evaluated"); not its code, which may be a name, nor a sentence on a metric.
    if (grepl("(?<![.'\"]|be )evaluated", text, perl = TRUE)) found <- "argument evaluated"
    if (case$mode == "relation") found <- "foreign error" # its arguments are right
    return(list(kind = found, text = text))
  }
  if (inherits(result, "error")) {
    text <- first_line(result)
    fine <- any(vapply(names(allowed_errors), grepl, NA, x = text))
    return(list(kind = if (fine) "refused" else "foreign error", text = text))
  }
  if (changed) {
    return(list(kind = "arguments changed", text = ""))
  }
  # print() and plot() return what they are given, which may be damaged.
  if (any(vapply(setup, identical, NA, result))) {
    return(list(kind = "ok", text = ""))
  }
  text <- tryCatch(unsound(result, str2lang(case$call), state), error = first_line)
  list(kind = if (is.null(text)) "ok" else "unsound result", text = text)
}

# Lazily made strings are serialised differently once they are used; functions come back with another environment.
is_changed <- function(before, values) {
  !identical(before, serialize(values, NULL)) && !identical(unserialize(before), values, ignore.environment = TRUE)
}

first_line <- function(condition) strsplit(paste0(conditionMessage(condition), " "), "\n")[[1]][1]

# Value or condition. Plots go to no device, text to no file, files named by junk to the session's directory.
attempt <- function(call, state) {
  set.seed(1)
  here <- setwd(tempdir())
  old <- options(device = function(...) grDevices::pdf(NULL))
  sink(nullfile())
  on.exit({
    while (sink.number() > 0) sink()
    grDevices::graphics.off()
    options(old)
    setwd(here)
  })
  tryCatch(
    withCallingHandlers(eval(call, state), warning = function(w) tryInvokeRestart("muffleWarning"),
                        message = function(m) tryInvokeRestart("muffleMessage")),
    error = identity, interrupt = identity
  )
}

# A sentence on what is wrong with a value, or NULL.
unsound <- function(value, call, state) {
  # What was stopped may have no value, or a part of it: that is no model of all that was asked for, but a model.
  check <- if (!identical(call[[1]], quote(stopped))) checks[[sub(".*::", "", deparse(call[[1]]))]]
  text <- if (!is.null(check)) check(value, call, state)
  if (is.null(text) && inherits(value, "osvm")) text <- bad_model(value)
  if (is.null(text) && inherits(value, "osvm_tuning")) text <- bad_tuning(value)
  text
}

checks <- list(
  relation = function(value, call, state) {
    if (!all(value == "TRUE")) paste("two ways differ:", value[value != "TRUE"][1])
  },
  predict = function(value, call, state) bad_prediction(value, call, state),
  query = function(value, call, state) {
    n <- nrow(eval(call$x, state))
    rows <- is.numeric(value) && !anyNA(value) && anyDuplicated(value) == 0 && all(value >= 1 & value <= n)
    if (!rows) "rows that do not exist"
  },
  loo = function(value, call, state) {
    if (!all(is.finite(value$decision)) || !isTRUE(value$error >= 0 && value$error <= 1)) "no error rate"
  },
  coef = function(value, call, state) if (!all(is.finite(unlist(value)))) "missing or infinite values"
)

bad_prediction <- function(value, call, state) {
  object <- eval(call[[2]], state)
  if (inherits(object, c("osvm_tuning", "osvm_stream"))) object <- object$fit
  if (inherits(object, "osvm_live")) object <- snapshot(object)
  # Levels that training did not have, and rows with missing values, are predicted as missing.
  if (identical(eval(call$new_levels, state), "NA")) {
    return(NULL)
  }
  there <- stats::complete.cases(as.matrix(eval(call$newdata, state), rownames.force = FALSE))
  if (is.list(value)) {
    return("a list")
  }
  value <- if (is.matrix(value)) value[there, , drop = FALSE] else value[there]
  if (anyNA(value) || is.numeric(value) && any(is.infinite(value))) {
    return("missing or infinite values")
  }
  if (is.null(call$type) || eval(call$type, state) == "class") {
    known <- !identical(object$outcome, "classes") || all(as.character(value) %in% object$levels)
    if (!known) "classes that are not levels"
  } else if (eval(call$type, state) == "prob") {
    if (any(value < 0 | value > 1) || any(abs(rowSums(value) - 1) > 1e-8)) "probabilities that do not sum to 1"
  }
}

bad_model <- function(fit) {
  if (!all(is.finite(fit$coef)) || !all(is.finite(fit$intercept))) {
    return("coefficients that are not finite")
  }
  if (!all(is.finite(fit$scalars)) || !all(is.finite(fit$state))) "state that is not finite"
}

bad_tuning <- function(tuned) {
  error <- tuned$results$error
  failed <- if (is.null(tuned$results$failed)) 0 else tuned$results$failed
  most <- if (identical(tuned$outcome, "numbers")) Inf else 1
  if (!all(is.na(error) & failed > 0 | error >= 0 & error <= most)) "an error that is no share"
}
