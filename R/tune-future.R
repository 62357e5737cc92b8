# The grid points of a tuning as bundles for the workers of a future::plan(). A bundle is a list of calls of the core,
# each list(points =, round =, folds =).

# What the stages of a tuning share: the data, sent once. The metric is evaluated here: its environment stays. Examples
# stay where workers can read their source.
open_pool <- function(task, plan) {
  sent <- task[setdiff(names(task), c("metric", "source", if (!is.null(task$source)) "x"))]
  value <- list(task = sent, plan = plan, source = task$source, sums = column_sums(task$x))
  list(
    data = share_data(list(value), read = "read_tuning"), workers = future_workers(),
    threads = if (is.null(task$threads)) 1 else task$model$control$threads
  )
}

run_on_workers <- function(records, task, plan, calls, show, pool) {
  bundles <- bundle_points(task, calls, pool$workers)
  complete <- run_bundles(
    lapply(bundles, function(calls) {
      list(work = "tune_bundle", arguments = list(calls, pool$threads), data = pool$data[[1]])
    }),
    done = function(i, results) Map(record_call, list(records), list(task), list(plan), bundles[[i]], results),
    failed = function(i, message) for (call in bundles[[i]]) record_call(records, task, plan, call, message),
    list(show = show)
  )
  if (!complete) records$interrupted <- TRUE
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

# Grid points are separated where no number depends on it: those on one warm-start path, which differ in cost or epochs
# alone, stay together. If there are too few paths, folds are separated, too. There are several bundles per worker,
# since some last longer than others, and an interrupt leaves what is done; one where each starts a process of its own.
bundle_points <- function(task, calls, workers) {
  folds <- length(calls[[1]]$folds)
  units <- unlist(lapply(seq_along(calls), separate_paths, calls, task), recursive = FALSE)
  per_worker <- if (any(grepl("batchtools|callr", class(future::plan())))) 1 else 4
  number <- min(per_worker * workers, length(units) * folds)
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
