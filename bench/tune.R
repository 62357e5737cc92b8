# The grid of Kecman and Melki (2016), 9 C x 4 sigma x 5 folds: osvm_tune() against e1071 on the same folds.
#
# e1071 runs all folds of eukaryotic and one fold of the others, whose time is counted five times; a fit is stopped
# after `limit` seconds, which then count as its time. Times are processor seconds, ours on one thread.
source("bench/common.R")
source("bench/tune/sets.R")

limit <- 1800
sets <- data.frame(
  name = c("eukaryotic", "prototask", "chess board", "two normals", "reuters"),
  target = c(30, 30, 100, 100, 30),
  # Table II of the paper: average error of OL SVM and of fitcsvm, in per cent, and the speed-up of OL SVM
  paper_olsvm = c(14.55, 11.28, 4.27, 7.82, 4.48), paper_smo = c(36.05, 33.57, 13.62, 28.25, 5.65),
  paper_speedup = c(5.67, 5.61, 7.65, 41.50, 4.10)
)
selected <- Sys.getenv("OSVM_SETS")
if (nzchar(selected)) sets <- sets[sets$name %in% strsplit(selected, ",")[[1]], ]

solvers <- list(
  olsvm = solver_olsvm(C = C_values, epochs = as.numeric(Sys.getenv("OSVM_EPOCHS", 2))),
  smo = solver_smo(C = C_values)
)

# osvm_tune(): cells with the seconds of all folds, and the seconds of the whole call.
ours <- function(data, solver) {
  set.seed(2)
  time <- seconds(tuned <- osvm_tune(data$x, data$y, solver, kernel_rbf(sigma = sigma_values),
    foldid = data$foldid, scale = FALSE, threads = 1, refit = FALSE, progress = FALSE
  ))
  cells <- tuned$results[c("C", "sigma", "error", "se", "seconds")]
  cells$error <- 100 * cells$error
  cells$se <- 100 * cells$se
  list(cells = cells, seconds = time)
}

run_e1071 <- function(name, data) {
  folds <- if (name == "eukaryotic") 1:5 else 1
  cells <- e1071_grid(name, data, C_values, sigma_values, folds, limit)
  by_cell <- stats::aggregate(cells[c("seconds", "error")], cells[c("C", "sigma")], mean, na.action = NULL)
  by_cell$seconds <- 5 * by_cell$seconds
  list(
    cells = data.frame(by_cell[c("C", "sigma", "error")], se = NA, seconds = by_cell$seconds),
    seconds = sum(by_cell$seconds), stopped = sum(is.na(cells$error))
  )
}

run_set <- function(k) {
  name <- sets$name[k]
  message(name, " (", k, " of ", nrow(sets), ")")
  data <- tuning_set(name)
  runs <- c(list(e1071 = run_e1071(name, data)), lapply(solvers, ours, data = data))
  summary <- data.frame(
    set = name, solver = names(runs),
    mean_error = vapply(runs, function(run) mean(run$cells$error, na.rm = TRUE), 1),
    best_error = vapply(runs, function(run) min(run$cells$error, na.rm = TRUE), 1),
    seconds = vapply(runs, function(run) run$seconds, 1), row.names = NULL
  )
  summary$ratio <- runs$e1071$seconds / summary$seconds
  summary$paper_error <- c(NA, sets$paper_olsvm[k], sets$paper_smo[k])
  summary$paper_speedup <- c(NA, sets$paper_speedup[k], NA)
  cells <- do.call(rbind, Map(function(run, solver) cbind(set = name, solver = solver, run$cells), runs, names(runs)))
  list(summary = summary, cells = cells, stopped = runs$e1071$stopped)
}

invisible(osvm_tune(iris[1:4], iris$Species, solvers$olsvm, refit = FALSE, progress = FALSE)) # the first call loads code
results <- lapply(seq_len(nrow(sets)), run_set)
summary <- do.call(rbind, lapply(results, `[[`, "summary"))
cells <- do.call(rbind, lapply(results, `[[`, "cells"))
stopped <- vapply(results, `[[`, 1, "stopped")

save_results(summary, "tune-summary", provenance("tune"))
save_results(cells, "tune-cells", provenance("tune"))
ratio <- function(set, solver) summary$ratio[summary$set == set & summary$solver == solver]
report(
  "tune", "A grid of 9 C x 4 sigma, five folds: osvm_tune() against e1071",
  "Processor seconds of the whole grid, ours on one thread, 256 MB of kernel values for both. e1071 ran all folds of",
  "eukaryotic and one fold of the others, whose time is counted five times and whose errors are of that fold alone.",
  "OL SVM: two epochs. Errors in per cent: the average over the grid, which is what the paper's Table II",
  "seems to report, and the best cell.",
  table_md(summary, digits = c(0, 0, 2, 2, 2, 1, 2, 2)),
  unlist(Map(function(set, least) target(paste("OL SVM,", set), ratio(set, "olsvm"), least), sets$name, sets$target)),
  unlist(lapply(sets$name, function(set) target(paste("SMO,", set), ratio(set, "smo"), 10))),
  sprintf("- e1071's fits stopped at %g s: %s", limit, paste(sets$name, stopped, collapse = ", "))
)
