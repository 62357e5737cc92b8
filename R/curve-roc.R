#' ROC curves and calibration
#'
#' `osvm_roc()` computes true against false positive rates over all thresholds, `osvm_calibration()` the predicted
#' probabilities against the observed share of the class, in bins. Give both examples that the model has not learned.
#'
#' @param object A model made by [osvm()], or a tuning or stream, for its final model. Or the numbers themselves: a
#'   vector of scores or probabilities of the second class, or a matrix with a named column per class (for two classes
#'   names are not needed if the columns are in the order of the classes).
#' @param newdata,y Examples and their labels. For a model fitted by formula the labels are in `newdata`. For a model of
#'   novelty `y` is `TRUE` for examples that are known to belong to those learned, `FALSE` for others; its curve is that
#'   of the alarms: the true positives are the others that are found, the false ones examples that belong.
#' @param type What the thresholds of `osvm_roc()` are: `"prob"`, probabilities of the class, or `"decision"`, decision
#'   values. `NULL`: what [`predict(threshold = )`][predict.osvm] compares, which is probabilities of a model that has
#'   some.
#' @param bins Number of bins, which divide 0 to 1 evenly; empty ones are left out.
#' @param ... Further arguments of [`predict()`][predict.osvm].
#' @returns A curve, see [`plot()`][plot.osvm_curve]; its `data` has a row per point, its `summary` the area under the
#'   ROC curve, or the Brier score, which is the mean squared difference between probability and outcome, of each class.
#'   For two classes there is one curve, that of the second class; for more there is one per class, against the rest.
#' @seealso [osvm_threshold()], [`predict()`][predict.osvm], [osvm_learning_curve()], [osvm_tune()] with
#'   `metric = "auc"` or `"logloss"`
#' @examples
#' set.seed(1)
#' train <- two_normals(500)
#' test <- two_normals(500)
#' fit <- osvm(train$x, train$y, probability = TRUE)
#' plot(osvm_roc(fit, test$x, test$y))
#' plot(osvm_calibration(fit, test$x, test$y))
#' @export
osvm_roc <- function(object, ...) UseMethod("osvm_roc")

#' @rdname osvm_roc
#' @export
osvm_roc.osvm <- function(object, newdata, y = NULL, type = NULL, ...) {
  check_passed("osvm_roc", predict.osvm, ...)
  object <- check_predictor(object, cells = TRUE)
  type <- if (is.null(type)) threshold_scale(object) else one_choice(type, c("decision", "prob"))
  if (is_labelled(object)) need_classes(object, "A ROC curve")
  if (missing(newdata)) abort("{.arg newdata} is missing: a curve needs examples the model has not learned.")
  if (!is_labelled(object)) {
    return(novelty_roc(object, newdata, y, type, ...))
  }
  given <- test_scores(object, newdata, y, type, ...)
  roc_curve(given$scores, given$class, object$levels, solver_title(object$solver), type)
}

# Of alarms: the first that is raised is for the least decision value.
novelty_roc <- function(object, newdata, y, type, ...) {
  if (type == "prob") abort("{.arg type} must be {.val decision}: novelty has no probabilities.")
  f <- predict.osvm(object, newdata, type = "decision", ...)
  belongs <- if (is.logical(y) || is.numeric(y) && all(y %in% c(0, 1))) as.logical(y)
  if (length(belongs) != length(f) || anyNA(belongs) || length(unique(belongs)) < 2) {
    abort("{.arg y} must be TRUE for rows of {.arg newdata} that belong to the data learned, FALSE for others, and have
           both.")
  }
  known <- which(!is.na(f))
  curve <- roc_curve(as.matrix(-f[known]), 2 - belongs[known], c("usual", "novel"), solver_title(object$solver), type)
  # A threshold below each of the sorted values (the first is -Inf) and above those before: what is below it is novel
  values <- -curve$data$threshold
  curve$data$threshold <- c(-Inf, (values[-1] + c(values[-(1:2)], Inf)) / 2)
  curve
}

#' @rdname osvm_roc
#' @export
osvm_roc.osvm_tuning <- function(object, newdata, y = NULL, ...) osvm_roc.osvm(tuned_model(object), newdata, y, ...)

#' @rdname osvm_roc
#' @export
osvm_roc.default <- function(object, y, ...) {
  check_dots("osvm_roc", ...)
  given <- read_scores(object, if (missing(y)) NULL else y)
  roc_curve(given$scores, given$class, given$levels, "scores")
}

#' @rdname osvm_roc
#' @export
osvm_calibration <- function(object, ...) UseMethod("osvm_calibration")

#' @rdname osvm_roc
#' @export
osvm_calibration.osvm <- function(object, newdata, y = NULL, bins = 10, ...) {
  check_passed("osvm_calibration", predict.osvm, ...)
  object <- check_predictor(object, cells = TRUE)
  need_classes(object, "A calibration curve")
  if (missing(newdata)) abort("{.arg newdata} is missing: a curve needs examples the model has not learned.")
  given <- test_scores(object, newdata, y, "prob", ...)
  calibration_curve(given$scores, given$class, object$levels, bins, solver_title(object$solver))
}

#' @rdname osvm_roc
#' @export
osvm_calibration.osvm_tuning <- function(object, newdata, y = NULL, bins = 10, ...) {
  osvm_calibration.osvm(tuned_model(object), newdata, y, bins, ...)
}

#' @rdname osvm_roc
#' @export
osvm_calibration.default <- function(object, y, bins = 10, ...) {
  check_dots("osvm_calibration", ...)
  given <- read_scores(object, if (missing(y)) NULL else y)
  if (any(given$scores < 0 | given$scores > 1)) abort("{.arg object} must hold probabilities, from 0 to 1.")
  calibration_curve(given$scores, given$class, given$levels, bins, "probabilities")
}

#' Choose a threshold
#'
#' Finds the threshold of two classes, or of novelty, that has the least cost, or that reaches a rate, for
#' [`predict(threshold = )`][predict.osvm]. Choose it on examples that are used neither for training nor for the final
#' test.
#'
#' @param object A curve of two classes or of novelty made by [osvm_roc()], or a model of these or a tuning, with
#'   examples.
#' @param newdata,y Examples and their labels, as in [osvm_roc()]. For novelty without `y` all of them belong to those
#'   learned, and `fpr` is the share of such examples that will be called novel.
#' @param cost What errors cost, such as `c(fp = 1, fn = 5)`: `fp` is the cost of predicting the second class for an
#'   example of the first, or of a false alarm, `fn` that of the opposite error. The classes have the frequencies that
#'   they have in the examples, each of which counts once: the threshold takes the place of `class_weights` of the
#'   model.
#' @param tpr,fpr In place of `cost` a rate: the threshold that reaches this true positive rate with the fewest
#'   positives, or the one that has the most of them with at most this false positive rate. For novelty, positive is
#'   what is called novel: `fpr` is the rate of false alarms.
#' @param ... Further arguments of [osvm_roc()].
#' @returns The threshold, a number that knows its scale (attribute `scale`), `"prob"` or `"decision"`: `predict()`
#'   compares it with probabilities or with decision values accordingly. From scores that were given as numbers, it is a
#'   plain number.
#' @seealso [osvm_roc()]
#' @examples
#' set.seed(1)
#' train <- two_normals(500)
#' test <- two_normals(500)
#' fit <- osvm(train$x, train$y)
#' at <- osvm_threshold(osvm_roc(fit, test$x, test$y), tpr = 0.95)
#' at
#' table(predict(fit, test$x, threshold = at), test$y)
#'
#' # One of 100 alarms for what is usual
#' usual <- osvm(train$x, loss = loss_novelty())
#' at <- osvm_threshold(usual, test$x, fpr = 0.01)
#' mean(!predict(usual, two_normals(500)$x, threshold = at))
#' @export
osvm_threshold <- function(object, ...) UseMethod("osvm_threshold")

#' @rdname osvm_threshold
#' @export
osvm_threshold.default <- function(object, ...) {
  check_dots("osvm_threshold", ..., .also = c("newdata", "y", "cost", "tpr", "fpr"))
  abort("{.arg object} must be a ROC curve of two classes, made by {.fn osvm_roc}, or a model.")
}

#' @rdname osvm_threshold
#' @export
osvm_threshold.osvm_curve <- function(object, cost = NULL, tpr = NULL, fpr = NULL, ...) {
  check_dots("osvm_threshold", ...)
  check_curve(object)
  if (!identical(object$kind, "roc") || length(unique(object$data$class)) != 1) {
    abort("{.arg object} must be a ROC curve of two classes, made by {.fn osvm_roc}.")
  }
  check_goal(cost, tpr, fpr)
  points <- object$data
  best <- if (!is.null(cost)) {
    sound <- is.numeric(cost) && setequal(names(cost), c("fp", "fn")) && all(is.finite(cost) & cost >= 0)
    if (!sound) abort("{.arg cost} must be two numbers, {.code c(fp = , fn = )}.")
    which.min(cost[["fp"]] * points$fpr * (1 - object$share) + cost[["fn"]] * (1 - points$tpr) * object$share)
  } else if (!is.null(tpr)) {
    which(points$tpr >= one_number(tpr, least = 0, most = 1))[1]
  } else {
    utils::tail(which(points$fpr <= one_number(fpr, least = 0, most = 1)), 1)
  }
  new_threshold(points$threshold[best], object$scale)
}

#' @rdname osvm_threshold
#' @export
osvm_threshold.osvm <- function(object, newdata, y = NULL, cost = NULL, tpr = NULL, fpr = NULL, ...) {
  check_passed("osvm_threshold", predict.osvm, ..., .also = "type")
  if (missing(newdata)) {
    abort(c(
      "{.arg newdata} is missing: a threshold is chosen on examples that the model has not learned.",
      i = "{.code osvm_threshold(fit, newdata, y, fpr = 0.05)} reaches a rate, {.code cost = c(fp = 1, fn = 5)} costs
           least."
    ))
  }
  check_goal(cost, tpr, fpr)
  object <- check_predictor(object, cells = TRUE)
  if (!is_labelled(object) && is.null(y) && !is.null(fpr)) {
    return(alarm_threshold(predict.osvm(object, newdata, type = "decision", ...), one_number(fpr, least = 0, most = 1)))
  }
  osvm_threshold.osvm_curve(osvm_roc.osvm(object, newdata, y, ...), cost, tpr, fpr)
}

#' @rdname osvm_threshold
#' @export
osvm_threshold.osvm_tuning <- function(object, ...) osvm_threshold.osvm(tuned_model(object), ...)

check_goal <- function(cost, tpr, fpr) {
  if (is.null(cost) + is.null(tpr) + is.null(fpr) != 2) abort("Give one of {.arg cost}, {.arg tpr} and {.arg fpr}.")
}

# Of n values of what belongs, a new one is below the k-th with probability k / (n + 1).
alarm_threshold <- function(f, fpr) {
  f <- sort(f)
  k <- floor(fpr * (length(f) + 1) + 1e-9)
  if (k < 1 && fpr > 0) {
    abort("{.arg newdata} must have at least {ceiling(1 / fpr) - 1} rows for a rate of {fpr}, not {length(f)}.")
  }
  new_threshold(if (k < 1) -Inf else if (k > length(f)) Inf else f[[k]], "decision")
}

# Without a scale it is a plain number.
new_threshold <- function(value, scale) {
  if (is.null(scale)) value else structure(value, scale = scale, class = "osvm_threshold")
}

#' @export
print.osvm_threshold <- function(x, ...) {
  check_dots("print", ...)
  check_fields(
    list(scale = attr(x, "scale"), number = as.vector(unclass(x))),
    list(
      scale = one_of(c("prob", "decision")),
      number = type("a number", function(x, ...) is.numeric(x) && length(x) == 1)
    ),
    c("The threshold", "Make it anew with {.fn osvm_threshold}.")
  )
  of <- c(prob = "a probability", decision = "a decision value")[attr(x, "scale")]
  cat_line("<osvm_threshold> ", format(as.numeric(x), digits = 4), ", ", of)
  invisible(x)
}

# Of test data: the classes as numbers, and a column of scores per class, of two classes that of the second. Labels of a
# formula model are in the data.
test_scores <- function(object, newdata, y, type, ...) {
  f <- as.matrix(predict.osvm(object, newdata, type = type, ...))
  if (is.null(y)) y <- formula_labels(object, newdata)
  class <- outcome_of(object)$match(object, y, nrow(f))
  if (length(unique(class)) < 2) abort("{.arg y} must have examples of two classes or more.")
  known <- which(!is.na(f[, 1]))
  scores <- f[known, , drop = FALSE]
  if (type == "decision") scores <- class_scores(object, scores)
  colnames(scores) <- object$levels
  if (ncol(scores) == 2) scores <- scores[, 2, drop = FALSE]
  list(scores = scores, class = class[known])
}

# Scores given as numbers: a column per class with a curve of its own.
read_scores <- function(scores, y) {
  if (!is.numeric(scores) || is.object(scores) || length(scores) == 0 || !all(is.finite(scores)) ||
    !length(dim(scores)) %in% c(0, 2)) {
    abort("{.arg object} must be a model, or a numeric vector or matrix of scores without missing values.")
  }
  scores <- as.matrix(scores)
  labels <- read_outcome(y, nrow(scores))
  levels <- labels$levels
  list(scores = scores_by_class(scores, levels), class = labels$class, levels = levels)
}

# In the order of the levels; of two classes the column of the second.
scores_by_class <- function(scores, levels) {
  two <- length(levels) == 2
  if (ncol(scores) == 1 && two) {
    return(scores)
  }
  if (ncol(scores) == 2 && two && is.null(colnames(scores))) colnames(scores) <- levels
  if (ncol(scores) == 1 || !setequal(colnames(scores), levels)) {
    abort("{.arg object} must have a column for each class, named, or be a vector for two classes: {.val {levels}}.")
  }
  scores[, if (two) levels[2] else levels, drop = FALSE]
}

# The class that each column of scores is about.
scored_classes <- function(scores, levels) if (ncol(scores) == 1) 2L else seq_along(levels)

# `scale`: of the scores, see new_threshold().
roc_curve <- function(scores, class, levels, title, scale = NULL) {
  classes <- scored_classes(scores, levels)
  present <- which(classes %in% class)
  parts <- lapply(present, function(k) {
    cbind(class = levels[classes[k]], roc_points(scores[, k], class == classes[k]))
  })
  areas <- vapply(present, function(k) area_under(scores[, k], class == classes[k]), 0)
  names(areas) <- levels[classes[present]]
  curve <- new_curve("roc", paste("ROC of", title), do.call(rbind, parts), summary = areas, summary_of = "AUC")
  curve$share <- mean(class == 2)
  curve$scale <- scale
  curve
}

# From the largest threshold to the smallest; equal scores are one step.
roc_points <- function(score, member) {
  turn <- order(score, decreasing = TRUE)
  score <- unname(score[turn])
  last <- c(score[-1] != score[-length(score)], TRUE)
  hits <- cumsum(member[turn])
  data.frame(
    threshold = c(Inf, score[last]), fpr = c(0, (seq_along(hits) - hits)[last] / sum(!member)),
    tpr = c(0, hits[last] / sum(member))
  )
}

calibration_curve <- function(p, class, levels, bins, title) {
  bins <- one_whole(bins)
  classes <- scored_classes(p, levels)
  parts <- lapply(seq_along(classes), function(k) {
    bin <- pmin(floor(p[, k] * bins), bins - 1)
    member <- class == classes[k]
    n <- as.vector(table(bin))
    share <- as.vector(tapply(member, bin, mean))
    data.frame(
      class = levels[classes[k]], predicted = as.vector(tapply(p[, k], bin, mean)), observed = share,
      se = sqrt(share * (1 - share) / n), n = n
    )
  })
  brier <- vapply(seq_along(classes), function(k) mean((p[, k] - (class == classes[k]))^2), 0)
  names(brier) <- levels[classes]
  title <- paste("Calibration of", title)
  new_curve("calibration", title, do.call(rbind, parts), summary = brier, summary_of = "Brier score")
}
