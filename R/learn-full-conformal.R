# Full conformal sets, by solvers that learn and forget exactly: a new row is learned as an example of each class,
# ranked among all examples by the model that has learned it, and forgotten again.

check_full <- function(model, cells) {
  what <- "{.code conformal = \"full\"}"
  if (!predicts_classes(model)) abort(paste(what, "is for classes: {.code TRUE} is for numbers, too."))
  check_solver_can(model, "leave_out", "have full conformal sets")
  refuse_given(model$kernel, what)
  if (!is.null(cells) || !is_constant(model$transform)) {
    abort(paste(what, "needs one SVM of all rows and a scaling that stays: leave {.arg cells}, {.val running} out."))
  }
}

is_full <- function(model) isTRUE(model$conformal$full)

#' @export
predict.osvm_full <- function(object, newdata, type = c("class", "decision", "prob", "interval", "set", "p"),
                              new_levels = c("error", "NA"), threads = NULL, ..., level = 0.9, by = c("all", "class")) {
  check_passed("predict", predict.osvm, ...)
  if (!is_one_text(type) || !type %in% c("set", "p") || !is_full(object)) {
    return(NextMethod())
  }
  check_dots("predict", ...)
  object <- check_model(object)
  check_trainable(object, "rank new rows")
  object$control$threads <- resolve_threads(threads)
  conformal <- list(level = one_number(level, above = 0, below = 1), by = one_choice(by, c("all", "class")))
  if (missing(newdata)) abort("{.arg newdata} is missing: give the rows to predict.")
  x <- model_input(object, newdata, "newdata", one_choice(new_levels, c("error", "NA")))
  out <- name_rows(with_missing_rows(x, "newdata", function(x, columns) {
    if (nrow(x) > 0) warn_range(object, far_columns(object, columns), "newdata")
    p <- full_p_values(object, x, columns, conformal$by)
    if (type == "set") p_sets(p, conformal$level) else p
  }), newdata)
  if (type == "set") new_sets(out, conformal$level) else out
}

# Margin support vectors have the same score, up to rounding.
full_p_values <- function(object, x, columns, by, rounding = 1e-6) {
  p <- matrix(NA_real_, nrow(x), length(object$levels), dimnames = list(rownames(x), object$levels))
  object$extent <- larger_extent(object$extent, data_extent(columns, object$transform, object$range))
  object$probability <- NULL
  learned <- known_input(object, object$sv)
  live <- open_live(object)
  on.exit(.Call(ffi_live_close, live$live))
  for (i in seq_len(nrow(x))) {
    row <- x[i, , drop = FALSE]
    rows <- bind_rows(learned, row)
    for (k in seq_along(object$levels)) {
      live <- finished(run_core(live, list(x = row, class = k, weight = object$class_weights[k]), 1L))
      class <- c(object$target, k)
      strange <- class_strangeness(object, decision_values(live, rows, object$control$threads))
      strange <- strange[cbind(seq_along(class), class)][by == "all" | class == k]
      p[i, k] <- mean(strange >= strange[length(strange)] - rounding)
      live <- finished(run_core(live, no_examples(object), integer(), forget = nrow(rows)))
    }
  }
  p
}

finished <- function(run) {
  if (run$interrupted) signal_interrupt()
  run$model
}
