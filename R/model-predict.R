#' Predict with a support vector machine
#'
#' @param object A model made by [osvm()].
#' @param newdata New examples: a matrix or sparse matrix, as in [osvm()], whichever the model was trained on, or a data
#'   frame, of numbers for a model of a matrix; a vector with names is a row. Where both have column names the columns
#'   go by name, in any order: a missing one is an error, and others are dropped with a message of class `osvm_message`
#'   (without one for a formula, which selects its columns). For a kernel of your own see [kernel_matrix()].
#' @param type `"class"`: labels, of the kind used in training: classes, which follow from the probabilities of a model
#'   that has some, see below; numbers, a matrix where several columns were learned; or for novelty `TRUE` where an
#'   example belongs to those learned. `"decision"`: decision values; for two classes a vector, positive for the second
#'   level, otherwise a column per binary classifier. `"prob"`: a column of probabilities per class, if the model was
#'   fitted with `probability = TRUE`. `"interval"`, `"set"` and `"p"`, of a model fitted with `conformal = TRUE`: a
#'   matrix with the columns `fit`, `lower` and `upper`; the classes of each row that are plausible, `TRUE` in a
#'   logical matrix; and a p-value per class. See [conformal].
#' @param level The share of new rows whose label is to be within the interval, or the set.
#' @param by For sets and p-values: `"all"` examples that were held out are compared with, or those of the same
#'   `"class"`, so that the level holds for each class, rare ones included.
#' @param interval `"prediction"`, as for [predict.lm()], is `type = "interval"`; `"none"` is as without it.
#' @param new_levels What to do with levels of a factor that were absent from training:
#'   `"error"`, or `"NA"`, which treats them as missing values.
#' @param threads Number of threads; `NULL`: see [onlinesvm-package].
#' @param threshold For two classes: predict the second where its probability, or for a model without probabilities its
#'   decision value, is this or more; for novelty: `FALSE` where the decision value is less. [osvm_threshold()] chooses
#'   one, which knows whether it is a probability or a decision value.
#' @param cost What errors cost, for a model with probabilities: a matrix with a row per true and a column per predicted
#'   class, in the order of `levels` or named by them. The class of least expected cost is predicted; `class_weights` of
#'   the model then have no effect.
#' @param missing_columns What to do with columns of the training data that a matrix lacks: `"error"`, or `"zero"`, as
#'   for terms that do not occur in new texts.
#' @param ... Not used: an unknown argument is an error.
#' @return See `type`. Rows with missing values come back as `NA`, unless the model was fitted with
#'   `na.action = "impute"`. Row names of `newdata` are
#'   kept, unless they are row numbers.
#' @section Data out of range:
#' A kernel model knows nothing about regions without examples. If columns of `newdata` are far outside the range they
#' had in training, there is one warning of class `osvm_out_of_range` that names them. Far is beyond the lowest or
#' highest value by more than ten times the difference of the two; for a column that was constant in training it is any
#' other value, except for rounding (1e-8 of the value). A column without non-zeros in sparse training data is a feature
#' that has not occurred yet, and may take values up to ten times the largest of all columns, after scaling.
#' [`update()`][update.osvm] warns too, of each column once, and extends the range.
#' @section Probabilities:
#' A map from decision values to probabilities is fitted by maximum likelihood to hold-out
#' outputs, of models that have not learned the examples concerned.
#' - Two classes: \eqn{1 / (1 + \exp(-(a f + b)))}{1 / (1 + exp(-(a f + b)))}, Platt's method.
#' - One-vs-one: such an \eqn{a} and \eqn{b} for each pair of classes, which give log-odds
#'   \eqn{g_{kj}}{g_kj} of class k against class j, and the probability of class k is proportional to
#'   \eqn{(1 + \sum_j \exp(-g_{kj}))^{-t}}{(1 + sum_j exp(-g_kj))^(-t)}; \eqn{t = 1} is the formula of Price et al.
#' - One-vs-rest: Platt's sigmoid for each class, then the softmax of a linear map of the logarithms of all of them,
#'   which is drawn towards a multiple of these by a penalty: the multiple alone would divide a power of the sigmoids by
#'   their sum, and does so beyond about 150 classes.
#'
#' They are probabilities in a population with the class frequencies of the training data. Its examples count by their
#' `weights`, and `class_weights` have no effect: they are costs of errors, and change the predicted class.
#'
#' For two classes they rank examples exactly as decision values do.
#'
#' A model with probabilities takes the class from them: `type = "class"` is the most probable one, and with
#' `class_weights` the one with the largest product of weight and probability, which is the class of least expected
#' cost. Without probabilities it is that of the decision values: their sign, the largest one, or the vote of the
#' pairs. `probability = TRUE` can therefore move the boundary between classes: hinge loss places it by the examples
#' near it that were learned, the probabilities by all examples, held out, where one class is as likely as the other,
#' or as costly to miss. With unequal classes or a small `C` the two differ most.
#'
#' [`update()`][update.osvm], unless asked to, and [forget()] leave the map as it is; `print()`
#' shows how many examples had been learned when it was fitted. Once the model has learned
#' more since than before, there is a warning of class `osvm_old_probabilities`.
#' @references Platt, J. (2000). Probabilities for SV machines. *Advances in Large Margin Classifiers*.
#'
#' Price, D., Knerr, S., Personnaz, L. and Dreyfus, G. (1995). Pairwise neural network classifiers with probabilistic
#' outputs. *Advances in Neural Information Processing Systems 7*.
#' @seealso [osvm_roc()] and [osvm_threshold()] for the choice of a threshold; [osvm()], [`update()`][update.osvm]
#' @export
#' @examples
#' fit <- osvm(Species ~ ., data = iris, probability = TRUE)
#' table(predict(fit, iris), iris$Species)
#' head(predict(fit, iris, type = "decision"))
#' head(predict(fit, iris, type = "prob"))
predict.osvm <- function(object, newdata, type = c("class", "decision", "prob", "interval", "set", "p"),
                         new_levels = c("error", "NA"), threads = NULL, threshold = NULL,
                         missing_columns = c("error", "zero"), cost = NULL, level = 0.9,
                         by = c("all", "class"), interval = NULL, ...) {
  check_dots("predict", ...)
  object <- check_predictor(object, cells = TRUE)
  about <- list(level = level, by = by, interval = interval, given = !missing(level) || !missing(by))
  predict_model(object, newdata, type, new_levels, threads, threshold, missing_columns, cost, about)
}

predict_model <- function(object, newdata, type, new_levels, threads, threshold = NULL, missing_columns = "error",
                          cost = NULL, about = NULL) {
  if (identical(type, "response") && !predicts_classes(object)) {
    abort("{.arg type} is left out for {outcome_size(object)}: {.fn predict} then returns what {.val response} is.")
  }
  type <- one_choice(type, c("class", "decision", "prob", "interval", "set", "p"))
  if (!is.null(about$interval)) type <- interval_type(type, about$interval)
  conformal <- read_conformal(object, type, about)
  new_levels <- one_choice(new_levels, c("error", "NA"))
  missing_columns <- one_choice(missing_columns, c("error", "zero"))
  if (!is.null(threshold)) check_threshold(object, type, threshold)
  if (!is.null(cost)) cost <- read_cost(object, type, cost, threshold)
  if (missing(newdata)) {
    abort("{.arg newdata} is missing: a model does not keep its training data.")
  }
  if (type == "prob") need_probability(object)
  if (type != "decision") check_calibration_age(object, scores = !is.null(conformal))
  x <- model_input(object, newdata, "newdata", new_levels, missing_columns)
  threads <- if (is.null(threads) && nrow(x) == 1) 1 else resolve_threads(threads)
  out <- name_rows(with_missing_rows(x, "newdata", function(x, columns) {
    if (nrow(x) > 0) warn_range(object, far_columns(object, columns), "newdata")
    as_type(object, decision_values(object, x, threads, columns), type, threshold, cost, conformal)
  }), newdata)
  if (type == "set") new_sets(out, conformal$level) else out
}

# Predictions have the row names of the data, those of a data frame unless they are row numbers.
name_rows <- function(out, newdata) {
  names <- if (is.data.frame(newdata)) attr(newdata, "row.names") else rownames(newdata)
  if (!is.character(names)) {
    return(out)
  }
  if (is.matrix(out)) rownames(out) <- names else names(out) <- names
  out
}

check_threshold <- function(object, type, threshold) {
  two <- predicts_classes(object) && length(object$levels) == 2
  if (type != "class" || !two && is_labelled(object)) {
    abort(c(
      "{.arg threshold} is for the predicted classes of a model of two classes, or of novelty.",
      i = if (predicts_classes(object) && !two) "Costs of errors among several classes are {.arg cost}, a matrix."
    ))
  }
  scale <- attr(threshold, "scale")
  one_number(if (is.null(scale)) threshold else as.numeric(threshold), "threshold", infinite = TRUE)
  no_probability <- is.finite(threshold) && (threshold < 0 || threshold > 1)
  if (is.null(scale) && threshold_scale(object) == "prob" && no_probability) {
    abort(c(
      "{.arg threshold} must be a probability, from 0 to 1, for a model that has probabilities.",
      i = "{.fn osvm_threshold} of a curve of decision values knows that it is one."
    ))
  }
  if (identical(scale, "prob")) need_probability(object)
}

# A row per true class, a column per predicted one, in the order of the classes.
read_cost <- function(object, type, cost, threshold) {
  need_classes(object, "{.arg cost}")
  need_probability(object)
  if (type != "class") abort("{.arg cost} is for {.code type = \"class\"}.")
  if (!is.null(threshold)) abort("Give one of {.arg cost} and {.arg threshold}.")
  levels <- object$levels
  named <- function(names) is.null(names) || setequal(names, levels)
  sound <- is.matrix(cost) && is.numeric(cost) && all(dim(cost) == length(levels)) && all(is.finite(cost)) &&
    named(rownames(cost)) && named(colnames(cost))
  if (!sound) {
    abort("{.arg cost} must be a matrix of numbers with a row per true and a column per predicted class:
           {.val {levels}}.")
  }
  if (!is.null(rownames(cost))) cost <- cost[levels, , drop = FALSE]
  if (!is.null(colnames(cost))) cost <- cost[, levels, drop = FALSE]
  unname(cost)
}

# What is predicted, from decision values; with a threshold, of two classes or of novelty, by it.
as_type <- function(object, f, type, threshold = NULL, cost = NULL, conformal = NULL) {
  if (!is.null(cost)) {
    return(restore_labels(object, winners(-probabilities(object, f) %*% cost)))
  }
  if (!is.null(threshold)) {
    score <- if ((attr(threshold, "scale") %||% threshold_scale(object)) == "prob") probabilities(object, f)[, 2] else
      f[, 1]
    return(restore_labels(object, (unname(score) >= as.numeric(threshold)) + is_labelled(object)))
  }
  switch(type,
    decision = {
      f <- in_label_units(object, f)
      if (ncol(f) == 1) stats::setNames(f[, 1], rownames(f)) else f
    },
    class = restore_labels(object, predict_targets(object, f)),
    prob = probabilities(object, f),
    interval = prediction_intervals(object, f, conformal$level),
    set = p_sets(class_p_values(object, f, conformal$by), conformal$level),
    p = class_p_values(object, f, conformal$by)
  )
}

# New data in the columns of the training data, as the core is given them.
model_input <- function(object, newdata, name, new_levels = "error", missing_columns = "error") {
  if (!is.null(object$given)) return(given_input(object, newdata, name, new_levels))
  x <- model_columns(object, newdata, name, new_levels, missing_columns)
  if (is_constant(object$transform)) x else apply_transform(object$transform, x)
}

model_columns <- function(object, newdata, name, new_levels = "error", missing_columns = "error") {
  row <- plain_row(object, newdata)
  imputes <- !is.null(object$fill) || !is.null(object$encoding$fill)
  if (!is.null(row) && !(anyNA(row) && imputes)) {
    return(row)
  }
  if (isS4(newdata) && methods::is(newdata, "Matrix")) check_slots(newdata, name)
  if (is.null(dim(newdata))) newdata <- as_row(newdata, object)
  if (!is.null(object$encoding)) {
    x <- encode_new(object$encoding, newdata, name, new_levels)
    need(ncol(x) == object$n_features, "its encoding does not fit its features")
    return(x)
  }
  if (is.null(dim(newdata))) check_not_row(newdata, object$n_features, name)
  x <- as_input(if (is.data.frame(newdata)) as_model_matrix(newdata, object, name) else newdata, name)
  if (missing_columns == "zero") {
    check_matrix(x, name)
    names <- setdiff(object$feature_names, column_names(x))
    zeros <- Matrix::sparseMatrix(
      integer(), integer(), x = numeric(), dims = c(nrow(x), length(names)), dimnames = list(NULL, names)
    )
    x <- cbind(x, if (is_sparse(x)) zeros else as.matrix(zeros))
  }
  fill_new(order_columns(x, object, name), object$fill, name)
}

# The columns of a model of a matrix in a data frame, such as caret, recipes and parsnip make of one, as a matrix.
as_model_matrix <- function(newdata, object, name) {
  check_frame(newdata, name)
  known <- object$feature_names
  if (!is.null(known)) newdata <- as.data.frame(newdata)[find_columns(names(newdata), known, name)]
  if (all(vapply(newdata, is_number, NA))) as.matrix(newdata) else newdata
}

decision_values <- function(object, x, threads, columns = describe_columns(x, "newdata", moments = FALSE)) {
  if (isS4(x) && !is.null(object$transform$scaling$center)) {
    return(in_slices(x, function(x) decision_values(object, x, threads, columns)))
  }
  if (!is.null(object$cells)) {
    return(cell_values(object, x, threads, columns))
  }
  f <- if (is.null(object$given)) decide(object, x, threads, columns) else x + rep(object$intercept, each = nrow(x))
  if (!is.null(object$trend)) f <- f + as.vector(trend_values(object, x))
  dimnames(f) <- list(rownames(x), if (ncol(f) > 1) machine_names(object))
  f
}

# Support vectors are put on their curves once, not for each row that is predicted.
decide <- function(object, x, threads, columns) {
  range <- object$range
  within <- !is.null(range) && all(columns[, 1] >= range$low & columns[, 2] <= range$high)
  extent <- if (within) object$extent else
    larger_extent(object$extent, data_extent(columns, object$transform, name = "newdata"))
  kernel <- .subset2(object$kernel, "core")
  control <- list(
    threads = threads, level = simd_level(), solver = .subset2(object$solver, "core"), extent = extent
  )
  data <- core_data(x, object$transform)
  if (!is.null(object$live)) {
    return(core_result(.Call(ffi_live_decide, object$live, data, kernel, control), "The prediction"))
  }
  model <- replace(data, "x", list(object$sv))
  if (!is.null(data$warp) && !is_primal(object)) {
    model$x <- warped_vectors(data$warp, object$sv)
    model$warp <- NULL
  }
  model <- c(model, list(
    coef = as.double(object$coef), machines = nrow(object$machines), intercept = as.double(object$intercept),
    packed = if (nrow(x) <= few_rows && !is_primal(object)) packed_vectors(model)
  ))
  core_result(.Call(ffi_decide, model, data, kernel, control), "The prediction")
}

# Support vectors of the latest models that predicted few rows, as the core has packed them; `vectors`: all that it
# packs. Large ones are not kept.
packed_vectors <- function(vectors) {
  numbers <- length(if (isS4(vectors$x)) attr(vectors$x, "x") else vectors$x)
  if (numbers <= most_packed) remembered("packed", vectors, function(vectors) .Call(ffi_packed), most = 2)
}

few_rows <- 64
most_packed <- 3e6

as_sparse <- function(x) {
  if (inherits(x, "dgCMatrix")) x else as_matrix_class(methods::as(x + 0, "CsparseMatrix"), "x")
}

# Centring makes sparse examples dense: at most `most` values at a time.
in_slices <- function(x, of, most = 2e6) {
  parts <- if (nrow(x) == 0) list(integer()) else slices(nrow(x), max(1, floor(most / ncol(x))))
  do.call(rbind, lapply(unname(parts), function(rows) of(as.matrix(x[rows, , drop = FALSE]))))
}
