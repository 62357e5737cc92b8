# The grid points of a tuning as bundles for the workers of a future::plan(). A bundle is a list of calls of the core,
# each list(points =, round =, folds =).

# What the stages of a tuning share: the data, sent once, and the seconds of a fit.
open_pool <- function(task, plan) {
  workers <- future_workers()
  list(
    store = tuning_store(task, plan), workers = workers, seconds = fit_seconds(task, plan),
    threads = if (is.null(task$threads)) 1 else task$model$control$threads,
    title = paste("on", count(workers, "worker"))
  )
}

run_on_workers <- function(records, task, plan, calls, show, pool) {
  bundles <- bundle_points(task, calls, pool)
  complete <- run_bundles(
    lapply(bundles, function(calls) list(work = "tune_bundle", arguments = list(calls, pool$threads), data = "task")),
    pool$store,
    done = function(i, results, seconds) {
      for (k in seq_along(results)) record_call(records, task, plan, bundles[[i]][[k]], results[[k]])
    },
    failed = function(i, message) {
      for (call in bundles[[i]]) record_call(records, task, plan, call, message)
    },
    list(show = show)
  )
  if (!complete) records$interrupted <- TRUE
}

# The metric is evaluated here: its environment stays. Examples stay where workers can read their source.
tuning_store <- function(task, plan) {
  sent <- task[setdiff(names(task), c("metric", "source", if (!is.null(task$source)) "x"))]
  value <- list(task = sent, plan = plan, source = task$source, sums = column_sums(task$x))
  new_store(list(task = value), read = "read_tuning")
}

column_sums <- function(x) unname(Matrix::colSums(x))

# On a worker: the examples, from the source as osvm_tune() read it.
read_tuning <- function(value) {
  if (!is.null(value$source)) {
    value$task$x <- encode_input(read_shard(value$source)$x)$x
    if (!identical(column_sums(value$task$x), value$sums)) {
      abort("the source has other examples on the worker than here")
    }
  }
  value
}

# On a worker: the results of calls, an error as its message.
tune_bundle <- function(calls, threads, data) {
  lapply(calls, function(call) {
    tryCatch(
      hold_out(data$task, data$plan[[call$round]], call$points, threads, call$folds),
      error = function(e) text_of(e)
    )
  })
}

# ---- bundles ----

# As many as the cost model has it. Grid points are separated where no number depends on it: those on one warm-start
# path, which differ in cost or epochs alone, stay together. If there are too few paths, folds are separated, too.
bundle_points <- function(task, calls, pool) {
  folds <- length(calls[[1]]$folds)
  units <- unlist(lapply(seq_along(calls), separate_paths, calls, task), recursive = FALSE)
  work <- pool$seconds * folds * sum(lengths(lapply(calls, `[[`, "points")))
  number <- best_bundles(pool$workers, work, plan_cost(plan_traits()), length(units) * folds)
  groups <- min(folds, ceiling(number / length(units)))
  group <- ceiling(seq_len(folds) * groups / folds)
  units <- unlist(lapply(units, function(unit) {
    lapply(unname(split(unit$folds, group)), function(part) utils::modifyList(unit, list(folds = part)))
  }), recursive = FALSE)
  size <- vapply(units, function(unit) length(unit$points) * length(unit$folds), 0)
  middle <- (cumsum(size) - size / 2) / sum(size)
  lapply(unname(split(units, ceiling(middle * number))), join_paths)
}

# `call`: the number of the call a path belongs to.
separate_paths <- function(k, calls, task) {
  points <- calls[[k]]$points
  key <- vapply(points, function(point) {
    solver <- task$solvers$specs[[task$solvers$of[point]]]
    others <- setdiff(names(solver$params), role_name(solver, c("cost", "epochs")))
    paste(c(task$kernels$of[point], unlist(solver$params[others])), collapse = " ")
  }, "")
  lapply(unname(split(points, match(key, unique(key)))), function(path) {
    utils::modifyList(calls[[k]], list(call = k, points = path))
  })
}

# Paths of one call and the same folds are one call again: they share distances between examples.
join_paths <- function(units) {
  key <- vapply(units, function(unit) paste(c(unit$call, unit$folds), collapse = " "), "")
  lapply(unname(split(units, match(key, unique(key)))), function(units) {
    utils::modifyList(units[[1]], list(points = unlist(lapply(units, `[[`, "points"))))
  })
}

# Seconds of one fit, measured on a sample of the examples with the middle point of the grid, for at most a fifth
# of a second: work that takes longer is worth a bundle anyway. Kernel rows of all
# examples make the time of a fit grow with the square of their number, in linear machines with the number.
fit_seconds <- function(task, plan, sample = 300) {
  n <- NROW(task$labels$class)
  rows <- order(first_target(task$labels$class))
  rows <- rows[unique(round(seq(1, n, length.out = min(n, sample))))]
  point <- ceiling(nrow(task$points) / 2)
  spec <- function(all) list(specs = all$specs[all$of[point]], of = 1L)
  fold <- replace(integer(n), rows, rep(1:2, length.out = length(rows)))
  started <- seconds_now()
  within_limit(min(0.2, time_left()), holdout_outputs(
    task$model, tuned_examples(task), fold, spec(task$solvers), spec(task$kernels), plan[[1]]$core_seed[c(1, 1)], rows,
    threads = 1
  ))
  # Two folds of a half each are about as long as one fit of the sample, or half of it for a kernel machine.
  growth <- n / length(rows)
  (seconds_now() - started) * if (is_primal(task$model)) growth else 2 * growth^2
}
