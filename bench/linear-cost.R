# Does a step of the on-line linear SVM cost the example's non-zeros, whatever the number of features and the tricks?
source("bench/linear/sets.R")

tricks <- list(
  plain = list(project = FALSE, average = FALSE), projection = list(project = TRUE, average = FALSE),
  averaging = list(project = FALSE, average = TRUE), both = list(project = TRUE, average = TRUE)
)
n <- min(50000, most)
# An epoch's quickest time of three runs, in microseconds per example: other work on the machine can only add.
epochs <- function(set, lambda, trick) {
  times <- replicate(3, do.call(pegasos, c(list(set, lambda = lambda, epochs = 4), tricks[[trick]]))$trace$seconds)
  1e6 / n * c(first = min(times[1, ]), later = min(times[-1, ]))
}
set.seed(1)
cells <- expand.grid(trick = names(tricks), lambda = c(1e-3, 1e-5), features = 10^(3:6), stringsAsFactors = FALSE)
figures <- do.call(rbind, lapply(split(cells, cells$features), function(part) {
  message(part$features[1], " features")
  set <- documents(n, part$features[1])
  cbind(part[3:1], t(mapply(function(lambda, trick) epochs(set, lambda, trick), part$lambda, part$trick)))
}))

save_results(figures, "linear-cost")
report(
  "linear-cost", "The on-line linear SVM: microseconds per example",
  sprintf("%d generated documents of 50 words; first: the first epoch, later: the quickest of the next three.", n),
  table_md(figures, digits = c(0, 5, 0, 3, 3), row.names = FALSE)
)
