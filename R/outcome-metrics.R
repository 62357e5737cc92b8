# The metrics of predictions, for tunings, curves and streams.
#   title     on axes
#   about     in the help
#   outcome   what is predicted: a target of outcomes (outcome.R)
#   lower     whether lower values are better
#   percent   whether it is a share, which plots show in per cent
#   needs     what `value` is computed from:
#               classes        the numbers of the true and of the predicted classes
#               scores         the true classes, and the score of each class (a column per class)
#               probabilities  the true classes, and the probability of each class
#               numbers        the true and the predicted numbers, and the model
#               novelty        the targets, whether they are predicted to belong to the others, and the model
#               flags          the same, of a stream
#               counts         examples per class; predictions and hits per class, with a column per predictor: the
#                              model and the baselines of a stream, no change first
#   value     the function
#   row, of   of metrics of numbers, novelty and flags: its part for each example, and the value that the mean of these
#             is, given the variance of the truth and the model

new_metric <- function(title, about, needs, value, lower = TRUE, percent = FALSE, outcome = "classes") {
  list(title = title, about = about, outcome = outcome, lower = lower, percent = percent, needs = needs, value = value)
}

mean_metric <- function(title, about, needs, row, of = function(mean, variance, model) mean, ...) {
  value <- function(truth, predicted, model) {
    of(mean(row(truth, predicted, model)), mean((truth - mean(truth))^2), model)
  }
  outcome <- if (needs == "numbers") needs else "novelty"
  c(new_metric(title, about, needs, value, ..., outcome = outcome), list(row = row, of = of))
}

metric_table <- list(
  error = new_metric(
    "Error", "share of misclassified examples", "classes", function(truth, predicted) mean(predicted != truth),
    percent = TRUE
  ),
  balanced = new_metric(
    "Balanced error", "mean over the classes of the share of their examples that are misclassified", "classes",
    function(truth, predicted) mean(tapply(predicted != truth, truth, mean)), percent = TRUE
  ),
  auc = new_metric(
    "Area under the ROC curve",
    "area under the ROC curve; with more than two classes the mean over classes, one-vs-rest", "scores",
    function(truth, scores) mean_auc(scores, truth), lower = FALSE
  ),
  accuracy = new_metric(
    "Accuracy", "share of correct predictions", "counts",
    function(truth, predicted, hits) colSums(hits) / sum(truth), lower = FALSE, percent = TRUE
  ),
  kappa = new_metric(
    "Kappa", "accuracy beyond that by chance, as a share of what is possible (Cohen)", "counts",
    function(truth, predicted, hits) {
      agreed <- colSums(hits) / sum(truth)
      by_chance <- colSums(truth * predicted) / sum(truth)^2
      (agreed - by_chance) / (1 - by_chance) # 0 / 0: one class, always predicted
    },
    lower = FALSE
  ),
  kappa_temporal = new_metric(
    "Kappa-temporal", "accuracy beyond that of predicting the label before, as a share of what is possible", "counts",
    function(truth, predicted, hits) {
      agreed <- colSums(hits) / sum(truth)
      (agreed - agreed[2]) / (1 - agreed[2]) # 0 / 0: the label never changes
    },
    lower = FALSE
  ),
  balanced_accuracy = new_metric(
    "Balanced accuracy", "mean over the classes of the share of their examples that are predicted correctly", "counts",
    function(truth, predicted, hits) colMeans(hits[truth > 0, , drop = FALSE] / truth[truth > 0]),
    lower = FALSE, percent = TRUE
  ),
  logloss = new_metric(
    "Log-loss", "mean of minus the log-probability of the true class", "probabilities",
    function(truth, probability) mean(log_losses(probability[cbind(seq_along(truth), truth)]))
  ),
  rmse = mean_metric(
    "Root mean square error", "root of the mean squared difference", "numbers",
    function(truth, predicted, model) (truth - predicted)^2, function(mean, variance, model) sqrt(mean)
  ),
  mae = mean_metric(
    "Mean absolute error", "mean of the absolute difference", "numbers",
    function(truth, predicted, model) abs(truth - predicted)
  ),
  rsq = mean_metric(
    "R squared", "share of the variance that is explained", "numbers",
    function(truth, predicted, model) (truth - predicted)^2, function(mean, variance, model) 1 - mean / variance,
    lower = FALSE
  ),
  pinball = mean_metric(
    "Pinball loss", "mean loss of [loss_quantile()], in the units of the numbers; for other losses that of the median",
    "numbers", function(truth, predicted, model) {
      tau <- role_value(model$loss, "quantile", 0.5)
      (truth - predicted) * (tau - (truth < predicted))
    }
  ),
  expectile = mean_metric(
    "Expectile loss", "mean loss of [loss_expectile()]; for other losses half the mean squared difference", "numbers",
    function(truth, predicted, model) {
      tau <- role_value(model$loss, "asymmetry", 0.5)
      abs(tau - (truth < predicted)) * (truth - predicted)^2
    }
  ),
  outside = mean_metric(
    "Difference to nu", "difference between `nu` and the share of new examples that do not belong to the others",
    "novelty", function(truth, predicted, model) !predicted,
    function(mean, variance, model) abs(mean - role_value(model$loss, "share"))
  ),
  novel = mean_metric(
    "Share called novel", "share of new examples that do not belong to the others", "flags",
    function(truth, predicted, model) !predicted, percent = TRUE
  )
)

# What is meant by the error of an outcome
error_metrics <- c(classes = "error", numbers = "rmse", novelty = "outside")

# What there is to compute metrics from.
metric_sources <- list(
  tuning = c("classes", "scores", "probabilities", "numbers", "novelty"),
  curve = c("classes", "scores", "numbers", "novelty"),
  stream = c("counts", "probabilities", "numbers", "novelty", "flags")
)

# `where`: a name of metric_sources.
metric_names <- function(where, outcomes = names(error_metrics)) {
  targets <- vapply(outcome_kinds[outcomes], `[[`, "", "target")
  fits <- function(metric) metric$needs %in% metric_sources[[where]] && metric$outcome %in% targets
  names(Filter(fits, metric_table))
}

# Functions of the user's are not in the table: they need labels, have their names on axes, and are shown as they are.
find_metric <- function(name, where, outcome = "classes") {
  if (name == "error") name <- error_metrics[[outcome_kinds[[outcome]]$target]]
  if (name %in% metric_names(where)) metric_table[[name]] else list(title = name, percent = FALSE, needs = "labels")
}

metric_label <- function(metric) paste0(metric$title, if (metric$percent) ", %")
metric_unit <- function(metric) if (metric$percent) 100 else 1

# For the help.
metric_help <- function(where, outcomes = names(error_metrics)) {
  names <- metric_names(where, outcomes)
  paste0("* `\"", names, "\"`: ", vapply(metric_table[names], `[[`, "", "about"), ".", collapse = "\n")
}

metric_values <- function(where) paste0("`\"", metric_names(where), "\"`", collapse = ", ")

# ---- values ----

# `p`: of the true classes.
log_losses <- function(p) -log(pmax(p, 1e-15))

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
