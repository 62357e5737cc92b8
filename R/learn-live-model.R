# Models in training are opened: empty, or from what an ordinary model has learned.

# An untrained model starts empty.
open_live <- function(model, doubles = wants_doubles(model, model$extent)) {
  request <- core_request(model, no_examples(model), integer(), doubles = doubles)
  live_state(open_core(model, request, model_header(model)))
}

open_core <- function(model, request, header = NULL) {
  core_result(.Call(ffi_live_open, request, header, trained_part(model)), "Opening the model")
}

# Examples that no longer fit the precision in which they are packed are packed anew.
in_precision <- function(model, doubles = wants_doubles(model, model$extent)) {
  if (isTRUE(doubles != model$live$doubles)) model$live <- open_live(live_model(model), doubles)$live
  model
}

empty_matrix <- function(columns, sparse) {
  if (sparse) methods::new("dgCMatrix", Dim = c(0L, as.integer(columns)), p = integer(columns + 1)) else
    matrix(0, 0, columns)
}

# What the core is given of a trained model; NULL: it is a new one. Predictions use coefficients, or weights.
trained_part <- function(model) {
  if (is.null(model$scalars)) {
    return(NULL)
  }
  part <- core_data(model$sv, model$transform)
  keeps <- keeps_examples(model)
  part$target <- if (keeps) core_targets(model, model$target)
  part$state <- as.double(if (is.null(model$state)) model$coef else model$state)
  part$scalars <- as.double(model$scalars)
  part[[if (keeps && is_primal(model)) "weights" else "coef"]] <- as.double(model$coef)
  part$intercept <- as.double(model$intercept)
  numbers <- if (is.null(model$index)) model$id else model$index
  part$number <- if (!is.null(numbers)) as.double(replace(numbers, is.na(numbers), 0))
  stats <- if (is.null(model$stats)) numeric(4) else unlist(model$stats, use.names = FALSE)
  first <- if (length(model$trace$epoch) > 0) model$trace$epoch[1] else 1
  part$counts <- as.double(c(sum(model$n_seen), sum(model$n_sv), sum(model$n_forgotten), stats, first))
  part$trace <- as.double(do.call(rbind, as.list(unclass(model$trace)[-1]))) # epoch by epoch
  part
}
