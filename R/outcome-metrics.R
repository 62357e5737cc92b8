# The metrics of predictions, for tunings, curves and streams: one entry each.
#   title, about  on axes; in the help
#   outcome       what is predicted: a target of outcomes (outcome.R)
#   needs         what it is computed from, besides the truth: predicted `labels`; `probabilities` or `scores` of the
#                 classes, a column each; or labels in their `order` in time
#   lower         whether lower values are better; NA: it describes, and cannot choose
#   percent       whether it is a share, which plots show in per cent
#   opposite      the name and the title under which one minus the value, of a plain mean or of counts, is known as well
# How it is put together, so that a window or a stream costs the same however long it has run, is one of
#   row, of       the part of each example, a number or a row of a matrix, and the value from their means, which have a
#                 row per part and a column per predictor. `learned`: the `loss` of the model, and an
#                 `origin`, any number close to the truth
#   counts        the value from the examples per class and, with a column per predictor, the predictions and hits per
#                 class. Streams have several predictors: the model and the baselines, no change first
#   value         from the truth and the scores of all examples at once; a stream cannot have it

new_metric <- function(title, about, ..., of = function(mean, learned) mean, outcome = "classes", needs = "labels",
                       lower = TRUE, percent = FALSE) {
  list(title = title, about = about, outcome = outcome, needs = needs, lower = lower, percent = percent, of = of, ...)
}

metric_entries <- list(
  error = new_metric(
    "Error", "share of misclassified examples", opposite = c(accuracy = "Accuracy"), percent = TRUE,
    row = function(truth, predicted, learned) truth != predicted
  ),
  balanced = new_metric(
    "Balanced error", "mean over the classes of the share of their examples that are misclassified",
    opposite = c(balanced_accuracy = "Balanced accuracy"), percent = TRUE,
    counts = function(truth, predicted, hits) 1 - colMeans(hits[truth > 0, , drop = FALSE] / truth[truth > 0])
  ),
  kappa = new_metric(
    "Kappa", "accuracy beyond that by chance, as a share of what is possible (Cohen)", lower = FALSE,
    counts = function(truth, predicted, hits) {
      agreed <- colSums(hits) / sum(truth)
      by_chance <- colSums(truth * predicted) / sum(truth)^2
      (agreed - by_chance) / (1 - by_chance) # 0 / 0: one class, always predicted
    }
  ),
  kappa_temporal = new_metric(
    "Kappa-temporal", "accuracy beyond that of predicting the label before, as a share of what is possible",
    needs = "order", lower = FALSE,
    counts = function(truth, predicted, hits) {
      agreed <- colSums(hits) / sum(truth)
      (agreed - agreed[2]) / (1 - agreed[2]) # 0 / 0: the label never changes
    }
  ),
  mcc = new_metric(
    "Matthews correlation", "correlation of true and predicted classes (Matthews, Gorodkin)", lower = FALSE,
    counts = function(truth, predicted, hits) {
      n <- sum(truth)
      spread <- sqrt(n^2 - sum(truth^2)) * sqrt(n^2 - colSums(predicted^2))
      (n * colSums(hits) - colSums(truth * predicted)) / spread # 0 / 0: one class, or always the same prediction
    }
  ),
  precision = new_metric(
    "Precision", "share of the predictions of the second class that are right; of more classes the mean over them",
    lower = FALSE, percent = TRUE,
    counts = function(truth, predicted, hits) of_positive(hits / predicted)
  ),
  recall = new_metric(
    "Recall", "share of the examples of the second class that are predicted so; of more classes the mean over them",
    lower = FALSE, percent = TRUE,
    counts = function(truth, predicted, hits) of_positive(hits / truth)
  ),
  f1 = new_metric(
    "F1", "harmonic mean of precision and recall of the second class; of more classes the mean over them",
    lower = FALSE, counts = function(truth, predicted, hits) of_positive(2 * hits / (truth + predicted))
  ),
  auc = new_metric(
    "Area under the ROC curve",
    "area under the ROC curve; with more than two classes the mean over the classes, one-vs-rest",
    needs = "scores", lower = FALSE, value = function(truth, scores) mean_auc(scores, truth)
  ),
  logloss = new_metric(
    "Log-loss", "mean of minus the log-probability of the true class", needs = "probabilities",
    row = function(truth, probability, learned) -log(pmax(probability[cbind(seq_along(truth), truth)], 1e-15))
  ),
  brier = new_metric(
    "Brier score", "half the sum over the classes of the mean squared difference between their probability and 1 or 0",
    needs = "probabilities", row = function(truth, probability, learned) {
      (rowSums(probability^2) + 1) / 2 - probability[cbind(seq_along(truth), truth)]
    }
  ),
  rmse = new_metric(
    "Root mean square error", "root of the mean squared difference", outcome = "numbers",
    row = function(truth, predicted, learned) (truth - predicted)^2, of = function(mean, learned) sqrt(mean)
  ),
  mae = new_metric(
    "Mean absolute error", "mean of the absolute difference", outcome = "numbers",
    row = function(truth, predicted, learned) abs(truth - predicted)
  ),
  rsq = new_metric(
    "R squared", "share of the variance that is explained", outcome = "numbers", lower = FALSE,
    row = function(truth, predicted, learned) {
      far <- truth - learned$origin
      cbind((truth - predicted)^2, far, far^2, deparse.level = 0)
    },
    of = function(mean, learned) 1 - mean[1, ] / (mean[3, ] - mean[2, ]^2)
  ),
  pinball = new_metric(
    "Pinball loss", "mean loss of [loss_quantile()], in the units of the numbers; for other losses that of the median",
    outcome = "numbers", row = function(truth, predicted, learned) {
      (truth - predicted) * (role_value(learned$loss, "quantile", 0.5) - (truth < predicted))
    }
  ),
  expectile = new_metric(
    "Expectile loss", "mean loss of [loss_expectile()]; for other losses half the mean squared difference",
    outcome = "numbers", row = function(truth, predicted, learned) {
      abs(role_value(learned$loss, "asymmetry", 0.5) - (truth < predicted)) * (truth - predicted)^2
    }
  ),
  outside = new_metric(
    "Difference to nu", "difference between `nu` and the share of new examples that do not belong to the others",
    outcome = "novelty", row = function(truth, predicted, learned) !predicted,
    of = function(mean, learned) abs(mean - role_value(learned$loss, "share"))
  ),
  novel = new_metric(
    "Share called novel", "share of new examples that do not belong to the others", outcome = "novelty", lower = NA,
    percent = TRUE, row = function(truth, predicted, learned) !predicted
  )
)

# Each metric, followed by its opposite.
metric_table <- do.call(c, lapply(names(metric_entries), function(name) {
  metric <- metric_entries[[name]]
  from_one <- function(value) if (!is.null(value)) function(...) 1 - value(...)
  changed <- list(
    title = unname(metric$opposite), about = paste0("one minus `\"", name, "\"`"), lower = !metric$lower,
    row = from_one(metric$row), counts = from_one(metric$counts)
  )
  opposite <- utils::modifyList(metric, changed)
  stats::setNames(list(metric, opposite), c(name, names(metric$opposite)))[c(TRUE, !is.null(metric$opposite))]
}))

# What there is to compute metrics from.
metric_sources <- list(
  tuning = c("labels", "scores", "probabilities"), curve = c("labels", "scores"),
  stream = c("labels", "probabilities", "order")
)

# `where`: a name of metric_sources.
metrics_for <- function(where, outcomes) {
  targets <- vapply(outcome_kinds[outcomes], `[[`, "", "target")
  Filter(function(metric) {
    able <- metric$needs %in% metric_sources[[where]] && (where != "tuning" || !is.na(metric$lower))
    able && metric$outcome %in% targets
  }, metric_table)
}

metric_names <- function(where, outcomes = names(outcome_kinds)) names(metrics_for(where, outcomes))

# "error" is that of the loss which is learned.
find_metric <- function(name, loss) {
  metric <- metric_table[[if (name == "error") loss_info(loss$name)$metric else name]]
  if (is.null(metric)) own_metric(name) else metric
}

# Functions of the user's are not in the table: they have their names on axes, and are shown as they are.
own_metric <- function(name) list(title = name, percent = FALSE, needs = "function")

metric_label <- function(metric) paste0(metric$title, if (metric$percent) ", %")
metric_unit <- function(metric) if (metric$percent) 100 else 1

# For the help.
metric_help <- function(where, outcomes = names(outcome_kinds)) {
  known <- metrics_for(where, outcomes)
  paste0("* `\"", names(known), "\"`: ", vapply(known, `[[`, "", "about"), ".", collapse = "\n")
}

metric_values <- function(where) paste0("`\"", metric_names(where), "\"`", collapse = ", ")

# ---- values ----

# Of examples given at once; classes are numbers, `learned$classes` of them. `predicted`: what the metric needs.
value_of <- function(metric, truth, predicted, learned = list()) {
  if (!is.null(metric$value)) {
    return(metric$value(truth, predicted))
  }
  if (!is.null(metric$counts)) {
    counts <- count_classes(truth, as.matrix(predicted), learned$classes)
    return(metric$counts(counts$truth, counts$predicted, counts$hits))
  }
  if (is.null(learned$origin)) learned$origin <- truth[1]
  as.numeric(metric$of(as.matrix(colMeans(as.matrix(metric$row(truth, predicted, learned)))), learned))
}

# `predicted`: a column per predictor.
count_classes <- function(truth, predicted, classes) {
  cell <- predicted + rep(classes * (seq_len(ncol(predicted)) - 1), each = length(truth))
  count <- function(cell) matrix(as.numeric(tabulate(cell, classes * ncol(predicted))), classes)
  list(truth = as.numeric(tabulate(truth, classes)), predicted = count(cell), hits = count(cell[predicted == truth]))
}

# Of shares per class, 0 / 0 where there is nothing to have a share of.
of_positive <- function(shares) if (nrow(shares) == 2) shares[2, ] else colMeans(shares, na.rm = TRUE)

# ---- by the loss that is learned ----

# The metric by which settings are compared, a mean over rows. "error" of a model is its value.
loss_metric <- function(model) metric_table[[model$loss$traits$metric]]

# The loss of each held-out example, given its target and the decision values, by which settings are compared: 0 or 1 of
# classes, squared errors of numbers, the pinball loss of quantiles. f may have the rows of several settings, one below
# the other. Several columns of numbers count alike, in units of their scaling.
row_losses <- function(model, target, f, metric = loss_metric(model)) {
  predicted <- predict_targets(model, f)
  if (is.matrix(target)) {
    rows <- rep_len(seq_len(nrow(target)), nrow(predicted))
    return(rowMeans(vapply(seq_len(ncol(target)), function(k) {
      metric$row(target[rows, k], predicted[, k], list(loss = loss_of_column(model, k)))
    }, numeric(length(rows)))))
  }
  if (predicts_numbers(model)) {
    target <- restore_labels(model, target)
    predicted <- restore_labels(model, predicted)
  }
  as.numeric(metric$row(target, predicted, list(loss = model$loss)))
}

# The error of which these are the losses, a column per setting.
error_of_losses <- function(model, losses, weight, metric = loss_metric(model)) {
  mean <- crossprod(weight, losses) / sum(weight)
  as.numeric(metric$of(mean, list(loss = model$loss)))
}

# Of several settings, whose losses are below each other, each mean.
weighted_means <- function(losses, weight) colSums(matrix(losses * weight, length(weight))) / sum(weight)

# AUC: the probability that an example of the class has a larger score than one of another; ties count half.
area_under <- function(score, member) {
  inside <- sum(member)
  outside <- sum(!member)
  (sum(rank(score)[member]) - inside * (inside + 1) / 2) / (inside * outside)
}

# Two classes: the AUC of the second. More: the mean of the one-vs-rest AUCs of the
# classes for which it is defined; NA if there is none.
mean_auc <- function(scores, truth) {
  classes <- if (ncol(scores) == 2) 2 else seq_len(ncol(scores))
  areas <- vapply(classes, function(k) area_under(scores[, k], truth == k), 0)
  if (all(is.nan(areas))) NA_real_ else mean(areas, na.rm = TRUE)
}
