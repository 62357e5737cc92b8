# Fig. 6 of Wang and Vucetic (2009): accuracy over labels queried, of three strategies with two online solvers.
# IDSVM with QueryAll, which takes most of the time, ends where the figure does: after `enough` labels.
source("bench/ramp/sets.R")

times <- repeats(3)
tolerance <- 0.5 # points below the accuracy with all labels
enough <- 2500
runs <- data.frame(
  name = c("OnlineASVM^R", "Greedy", "QueryAll", "IDSVM, Greedy", "IDSVM, QueryAll"),
  solver = rep(c("ramp", "idsvm"), 3:2), strategy = c("ramp", "greedy", "all", "greedy", "all"),
  rows = c(Inf, Inf, Inf, Inf, enough)
)

curves <- sapply(names(sets), function(name) {
  Map(function(solver, strategy, rows) {
    lapply(seq_len(times), function(seed) active(name, seed, solver, strategy, rows)$curve)
  }, runs$solver, runs$strategy, runs$rows) |> stats::setNames(runs$name)
}, simplify = FALSE)

# Means over the repeats, in per cent.
final <- function(curves) mean(sapply(curves, function(curve) 100 * utils::tail(curve$accuracy, 1)))
labels <- function(curves) mean(sapply(curves, function(curve) max(curve$asked)))
at <- function(curves, queried) {
  Reduce(`+`, lapply(curves, function(curve) {
    stats::approx(curve$asked, 100 * curve$accuracy, queried, rule = 2, ties = "ordered")$y
  })) / length(curves)
}
# The number of labels from which on the mean curve stays within `tolerance` of a goal; NA if it ends below.
reached <- function(curves, goal) {
  queried <- seq(2, labels(curves))
  below <- which(at(curves, queried) < goal - tolerance)
  if (length(below) == 0) queried[1] else queried[max(below) + 1]
}

end <- do.call(rbind, lapply(names(sets), function(name) {
  c <- curves[[name]]
  all <- labels(c$QueryAll)
  goal <- final(c$QueryAll)
  data.frame(
    data = name, all, goal, active = final(c$"OnlineASVM^R"), asked = labels(c$"OnlineASVM^R"),
    share = 100 * labels(c$"OnlineASVM^R") / all, reached = reached(c$"OnlineASVM^R", goal),
    greedy = final(c$Greedy), greedy_asked = labels(c$Greedy), greedy_reached = reached(c$Greedy, goal)
  )
}))
same <- do.call(rbind, lapply(names(sets), function(name) {
  least <- floor(min(sapply(curves[[name]], labels))) # end of the paper's plots
  accuracy <- sapply(curves[[name]], at, least)
  data.frame(data = name, labels = least, t(stats::setNames(accuracy, runs$name)))
}))
points <- c(50, 100, 200, 500, 1000, 2000)
by_labels <- do.call(rbind, lapply(names(sets), function(name) {
  do.call(rbind, lapply(runs$name, function(run) {
    c <- curves[[name]][[run]]
    accuracy <- at(c, points)
    accuracy[points > labels(c)] <- NA
    data.frame(data = name, run, t(accuracy))
  }))
}))

# The same for the vignette, a row per point, with the end of the shortest curve and of the stream.
long <- do.call(rbind, lapply(names(sets), function(name) {
  do.call(rbind, lapply(runs$name, function(run) {
    drawn <- curves[[name]][[run]]
    before <- sort(c(points, same$labels[same$data == name]))
    before <- before[before < labels(drawn)]
    data.frame(
      data = name, run, labels = c(before, labels(drawn)), accuracy = c(at(drawn, before), final(drawn))
    )
  }))
}))
save_results(long, "ramp-active")
save_results(end[names(end) != "share"], "ramp-active-end", provenance("ramp-active"))

good <- !is.na(end$reached) & end$reached <= end$all / 2
report(
  "ramp-active", "Wang and Vucetic, Fig. 6: accuracy over labels queried",
  sprintf("Accuracy on test data in per cent, means of %d draws.", times),
  "OnlineASVM^R queries rows with |f| <= 1, Greedy one row of five; both, and QueryAll, with OnlineSVM^R.",
  sprintf("'Reached': labels from which on the accuracy stays within %g points of that with all labels.", tolerance),
  "", "## At the end of the stream",
  table_md(end,
    digits = c(0, 0, 1, 1, 0, 0, 0, 1, 0, 0), row.names = FALSE,
    col.names = c(
      "data", "all labels", "QueryAll", "OnlineASVM^R", "labels", "% of all", "reached", "Greedy", "labels", "reached"
    )
  ),
  "## At the number of labels of the strategy with the fewest queries",
  table_md(same, digits = 1, row.names = FALSE, col.names = c("data", "labels", runs$name)),
  "## By number of labels",
  table_md(by_labels, digits = 1, row.names = FALSE, col.names = c("data", "labels:", points)),
  target(
    sprintf("sets where OnlineASVM^R needs at most half of the labels to come within %g points of QueryAll", tolerance),
    sum(good), 6, "of nine"
  ),
  target(
    "sets where it ends above QueryAll with as many labels", sum(same$OnlineASVM.R > same$QueryAll), 6, "of nine"
  )
)
