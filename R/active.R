#' Active learning from a stream
#'
#' Rows of `x` arrive one by one without labels. The current model decides whether the label of a row is queried; only
#' queried examples are learned. With [solver_ramp()] and `strategy = "ramp"` this is online active learning with ramp
#' loss: a row outside the margins would not change the model when it arrives, so its label is hardly needed.
#'
#' The first rows are queried until two classes have been observed, the others by `strategy`:
#'
#' | strategy | queries |
#' |---|---|
#' | `"ramp"` | every row with a decision value \eqn{|f(x)| \le 1} |
#' | `"greedy"` | of every `h` successive rows the one with the smallest \eqn{|f(x)|} |
#' | `"margin"` | repeatedly, of all rows not queried yet, the one with the smallest \eqn{|f(x)|} |
#' | `"all"` | every row |
#'
#' With several binary classifiers \eqn{f} is the decision value closest to 0. Scaling and kernel
#' width are computed from all of `x`, which takes no labels.
#'
#' The `epochs` and `shuffle` of a solver apply to each example on its own, when it is learned.
#' Solvers with neither, such as [solver_ramp()] and [solver_idsvm()], suit this best.
#'
#' @section Failures and interrupts:
#' Labels are costly, so none is lost. If `label()` fails, or returns something that is not a label or not one of the
#' classes, or Ctrl-C is pressed, the model so far is returned with a warning of class `osvm_interrupted` (an error
#' before two classes have been observed). The last row of `curve` has the number of rows seen; the others can be
#' learned with [query()] and [`update()`][update.osvm].
#'
#' @param x Examples, one per row, as in [osvm()]: matrix, sparse Matrix or data frame.
#' @param label A function of a row number that returns the label of that row. It is called
#'   for one row at a time, and only for rows that are queried; it may prompt a person. Or,
#'   for experiments, a vector of all labels, of which only those queried are used.
#' @param solver,kernel As in [osvm()], but `solver = NULL` is [solver_ramp()].
#' @param strategy Which rows to query, see Details.
#' @param budget The most labels to query.
#' @param h Number of successive rows per query, for `"greedy"`.
#' @param start The least number of rows to query at the beginning, whatever the strategy.
#' @param levels The classes, if `label` is a function. `NULL`: if it returns factors their
#'   levels, otherwise the classes observed at the beginning.
#' @param test Held-out data to measure the accuracy: `list(x, y)`; the columns of `x` go by
#'   name, as in [`predict()`][predict.osvm].
#' @param every Measure each time this many labels have been queried. `NULL`: at about 50
#'   points, closer together at the beginning.
#' @param ... `scale`, `multiclass`, `class_weights`, `cache_mb`, `threads` and `verbose` of [osvm()].
#' @return The model, as [osvm()] returns it, of class `osvm_active` as well, with
#'   \item{asked}{rows whose labels were queried, in that order: example `k` of [forget()] is
#'     row `asked[k]`}
#'   \item{answers}{their labels}
#'   \item{curve}{a data frame: rows `seen`, labels queried (`asked`), `accuracy` on `test`}
#'   \item{strategy}{as chosen}
#' @references Z. Wang and S. Vucetic (2009), *Fast Online Training of Ramp Loss Support Vector Machines*, IEEE
#'   International Conference on Data Mining, Algorithm 3.
#' @seealso [`plot()`][plot.osvm_active], [query()], [solver_ramp()], [solver_idsvm()]
#' @export
#' @examples
#' board <- chessboard(1000, noise = 0.1)
#' test <- chessboard(1000)
#' fit <- osvm_active(board$x, board$y, solver_ramp(C = 10), kernel_rbf(sigma = 0.35), test = test)
#' fit
#' tail(fit$curve, 3)
#'
#' # One label at a time
#' oracle <- function(i) {
#'   if (i < 10) cat("What is row", i, "?\n")
#'   if (board$x[i, 1] > 2) "right" else "left"
#' }
#' fit <- osvm_active(board$x, oracle, budget = 30)
#' table(predict(fit, test$x), test$x[, 1] > 2)
osvm_active <- function(x, label, solver = NULL, kernel = NULL,
                        strategy = c("ramp", "greedy", "margin", "all"), budget = Inf, h = 5,
                        start = 2, levels = NULL, test = NULL, every = NULL, ...) {
  check_dots("osvm_active", ..., .also = active_arguments)
  settings <- list(
    strategy = one_choice(strategy, c("ramp", "greedy", "margin", "all")), budget = one_whole(budget), h = one_whole(h),
    start = one_whole(start), every = if (!is.null(every)) one_whole(every)
  )
  if (missing(label)) {
    abort("{.arg label} is missing: give a function that returns the label of a row, or all labels.")
  }
  encoded <- encode_input(x)
  options <- list(...)
  if (identical(options$class_weights, "balanced")) {
    abort("{.arg class_weights} must be numbers named by class: how many labels there will be of each is not known.")
  }
  classes <- known_classes(label, levels, nrow(encoded$x), options$class_weights)
  model <- active_model(encoded, if (is.null(solver)) default_solver("active") else solver, kernel, options)
  test <- active_test(test, model)
  x <- apply_transform(model$transform, encoded$x)
  s <- open_queries(x, label, classes, model, options$class_weights, test, settings)
  fit <- run_queries(s)
  fit$control$trace <- TRUE
  fit$control$verbose <- model$control$verbose
  fit$call <- as_called(match.call())
  fit$call[[1]] <- quote(osvm_active)
  structure(fit, class = c("osvm_active", paste0("osvm_", fit$solver$name), "osvm"))
}

# The arguments of osvm() accepted here.
active_arguments <- c("scale", "multiclass", "class_weights", "cache_mb", "threads", "verbose")

# Classes and kind of the labels, as read_outcome() has them; NULL if they follow from the labels returned.
known_classes <- function(label, levels, n, class_weights) {
  classes <- NULL
  if (!is.function(label)) {
    if (is.factor(label)) check_factor(label, "label")
    if (!is_label(label) || length(label) != n) {
      abort(c(
        "{.arg label} must be a function, or a vector with a label for each of the {n} row{?s} of {.arg x}.",
        i = "It may be factor, character, logical or numeric, without missing values."
      ))
    }
    if (!is.null(levels)) abort("{.arg levels} is for a function {.arg label}; a vector has its classes.")
    if (length(unique(label)) < 2) abort("{.arg label} has only one class; a classifier needs two or more.")
    survey <- if (is.numeric(label) && !is.object(label)) survey_classes(label, n, "label")
    if (!is.null(survey) && are_measurements(survey$values, survey$members)) {
      abort(c(
        "{.fn osvm_active} learns classes, and {.arg label} has {length(survey$values)} different numbers.",
        i = "If they are classes, give {.code factor(label)}; {.fn osvm} learns numbers."
      ))
    }
    classes <- read_outcome(label, n, name = "label")
  } else if (!is.null(levels)) {
    if (!is_label(levels) || length(levels) < 2 || anyDuplicated(levels) > 0) {
      abort("{.arg levels} must name two or more different classes.")
    }
    if (is.numeric(levels)) check_distinct(levels, "levels")
    classes <- declared_classes(levels)
  }
  if (!is.null(classes)) read_class_weights(class_weights, classes$levels, integer())
  classes
}

# Classes that are known before their examples, as read_outcome() has them.
declared_classes <- function(values) c(list(outcome = "classes", loss = loss_hinge()), named_classes(values))

is_label <- function(y) {
  kind <- if (is.factor(y)) is_sound_factor(y) else !is.object(y) && (is.character(y) || is.logical(y) || is.numeric(y))
  kind && is.null(dim(y)) && !anyNA(y) && !(is.numeric(y) && any(is.infinite(y)))
}

# All arguments are checked before the first query.
active_model <- function(encoded, solver, kernel, options) {
  if (nrow(encoded$x) < 2) {
    abort("{.arg x} must have at least two rows.")
  }
  options$class_weights <- NULL
  refuse_given(kernel, "{.fn osvm_active}")
  model <- do.call(new_model, c(list(encoded$x, solver, kernel), options), quote = TRUE)
  model$encoding <- encoded$encoding
  model
}

# Test data as the core takes it, and labels as text.
active_test <- function(test, model) {
  if (is.null(test)) {
    return(NULL)
  }
  if (is.list(test) && is.null(names(test))) names(test) <- c("x", "y")[seq_along(test)]
  if (!is.list(test) || is.data.frame(test) || is.null(test$x) || is.null(test$y)) {
    abort("{.arg test} must be a list of {.code x} and {.code y}.")
  }
  x <- model_input(model, test$x, "test$x")
  describe_columns(x, "test$x", moments = FALSE)
  if (!is_label(test$y) || length(test$y) != nrow(x) || nrow(x) == 0) {
    abort("{.arg test$y} must have a label for each of the {nrow(x)} row{?s} of {.arg test$x}.")
  }
  list(x = x, y = as.character(test$y))
}
