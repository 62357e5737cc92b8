#' Remove examples from a model
#'
#' [`update()`][update.osvm] adds examples, `forget()` removes them, as if they had never been
#' *learned*. For [solver_idsvm()] coefficients and intercept are exactly those of the remaining
#' examples: their batch solution. For [solver_ramp()] they are a stationary point of the remaining
#' examples' objective, not necessarily the one that training without them would find.
#'
#' What [osvm()] estimated before it learned stays as fitted, with the forgotten examples among
#' the data: scaling, a kernel width that was not given, and the map of probabilities. So do counts,
#' `trace` and, for data frames, levels of factors and the ranges that `plot()` shows. To keep nothing of
#' examples that may have to be forgotten, give `scale` (`FALSE`, or a centre and scale of your own) and
#' the `gamma` of the kernel, and no `probability`; the model is then that of a fit without them.
#'
#' Examples are counted in the order they were learned: those of [osvm()] first, from 1 on,
#' then those of each [`update()`][update.osvm]. The numbers stay the same whatever is
#' learned or forgotten in between, and when the model is saved and read back; `fit$id` has
#' those of the examples the model still keeps. Rows left out for missing values are not counted.
#'
#' Models of other solvers forget by a fit of the other rows, such as `osvm(x[-i, ], y[-i], fit$solver, fit$kernel)`,
#' which takes as long as the first; with `cells` a fit is a matter of seconds.
#'
#' @param object A model made by [osvm()] with [solver_idsvm()] or [solver_ramp()].
#' @param i Numbers of the examples to remove, or the names of their rows, or a function of the numbers, `fit$id`, that
#'   returns `TRUE` for those to remove, such as `function(id) id <= 1000`. Of examples that the model does not have any
#'   more, forgotten before or discarded by a ramp-loss model with a finite `keep`, a message tells. To remove all that
#'   are left is an error.
#' @param ... Not used: an unknown argument is an error.
#' @return The model without the examples; its `n_forgotten` is the number of examples removed
#'   since the first fit, and `forgotten` a table with a row per call: the `time`, the number of `examples` removed, and
#'   `n_seen`, how many had been learned. `object` itself does not change.
#' @seealso [loo()], [`update()`][update.osvm], [solvers()]
#' @export
#' @examples
#' x <- as.matrix(iris[51:150, 3:4])
#' y <- droplevels(iris$Species[51:150])
#' units <- list(center = c(5, 1.7), scale = c(0.8, 0.4))
#' fit <- osvm(x, y, solver_idsvm(), kernel_rbf(gamma = 0.5), scale = units)
#' less <- forget(fit, 17:20)
#'
#' never <- osvm(x[-(17:20), ], y[-(17:20)], solver_idsvm(), kernel_rbf(gamma = 0.5), scale = units)
#' max(abs(predict(less, x, type = "decision") - predict(never, x, type = "decision")))
forget <- function(object, i, ...) UseMethod("forget")

#' @rdname forget
#' @export
forget.osvm <- function(object, i, ...) {
  check_dots("forget", ...)
  class <- class(object)
  object <- check_model(object)
  left <- forget_examples(object, i)
  removed <- sum(left$n_forgotten) - sum(object$n_forgotten)
  if (removed > 0) {
    event <- data.frame(time = Sys.time(), examples = removed, n_seen = object$n_seen)
    left$forgotten <- rbind(object$forgotten, event)
  }
  know(structure(left, class = class))
}

forget_examples <- function(object, i) {
  check_capability(object, "forgets", "forget")
  if (missing(i)) {
    abort("{.arg i} is missing: give the numbers of the examples to forget.")
  }
  i <- example_numbers(object, i)
  rows <- match(unique(i), object$id)
  if (anyNA(rows)) {
    gone <- sum(is.na(rows))
    inform("{gone} of the examples to forget {?is/are} not in the model: forgotten before, or discarded.")
  }
  rows <- rows[!is.na(rows)]
  if (length(rows) == 0) {
    return(object)
  }
  if (length(rows) == length(object$id)) {
    abort("{.arg i} must leave at least one example: a model cannot forget all it has learned.")
  }
  run <- run_core(object, no_examples(object), integer(), forget = rows)
  run$model <- measure_remaining(run$model)
  signal_run(run)
  run$model
}

# From names of rows, or a condition on numbers.
example_numbers <- function(object, i) {
  if (is.function(i)) {
    i <- i(object$id)
    if (!is.logical(i) || length(i) != length(object$id) || anyNA(i)) {
      abort("{.arg i} must return TRUE or FALSE for each of the {length(object$id)} number{?s} that it is given.")
    }
    return(object$id[i])
  }
  if (is.character(i)) {
    if (is_live(object)) abort("{.arg i} must be numbers: a live model has no names of rows.")
    names <- rownames(object$sv)
    unknown <- setdiff(i, names)
    if (length(unknown) > 0) abort("{.arg i} has names that no example of the model has: {.val {unknown}}.")
    return(object$id[names %in% i])
  }
  if (!is.numeric(i) || anyNA(i) || any(i != round(i) | i < 1 | i > object$n_seen)) {
    abort("{.arg i} must be whole numbers from 1 to {object$n_seen}, the examples learned so far.")
  }
  i
}

# What a fit estimates from its first examples, whatever is forgotten of them later.
estimated_parts <- function(scale, kernel) {
  c(
    if (isTRUE(scale) || is.character(scale)) "scaling", if (kernel$traits$width && is_open(kernel)) "kernel width",
    if (kernel$traits$low_rank) "feature map"
  )
}

# Range and extent without the forgotten examples, if the model keeps all others.
measure_remaining <- function(fit) {
  model <- live_model(fit)
  if (length(model$id) == model$n_seen - sum(model$n_forgotten)) {
    columns <- describe_columns(model$sv)
    fit$extent <- data_extent(columns, fit$transform)
    fit$range <- if (!is_given(fit$kernel)) column_range(columns)
    fit$warned <- NULL
    if (is_live(fit)) .Call(ffi_live_set, fit$live, model_header(fit))
  }
  fit
}

# Stops unless the solver declares the capability (a column of solvers()) and the model has its training state.
check_capability <- function(object, capability, what) {
  check_trainable(object, what)
  check_solver_can(object, capability, what)
}

check_solver_can <- function(object, capability, what) {
  all <- solver_table()
  able <- all$name[all[[capability]]]
  if (!object$solver$name %in% able) {
    abort(c("Models of the solver {.val {object$solver$name}} cannot {what}.", i = "Those of {.val {able}} can."))
  }
}

no_examples <- function(object) {
  columns <- as.integer(object$n_features)
  x <- if (!object$sparse) matrix(0, 0, columns) else
    methods::new("dgCMatrix", Dim = c(0L, columns), p = integer(columns + 1))
  list(x = x, class = integer(), weight = numeric())
}

#' Leave-one-out error
#'
#' Predicts each example by the model without that example. This is exact for [solver_idsvm()], and costs one
#' decremental step per support vector, far less than fitting as many models; reserve examples cost nothing. Ctrl-C
#' returns what was computed until then, `NA` for the other examples, with a warning of class `osvm_interrupted`.
#'
#' @param object A model made by [osvm()] with [solver_idsvm()].
#' @return A list of class `osvm_loo`:
#'   \item{error}{the share of examples misclassified by the model without them; of numbers the root mean square error,
#'     in their units; of novelty the share of examples outside}
#'   \item{class, predicted}{the examples' labels, for novelty `TRUE`, and their predictions}
#'   \item{decision}{decision values, a column per binary classifier}
#'   \item{id}{the examples' numbers, see [forget()]}
#'   \item{outcome}{`"classes"`, `"numbers"` or `"novelty"`}
#' @seealso [forget()], [solver_idsvm()]
#' @export
#' @examples
#' x <- as.matrix(iris[51:150, 3:4])
#' y <- droplevels(iris$Species[51:150])
#' fit <- osvm(x, y, solver_idsvm(), kernel_rbf(gamma = 0.5))
#' loo(fit)
loo <- function(object) {
  if (!inherits(object, "osvm")) {
    abort("{.arg object} must be a model made by {.fn osvm}.")
  }
  object <- check_model(object)
  check_capability(object, "leave_out", "leave examples out")
  request <- core_request(object, no_examples(object), integer())
  result <- core_result(.Call(ffi_live_leave_out, open_core(object, request), request), "Leaving out")
  f <- result$outputs
  class <- object$target
  machines <- object$machines
  others <- if (any(machines$negative > 0)) {
    outer(class, machines$positive, "!=") & outer(class, machines$negative, "!=")
  }
  if (any(others)) {
    # One-vs-one: machines trained without the example keep their outputs.
    f[others] <- decision_values(object, known_input(object, object$sv), object$control$threads)[others]
  }
  if (result$interrupted) {
    f[rowSums(is.na(f)) > 0, ] <- NA
    done <- sum(!is.na(f[, 1]))
    warn("Interrupted after {done} of {nrow(f)} example{?s}; the others are NA.", "osvm_interrupted")
  }
  done <- !is.na(f[, 1])
  predicted <- at_rows(predict_targets(object, f[done, , drop = FALSE]), match(seq_along(done), which(done)))
  colnames(f) <- if (ncol(f) > 1) machine_names(object)
  if (!is_labelled(object)) class[] <- 1 # all of them belong to the data
  left <- list(class = restore_labels(object, class), predicted = restore_labels(object, predicted))
  error <- if (is_labelled(object)) {
    mean_error(object, at_rows(class, done), at_rows(predicted, done))
  } else {
    mean(!left$predicted[done])
  }
  f <- in_label_units(object, f)
  structure(c(
    list(error = error), left, list(
      decision = f, id = object$id, outcome = object$outcome,
      metric = if (predicts_numbers(object)) tolower(loss_metric(object)$title)
    )
  ), class = "osvm_loo")
}

is_label_vector <- function(y) is.atomic(y) && (!is.factor(y) || is_sound_factor(y))

loo_labels <- type("a label per example", function(x, left) is_label_vector(x) && length(x) == length(left$class))
loo_fields <- list(
  error = a_number, class = loo_labels, predicted = loo_labels,
  metric = or_null(a_text),
  outcome = or_null(type("an outcome", function(x, ...) is_one_text(x) && x %in% names(outcome_kinds)))
)

#' @export
print.osvm_loo <- function(x, ...) {
  check_dots("print", ...)
  check_fields(x, loo_fields, c("The leave-one-out error", "Make it anew with {.fn loo}."))
  examples <- plural(sum(!is.na(first_target(x$predicted))), "example")
  outcome <- outcome_kinds[[x$outcome %||% "classes"]] # of earlier versions there is none
  wrong <- sum(as.character(x$class) != as.character(x$predicted), na.rm = TRUE)
  left_out <- if (is.null(x$metric)) outcome$left_out else paste("leave-one-out", x$metric)
  cat_line("<osvm_loo> ", left_out, " ", if (outcome$target == "numbers") {
    paste0(format(x$error, digits = 4), ", ", examples)
  } else {
    paste0(format(100 * x$error, digits = 3), " %: ", wrong, " of ", examples)
  })
  invisible(x)
}
