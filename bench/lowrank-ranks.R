# Error over the rank of kernel_nystrom(), from 100 to 4,000; beside it the linear machine, and cells.
source("bench/lowrank/sets.R")

draw_ranks <- function(over_rank, beside) {
  grDevices::svg("bench/results/lowrank-ranks.svg", 9, 4.5)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1, 2))
  for (name in unique(over_rank$set)) {
    part <- over_rank[over_rank$set == name, ]
    others <- beside[beside$set == name, ]
    plot(part$rank, part$error,
      log = "x", type = "b", ylim = range(part$error, others$error), xlab = "rank", ylab = "test error, %",
      main = paste0(name, ", 100,000 rows")
    )
    graphics::abline(h = others$error, lty = 2:3)
    graphics::legend("right", c("nystrom", others$machine), lty = 1:3, bty = "n")
  }
}

round_all <- function(table) {
  numbers <- vapply(table, is.numeric, NA)
  table[numbers] <- lapply(table[numbers], signif, 3)
  knitr::kable(table, row.names = FALSE)
}

ranks <- as.numeric(strsplit(Sys.getenv("OSVM_RANKS", "100 250 500 1000 2000 4000"), " ")[[1]])
sets <- list(covertype = function() covertype(1e5), smooth = function() set_of(smooth_noisy(120000), 1e5, 20000))
over_rank <- beside <- NULL
for (name in names(sets)) {
  set.seed(1)
  set <- sets[[name]]()
  best <- choose(set)
  solver <- solver_dcd(C = best$C, tolerance = 1e-2)
  beside <- rbind(beside, cbind(set = name, rbind(
    measure("linear", set, solver_dcd(tolerance = 1e-2), kernel_linear()),
    measure("cells of 2,000", set, NULL, NULL, cells = 2000)
  )))
  for (rank in ranks) {
    message(name, ", rank ", rank)
    one <- measure("nystrom", set, solver, kernel_nystrom(gamma = best$gamma, rank = rank), 4000)
    over_rank <- rbind(over_rank, cbind(set = name, rank = rank, one[c("seconds", "predict_s", "error")]))
  }
  draw_ranks(over_rank, beside)
  writeLines(c(
    "# Kernels of low rank: error over the rank", "",
    "100,000 rows, `cache_mb = 4000`, gamma and C chosen by three-fold cross-validation on 5,000 rows; beside it the",
    "linear machine, and cells of 2,000 rows with their own choice of settings. Processor seconds of fit and",
    paste0("prediction on ", threads, " threads, error in per cent."), "",
    "![](lowrank-ranks.svg)", "", round_all(over_rank), "",
    round_all(beside[c("set", "machine", "seconds", "predict_s", "error")]), ""
  ), "bench/results/lowrank-ranks.md")
  columns <- c("set", "machine", "rank", "seconds", "predict_s", "error")
  both <- rbind(cbind(over_rank, machine = "low rank")[columns], cbind(beside, rank = NA)[columns])
  save_results(both, "lowrank-ranks")
}
