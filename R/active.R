#' Learn from a stream and ask for few labels
#'
#' Rows of `x` arrive one by one without labels. The model as it stands decides whether a row
#' is worth one; only then is `label` asked, and the example learned. With [solver_ramp()]
#' and `strategy = "ramp"` this is on-line active learning with ramp loss: a row outside the
#' margins would not change the model when it arrives, so its label is hardly missed.
#'
#' The first rows are asked for until two classes have been met. From then on `strategy` rules:
#'
#' | strategy | asks for |
#' |---|---|
#' | `"ramp"` | every row with a decision value \eqn{|f(x)| \le 1} |
#' | `"greedy"` | of every `h` successive rows the one with the smallest \eqn{|f(x)|} |
#' | `"margin"` | the smallest \eqn{|f(x)|} of all rows, past and to come, again and again |
#' | `"all"` | every row |
#'
#' With several machines \eqn{f} is the one closest to 0. Scaling and kernel width follow from
#' all of `x`: that takes no labels.
#'
#' Solvers that visit an example many times (`epochs`) or in random order (`shuffle`) do so
#' with each example when it is learned. Those that learn a stream as it comes, such as
#' [solver_ramp()] and [solver_idsvm()], suit this best.
#'
#' @section Answers that do not come:
#' Labels are costly, so none is lost. When `label()` fails, or answers with something that
#' is no label or a class not known, or Ctrl-C is pressed, the model is returned as far as it
#' got, with a warning of class `osvm_interrupted` (an error, if two classes have not been
#' met yet). The last row of `curve` says how many rows had been seen; [query()] and
#' [`update()`][update.osvm] go on with the others.
#'
#' @param x Examples, one per row, as in [osvm()]: matrix, sparse Matrix or data frame.
#' @param label A function of a row number that answers with the label of that row. It is
#'   asked for one row at a time, and only for rows that are wanted; it may ask a person. Or,
#'   for experiments, a vector of all labels, of which only those wanted are used.
#' @param solver,kernel As in [osvm()].
#' @param strategy What to ask for, see Details.
#' @param budget The most labels to ask for.
#' @param h Rows to wait for, with `"greedy"`.
#' @param start The least number of rows to ask for at the beginning, whatever the strategy.
#' @param levels The classes, if `label` is a function. `NULL`: if it answers with factors
#'   their levels, otherwise the classes that are met at the beginning.
#' @param test Held-out data to measure the accuracy: `list(x, y)`.
#' @param every Measure each time this many labels have been asked for. `NULL`: at about 50
#'   points, closer together at the beginning.
#' @param ... `scale`, `multiclass`, `class_weights`, `cache_mb`, `threads` and `verbose` of
#'   [osvm()].
#' @return The model, as [osvm()] returns it, of class `osvm_active` as well, with
#'   \item{asked}{rows whose labels were asked for, in that order: the example that
#'     [forget()] calls `k` is row `asked[k]`}
#'   \item{answers}{their labels}
#'   \item{curve}{a data frame: rows `seen`, labels `asked` for, `accuracy` on `test`}
#'   \item{strategy}{as chosen}
#' @references
#'   Z. Wang and S. Vucetic (2009), *Fast Online Training of Ramp Loss Support Vector
#'   Machines*, IEEE International Conference on Data Mining, Algorithm 3.
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
osvm_active <- function(x, label, solver = solver_ramp(), kernel = NULL,
                        strategy = c("ramp", "greedy", "margin", "all"), budget = Inf, h = 5,
                        start = 2, levels = NULL, test = NULL, every = NULL, ...) {
  settings <- list(
    strategy = one_choice(strategy, query_strategies), budget = one_whole(budget), h = one_whole(h),
    start = one_whole(start), every = if (!is.null(every)) one_whole(every)
  )
  if (missing(label)) {
    abort("{.arg label} is missing: give a function that answers with the label of a row, or all labels.")
  }
  encoded <- if (is.data.frame(x)) encode_frame(x) else list(x = as_input(x))
  options <- active_options(...)
  classes <- known_classes(label, levels, nrow(encoded$x), options$class_weights)
  model <- active_model(encoded, solver, kernel, options)
  test <- active_test(test, model)
  s <- new_stream(encoded$x, label, classes, model, options$class_weights, test, settings)
  fit <- run_stream(s)
  fit$control$trace <- TRUE
  fit$control$verbose <- model$control$verbose
  fit$call <- as_called(match.call())
  fit$call[[1]] <- quote(osvm_active)
  structure(fit, class = c("osvm_active", paste0("osvm_", fit$solver$name), "osvm"))
}

# The arguments of osvm() that make sense here.
active_options <- function(...) {
  options <- list(...)
  known <- c("scale", "multiclass", "class_weights", "cache_mb", "threads", "verbose")
  extra <- if (is.null(names(options))) rep("", length(options)) else setdiff(names(options), known)
  if (length(extra) > 0) {
    extra[extra == ""] <- "without a name"
    abort("{.fn osvm_active} does not know the argument{?s} {.arg {extra}}.")
  }
  if (identical(options$class_weights, "balanced")) {
    abort("{.arg class_weights} must be numbers named by class: how many labels there will be of each is not known.")
  }
  options
}

# Classes and kind of the labels, as read_labels() has them; NULL when the answers must tell.
known_classes <- function(label, levels, n, class_weights) {
  classes <- NULL
  if (!is.function(label)) {
    if (!is_label(label) || length(label) != n) {
      abort(c(
        "{.arg label} must be a function, or a vector with a label for each of the {n} row{?s} of {.arg x}.",
        i = "It may be factor, character, logical or numeric, without missing values."
      ))
    }
    if (!is.null(levels)) abort("{.arg levels} is for a function {.arg label}; a vector has its classes.")
    if (length(unique(label)) < 2) abort("{.arg label} has only one class; a classifier needs two or more.")
    classes <- read_labels(label, n)
  } else if (!is.null(levels)) {
    if (!is_label(levels) || length(levels) < 2 || anyDuplicated(levels) > 0) {
      abort("{.arg levels} must name two or more different classes.")
    }
    kind <- if (is.factor(levels)) "factor" else class(levels)[1]
    values <- if (is.factor(levels)) as.character(levels) else levels
    classes <- list(label = list(kind = kind, values = values), levels = as.character(levels))
  }
  if (!is.null(classes)) read_class_weights(class_weights, classes$levels, integer())
  classes
}

is_label <- function(y) {
  kind <- is.factor(y) || !is.object(y) && (is.character(y) || is.logical(y) || is.numeric(y))
  kind && is.null(dim(y)) && !anyNA(y) && !(is.numeric(y) && any(is.infinite(y)))
}

# All arguments are checked before anybody is asked.
active_model <- function(encoded, solver, kernel, options) {
  if (nrow(encoded$x) < 2) {
    abort("{.arg x} must have at least two rows.")
  }
  options$class_weights <- NULL
  model <- do.call(new_model, c(list(encoded$x, solver, kernel), options))
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
