# The model trained on all examples, and its call.

# The final model, of `code`. On Ctrl-C within the core osvm() returns the model so far with a
# warning. Errors and interrupts do not lose the table.
refit_best <- function(code) {
  none <- function(what, class) {
    warn(c("{what}", i = "The tuning has no model; the table is complete."), class)
    NULL
  }
  tryCatch(
    code,
    interrupt = function(c) none("The final fit was interrupted.", "osvm_interrupted"),
    osvm_error = function(e) none(text_of(e), "osvm_failed")
  )
}

# The call as typed; that of the model is the equivalent call of osvm(). `encoded`: what
# encode_frame() or encode_formula() returned.
called_tuning <- function(tuned, call, encoded = NULL) {
  if (!is.null(encoded)) tuned$na.action <- encoded$na.action
  tuned$call <- as_called(call)
  tuned$call[[1]] <- quote(osvm_tune)
  if (!is.null(tuned$fit)) {
    tuned$fit$encoding <- encoded$encoding
    tuned$fit$na.action <- tuned$na.action
    if (!is.null(tuned$map)) tuned$fit <- with_map(tuned$fit, tuned$map)
    tuned$fit$call <- refit_call(tuned$call, tuned)
  }
  tuned[c("best_point", "map", "cell_errors")] <- NULL
  tuned
}

# A search is repeated, unless there are other folds.
refit_call <- function(call, tuned) {
  fit <- tuned$fit
  shared <- c(
    "x", "y", "formula", "data", "scale", "multiclass", "class_weights", "weights", "subset", "na.action", "cache_mb",
    "threads", "cells"
  )
  args <- as.list(call)[-1]
  if (is_search(tuned)) {
    return(as.call(c(quote(osvm), args[names(args) %in% c(shared, "kernel", "loss", "effort")])))
  }
  as.call(c(
    quote(osvm), args[names(args) %in% shared],
    list(solver = spec_call(fit$solver, "solver"), kernel = spec_call(fit$kernel, "kernel")),
    if (!predicts_classes(fit)) list(loss = spec_call(fit$loss, "loss"))
  ))
}

spec_call <- function(spec, kind) {
  if (is_given(spec)) return(as.call(c(as.name(paste0("kernel_", spec$name)), lapply(names(spec$params), as.name))))
  usual <- constructor(kind, spec$name)()$params
  same <- mapply(identical, spec$params, usual[names(spec$params)])
  as.call(c(as.name(paste0(kind, "_", spec$name)), spec$params[!as.logical(same)]))
}
