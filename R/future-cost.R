# How many bundles a grid is worth. With B bundles on W workers, T seconds of work, s seconds to submit a bundle (in
# this process, one after the other) and j seconds until a submitted one has started and its value has come back:
#   seconds(B) = s B + ceiling(B / W) (j + T / B)
# More bundles than workers are more waves, each with its start; fewer leave workers idle. Work that lasts longer than
# expected in some bundles is made up for by others if there are several waves: `spread`, the share by which bundles
# differ, adds spread T / B for the last one.

best_bundles <- function(workers, work, cost, most, spread = 0.5) {
  bundles <- seq_len(max(1, most))
  waves <- ceiling(bundles / workers) * (cost[["start"]] + work / bundles)
  which.min(cost[["submit"]] * bundles + waves + spread * work / bundles)
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
