# The table of results, from the records of all runs.

# A repeat counts for a grid point once all its folds have been run, in a race each fold; grid points without one
# (after an interrupt) are left out.
tabulate_points <- function(task, plan, records) {
  folds <- length(plan[[1]]$seed)
  used <- records$state != "not run"
  if (!task$race) {
    whole <- apply(array(used, c(folds, length(plan), ncol(used))), 2:3, all)
    used <- matrix(rep(whole, each = folds), nrow(used))
  }
  kept <- which(colSums(used) > 0)
  used <- used[, kept, drop = FALSE]
  of <- function(name) records[[name]][, kept, drop = FALSE]
  failed <- used & nzchar(of("message"))
  at <- which(failed, arr.ind = TRUE)
  records$error[!is.finite(records$error)] <- NA
  table <- task$points[kept, , drop = FALSE]
  rownames(table) <- NULL
  table$error <- mean_of(of("error"), used)
  table$se <- se_of(of("error"), used)
  if (task$metric$name != "error") {
    table[[task$metric$name]] <- mean_of(of("value"), used)
    table[[se_column(task$metric$name)]] <- se_of(of("value"), used)
  }
  table$n_sv <- mean_of(of("n_sv"), used & of("state") != "failed")
  table$seconds <- colSums(of("seconds") * used)
  table$unfinished <- colSums(used & of("state") == "unfinished")
  table$failed <- colSums(failed)
  if (task$race) table$folds <- as.numeric(colSums(used))
  for (name in c("unfinished", "failed")) if (!any(table[[name]] > 0)) table[[name]] <- NULL
  tuned <- structure(list(
    results = table, best = NULL, fit = NULL, scores = t(of("value")),
    errors = data.frame(point = at[, 2], fold = at[, 1], message = of("message")[at], row.names = NULL),
    metric = task$metric$name, maximize = !task$metric$lower,
    parameters = task$parameters, solver = ranged_spec(task$solvers$specs),
    kernel = structure(ranged_spec(task$kernels$specs), sigma = unique(task$points$sigma)),
    loss = ranged_spec(task$losses$specs), outcome = task$model$outcome, levels = task$labels$levels,
    n = NROW(task$labels$class), precision = task$precision,
    folds = describe_folds(plan, any(vapply(task$solvers$specs, function(s) s$traits$shuffle, NA))),
    points = nrow(task$points), interrupted = records$interrupted,
    stats = list(kernel_evaluations = records$evaluations), cell_errors = records$cell_errors, call = NULL
  ), class = "osvm_tuning")
  choose_best(tuned, task, records, kept)
}

mean_of <- function(values, used) {
  values[!used] <- NA
  out <- colMeans(values, na.rm = TRUE)
  out[is.nan(out)] <- NA
  out
}

se_of <- function(values, used) {
  values[!used] <- NA
  apply(values, 2, stats::sd, na.rm = TRUE) / sqrt(colSums(!is.na(values)))
}

se_column <- function(metric) if (metric == "error") "se" else paste0(metric, "_se")

choose_best <- function(tuned, task, records, kept) {
  if (nrow(tuned$results) == 0) {
    return(tuned)
  }
  ranking <- rank_points(tuned)
  best <- ranking[1]
  if (is.na(tuned$results[[tuned$metric]][best])) {
    reason <- tuned$errors$message[1]
    abort("No grid point could be evaluated: {reason}.")
  }
  point <- kept[best]
  tuned$best <- tuned$results[best, , drop = FALSE]
  tuned$best_point <- specs_at(task, point)
  maps <- Filter(Negate(is.null), records$map[, point])
  if (length(maps) > 0) tuned$map <- mean_map(maps)
  tuned
}

# The ranking: grid points without failures, then those on most folds or rows, then the metric (rounded, so that the
# order of summation has no effect) or what else decides, its standard error, the number of support vectors.
rank_points <- function(tuned) {
  table <- tuned$results
  value <- table[[if (is.null(table$criterion)) tuned$metric else "criterion"]]
  se <- table[[se_column(tuned$metric)]]
  failed <- if (is.null(table$failed)) 0 * value else table$failed
  folds <- if (!is.null(table$folds)) table$folds else if (!is.null(table$rows)) table$rows else 0 * value
  order(is.na(value), failed, -folds, signif(if (tuned$maximize) -value else value, 10), signif(se, 10), table$n_sv)
}

# The specs of all grid points as one spec with several values per parameter.
ranged_spec <- function(specs) {
  params <- specs[[1]]$params
  for (name in names(params)) {
    values <- unique(unlist(lapply(specs, function(spec) spec$params[[name]])))
    if (length(values) > 1) params[[name]] <- values
  }
  resolve_spec(replace(specs[[1]], "params", list(params)))
}

# In a race: in all folds.
points_done <- function(tuned) {
  folds <- tuned$results$folds
  if (is.null(folds)) nrow(tuned$results) else sum(folds == length(tuned$folds))
}

# One warning each, however many grid points are concerned.
report_troubles <- function(tuned) {
  if (tuned$interrupted) {
    warn(c(
      "The tuning was interrupted: {points_done(tuned)} of {tuned$points} grid point{?s} {?is/are} done.",
      i = "There is no final model; {.fn osvm} can fit one with the best parameters so far."
    ), "osvm_interrupted")
  }
  late <- sum(tuned$results$unfinished > 0)
  if (late > 0) {
    warn(c(
      "In {late} of {nrow(tuned$results)} grid point{?s} the solver stopped before it reached its tolerance.",
      i = "The column {.field unfinished} of {.field results} counts the folds."
    ), "osvm_unfinished")
  }
  bad <- sum(tuned$results$failed > 0)
  if (bad > 0) {
    warn(c(
      "{bad} of {nrow(tuned$results)} grid point{?s} failed in some folds or in all: {tuned$errors$message[1]}.",
      i = "The others are not affected; see {.field errors} of the result."
    ), "osvm_failed")
  }
}

# A column of the results, in the units of its axis.
tune_measure <- function(tuned, what) {
  metric <- find_metric(what, tuned$loss)
  label <- switch(what,
    metric = "Metric", seconds = "Processor time, s", n_sv = "Support vectors", metric_label(metric)
  )
  table <- tuned$results
  se <- if (what %in% c(tuned$metric, "error")) table[[se_column(what)]] else NA * table$seconds
  # Times below the clock's resolution are 0, which has no logarithm.
  value <- if (what == "seconds") pmax(table$seconds, 1e-6) else table[[what]]
  list(
    value = value * metric_unit(metric), se = se * metric_unit(metric), label = label, log = what == "seconds"
  )
}

# A tuning interrupted early has no grid points.
check_drawable <- function(tuned) {
  if (nrow(tuned$results) == 0) {
    abort("There is nothing to draw: the tuning was interrupted before a grid point was done.")
  }
}

varied_parameters <- function(tuned) {
  Filter(function(name) length(unique(tuned$results[[name]])) > 1, tuned$parameters)
}
