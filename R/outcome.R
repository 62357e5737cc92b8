# What a model predicts. `model$outcome` names one of outcome_kinds, each the list `<outcome>_outcome` of a file of its
# own. What it leaves out is that of the outcome named as its target, or of outcome_defaults.
#   target    what the core learns (loss.h): "classes", "numbers" or "novelty". What fits all outcomes of a target, such
#             as metrics and pictures, goes by it: predicts_classes(), predicts_numbers(), is_labelled()
# Labels of fits, of the chunks of a stream and of shards are read by the same functions:
#   survey    what the labels y of n examples say
#   join      several surveys as one
#   declare   list(label = , ...): fields of a model by which these and further labels are read; `levels`: labels known
#             beforehand; `scale`: that of the features, FALSE for none
#   match     the targets of labels: the number of a class, a scaled number, or 0; an error where there is none
#   find      the same, NA where there is none
# And of a model:
#   start     an untrained model that predicts these, with its machines
#   follow    the model after further labels, in what it knows of all of them
#   restore   labels of targets, as they were given
#   weigh     the weight of examples with these targets
#   core      targets as the core takes them
#   predict   the targets that decision values predict
#   units     center and scale that lead from decision values to the units of the labels, one per machine
#   settings  of the defaults: costs, and multiples of the kernel's usual scale, the moderate ones first
#   usual     how many of these are compared; the others are tried where these are not sharp enough
#   low_rank  settings for kernels of a rank far below the number of rows, if others: the map smooths, so that costs are
#             higher
#   losses    others for the same labels, among which a search chooses
#   doubt     what is added to an error by which settings are compared, so that a few rows more or less do not decide
#   margin    by how much less an error must be for a setting that is not the usual one
#   agreement of predictions with others
#   part      of a cell with these targets: list(machine = those that it can learn, constant = outputs of the others)
#   constant  outputs of a cell that is not learned, and `typical`, what they predict
#   left_out  what loo() computes
#   names     of the machines
#   size      a phrase, such as "3 classes"
#   warn      a warning of a model that has learned nothing
#   describe  lines of print()
#   fields    the types of the fields of a model that belong to the outcome (base-fields.R)
#   is_target whether kept targets are such
#   stream    what a stream of it does, else that of its target (outcome-stream.R)
outcome_defaults <- list(
  join = function(all) all[[1]],
  follow = function(model, y, n) model,
  weigh = function(model, target) 1,
  units = function(model) no_units(model),
  low_rank = NULL,
  losses = function() NULL,
  doubt = function(model, target, f, weight) 0,
  warn = function(model) NULL,
  agreement = function(before, after) mean(after == before, na.rm = TRUE)
)

outcome_kinds <- tables_named("outcome")
outcome_streams <- tables_named("stream")
outcome_kinds <- lapply(outcome_kinds, function(kind) {
  stream <- list(stream = outcome_streams[[kind$target]])
  Reduce(utils::modifyList, list(outcome_defaults, stream, outcome_kinds[[kind$target]], kind))
})

outcome_of <- function(model) outcome_kinds[[model$outcome]]

predicts_classes <- function(model) outcome_kinds[[model$outcome]]$target == "classes"
predicts_numbers <- function(model) outcome_kinds[[model$outcome]]$target == "numbers"
is_labelled <- function(model) outcome_kinds[[model$outcome]]$target != "novelty"

# ---- labels ----

# The loss that labels are learned with, and the labels as its outcome reads them, `class` being their targets.
read_outcome <- function(y, n, levels = NULL, name = "y", loss = loss_hinge(), scale = TRUE) {
  loss <- choose_loss(loss, y, levels)
  kind <- outcome_kinds[[loss$traits$outcome]]
  if (!is.null(levels) && kind$target != "classes") abort("{.arg levels} are for classes: leave them out.")
  labels <- declare_labels(loss, kind$survey(y, n, name), levels, scale)
  labels$class <- kind$match(labels, y, n)
  labels
}

declare_labels <- function(loss, survey, levels = NULL, scale = TRUE) {
  tau <- quantiles_of(loss)
  if (length(tau) > 1) { # of one column of numbers
    if (!is.null(survey$names)) for_quantiles(matrix(0), tau)
    columns <- function(values, rows) matrix(values, rows, length(tau))
    survey <- list(
      names = as.character(tau), range = columns(survey$range, 2), moments = columns(survey$moments, 3)
    )
  }
  labels <- outcome_kinds[[loss$traits$outcome]]$declare(survey, levels, scale)
  labels[c("outcome", "loss")] <- list(loss$traits$outcome, loss)
  labels
}

choose_loss <- function(loss, y, levels = NULL) {
  if (!is.null(loss)) {
    as_spec(loss, "loss")
  } else if (is.null(y)) {
    inform("Without {.arg y} the model learns what belongs to {.arg x}: {.fn loss_novelty}.")
    loss_novelty()
  } else if (!is.null(levels) || !is.numeric(y)) {
    loss_hinge()
  } else {
    guess_loss(list(sample_values(y)))
  }
}

start_outcome <- function(model, labels, class_weights) {
  model$outcome <- labels$outcome
  model$loss <- labels$loss
  check_learns(model$solver, model$loss)
  if (!is.null(class_weights) && !predicts_classes(model)) {
    abort("{.arg class_weights} are for classes; a number per example is {.arg weights}.")
  }
  outcome_of(model)$start(model, labels, class_weights)
}

find_targets <- function(model, y) outcome_kinds[[model$outcome]]$find(model, y)
restore_labels <- function(model, target) outcome_kinds[[model$outcome]]$restore(model, target)
predict_targets <- function(model, f) outcome_kinds[[model$outcome]]$predict(model, f)
label_units <- function(model) outcome_kinds[[model$outcome]]$units(model)
machine_names <- function(model) outcome_kinds[[model$outcome]]$names(model)
outcome_size <- function(model) outcome_kinds[[model$outcome]]$size(model)

# ---- predictions ----

# Decision values, a column per machine or, if there is a value for each, one row.
in_label_units <- function(model, f) {
  units <- label_units(model)
  each <- if (is.matrix(f)) nrow(f) else 1
  rep(units$center, each = each) + rep(units$scale, each = each) * f
}

# Of outcomes whose decision values have no unit.
no_units <- function(model) list(center = rep(0, nrow(model$machines)), scale = rep(1, nrow(model$machines)))

# The value of a metric on examples with these targets. `given`: the predicted targets, or scores or probabilities of
# classes if it needs these. In the units of the labels; of several columns the mean.
metric_value <- function(metric, model, target, given) {
  learned <- list(loss = model$loss, classes = length(model$levels))
  if (predicts_classes(model)) {
    return(value_of(metric, target, given, learned))
  }
  truth <- as.matrix(restore_labels(model, target))
  given <- as.matrix(restore_labels(model, given))
  mean(vapply(seq_len(ncol(truth)), function(k) {
    learned$loss <- loss_of_column(model, k)
    value_of(metric, truth[, k], given[, k], learned)
  }, 0))
}

# Of several quantiles the one of a column.
loss_of_column <- function(model, k) {
  tau <- quantiles_of(model$loss)
  if (length(tau) > 1) set_role(model$loss, "quantile", tau[k]) else model$loss
}

mean_error <- function(model, target, predicted) metric_value(loss_metric(model), model, target, predicted)

need_classes <- function(model, what, hint = NULL) {
  if (!predicts_classes(model)) {
    abort(c("{what} needs a model for classes, and this one predicts {outcome_size(model)}.", i = hint))
  }
}

# `weights`: those of the user, or NULL.
example_weights <- function(model, weights, target) {
  n <- NROW(target)
  if (is.null(weights)) weights <- rep(1, n)
  if (!is.numeric(weights) || length(weights) != n || !all(is.finite(weights)) || any(weights < 0)) {
    abort("{.arg weights} must hold a number of at least 0 for each of the {n} example{?s}.")
  }
  as.numeric(weights) * outcome_kinds[[model$outcome]]$weigh(model, target)
}

# Targets and weights for the core, and the machines that learn them. The core numbers classes from 0, and has no number
# for vectors that are merged from several.
core_labels <- function(model, examples, rows) {
  target <- at_rows(examples$class, rows)
  if (!is.null(model$trend)) target <- target - as.vector(trend_values(model, examples$x[rows, , drop = FALSE]))
  machines <- model$machines
  c(
    list(weight = as.double(examples$weight[rows])), outcome_kinds[[model$outcome]]$core(target),
    list(loss = model$loss$core, positive = machines$positive - 1L, negative = machines$negative - 1L)
  )
}

# Of numbers that are learned together
n_columns <- function(model) max(1L, length(model$label$center))

need_one_column <- function(model, what) {
  if (n_columns(model) > 1) abort("{what} needs a model of one column of numbers, and this one has {n_columns(model)}.")
}
