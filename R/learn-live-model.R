# Models in training are opened: empty, or from what an ordinary model has learned. In R they are lists with the field
# `live`, the external pointer, in place of what the core has; learn() and decision_values() take either.

# An untrained model starts empty.
open_live <- function(model) {
  request <- core_request(model, no_examples(model), integer())
  live_state(open_core(model, request, model_header(model)))
}

open_core <- function(model, request, header = NULL) {
  trained <- if (!is.null(model$scalars)) trained_part(model)
  core_result(.Call(ffi_live_open, request, header, trained), "Opening the model")
}

# What the core is given of a trained model. Predictions use coefficients, or weights.
trained_part <- function(model) {
  part <- core_data(model$sv, model$transform)
  keeps <- keeps_examples(model)
  part$target <- if (keeps) as.double(model$target - predicts_classes(model))
  part$state <- as.double(if (is.null(model$state)) model$coef else model$state)
  part$scalars <- as.double(model$scalars)
  part[[if (keeps && is_primal(model)) "weights" else "coef"]] <- as.double(model$coef)
  part$intercept <- as.double(model$intercept)
  numbers <- if (is.null(model$index)) model$id else model$index
  part$number <- if (!is.null(numbers)) as.double(replace(numbers, is.na(numbers), 0))
  none <- stats::setNames(as.list(numeric(length(count_names))), count_names)
  part$counts <- c(if (is.null(model$stats)) none else model$stats, list(
    seen = sum(model$n_seen), n_sv = sum(model$n_sv), forgotten = sum(model$n_forgotten),
    epoch = if (length(model$trace$epoch) > 0) model$trace$epoch[1] else 1
  ))
  part$trace <- as.double(do.call(rbind, as.list(unclass(model$trace)[-1]))) # epoch by epoch
  part
}

# ---- what a live model begins with, and its model ----

live_from <- function(fit) {
  if (!inherits(fit, "osvm")) {
    abort(c(
      "{.arg fit} must be a model made by {.fn osvm}, not {.obj_type_friendly {fit}}.",
      i = if (inherits(fit, "osvm_solver")) "A model that begins with nothing takes it as {.arg solver}."
    ))
  }
  model <- check_model(fit)
  refuse_given(model$kernel, "A live model")
  check_trainable(model, "go on learning")
  check_online(model$solver)
  open_live(model)
}

check_online <- function(solver) {
  if (!solver$traits$online) {
    online <- solver_table()$name[solver_table()$online]
    abort(c(
      "The solver {.val {solver$name}} needs all examples at once, and cannot learn in place.",
      i = "Online solvers are {.val {online}}."
    ))
  }
}

# What the first update() starts from.
read_start <- function(levels, n_features, solver, kernel, ...) {
  check_factor(levels, "levels")
  distinct <- is_label_vector(levels) && !anyNA(levels) && anyDuplicated(levels) == 0
  if (!is.null(levels) && (!distinct || length(levels) < 2)) {
    abort("{.arg levels} must be two or more different classes.")
  }
  if (!is.null(n_features) && one_whole(n_features) > .Machine$integer.max - 3) {
    abort("{.arg n_features} must be at most 2^31 - 4.")
  }
  arguments <- list(...)
  specs <- choose_specs(if (is.null(solver)) default_online(kernel, arguments$loss) else solver, kernel)
  refuse_given(specs$kernel, "A model that learns as data comes")
  check_online(specs$solver)
  refused <- intersect(names(arguments), c("weights", "probability", "na.action", "y"))
  if (length(refused) > 0) {
    abort("{.arg {refused}} must be left out: a model that learns as data comes is not given {?it/them} beforehand.")
  }
  list(levels = levels, n_features = n_features, specs = specs, arguments = arguments)
}

default_online <- function(kernel, loss = NULL) {
  linear <- !is.null(kernel) && is_linear(as_spec(kernel, "kernel"))
  solver <- default_solver(if (linear) "live_linear" else "live")
  able <- is.null(loss) || as_spec(loss, "loss")$name %in% solver$traits$losses
  if (able) solver else default_solver(if (linear) "linear_losses" else "expansion")
}

# The model of the first examples, and these: as osvm() would have them, but for declared classes.
start_live <- function(start, x, y, weights, na.action) {
  rows <- encode_input(x, list(y = y, weights = weights), na.action)
  if (!is.null(start$n_features) && ncol(rows$x) != start$n_features) {
    abort("{.arg x} must have {start$n_features} column{?s}, as {.arg n_features} says; it has {ncol(rows$x)}.")
  }
  given <- list(
    rows$x, rows$y, weights = rows$weights, na.action = na.action, solver = start$specs$solver,
    kernel = start$specs$kernel, levels = start$levels
  )
  prepared <- do.call(prepare_fit, c(given, start$arguments), quote = TRUE)
  prepared$model$encoding <- rows$encoding
  prepared[c("model", "examples")]
}

# The model of a live model that is open, for prediction or (`learns`) for training.
model_of <- function(live, learns = FALSE) {
  if (!is.environment(live)) abort("The live model is damaged: it is not an environment.")
  pointer <- .subset2(live, "pointer") # without a search for methods
  if (is.null(pointer)) {
    abort(c("The live model has not learned anything yet.", i = "Give it examples with {.fn update}."))
  }
  process <- .subset2(live, "process")
  class <- .subset2(live, "class")
  need(is_one_number(process) && is.character(class) && "osvm" %in% class, "its class is missing")
  model <- live_state(pointer)
  if (is.null(model)) {
    abort(c(
      "The live model is closed: it ended with {.fn close}, or came from a file or another process.",
      i = "Save {.code snapshot(live)}, and go on with {.code osvm_live(fit)}."
    ))
  }
  if (learns && process != Sys.getpid()) {
    abort(c(
      "The live model belongs to another process, which would not see what it learns in this one.",
      i = "{.code osvm_live(snapshot(live))} is a model of its own."
    ))
  }
  model
}
