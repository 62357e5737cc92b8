# Cost of a step of the online linear SVM against the number of features, with and without projection and averaging.
source("bench/linear/sets.R")

tricks <- list(
  plain = list(project = FALSE, average = FALSE), projection = list(project = TRUE, average = FALSE),
  averaging = list(project = FALSE, average = TRUE), both = list(project = TRUE, average = TRUE)
)
n <- min(50000, most)
# Shortest time of an epoch in three runs, in microseconds per example.
epochs <- function(set, lambda, trick) {
  times <- replicate(3, do.call(pegasos, c(list(set, lambda = lambda, epochs = 4), tricks[[trick]]))$trace$seconds)
  1e6 / n * c(first = min(times[1, ]), later = min(times[-1, ]))
}
set.seed(1)
cells <- expand.grid(trick = names(tricks), lambda = c(1e-3, 1e-5), features = 10^(3:6), stringsAsFactors = FALSE)
results <- do.call(rbind, lapply(split(cells, cells$features), function(part) {
  message(part$features[1], " features")
  set <- documents(n, part$features[1])
  cbind(part[3:1], t(mapply(function(lambda, trick) epochs(set, lambda, trick), part$lambda, part$trick)))
}))

save_results(results, "linear-cost")
report(
  "linear-cost", "The online linear SVM: microseconds per example",
  sprintf("%d generated documents of 50 words; first: the first epoch, later: the fastest of the next three.", n),
  table_md(results, digits = c(0, 5, 0, 3, 3), row.names = FALSE)
)
