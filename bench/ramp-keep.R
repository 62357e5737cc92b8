# Fig. 5 of Wang and Vucetic (2009): accuracy and time against the number of non-support vectors kept.
source("bench/ramp/sets.R")

times <- repeats(5)
kept <- c(Inf, 1000, 100, 0)
names_of_sets <- c("NCheckerboard", "Cover")

one <- function(name, keep, n, seed) {
  set <- draw(name, seed)
  best <- chosen(name, "ramp")
  set$x <- set$x[1:n, ]
  set$y <- set$y[1:n]
  message(name, ", keep = ", keep, ", ", n, " (", seed, ")")
  time <- seconds(fit <- suppressWarnings(learn(set, solver_ramp(C = best$C, keep = keep), best$gamma)))
  c(accuracy(fit, set), fit$n_sv, nrow(fit$sv), time)
}
all_cells <- do.call(rbind, lapply(names_of_sets, function(name) {
  full <- min(sets[[name]]$n, most)
  cells <- expand.grid(examples = round(full * c(0.25, 0.5, 1)), keep = kept)
  results <- mapply(function(n, keep) {
    rowMeans(vapply(seq_len(times), function(seed) one(name, keep, n, seed), numeric(4)))
  }, cells$examples, cells$keep)
  data.frame(
    data = name, cells[2:1],
    accuracy = results[1, ], svs = results[2, ], examples_kept = results[3, ], seconds = results[4, ]
  )
}))

end <- all_cells[all_cells$examples == ave(all_cells$examples, all_cells$data, FUN = max), ]
lost <- function(name, keep) {
  rows <- end[end$data == name, ]
  all <- rows[rows$keep == Inf, ]
  some <- rows[rows$keep == keep, ]
  sprintf("- %s, keep = %g: accuracy %+.2f points, time %.2f times that of keeping all", name, keep,
    some$accuracy - all$accuracy, some$seconds / all$seconds
  )
}
save_results(all_cells, "ramp-keep")
report(
  "ramp-keep", "Wang and Vucetic, Fig. 5: number of non-support vectors kept",
  sprintf("Accuracy in per cent, processor seconds on one thread; means of %d repeats.", times),
  table_md(all_cells, digits = c(0, 0, 0, 2, 0, 0, 2), row.names = FALSE),
  unlist(lapply(names_of_sets, function(name) sapply(c(1000, 100, 0), function(keep) lost(name, keep))))
)
