# Prequential accuracy with and without a reaction to drift, by solver, beside the baselines.
#
# A chess board whose colours are swapped half-way; two normal distributions whose plane turns steadily by 180 degrees;
# and the first 20,000 rows of the forest cover data in the order of its file, in which neighbouring rows are alike
# (class 2 against the rest; only if OSVM_DATA has it). There the label before predicts well, and learning from chunks
# means to know it later: it is measured with shorter chunks, too.
source("bench/common.R")

n <- 4000
draws <- 4
window <- 500

streams <- list(
  `chess board, swapped` = list(draw = function() swapped(chessboard(n)), kernel = kernel_rbf(sigma = 0.4)),
  `normals, turning` = list(draw = function() turning(two_normals(n)), kernel = kernel_rbf(sigma = 1))
)
streams <- lapply(streams, c, scale = FALSE, draws = draws, chunk = 100)
cover <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), "covertype.rds")
if (file.exists(cover)) {
  covertype <- readRDS(cover)
  rows <- 1:20000
  forest <- list(x = covertype$x[rows, ] + 0, y = factor(ifelse(covertype$y[rows] == 1, "class 2", "other")))
  rm(covertype)
  in_order <- list(draw = function() forest, kernel = kernel_rbf(gamma = 0.02), scale = "running", draws = 1)
  streams[["forest cover, in order"]] <- c(in_order, chunk = 100)
  streams[["forest cover, in order, chunks of ten"]] <- c(in_order, chunk = 10)
}

solvers_used <- list(
  olsvm = solver_olsvm(C = 10, epochs = 1), lasvm = solver_lasvm(C = 10, finish = FALSE),
  pa = solver_pa(C = 1, epochs = 1), ramp = solver_ramp(C = 10), idsvm = solver_idsvm(C = 10)
)
handling <- list(
  none = drift_none(), `ADWIN, restart` = drift_adwin(react = "restart"),
  `Page-Hinkley, restart` = drift_page_hinkley(react = "restart"), `ADWIN, forget` = drift_adwin(react = "forget"),
  `ADWIN, fade` = drift_adwin(react = "fade")
)
able <- function(solver, how, stream) {
  # Exact solutions after every example: too slow for the long stream.
  if (solver %in% c("idsvm", "ramp") && startsWith(stream, "forest")) return(FALSE)
  switch(how, `ADWIN, forget` = solver %in% c("idsvm", "ramp"), `ADWIN, fade` = solver %in% c("olsvm", "pa"), TRUE)
}

# A finished cell is kept in the folder OSVM_KEEP.
measure <- function(stream, solver, how) {
  name <- gsub("[^a-z]+", "-", tolower(paste("stream-drift", stream, solver, how)))
  path <- file.path(Sys.getenv("OSVM_KEEP", tempdir()), paste0(name, ".rds"))
  if (!file.exists(path)) saveRDS(measure_cell(stream, solver, how), path)
  readRDS(path)
}
measure_cell <- function(stream, solver, how) {
  setting <- streams[[stream]]
  runs <- lapply(seq_len(setting$draws), function(seed) {
    set.seed(seed)
    data <- setting$draw()
    time <- seconds(run <- suppressWarnings(osvm_stream(
      source_matrix(data$x, data$y), solvers_used[[solver]], setting$kernel, scale = setting$scale,
      chunk = setting$chunk, window = window, drift = handling[[how]], threads = 1, verbose = FALSE
    )))
    last <- run$metrics[nrow(run$metrics), ]
    data.frame(
      accuracy = last$accuracy, no_change = last$accuracy_no_change, majority = last$accuracy_majority,
      detections = sum(run$events$event == "drift"), n_sv = mean(run$metrics$n_sv), seconds = time
    )
  })
  all <- do.call(rbind, runs)
  message(stream, ", ", solver, ", ", how, ": ", round(100 * mean(all$accuracy), 1), " %")
  data.frame(stream, solver, handling = how, t(colMeans(all)), sd = stats::sd(all$accuracy))
}
cells <- expand.grid(
  handling = names(handling), solver = names(solvers_used), stream = names(streams), stringsAsFactors = FALSE
)
cells <- cells[mapply(able, cells$solver, cells$handling, cells$stream), ]
results <- do.call(rbind, Map(measure, cells$stream, cells$solver, cells$handling))
save_results(results, "stream-drift")

tables <- lapply(names(streams), function(stream) {
  part <- results[results$stream == stream, ]
  c(
    paste("##", stream), "",
    sprintf("Baselines: no change %.1f %%, majority %.1f %%.", 100 * part$no_change[1], 100 * part$majority[1]),
    table_md(data.frame(
      solver = part$solver, handling = part$handling, `accuracy, %` = 100 * part$accuracy, sd = 100 * part$sd,
      detections = part$detections, `mean SVs` = part$n_sv, seconds = part$seconds, check.names = FALSE
    ), digits = c(0, 0, 1, 1, 1, 0, 2), row.names = FALSE)
  )
})
report(
  "stream-drift", "Prequential accuracy with and without a reaction to drift",
  sprintf("Chunks of 100 rows or ten, predicted before they are learned. Generators: %s rows, mean of %d draws and sd;",
    format(n, big.mark = ","), draws),
  "mean SVs: over chunks; seconds of processor time for the whole stream. Parameters were set once, not tuned.", "",
  unlist(tables)
)
