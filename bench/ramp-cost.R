# Figs 3 and 4 of Wang and Vucetic (2009): cost and accuracy of an online run against the length of the stream, means of draws.
source("bench/ramp/sets.R")

full <- min(10000, most)
times <- repeats(5)
lengths <- unique(round(full * c(0.1, 0.2, 0.4, 0.6, 0.8, 1)))
first <- function(set, n) list(x = set$x[1:n, ], y = set$y[1:n], new_x = set$new_x, new_y = set$new_y)

# A separate run for every length: cost and accuracy of the stream up to there.
row <- function(algorithm, n, time, fit, set) {
  message(algorithm, ", ", n)
  data.frame(
    algorithm, examples = n, accuracy = accuracy(fit, set), svs = fit$n_sv,
    kernels = 1e-6 * fit$stats$kernel_evaluations, seconds = time
  )
}
measure <- function(algorithm, set, solver, gamma, n = nrow(set$x)) {
  set <- first(set, n)
  time <- seconds(fit <- suppressWarnings(learn(set, solver, gamma)))
  row(algorithm, n, time, fit, set)
}
measure_active <- function(set, best, n) {
  set <- first(set, n)
  time <- seconds(fit <- osvm_active(set$x, set$y, solver_ramp(C = best$C), kernel_rbf(gamma = best$gamma),
    scale = FALSE, threads = 1, verbose = FALSE
  ))
  row("OnlineASVM^R", n, time, fit, set)
}
e1071 <- function(set, best) {
  seconds(e1071::svm(set$x, set$y,
    scale = FALSE, gamma = best$gamma, cost = best$C, tolerance = 1e-3, cachesize = 256, fitted = FALSE
  ))
}

best <- chosen("Gauss", "ramp")
hinge <- chosen("Gauss", "smo")
invisible(measure("warm-up", draw("Gauss", 1, 100), solver_ramp(), 1)) # the first call loads code
runs <- expand.grid(n = lengths, seed = seq_len(times))
curves <- do.call(rbind, Map(function(n, seed) {
  set <- draw("Gauss", seed, full)
  rbind(
    measure("OnlineSVM^R", set, solver_ramp(C = best$C), best$gamma, n),
    measure_active(set, best, n),
    measure("IDSVM", set, solver_idsvm(C = hinge$C), hinge$gamma, n),
    measure("SVM^R offline", set, solver_cccp(C = best$C), best$gamma, n)
  )
}, runs$n, runs$seed))
algorithms <- unique(curves$algorithm)
curves <- stats::aggregate(. ~ examples + algorithm, curves, mean)
curves <- curves[order(match(curves$algorithm, algorithms)), c(2, 1, 3:6)]
of <- function(algorithm, what) curves[curves$algorithm == algorithm, what]
online <- of("OnlineSVM^R", "kernels")
offline <- of("SVM^R offline", "kernels")
# Cost of offline retraining after every example, interpolated linearly between the lengths measured.
retrained <- sum(stats::approx(c(0, lengths), c(0, offline), seq_len(full))$y)

# Times with the same parameters for all algorithms.
batch <- do.call(rbind, lapply(c("Gauss", "NCheckerboard"), function(name) {
  set <- draw(name, 1, full)
  do.call(rbind, lapply(c("ramp", "smo"), function(algorithm) {
    best <- chosen(name, algorithm)
    ours <- measure("ramp", set, solver_ramp(C = best$C), best$gamma)
    e1071_seconds <- e1071(set, best)
    exact <- measure("idsvm", set, solver_idsvm(C = best$C), best$gamma)$seconds
    data.frame(
      data = name, C = best$C, gamma = best$gamma, ramp = ours$seconds, e1071 = e1071_seconds,
      ratio = ours$seconds / e1071_seconds,
      idsvm = exact, slower = exact / ours$seconds
    )
  }))
}))
picked <- batch[!duplicated(batch$data), ] # parameters chosen for OnlineSVM^R

# IDSVM against the batch solution on a longer stream.
more <- draw("Gauss", 2, min(12000, 1.2 * most))
more_time <- seconds(incremental <- learn(more, solver_idsvm(C = hinge$C), hinge$gamma))
reference <- learn(more, solver_smo(C = hinge$C, tolerance = 1e-8), hinge$gamma)
decision <- function(fit) predict(fit, more$new_x, type = "decision")

at_most <- function(what, value, most) {
  status <- if (value <= most) "reached" else "**missed**"
  sprintf("- %s: **%.2f times** (target: at most %g, %s)", what, value, most, status)
}
lines_of <- function(what, ratios, line, bound) {
  unlist(Map(function(name, ratio) line(paste0(what, ", ", name), ratio, bound), picked$data, ratios))
}
last <- length(lengths)
save_results(curves, "ramp-cost")
save_results(batch, "ramp-cost-batch", provenance("ramp-cost"))
report(
  "ramp-cost", sprintf("Wang and Vucetic, Figs 3 and 4: cost against the length of the stream, Gauss %d", full),
  sprintf("OnlineSVM^R, OnlineASVM^R, SVM^R: C = %g, gamma = %g;", best$C, best$gamma),
  sprintf("IDSVM: C = %g, gamma = %g.", hinge$C, hinge$gamma),
  sprintf("Means of %d draws: accuracy in per cent; kernels: millions of kernel evaluations;", times),
  "processor seconds on one thread.",
  table_md(curves, digits = c(0, 0, 1, 0, 2, 2), row.names = FALSE),
  at_most("kernel evaluations of the online run over one offline run", online[last] / offline[last], 1.5),
  sprintf(
    "- offline retraining after every example: %.0f times the kernel evaluations of the online run",
    retrained / online[last]
  ),
  "", sprintf("## Time of a stream of %d against one batch fit by e1071", full),
  "", "Parameters chosen for OnlineSVM^R, then those chosen for SMO; the same for all three algorithms.",
  table_md(batch, digits = c(0, 1, 3, 2, 2, 2, 2, 1), row.names = FALSE,
    col.names = c("data", "C", "gamma", "OnlineSVM^R s", "e1071 s", "ratio", "IDSVM s", "IDSVM over OnlineSVM^R")
  ),
  lines_of("OnlineSVM^R over e1071", picked$ratio, at_most, 5),
  lines_of("IDSVM over OnlineSVM^R", picked$slower, target, 1),
  sprintf(
    "- IDSVM over %d examples: %.1f s; decision values within %.1e of SMO's at tolerance 1e-8",
    nrow(more$x), more_time, max(abs(decision(incremental) - decision(reference)))
  )
)
