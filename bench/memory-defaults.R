# Peak memory of default fits beside e1071's: VmHWM of a fresh process per fit, less what it had with the data loaded.
#   OSVM_LIMIT   seconds (elapsed) after which a fit is given up
source("bench/common.R")
limit <- as.numeric(Sys.getenv("OSVM_LIMIT", 600))

clouds <- function(n) {
  x <- matrix(stats::rnorm(20 * n), n)
  list(x = x, y = factor(ifelse(sin(x[, 1] + x[, 2]) + x[, 3] * x[, 4] / 2 + 0.5 * stats::rnorm(n) > 0, "b", "a")))
}
fits <- list(
  `osvm(x, y)` = function(d) osvm(d$x, d$y, verbose = FALSE),
  `osvm(x, y, effort = 0)` = function(d) osvm(d$x, d$y, effort = 0, verbose = FALSE),
  `osvm(x, y, cells = 2000)` = function(d) osvm(d$x, d$y, cells = 2000, effort = 0, verbose = FALSE),
  `kernel_nystrom()` = function(d) osvm(d$x, d$y, kernel = kernel_nystrom(), verbose = FALSE),
  `kernel_linear()` = function(d) osvm(d$x, d$y, kernel = kernel_linear(), verbose = FALSE),
  `e1071::svm(x, y)` = function(d) e1071::svm(d$x, d$y)
)
most <- c(1e6, 1e6, 1e6, 1e6, 1e6, 1e4) # rows: e1071's time grows with their square, 100,000 take most of an hour

measure <- function(name, n) {
  if (startsWith(name, "e1071")) loadNamespace("e1071")
  set.seed(1)
  data <- clouds(n)
  invisible(gc())
  before <- status_mb("VmRSS")
  writeLines("5", "/proc/self/clear_refs") # resets the peak to the current size
  time <- seconds(fit <- suppressMessages(fits[[name]](data)))
  data.frame(
    fit = name, rows = n, data_mb = as.numeric(utils::object.size(data$x)) / 2^20, above_mb = status_mb("VmHWM") - before,
    model_mb = as.numeric(utils::object.size(fit)) / 2^20, seconds = time
  )
}

arguments <- commandArgs(TRUE)
if (length(arguments)) {
  saveRDS(measure(names(fits)[as.integer(arguments[1])], as.numeric(arguments[2])), arguments[3])
  quit(status = 0)
}

rows <- as.numeric(strsplit(Sys.getenv("OSVM_ROWS", "1e4,1e5,1e6"), ",")[[1]])
results <- do.call(rbind, lapply(rows, function(n) {
  do.call(rbind, lapply(which(most >= n), function(i) {
    message(names(fits)[i], ", ", n)
    file <- tempfile()
    system2("timeout", c(limit, file.path(R.home("bin"), "Rscript"), "bench/memory-defaults.R", i, n, file))
    if (file.exists(file)) readRDS(file) else
      data.frame(fit = names(fits)[i], rows = n, data_mb = 160 * n / 2^20, above_mb = NA, model_mb = NA, seconds = NA)
  }))
}))
report(
  "memory-defaults", "Peak memory of default fits",
  "Twenty features, two classes. `above`: the most that the process grew above what it had with the data loaded, by /proc, each",
  "fit in a fresh process; `model`: the size of the result; processor seconds on a busy machine.",
  sprintf("Empty: no result within %g s. e1071 is left out where it takes hours.", limit),
  table_md(results, digits = c(0, 0, 0, 0, 1, 1), row.names = FALSE, format.args = list(big.mark = ",", scientific = FALSE))
)
