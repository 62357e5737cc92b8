# Fig. 6 of Wang and Vucetic (2009): accuracy over labels asked for, of three strategies on top of two on-line solvers.
# OSVM_IDSVM=no leaves IDSVM out, which takes most of the time; OSVM_IDSVM=Gauss,DNA has it on these sets only.
source("bench/ramp/sets.R")

times <- repeats(10)
near <- 0.5 # points: as accurate as with all labels
runs <- data.frame(
  name = c("OnlineASVM^R", "Greedy", "QueryAll", "IDSVM, ramp", "IDSVM, Greedy", "IDSVM, QueryAll"),
  solver = rep(c("ramp", "idsvm"), each = 3), strategy = c("ramp", "greedy", "all"),
  times = rep(c(times, min(times, 3)), each = 3) # IDSVM is slow
)
with_idsvm <- strsplit(Sys.getenv("OSVM_IDSVM", paste(names(sets), collapse = ",")), ",")[[1]]
if (!any(names(sets) %in% with_idsvm)) runs <- runs[runs$solver == "ramp", ]

curves <- sapply(names(sets), function(name) {
  runs <- runs[runs$solver == "ramp" | name %in% with_idsvm, ]
  Map(function(solver, strategy, times) {
    lapply(seq_len(times), function(seed) active(name, seed, solver, strategy)$curve)
  }, runs$solver, runs$strategy, runs$times) |> stats::setNames(runs$name)
}, simplify = FALSE)
made <- function(name) intersect(runs$name, names(curves[[name]]))

# Means over the repeats, in per cent.
final <- function(curves) mean(sapply(curves, function(curve) 100 * utils::tail(curve$accuracy, 1)))
labels <- function(curves) mean(sapply(curves, function(curve) max(curve$asked)))
at <- function(curves, asked) {
  Reduce(`+`, lapply(curves, function(curve) {
    stats::approx(curve$asked, 100 * curve$accuracy, asked, rule = 2, ties = "ordered")$y
  })) / length(curves)
}
# The number of labels from which on the mean curve stays within `near` of a goal; NA if it ends below.
reached <- function(curves, goal) {
  asked <- seq(2, labels(curves))
  short <- which(at(curves, asked) < goal - near)
  if (length(short) == 0) asked[1] else asked[max(short) + 1]
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
  least <- floor(min(sapply(curves[[name]][setdiff(made(name), "IDSVM, ramp")], labels))) # where the paper's plots end
  there <- sapply(curves[[name]], at, least)[runs$name] # NA where not made
  data.frame(data = name, labels = least, t(stats::setNames(there, runs$name)))
}))
points <- c(50, 100, 200, 500, 1000, 2000)
way <- do.call(rbind, lapply(names(sets), function(name) {
  do.call(rbind, lapply(made(name), function(run) {
    c <- curves[[name]][[run]]
    accuracy <- at(c, points)
    accuracy[points > labels(c)] <- NA
    data.frame(data = name, run, t(accuracy))
  }))
}))

# The same for the vignette, a row per point, with the place where the thriftiest ends and the end of the stream.
long <- do.call(rbind, lapply(names(sets), function(name) {
  do.call(rbind, lapply(made(name), function(run) {
    drawn <- curves[[name]][[run]]
    on_way <- sort(c(points, same$labels[same$data == name]))
    on_way <- on_way[on_way < labels(drawn)]
    data.frame(
      data = name, run, labels = c(on_way, labels(drawn)), accuracy = c(at(drawn, on_way), final(drawn))
    )
  }))
}))
save_results(long, "ramp-active")
save_results(end[names(end) != "share"], "ramp-active-end", provenance("ramp-active"))

good <- !is.na(end$reached) & end$reached <= end$all / 2
report(
  "ramp-active", "Wang and Vucetic, Fig. 6: accuracy over labels asked for",
  sprintf("Accuracy on test data in per cent; repeats: %d (on top of IDSVM: at most 3; on %s).", times,
    if (length(with_idsvm) < length(sets)) paste(with_idsvm, collapse = ", ") else "all sets"
  ),
  "OnlineASVM^R asks where |f| <= 1, Greedy for one of five rows; both, and QueryAll, on top of OnlineSVM^R.",
  sprintf("'Reached': labels from which on the accuracy stays within %g points of what all labels give.", near),
  "", "## At the end of the stream",
  table_md(end,
    digits = c(0, 0, 1, 1, 0, 0, 0, 1, 0, 0), row.names = FALSE,
    col.names = c(
      "data", "all labels", "QueryAll", "OnlineASVM^R", "labels", "% of all", "reached", "Greedy", "labels", "reached"
    )
  ),
  "## With as many labels as the thriftiest asks for",
  table_md(same, digits = 1, row.names = FALSE, col.names = c("data", "labels", runs$name)),
  "## On the way", table_md(way, digits = 1, row.names = FALSE, col.names = c("data", "labels:", points)),
  target(
    sprintf("sets where OnlineASVM^R needs at most half of the labels to come within %g points of QueryAll", near),
    sum(good), 6, "of nine"
  ),
  target(
    "sets where it ends above QueryAll with as many labels", sum(same$OnlineASVM.R > same$QueryAll), 6, "of nine"
  )
)
