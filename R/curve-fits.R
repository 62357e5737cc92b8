# Fits of a solver to parts of the data, scored on what they learned and on what they did not.

# All arguments checked, folds drawn; `further` are arguments of osvm().
curve_task <- function(x, y, solver, kernel, folds, metric, weights, ...) {
  metric <- one_choice(metric, metric_names("curve"))
  folds <- one_whole(folds)
  x <- as_input(x)
  rows <- learned_rows(list(x = x, y = y, weights = weights), stats::na.omit)
  describe_columns(rows$x, moments = FALSE) # checks them
  labels <- read_outcome(rows$y, nrow(rows$x))
  read_weights(rows$weights, nrow(rows$x)) # checks them
  if (folds < 2 || folds > nrow(rows$x)) abort("{.arg folds} must be from 2 to the number of examples.")
  fold <- deal_folds(labels$class, folds)
  check_training(fold, labels$class)
  specs <- choose_specs(solver, kernel, nrow(rows$x))
  list(
    x = rows$x, y = rows$y, class = labels$class, levels = labels$levels, weights = rows$weights, fold = fold,
    metric = metric, solver = if (!is.null(solver)) specs$solver, kernel = if (!is.null(kernel)) specs$kernel,
    title = solver_title(specs$solver), further = list(...)
  )
}

# Shares of `most`, or numbers up to it.
read_sizes <- function(sizes, most, classes) {
  ok <- is.numeric(sizes) && !is.object(sizes) && length(sizes) > 0 && all(is.finite(sizes) & sizes > 0)
  if (ok && all(sizes <= 1)) sizes <- pmax(round(sizes * most), classes)
  if (!ok || any(sizes != round(sizes) | sizes > most | sizes < classes)) {
    abort("{.arg sizes} must be shares up to 1, or whole numbers from {classes} to {most}.")
  }
  sort(unique(sizes))
}

# `size` of the rows at random, one of each class first.
spread_classes <- function(rows, class, size) {
  rows <- rows[sample.int(length(rows))]
  first <- !duplicated(class[rows])
  c(rows[first], rows[!first])[seq_len(size)]
}

# The metric on the rows learned and on those held out, and the time.
score_run <- function(task, train, test, solver, kernel) {
  arguments <- utils::modifyList(list(verbose = FALSE, trace = FALSE), task$further)
  started <- proc.time()[["elapsed"]]
  fit <- stop_when_interrupted(do.call(osvm.default, c(
    list(task$x[train, , drop = FALSE], task$y[train], solver = solver, kernel = kernel, weights = task$weights[train]),
    arguments
  ), quote = TRUE))
  seconds <- proc.time()[["elapsed"]] - started
  fit <- unclass(fit)
  metric <- metric_table[[task$metric]]
  own <- match(task$levels, fit$levels) # a class may be missing from the rows learned
  score <- function(rows) {
    x <- apply_transform(fit$transform, task$x[rows, , drop = FALSE])
    f <- decision_values(fit, x, fit$control$threads)
    truth <- own[task$class[rows]]
    truth[is.na(truth)] <- 0
    predicted <- if (metric$needs == "scores") class_scores(fit, f) else predict_targets(fit, f)
    metric_unit(metric) * metric$value(truth, predicted)
  }
  c(training = score(train), "hold-out" = score(test), seconds = seconds)
}

# Means over the runs of equal `at`; `name` is its column.
summarise_runs <- function(scored, at, metric, name) {
  values <- do.call(rbind, scored)
  parts <- lapply(c("training", "hold-out"), function(set) {
    by <- split(values[, set], at)
    seconds <- vapply(split(values[, "seconds"], at), sum, 0)
    data.frame(
      at = as.numeric(names(by)), set = set, value = vapply(by, mean, 0, na.rm = TRUE),
      se = vapply(by, function(v) stats::sd(v, na.rm = TRUE) / sqrt(sum(!is.na(v))), 0), seconds = seconds
    )
  })
  out <- do.call(rbind, parts)
  names(out)[1] <- name
  rownames(out) <- NULL
  out
}
