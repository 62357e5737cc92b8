# Peak memory of osvm_tune(). Bound: cache_mb for kernel values plus the data. Each case runs in a separate process.
source("bench/common.R")
source("bench/tune/sets.R")

constructors <- list(olsvm = solver_olsvm, smo = solver_smo, lasvm = solver_lasvm)
solver_grid <- function(solver) constructors[[solver]](C = 10^(-1:2))
cases <- expand.grid(
  cache_mb = c(32, 128), solver = c("olsvm", "smo", "lasvm"), set = c("chess board", "prototask", "reuters"),
  stringsAsFactors = FALSE
)
cases <- cases[cases$set != "reuters" | cases$solver != "lasvm", ]

measure <- function(case) {
  data <- tuning_set(case$set)
  sigma <- switch(case$set, "chess board" = c(0.1, 1), c(1, 10))
  size <- as.numeric(object.size(data$x)) / 2^20
  tune <- function(rows, ...) {
    osvm_tune(data$x[rows, ], data$y[rows], solver_grid(case$solver), kernel_rbf(sigma = sigma),
      foldid = data$foldid[rows], scale = FALSE, threads = 2, refit = FALSE, progress = FALSE, ...
    )
  }
  invisible(tune(1:500)) # the first call loads code
  invisible(gc())
  before <- status_mb("VmRSS")
  writeLines("5", "/proc/self/clear_refs") # resets the peak to the current size
  tuned <- tune(seq_len(nrow(data$x)), cache_mb = case$cache_mb)
  extra <- status_mb("VmHWM") - before
  # two copies of the data: the rows selected by tune(), and the core's packed store
  data.frame(data_mb = size, gram_mb = nrow(data$x)^2 * 4 / 2^20, extra_mb = extra, bound_mb = case$cache_mb + 2 * size)
}

arguments <- commandArgs(TRUE)
if (length(arguments)) {
  saveRDS(measure(cases[as.integer(arguments[1]), ]), arguments[2])
  quit(status = 0)
}

results <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) {
  message(cases$set[i], ", ", cases$solver[i], ", ", cases$cache_mb[i], " MB")
  file <- tempfile()
  system2(file.path(R.home("bin"), "Rscript"), c("bench/tune-memory.R", i, file))
  cbind(cases[i, c("set", "solver", "cache_mb")], readRDS(file))
}))
kept <- results$extra_mb <= results$bound_mb
report(
  "tune-memory", "Peak memory of osvm_tune(): 4 C x 2 sigma x 5 folds, two threads, separate process",
  "extra: growth of the resident size at its peak; gram: size of the full kernel matrix; bound: cache_mb and",
  "two copies of the data (the rows passed, and the core's packed store).",
  table_md(results, digits = 0, row.names = FALSE),
  sprintf("- within the bound: %d of %d cases", sum(kept), length(kept)),
  sprintf("- largest share of the bound: %.2f", max(results$extra_mb / results$bound_mb))
)
