# What a model predicts. `model$outcome` names one of outcome_kinds, each a list of functions in a file of its own:
#   read      labels as list(outcome, class = a target per example, ...), the target being the number of a class;
#             `levels`: labels known beforehand
#   start     an untrained model that predicts these, with its machines
#   find      the targets of further labels, NA where there is none
#   match     the same, an error where there is none
#   restore   labels of targets, as they were given
#   weigh     the weight of examples with these targets
#   predict   the targets that decision values predict
#   error     the mean error of predicted targets
#   names     of the machines
#   size      a phrase, such as "3 classes"
#   describe  lines of print()
#   check     of the fields of a model that belong to the outcome
outcome_kinds <- list(classes = classes_outcome)

outcome_of <- function(model) outcome_kinds[[model$outcome]]

# The outcome that labels stand for, and the labels as it reads them.
read_outcome <- function(y, n, levels = NULL, name = "y") {
  outcome_kinds$classes$read(y, n, levels, name)
}

start_outcome <- function(model, labels, class_weights) {
  model$outcome <- labels$outcome
  outcome_of(model)$start(model, labels, class_weights)
}

find_targets <- function(model, y) outcome_of(model)$find(model, y)

match_targets <- function(model, y, n) outcome_of(model)$match(model, y, n)

restore_labels <- function(model, target) outcome_of(model)$restore(model, target)

predict_targets <- function(model, f) outcome_of(model)$predict(model, f)

mean_error <- function(model, target, predicted) outcome_of(model)$error(target, predicted)

machine_names <- function(model) outcome_of(model)$names(model)

outcome_size <- function(model) outcome_of(model)$size(model)

describe_outcome <- function(model) outcome_of(model)$describe(model)

check_outcome <- function(model) {
  need(is_one_text(model$outcome) && model$outcome %in% names(outcome_kinds), "its outcome is missing")
  outcome_of(model)$check(model)
}

# `weights`: those of the user, or NULL.
example_weights <- function(model, weights, target) {
  read_weights(weights, length(target)) * outcome_of(model)$weigh(model, target)
}

read_weights <- function(weights, n) {
  if (is.null(weights)) {
    weights <- rep(1, n)
  }
  if (!is.numeric(weights) || length(weights) != n || !all(is.finite(weights)) || any(weights < 0)) {
    abort("{.arg weights} must hold a number of at least 0 for each of the {n} example{?s}.")
  }
  as.numeric(weights)
}

# Targets and weights for the core, and the machines that learn them. `fold`: in which an example is held out.
core_labels <- function(model, examples, rows, fold = NULL) {
  labels <- list(
    class = examples$class[rows] - 1L, weight = as.double(examples$weight[rows]),
    positive = model$machines$positive - 1L, negative = model$machines$negative - 1L
  )
  if (!is.null(fold)) labels$fold <- fold - 1L
  labels
}
