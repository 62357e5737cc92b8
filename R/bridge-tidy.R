#' Tidy, glance and augment
#'
#' Methods for the generic functions of the packages generics and broom, which turn models, tunings and streams into
#' data frames. Results are tibbles if the package tibble is installed.
#'
#' @param x A model made by [osvm()], a tuning made by [osvm_tune()], a stream made by [osvm_stream()], or for `tidy()`
#'   a comparison made by [osvm_compare()].
#' @param data,newdata Examples to predict, in the form of the training data; `newdata` takes precedence. If both are
#'   `NULL`, the data named in the call of the model are used, see [`fitted()`][fitted.osvm]. A stream keeps no examples
#'   and needs them here.
#' @param ... For `augment()`, further arguments of [`predict()`][predict.osvm]. Otherwise not used: an unknown argument
#'   is an error.
#' @returns `tidy()` of a linear model has a row per binary classifier and feature, with its `term`, the weight in the
#'   units of the data (`estimate`, see [`coef()`][coef.osvm]) and the weight of the scaled feature (`scaled`). For
#'   other models it has a row per binary classifier and support vector, with its row in `x$sv` (`sv`; `NA` for the
#'   intercept) and its signed coefficient (`estimate`). For a tuning it has a row per grid point and metric, with the
#'   parameters, the mean over the folds (`estimate`), its standard error (`std.error`), the number of folds (`n`),
#'   and the `rank` of the grid point; for a comparison these rows for each tuning, with the `solver`; for a stream a
#'   row per chunk and metric.
#'
#'   `glance()` has one row, with the size of the problem and of the model, convergence and cost; for tunings and
#'   streams with the value of the metric.
#'
#'   `augment()` returns the examples with the column `.pred_class`, the column `.decision` (with several binary
#'   classifiers one for each), and, if the model has probabilities, a column `.pred_` and the class for each class. For
#'   numbers the columns are `.pred` and, if the data have the response of the formula, `.resid`.
#' @seealso [`summary()`][summary.osvm], [base-methods], [frameworks]
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' fit <- osvm(Species ~ ., iris, solver_smo(C = 1), kernel = "linear")
#' generics::tidy(fit)
#' generics::glance(fit)
#' head(generics::augment(fit, iris))
#'
#' tuned <- osvm_tune(Species ~ ., iris, solver = solver_smo(C = c(1, 10)), kernel = "rbf")
#' head(generics::tidy(tuned))
#' @exportS3Method generics::tidy
tidy.osvm <- function(x, ...) {
  check_dots("tidy", ...)
  x <- check_model(x)
  names <- machine_names(x)
  if (is_primal(x)) {
    weights <- as.matrix(coef.osvm(x))
    return(as_tbl(data.frame(
      machine = rep(names, each = nrow(weights)), term = rep(rownames(weights), ncol(weights)),
      estimate = as.vector(weights), scaled = as.vector(rbind(x$intercept, x$coef))
    )))
  }
  as_tbl(do.call(rbind, lapply(seq_along(names), function(m) {
    used <- which(x$coef[, m] != 0)
    data.frame(
      machine = names[m], term = c("(Intercept)", rep("support vector", length(used))),
      sv = c(NA_integer_, used), estimate = c(x$intercept[[m]], x$coef[used, m])
    )
  })))
}

#' @rdname tidy.osvm
#' @exportS3Method generics::tidy
tidy.osvm_tuning <- function(x, ...) {
  check_dots("tidy", ...)
  check_tuning(x)
  as_tbl(tidy_points(x))
}

tidy_points <- function(x) {
  table <- x$results
  rank <- order(rank_points(x))
  run <- if (is.null(table$folds)) length(x$folds) else table$folds
  failed <- if (is.null(table$failed)) 0 else table$failed
  parts <- lapply(unique(c(x$metric, "error")), function(metric) {
    data.frame(
      table[x$parameters], metric = rep(metric, nrow(table)), estimate = table[[metric]],
      std.error = table[[se_column(metric)]], n = run - failed, n_sv = table$n_sv, seconds = table$seconds,
      rank = rank, check.names = FALSE
    )
  })
  do.call(rbind, parts)
}

#' @rdname tidy.osvm
#' @exportS3Method generics::tidy
tidy.osvm_comparison <- function(x, ...) {
  check_dots("tidy", ...)
  check_comparison(x)
  parts <- lapply(x$tunings, tidy_points)
  columns <- unique(unlist(lapply(parts, names)))
  parameters <- unique(unlist(lapply(x$tunings, `[[`, "parameters")))
  columns <- c(parameters, setdiff(columns, parameters))
  parts <- Map(function(part, name) {
    part[setdiff(columns, names(part))] <- NA
    cbind(solver = rep(name, nrow(part)), part[columns])
  }, parts, names(x$tunings))
  as_tbl(do.call(rbind, unname(parts)))
}

#' @rdname tidy.osvm
#' @exportS3Method generics::glance
glance.osvm <- function(x, ...) {
  check_dots("glance", ...)
  x <- check_model(x, cells = TRUE)
  ended <- x$convergence
  as_tbl(data.frame(
    solver = x$solver$name, kernel = x$kernel$name, nobs = nobs.osvm(x), n_features = x$n_features,
    outcome = x$outcome, n_classes = class_count(x), n_machines = nrow(x$machines),
    n_sv = if (is_primal(x)) NA_real_ else as.numeric(x$n_sv),
    loss = if (NROW(x$trace) > 0) utils::tail(x$trace$loss, 1) else NA_real_,
    objective = if (is.null(ended)) NA_real_ else sum(ended$objective),
    converged = if (is.null(ended)) NA else all(ended$finished),
    updates = x$stats$updates, kernel_evaluations = x$stats$kernel_evaluations, seconds = x$stats$seconds,
    row.names = NULL
  ))
}

class_count <- function(x) if (is.null(x$levels)) NA_integer_ else length(x$levels)

#' @rdname tidy.osvm
#' @exportS3Method generics::glance
glance.osvm_tuning <- function(x, ...) {
  check_dots("glance", ...)
  check_tuning(x)
  best <- function(name) if (is.null(x$best)) NA_real_ else x$best[[name]]
  as_tbl(data.frame(
    solver = x$solver$name, kernel = x$kernel$name, nobs = x$n, n_classes = class_count(x), points = nrow(x$results),
    folds = length(x$folds), metric = x$metric, estimate = best(x$metric), std.error = best(se_column(x$metric)),
    n_sv = best("n_sv"), kernel_evaluations = x$stats$kernel_evaluations, seconds = x$stats$seconds
  ))
}

#' @rdname tidy.osvm
#' @exportS3Method generics::augment
augment.osvm <- function(x, data = NULL, newdata = NULL, ...) {
  check_passed("augment", predict.osvm, ...)
  x <- check_model(x, cells = TRUE)
  augment_or_find(x, data, newdata, parent.frame(), ...)
}

# Without data those of the call, found in `env`.
augment_or_find <- function(x, data, newdata, env, ...) {
  if (is.null(newdata)) newdata <- data
  if (!is.null(newdata)) {
    return(augment_examples(x, newdata, ...))
  }
  data <- training_data(x, env)
  out <- augment_examples(x, data, ...)
  if (predicts_numbers(x) && !any(startsWith(names(out), ".resid"))) {
    out <- with_residuals(out, training_labels(x, data, env))
  }
  out
}

#' @rdname tidy.osvm
#' @exportS3Method generics::augment
augment.osvm_tuning <- function(x, data = NULL, newdata = NULL, ...) {
  check_passed("augment", predict.osvm, ...)
  augment_or_find(check_model(tuned_model(x), cells = TRUE), data, newdata, parent.frame(), ...)
}

augment_examples <- function(object, newdata, ...) {
  if ("type" %in% dot_names(...)) abort("{.fn augment} has no argument {.arg type}: it adds all predictions.")
  numbers <- predicts_numbers(object)
  types <- c("class", if (!numbers) "decision", if (!is.null(object$probability)) "prob")
  out <- do.call(c, lapply(types, function(type) {
    prediction_columns(predict.osvm(object, newdata, type, ...), type, object)
  }))
  y <- if (numbers) tryCatch(formula_labels(object, newdata), error = function(e) NULL)
  if (is.numeric(y)) out <- with_residuals(out, y)
  if (!is.data.frame(newdata)) {
    newdata <- as.matrix(newdata)
    newdata <- as.data.frame(array(newdata, dim(newdata), dimnames(newdata))) # of no class, such as table
    if (is.null(object$feature_names)) names(newdata) <- feature_labels(object)
  }
  newdata[names(out)] <- out
  as_tbl(newdata)
}

# A column for each of predictions of numbers.
with_residuals <- function(out, y) {
  columns <- grep("^[.]pred", names(out), value = TRUE)
  y <- as.matrix(y)
  for (k in seq_along(columns)) out[[sub("pred", "resid", columns[k])]] <- as.vector(y[, k]) - out[[columns[k]]]
  out
}
