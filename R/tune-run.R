# The run of a tuning: calls of the core, their scores, and the table they make.

# Grid points of one call share loss, precision, norms, feature map and order of visits, and their hold-out
# outputs fit into `most` bytes; those of one kernel stay together if possible.
# Each call is made for every repeat.
split_calls <- function(task, plan, most = 64e6, points = seq_len(nrow(task$points))) {
  solver <- task$solvers$specs[task$solvers$of]
  kernel <- task$kernels$specs[task$kernels$of]
  doubles <- needs_doubles(task$model, kernel, solver)
  kind <- vapply(points, function(i) {
    traits <- solver_traits(solver[[i]])
    map <- if (is_low_rank(kernel[[i]])) task$kernels$of[i] else 0
    paste(doubles[i], traits$unit_norm, traits$shuffle, task$losses$of[i], map)
  }, "")
  room <- max(1, floor(most / (8 * nrow(task$x) * nrow(task$model$machines))))
  calls <- lapply(split(points, match(kind, unique(kind))), function(group) {
    kernel <- task$kernels$of[group]
    chunk <- integer(length(kernel))
    current <- 1
    for (k in unique(kernel)) {
      mine <- which(kernel == k)
      used <- sum(chunk == current)
      if (used > 0 && used + length(mine) > room) current <- current + 1
      chunk[mine] <- current + (seq_along(mine) - 1) %/% room
      current <- max(chunk)
    }
    unname(split(group, chunk))
  })
  calls <- unlist(calls, recursive = FALSE, use.names = FALSE)
  rounds <- rep(seq_along(plan), length(calls))
  Map(function(points, round) list(points = points, round = round), rep(calls, each = length(plan)), rounds)
}

# One call of the core, for some of the folds; examples of the others are never held out.
hold_out <- function(task, round, points, threads = task$model$control$threads, folds = seq_along(round$seed),
                     progress = NULL, whole = FALSE) {
  some_of <- function(all) {
    used <- unique(all$of[points])
    list(specs = all$specs[used], of = match(all$of[points], used))
  }
  solvers <- some_of(task$solvers)
  if (!is.null(task$precision)) solvers$specs <- lapply(solvers$specs, set_role, "tolerance", task$precision)
  task <- at_point(task, points[1])
  rows <- if (solvers$specs[[1]]$traits$shuffle) round$order else seq_along(round$order)
  fold <- match(round$fold, folds, 0L)
  kernels <- some_of(task$kernels)
  seed <- round$core_seed[folds]
  if (!is.null(task$cells)) {
    return(holdout_in_cells(
      task$model, tuned_examples(task), fold, solvers, kernels, seed, rows, threads, progress, task$cells
    ))
  }
  holdout_outputs(task$model, tuned_examples(task), fold, solvers, kernels, seed, rows, threads, progress, whole)
}

at_point <- function(task, point) {
  task$model$loss <- task$losses$specs[[task$losses$of[point]]]
  task
}

tuned_examples <- function(task) list(x = task$x, class = task$labels$class, weight = task$weight)

run_tuning <- function(task, plan) {
  started <- seconds_now()
  # All random numbers are drawn by now; a metric that draws some starts from the seed of its repeat.
  plan <- lapply(plan, function(round) {
    c(round, list(core_seed = keep_random_state(vapply(round$seed, function(seed) {
      set.seed(seed) # as before a fit, which passes to the core what it draws
      as.double(sample.int(.Machine$integer.max, 1))
    }, 0))))
  })
  # A row per run (fold of a repeat) and a column per grid point. `state` is the core's: "not run", "done", "unfinished"
  # (stopped short of its tolerance) or "failed". An environment, so that an interrupt leaves what was recorded.
  blank <- function(value) matrix(value, length(plan) * length(plan[[1]]$seed), nrow(task$points))
  records <- list2env(list(
    error = blank(NA_real_), value = blank(NA_real_), n_sv = blank(NA_real_), seconds = blank(0),
    state = blank("not run"), message = blank(""), map = blank(list(NULL)),
    evaluations = 0, interrupted = FALSE, parts = matrix(list(), length(plan), nrow(task$points)),
    cell_errors = matrix(0, length(task$cells$rows), nrow(task$points))
  ), parent = emptyenv())
  keep_random_state(run_stages(records, task, plan))
  tuned <- tabulate_points(task, plan, records)
  tuned$stats$seconds <- seconds_now() - started
  report_troubles(tuned)
  tuned
}

# One stage of all grid points on all folds; of a race several, with the points still in it.
run_stages <- function(records, task, plan) {
  pool <- if (future_workers() > 0) open_pool(task, plan)
  on.exit(if (!is.null(pool)) close_data(pool$data))
  title <- if (is.null(pool)) "Tuning" else paste("Tuning on", plural(pool$workers, "worker"))
  bar <- progress_bar(task$model$control$verbose, title)
  on.exit(bar$done(), add = TRUE)
  whole <- list(rounds = seq_along(plan), folds = seq_along(plan[[1]]$seed))
  stages <- if (task$race) race_stages(plan) else list(whole)
  points <- seq_len(nrow(task$points))
  for (k in seq_along(stages)) {
    show <- if (!is.null(bar$show)) function(part) bar$show((k - 1 + part) / length(stages))
    stage <- stages[[k]]
    calls <- Filter(function(call) call$round %in% stage$rounds, split_calls(task, plan, points = points))
    calls <- lapply(calls, function(call) c(call, list(folds = stage$folds, last = max(stage$folds)))) # of a repeat
    if (is.null(pool)) run_here(records, task, plan, calls, show)
    else run_on_workers(records, task, plan, calls, show, pool)
    if (records$interrupted) break
    if (k < length(stages)) points <- still_racing(records, task, points)
  }
}

run_here <- function(records, task, plan, calls, show) {
  work <- lengths(lapply(calls, `[[`, "points"))
  done <- (cumsum(work) - work) / sum(work)
  tryCatch(
    for (i in seq_along(calls)) {
      call <- calls[[i]]
      progress <- if (!is.null(show)) function(part) show(done[i] + part * work[i] / sum(work))
      result <- hold_out(task, plan[[call$round]], call$points, folds = call$folds, progress = progress)
      record_call(records, task, plan, call, result)
      if (records$interrupted) break
    },
    interrupt = function(c) records$interrupted <- TRUE
  )
}

# The result of a call of the core, for all folds of a repeat or for some, or the message of its failure. What is not
# scored yet does not count: `state` is recorded with the scores.
record_call <- function(records, task, plan, call, result) {
  round <- plan[[call$round]]
  points <- call$points
  size <- c(length(call$folds), length(points))
  if (is.character(result)) result <- failed_result(result, size[1], size[2])
  if (result$interrupted != 0) records$interrupted <- TRUE
  if (!is.null(result$cell_errors)) {
    records$cell_errors[, points] <- records$cell_errors[, points] + result$cell_errors
  }
  records$evaluations <- records$evaluations + evaluations_of(list(result))
  runs <- runs_of(call$round, round)[call$folds]
  records$n_sv[runs, points] <- result$counts["support", ]
  records$seconds[runs, points] <- result$counts["seconds", ]
  records$message[runs, points] <- result$message
  outputs <- array(result$outputs, c(length(round$fold), nrow(task$model$machines), length(points)))
  state <- matrix(result$state, size[1])
  for (i in seq_along(points)) {
    f <- matrix(outputs[, , i], nrow(outputs))
    suspendInterrupts(record_part(records, task, call, round, points[i], f, state[, i]))
  }
}

# The rows of a repeat's folds in the records
runs_of <- function(r, round) (r - 1) * length(round$seed) + seq_along(round$seed)

failed_result <- function(message, folds, points) {
  names <- list(c("support", "evaluations", "seconds", "updates"), NULL)
  list(
    outputs = 0, counts = matrix(0, 4, folds * points, dimnames = names), state = matrix("failed", folds, points),
    message = matrix(message, folds, points), interrupted = 0, shared = c(evaluations = 0)
  )
}

# Some folds of a grid point. It is scored when all of the stage have come: those of others are needed for that.
record_part <- function(records, task, call, round, point, f, state) {
  whole <- records$parts[[call$round, point]]
  if (is.null(whole)) whole <- list(f = 0 * f, state = rep(NA_character_, length(round$seed)))
  rows <- round$fold %in% call$folds
  whole$f[rows, ] <- f[rows, ]
  whole$state[call$folds] <- state
  records$parts[call$round, point] <- list(if (anyNA(whole$state)) whole)
  if (anyNA(whole$state[seq_len(call$last)])) return()
  record_point(records, task, call$round, round, point, whole$f, whole$state)
}

# A grid point is recorded completely or not at all: the caller suspends interrupts.
record_point <- function(records, task, r, round, point, f, state) {
  if (ncol(f) > 1) colnames(f) <- machine_names(task$model)
  if (task$metric$needs == "function") set.seed(round$seed[1])
  runs <- runs_of(r, round)
  state[is.na(state)] <- "not run"
  ended <- state %in% c("done", "unfinished")
  bad <- ended & seq_along(state) %in% round$fold[rowSums(!is.finite(f)) > 0]
  state[bad] <- "failed"
  scored <- score_point(at_point(task, point), f, round$fold, ended & !bad)
  scored$message[bad] <- "the decision values are not finite"
  failed <- nzchar(scored$message)
  records$message[runs[failed], point] <- scored$message[failed]
  records$error[runs, point] <- scored$error
  records$value[runs, point] <- scored$value
  records$map[runs, point] <- list(scored$map)
  records$state[runs, point] <- state
}
