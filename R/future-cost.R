# How many bundles a grid is worth. With B bundles on W workers, T seconds of work, s seconds to submit a bundle (in
# this process, one after the other) and j seconds until a submitted one has started and its value has come back:
#   seconds(B) = s B + ceiling(B / W) (j + T / B)
# More bundles than workers are more waves, each with its start; fewer leave workers idle. Work that lasts longer than
# expected in some bundles is made up for by others if there are several waves: `spread`, the share by which bundles
# differ, adds spread T / B for the last one.

bundle_seconds <- function(bundles, workers, work, cost, spread = 0.5) {
  cost[["submit"]] * bundles + ceiling(bundles / workers) * (cost[["start"]] + work / bundles) + spread * work / bundles
}

best_bundles <- function(workers, work, cost, most) {
  bundles <- seq_len(max(1, most))
  which.min(bundle_seconds(bundles, workers, work, cost))
}

# Seconds to submit and to start, measured by the bundles of this session; before there are any, typical ones.
costs <- new.env(parent = emptyenv())
typical_costs <- list(jobs = c(submit = 0.2, start = 3), forks = c(submit = 0.01, start = 0.01),
  stay = c(submit = 0.005, start = 0.01))

plan_kind <- function(traits) if (traits$jobs) "jobs" else if (traits$forks) "forks" else "stay"

# The median of the last ten bundles: the first on a worker, which loads the package, counts little.
plan_cost <- function(traits) {
  kind <- plan_kind(traits)
  if (is.null(costs[[kind]])) typical_costs[[kind]] else apply(costs[[kind]], 2, stats::median)
}

note_cost <- function(traits, submit, answered) {
  new <- c(submit = max(submit, 0), start = max(answered - submit, 0))
  costs[[plan_kind(traits)]] <- utils::tail(rbind(costs[[plan_kind(traits)]], new, deparse.level = 0), 10)
}

# Seconds of one fit, measured on a sample of the examples with the middle point of the grid, for at most a fifth
# of a second: work that takes longer is worth a bundle anyway. Kernel rows of all
# examples make the time of a fit grow with the square of their number, in linear machines with the number.
fit_seconds <- function(task, plan, sample = 300) {
  n <- length(task$labels$class)
  rows <- order(task$labels$class)
  rows <- rows[unique(round(seq(1, n, length.out = min(n, sample))))]
  point <- ceiling(nrow(task$points) / 2)
  round <- plan[[1]]
  args <- core_arguments(task, round, point, threads = 1)
  visits <- match(rows, visiting_order(task$solvers$specs[[task$solvers$of[point]]], round))
  args$data$rows <- rows - 1L
  args$labels$class <- args$labels$class[visits]
  args$labels$weight <- args$labels$weight[visits]
  args$labels$fold <- rep(c(0L, 1L), length.out = length(rows))
  args$control$seed <- args$control$seed[c(1, 1)]
  started <- seconds_now()
  within_limit(min(0.2, time_left()), do.call(call_tune, args))
  # Two folds of a half each are about as long as one fit of the sample, or half of it for a kernel machine.
  growth <- n / length(rows)
  (seconds_now() - started) * if (is_primal(task$model)) growth else 2 * growth^2
}
