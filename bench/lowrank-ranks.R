# Error over the rank of kernel_nystrom() with its defaults, from 100 to 4,000; beside it the linear machine, and cells.
#   OSVM_PARTS     sets, and OSVM_MACHINES machines (a number is a rank), that are run now, separated by commas; the
#                  others stay as they were
source("bench/lowrank/sets.R")

rows <- 1e5
threads <- 1
sets <- list(
  covertype = function() covertype(rows), smooth = function() set_of(smooth_noisy(rows + 20000), rows, 20000)
)
ranks <- c(100, 200, 500, 1000, 2000, 4000)
run <- list(
  linear = function(set) measure(set, NULL, kernel_linear()),
  `cells of 2000` = function(set) measure(set, NULL, NULL, cells = 2000)
)
run[as.character(ranks)] <- lapply(ranks, function(rank) {
  function(set) measure(set, NULL, kernel_nystrom(rank = rank), cache_mb = 4000)
})

wanted <- function(variable, all) intersect(all, strsplit(Sys.getenv(variable, paste(all, collapse = ",")), ",")[[1]])
path <- "vignettes/results/lowrank-ranks.csv"
results <- if (file.exists(path)) utils::read.csv(path, comment.char = "#")
for (name in wanted("OSVM_PARTS", names(sets))) {
  set.seed(1)
  set <- sets[[name]]()
  for (machine in wanted("OSVM_MACHINES", names(run))) {
    message(name, ": ", machine)
    rank <- suppressWarnings(as.numeric(machine))
    row <- data.frame(
      set = name, machine = if (is.na(rank)) machine else "low rank", rank = rank,
      run[[machine]](set)[c("seconds", "predict_s", "error", "gamma", "C")]
    )
    same <- results$set == name & results$machine == row$machine & results$rank %in% rank
    results <- rbind(results[!same, ], row)
    results <- results[order(results$set, results$rank, results$machine), ]
    save_results(results, "lowrank-ranks")
  }
}

grDevices::svg("bench/results/lowrank-ranks.svg", 9, 4.5)
graphics::par(mfrow = c(1, 2), las = 1)
for (name in unique(results$set)) {
  part <- results[results$set == name, ]
  by_rank <- part[!is.na(part$rank), ]
  others <- part[is.na(part$rank), ]
  plot(by_rank$rank, by_rank$error,
    log = "x", type = "b", pch = 16, ylim = grDevices::extendrange(part$error, f = 0.08), xaxt = "n",
    xlab = "rank", ylab = "test error, %", main = paste0(name, ", 100,000 rows")
  )
  graphics::axis(1, ranks, format(ranks, big.mark = ",", trim = TRUE))
  graphics::abline(h = others$error, lty = 2:3)
  graphics::text(100, others$error, others$machine, adj = c(0, -0.4))
}
grDevices::dev.off()

numbers <- vapply(results, is.numeric, NA)
results[numbers] <- lapply(results[numbers], signif, 3)
report(
  "lowrank-ranks", "Kernels of low rank: error over the rank",
  "100,000 rows, everything by default but `cache_mb = 4000`; beside it the linear machine, and cells of 2,000 rows.",
  "Processor seconds of fit and prediction on one thread, error in per cent.", "",
  "![](lowrank-ranks.svg)", table_md(results, row.names = FALSE)
)
