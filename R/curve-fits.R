# Fits of a solver to parts of the data, scored on what they learned and on what they did not.

# All arguments checked, folds drawn; the form of a tuning's task. Scaling and the width of a kernel come from all
# examples, as in tunings.
curve_task <- function(x, y, solver, kernel, folds, metric, weights, scale = TRUE, multiclass = NULL,
                       class_weights = NULL, cache_mb = NULL, threads = NULL, loss = NULL) {
  folds <- one_whole(folds)
  prepared <- prepare_fit(
    x, y, class_weights, weights, solver = solver, kernel = kernel, scale = scale, multiclass = multiclass,
    cache_mb = cache_mb, threads = threads, verbose = FALSE, trace = FALSE, loss = loss
  )
  class <- prepared$examples$class
  if (folds < 2 || folds > NROW(class)) abort("{.arg folds} must be from 2 to the number of examples.")
  fold <- deal_folds(class, folds)
  check_training(fold, class)
  model <- prepared$model
  metric <- one_choice(metric, union("error", metric_names("curve", model$outcome)))
  if (is.null(solver)) model <- choose_setting(model, prepared$examples, kernel)
  list(
    x = prepared$examples$x, labels = prepared$labels, weight = prepared$examples$weight, model = model, fold = fold,
    metric = find_metric(metric, model$loss), title = solver_title(model$solver)
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

# The metric on the examples learned and on those held out, and the processor time: a row per run, of each fold and grid
# point. `result`: outputs of all examples; `rows`: the examples they are of, `fold`: in which these are held out;
# `losses`: of the grid points.
score_runs <- function(task, result, fold, rows = seq_along(fold), losses = list(task$model$loss)) {
  result <- complete_result(result, "The fit")
  model <- task$model
  metric <- task$metric
  class <- at_rows(task$labels$class, rows)
  scored <- vapply(seq_along(result$state), function(run) {
    f <- matrix(result$outputs[, , run], length(rows))
    model$loss <- losses[[(run - 1) %/% max(fold) + 1]]
    held <- fold[rows] == (run - 1) %% max(fold) + 1
    given <- if (metric$needs == "scores") class_scores(model, f) else predict_targets(model, f)
    value <- function(of) metric_value(metric, model, at_rows(class, of), at_rows(given, of))
    metric_unit(metric) * c(training = value(!held), "hold-out" = value(held))
  }, c(0, 0))
  cbind(t(scored), seconds = result$counts["seconds", ], unfinished = result$state == "unfinished")
}

# Means over the runs of equal `at`; `name` is its column.
summarise_runs <- function(scored, at, name) {
  values <- do.call(rbind, scored)
  late <- sum(values[, "unfinished"])
  if (late > 0) {
    warn("In {late} of {nrow(values)} fit{?s} the solver stopped before it reached its tolerance.", "osvm_unfinished")
  }
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
