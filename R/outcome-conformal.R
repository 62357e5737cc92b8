#' Prediction intervals, sets of classes and p-values
#'
#' A model fitted with `conformal = TRUE` says how sure it is, by how far off it was on examples that it had not
#' learned: `predict(type = "interval")` for numbers, `"set"` and `"p"` for classes.
#'
#' Five-fold cross-validation gives every example a *score*, of models that have not learned it. The scores of new
#' rows are compared with these:
#' - Numbers: the score is the distance of the label from the prediction, and an interval is as wide to both sides as
#'   the share `level` of the scores asks for. It is equally wide everywhere.
#' - Several quantiles, `loss = loss_quantile(c(0.05, 0.95))`: the score is `max(low - y, y - high)` of the outermost
#'   pair, or of the pair whose share is nearest to `level`, and both ends move by the same amount (conformalised
#'   quantiles). Such intervals are wide where the labels spread: the recommendation where their spread varies. `fit`
#'   is the quantile nearest to the median, or the mean of two.
#' - Classes: the score is 1 less the probability of the class where the model has probabilities, and else by how much
#'   its decision score is behind the best other one. A p-value of a class is the share of scores that are as large or
#'   larger than that of the new row in that class, the row included; classes with a p-value above `1 - level` are in
#'   the set. A set may have several classes, where they overlap, or none: such a row is unlike what was learned.
#' - Several columns of numbers: intervals of each, `level` being that of each, not of all together. The columns are
#'   named by them: `price.fit`, `price.lower`, `price.upper`.
#'
#' With too few scores for a level, such as 0.95 of 10 examples, intervals are infinite, and sets have all classes.
#'
#' @section What holds, and what does not:
#' A new row's label is in its interval or set with a probability of about `level`, whatever the data, if new rows
#' come as those learned did, in any order. This is so on average over rows: for a rare class, or a region, the share
#' may be another. `by = "class"` makes it hold for each class. Scores are those of models of four fifths of the
#' examples, around the model of all of them. The guarantee is therefore not that of a split, exact for each number of
#' rows, but holds as far as the model hardly changes with a fifth of its examples, and errs to the safe side where
#' the model of all is better. Over 200 draws of 100 rows of four kinds (equal, growing and skewed noise, overlapping
#' classes) the mean share differs from the level by at most 1.2 points (`bench/results/conformal.md`). In the mean over
#' five sets of numbers, 500 rows of each, it is 90.6 %, and over seven of classes 90.0 %; with `by = "class"` the class
#' that is covered least has 88.2 % (`bench/results/conformal.md`).
#'
#' CV+ (Barber et al. 2021) predicts each new row by the models of all folds. It guarantees `2 level - 1`, nearly,
#' whatever the model is, but models would have to keep those of the folds, of which nothing else is needed. On the same
#' sets intervals by plain cross-validation, whose scores are taken here, are 0.975 as wide as its intervals, and 0.929
#' as wide as those of a split of the rows (`bench/results/conformal.md`). An example is below.
#'
#' Examples count by their `weights`, as in probabilities: the level is that of a population with these weights, in
#' which a new row has the mean one. Examples of weight 0 have no score. `class_weights` move the sets, and do not
#' change the level.
#'
#' Scores belong to the model as it was fitted. [`update()`][update.osvm] leaves them as they are, unless `conformal =
#' TRUE` makes them anew from its examples before these are learned; [forget()] and [compress()] leave them. Once the
#' model has learned more since than before there is a warning of class `osvm_old_scores`.
#' @section Full conformal sets:
#' `conformal = "full"`, for classes with [solver_idsvm()], keeps no scores: a new row is learned as an example of each
#' class, ranked among all examples by the decision values of the model that has learned it, and forgotten again, all
#' exactly. Every example serves for both the model and the ranks, so that the level holds for any number of rows, given
#' scaling, kernel and `C`, if `weights` are equal. Each class of a new row takes two exact updates and the decision
#' values of all examples. Sets are hardly smaller than those of `TRUE`: it is for small data whose level must hold.
#' @param x Sets, as `predict(type = "set")` returns them: a logical matrix with a column per class and the attribute
#'   `level`.
#' @param n How many rows to show.
#' @param ... Not used: an unknown argument is an error.
#' @returns `format()` returns a text per row, such as `"{versicolor, virginica}"`; `print()` returns `x`, invisibly.
#' @references
#' Vovk, V., Gammerman, A. and Shafer, G. (2005). *Algorithmic Learning in a Random World*. Springer.
#'
#' Barber, R. F., Candes, E. J., Ramdas, A. and Tibshirani, R. J. (2021). Predictive inference with the jackknife+.
#' *Annals of Statistics*, 49.
#'
#' Romano, Y., Patterson, E. and Candes, E. J. (2019). Conformalized quantile regression. *Advances in Neural
#' Information Processing Systems 32*.
#' @seealso [osvm()], [`predict()`][predict.osvm]; `osvm_stream(level = )` for data that change, see [osvm_stream()];
#'   `vignette("trust", "onlinesvm")`
#' @examples
#' fit <- osvm(dist ~ speed, cars, solver_smo(), conformal = TRUE)
#' predict(fit, data.frame(speed = c(5, 15, 25)), type = "interval", level = 0.8)
#'
#' # Wide where the labels spread
#' quantiles <- loss_quantile(c(0.1, 0.5, 0.9))
#' fit <- osvm(dist ~ speed, cars, solver_smo(), kernel_linear(), loss = quantiles, conformal = TRUE)
#' predict(fit, data.frame(speed = c(5, 15, 25)), type = "interval", level = 0.8)
#'
#' fit <- osvm(Species ~ Sepal.Length + Sepal.Width, iris, solver_smo(), conformal = TRUE)
#' predict(fit, iris[c(1, 60, 120), ], type = "set", level = 0.9)
#' predict(fit, iris[c(1, 60, 120), ], type = "p")
#'
#' # The package predictset has CV+ and other ways, around any model, by fitting it again
#' \dontrun{
#' svm <- predictset::make_model(
#'   function(x, y) osvm(x, y, solver_smo()), function(object, x) predict(object, x), "regression"
#' )
#' speed <- as.matrix(cars["speed"])
#' predictset::conformal_cv(speed, cars$dist, svm, x_new = cbind(speed = c(5, 15, 25)), alpha = 0.2)
#' }
#' @name conformal
NULL

# `fit$conformal`:
#   scores   a table for classes, for each column of numbers or for each pair of quantiles, sorted by `score`, with
#            `weight` and of classes the number `class`
#   n_seen   what the model had learned when they were made

# Of decision values `f` that are not those of learned examples, predicted `by` a model.
with_scores <- function(fit, f, target, weight, by) {
  used <- is.finite(rowSums(f)) & weight > 0
  f <- f[used, , drop = FALSE]
  target <- at_rows(target, used)
  weight <- as.double(weight[used])
  scores <- if (predicts_classes(fit)) {
    cbind(class_strangeness(by, f)[cbind(seq_along(target), target)])
  } else {
    number_strangeness(by, predicted_columns(by, f), as.matrix(restore_labels(fit, target)))
  }
  fit$conformal <- list(scores = lapply(seq_len(ncol(scores)), function(k) {
    turn <- order(scores[, k])
    as_table(c(
      list(score = scores[turn, k], weight = weight[turn]),
      if (predicts_classes(fit)) list(class = as.integer(target[turn]))
    ))
  }), n_seen = fit$n_seen)
  fit
}

# How unusual each class is, a column for each.
class_strangeness <- function(object, f) {
  if (!is.null(object$probability)) {
    return(1 - probabilities(object, f))
  }
  scores <- class_scores(object, f)
  best <- cbind(seq_len(nrow(f)), max.col(scores, "first"))
  strange <- scores[best] - scores
  strange[best] <- row_max(replace(scores, best, -Inf)) - scores[best]
  strange
}

# How far labels are outside the ends, a column per column, or pair of quantiles; negative within.
number_strangeness <- function(model, predicted, truth) {
  ends <- interval_ends(model, predicted)
  truth <- truth[, seq_len(ncol(ends$lower)), drop = FALSE]
  pmax(ends$lower - truth, truth - ends$upper)
}

interval_ends <- function(model, predicted) {
  pairs <- quantile_pairs(model)
  if (is.null(pairs)) {
    return(list(lower = predicted, upper = predicted))
  }
  list(lower = predicted[, pairs$low, drop = FALSE], upper = predicted[, pairs$high, drop = FALSE])
}

# The outermost first; NULL where there is one prediction for each label.
quantile_pairs <- function(model) {
  tau <- quantiles_of(model$loss)
  if (length(tau) > 1) {
    low <- seq_len(length(tau) %/% 2)
    high <- length(tau) + 1 - low
    list(low = low, high = high, share = tau[high] - tau[low])
  }
}

predicted_columns <- function(object, f) as.matrix(restore_labels(object, predict_targets(object, f)))

# ---- predictions ----

# The columns `fit`, `lower` and `upper`, of several columns of numbers one after the other.
prediction_intervals <- function(object, f, level) {
  predicted <- predicted_columns(object, f)
  ends <- interval_ends(object, predicted)
  pairs <- quantile_pairs(object)
  columns <- if (is.null(pairs)) seq_len(ncol(predicted)) else which.min(abs(pairs$share - level))
  center <- if (is.null(pairs)) predicted else middle_quantile(object, predicted)
  out <- do.call(cbind, lapply(columns, function(k) {
    beyond <- score_at(object$conformal$scores[[k]], level)
    lower <- ends$lower[, k] - beyond
    upper <- ends$upper[, k] + beyond
    crossed <- lower > upper
    lower[crossed] <- upper[crossed] <- (lower[crossed] + upper[crossed]) / 2
    cbind(fit = center[, if (is.null(pairs)) k else 1], lower = lower, upper = upper)
  }))
  if (length(columns) > 1) colnames(out) <- paste(rep(object$label$names, each = 3), colnames(out), sep = ".")
  rownames(out) <- rownames(f)
  out
}

middle_quantile <- function(object, predicted) {
  away <- abs(quantiles_of(object$loss) - 0.5)
  cbind(rowMeans(predicted[, away <= min(away) + 1e-9, drop = FALSE]))
}

# Of n scores of equal weight the k-th, of which a new one is not above with probability k / (n + 1).
score_at <- function(held, level) {
  within <- which(cumsum(held$weight) >= level * (sum(held$weight) + mean(held$weight)) * (1 - 1e-12))
  if (length(within) > 0) held$score[within[1]] else Inf
}

# The share of scores that are not below, a new one of mean weight among them.
p_values <- function(held, score) {
  n <- length(held$score)
  if (n == 0) {
    return(rep(1, length(score)))
  }
  from <- c(rev(cumsum(rev(held$weight))), 0)
  own <- mean(held$weight)
  (from[findInterval(score, held$score, left.open = TRUE) + 1] + own) / (from[1] + own)
}

class_p_values <- function(object, f, by) {
  held <- object$conformal$scores[[1]]
  strange <- class_strangeness(object, f)
  p <- vapply(seq_along(object$levels), function(k) {
    like <- if (by == "class") lapply(unclass(held), `[`, held$class == k) else held
    p_values(like, strange[, k])
  }, numeric(nrow(f)))
  matrix(p, nrow(f), length(object$levels), dimnames = list(rownames(f), object$levels))
}

p_sets <- function(p, level) p > 1 - level + 1e-12

# ---- arguments ----

interval_type <- function(type, interval) {
  if (!is_one_text(interval) || !interval %in% c("none", "prediction")) {
    abort("{.arg interval} must be {.val prediction} or {.val none}: an SVM has no other intervals.")
  }
  if (interval == "prediction" && !type %in% c("class", "interval")) {
    abort("{.code interval = \"prediction\"} is {.code type = \"interval\"}: leave {.arg type} out.")
  }
  if (interval == "prediction") "interval" else type
}

# list(level, by), checked; NULL: the type does not need them. `about$given`: whether one of them was.
read_conformal <- function(object, type, about) {
  if (!type %in% c("interval", "set", "p")) {
    if (isTRUE(about$given)) {
      abort("{.arg level} and {.arg by} are for {.code type = \"interval\"}, {.val set} and {.val p}.")
    }
    return(NULL)
  }
  by <- one_choice(about$by, c("all", "class"), "by")
  level <- one_number(about$level, "level", above = 0, below = 1)
  fitting <- if (predicts_classes(object)) c("set", "p") else if (predicts_numbers(object)) "interval"
  if (!type %in% fitting) {
    instead <- if (length(fitting) > 0) paste("It has", if (type == "interval") "sets" else "intervals", "instead:")
    abort(c(
      "{.code type = \"{type}\"} is for {if (type == 'interval') 'numbers' else 'classes'}, and the model predicts
       {outcome_size(object)}.",
      i = if (length(fitting) > 0) paste0(instead, " {.code type = \"", fitting[1], "\"}.")
    ))
  }
  if (is.null(object$conformal$scores)) {
    abort("Intervals, sets and p-values need a model fitted with {.code conformal = TRUE}.")
  }
  if (by == "class" && type == "interval") abort("{.code by = \"class\"} is for classes: leave it out.")
  list(level = level, by = by)
}

# The field of a model that may come from a file.
are_scores <- function(scores, model) {
  columns <- if (predicts_classes(model)) 1 else if (is.null(quantile_pairs(model))) n_columns(model) else
    length(quantile_pairs(model)$low)
  names <- c("score", "weight", if (predicts_classes(model)) "class")
  is.list(scores) && length(scores) == columns && all(vapply(scores, function(held) {
    is_table(held, names) && all_finite(held$score, length(held$score)) && !is.unsorted(held$score) &&
      all_finite(held$weight, length(held$weight)) && all(held$weight > 0) &&
      all(held$class %in% seq_along(model$levels))
  }, NA))
}

# ---- sets ----

new_sets <- function(sets, level) structure(sets, level = level, class = c("osvm_sets", "matrix", "array"))

sets_fields <- list(
  sets = type("a logical matrix with a column per class", function(x, ...) {
    is.logical(x) && is.matrix(x) && !is.null(colnames(x))
  }),
  level = type("a number", is_one_number)
)
check_sets <- function(x) {
  sets <- list(sets = x, level = attr(x, "level"))
  check_fields(sets, sets_fields, c("The prediction", "Make it anew with {.fn predict}."))
}

#' @rdname conformal
#' @export
format.osvm_sets <- function(x, ...) {
  check_dots("format", ...)
  check_sets(x)
  stats::setNames(set_text(unclass(x)), rownames(x))
}

set_text <- function(sets) {
  vapply(seq_len(nrow(sets)), function(i) {
    if (anyNA(sets[i, ])) NA_character_ else paste0("{", toString(printable(colnames(sets)[sets[i, ]])), "}")
  }, "")
}

#' @rdname conformal
#' @export
print.osvm_sets <- function(x, n = 10, ...) {
  check_dots("print", ...)
  check_sets(x)
  n <- one_whole(n, least = 0, most = Inf)
  sizes <- rowSums(unclass(x))
  cat_line("Sets of ", ncol(x), " classes", " for ", plural(nrow(x), "row"), ", level ", format(attr(x, "level")))
  found <- table(sizes)
  if (length(found) > 0) {
    cat_line("  ", paste0(big(as.vector(found)), " of size ", names(found), collapse = ", "),
             if (anyNA(sizes)) paste0(", ", sum(is.na(sizes)), " missing"))
  }
  shown <- utils::head(format(x), n)
  names <- if (is.null(names(shown))) as.character(seq_along(shown)) else names(shown)
  if (length(shown) > 0) print_fields(stats::setNames(ifelse(is.na(shown), "NA", shown), names))
  if (nrow(x) > length(shown)) cat_line("  and ", plural(nrow(x) - length(shown), "more row"))
  invisible(x)
}
