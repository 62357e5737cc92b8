# Windows of exact forgetting beside restarts: accuracy and cost on streams that change at once, steadily, or not at all.
source("bench/common.R")

n <- 6000
draws <- 3
streams <- list(
  `chess board, swapped` = list(draw = function() swapped(chessboard(n)), kernel = kernel_rbf(sigma = 0.4)),
  `normals, turning` = list(draw = function() turning(two_normals(n)), kernel = kernel_rbf(sigma = 1)),
  `normals, as they are` = list(draw = function() two_normals(n), kernel = kernel_rbf(sigma = 1))
)
adwin <- function(react) drift_adwin(react = react)
ways <- list(
  `LASVM, all` = list(solver_lasvm(C = 1, finish = FALSE)),
  `LASVM, ADWIN restarts` = list(solver_lasvm(C = 1, finish = FALSE), drift = adwin("restart")),
  `ID-SVM, all` = list(solver_idsvm(C = 1)),
  `ID-SVM, ADWIN restarts` = list(solver_idsvm(C = 1), drift = adwin("restart")),
  `ID-SVM, ADWIN forgets` = list(solver_idsvm(C = 1), drift = adwin("forget")),
  `ID-SVM, latest 500` = list(solver_idsvm(C = 1), forget_after = 500),
  `ID-SVM, latest 1,000, ADWIN forgets` = list(solver_idsvm(C = 1), forget_after = 1000, drift = adwin("forget")),
  `ramp, latest 500` = list(solver_ramp(C = 1), forget_after = 500),
  `ramp, latest 1,000, ADWIN forgets` = list(solver_ramp(C = 1), forget_after = 1000, drift = adwin("forget"))
)
measure <- function(stream, way) {
  found <- vapply(seq_len(draws), function(seed) {
    set.seed(seed)
    data <- streams[[stream]]$draw()
    given <- list(source_matrix(data$x, data$y), kernel = streams[[stream]]$kernel, chunk = 50, scale = FALSE,
      threads = 1, verbose = FALSE)
    time <- seconds(run <- suppressWarnings(do.call(osvm_stream, c(given[1], ways[[way]], given[-1]))))
    c(100 * tail(run$metrics$accuracy, 1), length(run$fit$target), n / time)
  }, numeric(3))
  data.frame(stream = stream, model = way, accuracy = mean(found[1, ]), examples = mean(found[2, ]),
    `rows a second` = mean(found[3, ]), check.names = FALSE)
}
cases <- expand.grid(way = names(ways), stream = names(streams), stringsAsFactors = FALSE)
results <- do.call(rbind, Map(measure, cases$stream, cases$way))
report(
  "stream-forget", "Windows of exact forgetting",
  "Prequential accuracy in per cent over 6,000 rows, each predicted before it is learned; examples that the model keeps at",
  "the end; rows in a second of processor time, one thread. Mean of three draws; chunks of 50.",
  "LASVM visits a chunk in random order, and is evaluated chunk by chunk.",
  table_md(results, digits = c(0, 0, 1, 0, 0), row.names = FALSE)
)
