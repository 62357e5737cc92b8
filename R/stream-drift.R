# What a stream does about drift, and about age.

check_forgetting <- function(forget_after, solver) {
  if (is.finite(forget_after) && !solver$traits$forgets) {
    able <- solver_table()$name[solver_table()$forgets]
    abort(c(
      "{.arg forget_after} must be left out with the solver {.val {solver$name}}, which cannot forget.",
      i = "Those of {.val {able}} can; {.code drift_adwin(react = \"restart\")} works with every solver."
    ))
  }
}

# Of the examples that the model keeps, those before the latest ones are removed.
forget_oldest <- function(s) {
  gone <- s$model$n_seen - s$settings$forget_after
  if (!isTRUE(gone > 0)) {
    return()
  }
  numbers <- .Call(ffi_live_numbers, s$model$live)
  old <- which(numbers <= gone)
  if (length(old) > 0 && length(old) < length(numbers)) {
    s$model <- learn(s$model, no_examples(s$model), forget = old)
  }
}

check_reaction <- function(drift, solver) {
  react <- drift$params$react
  able <- switch(if (is.null(react)) "tell" else react,
    forget = solver$traits$forgets,
    fade = all(solver$traits$column_roles %in% c("coef", "sum")),
    TRUE
  )
  if (!able) {
    abort(c(
      "{.arg drift} has {.code react = \"{react}\"}, which models of the solver {.val {solver$name}} cannot do.",
      i = "{.code react = \"restart\"} works with every solver."
    ))
  }
}

# `errors` of the labelled examples of a chunk, in multiples of `unit`, of which the last `at_hand` are learned
# afterwards.
watch_drift <- function(s, errors, at_hand, unit = 1) {
  found <- drift_add(s$detector, errors)
  s$detector <- found$state
  if (length(found$at) == 0 || is.na(found$at)) {
    return()
  }
  error <- if (unit == 1) sprintf("%.3f", found$after) else format(signif(found$after * unit, 3))
  add_event(s, "drift", sprintf("error %s over the %.0f examples since the change", error, found$back))
  if (!is.null(s$model)) {
    switch(s$settings$drift$params$react,
      forget = forget_before(s, found$back - at_hand, at_hand),
      restart = restart_from(s, found$back - at_hand, at_hand),
      fade = fade(s)
    )
  }
}

# `since`: examples learned since the change; `at_hand`: those of the chunk, which are learned afterwards.
forget_before <- function(s, since, at_hand) {
  numbers <- .Call(ffi_live_numbers, s$model$live)
  old <- which(numbers <= s$model$n_seen - max(since, 0))
  if (length(old) == length(numbers)) {
    restart_from(s, since, at_hand)
  } else if (length(old) > 0) {
    with_warnings_kept(s, s$model <- learn(s$model, no_examples(s$model), forget = old))
    add_event(s, "forget", paste(plural(length(old), "example"), "removed"))
  }
}

# From the latest examples, of those since the change.
restart_from <- function(s, since, at_hand) {
  s$start$levels <- s$model$levels
  s$model <- NULL
  s$map <- NULL
  s$map_data <- list()
  s$memory <- s$joining <- NULL
  recent <- latest_rows(s$recent, max(0, min(since, s$settings$window)))
  if (length(recent$y) > 0) start_model(s, recent, Inf)
  add_event(s, "restart", paste("from the latest", plural(length(recent$y) + at_hand, "example")))
}

# All coefficients and biases are halved.
fade <- function(s) {
  model <- live_model(s$model)
  for (part in c("coef", "intercept", "state")) if (!is.null(model[[part]])) model[[part]] <- model[[part]] / 2
  signed <- rownames(model$scalars) %in% c("bias", "bias_sum")
  model$scalars[signed, ] <- model$scalars[signed, ] / 2
  s$model <- open_live(model)
  add_event(s, "fade", "coefficients halved")
}
