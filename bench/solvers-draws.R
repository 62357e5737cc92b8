# All kernel solvers on noisy chess boards of one size: means over draws.
source("bench/common.R")
source("bench/solvers/board.R")

n <- 4000
most <- 5 # draws; no further ones after five seconds

several <- function(name) {
  rows <- one(name, n, 1)
  while (nrow(rows) < most && sum(rows$seconds) < 5) rows <- rbind(rows, one(name, n, nrow(rows) + 1))
  data.frame(solver = name, t(colMeans(rows[-1])), sd = stats::sd(rows$error), draws = nrow(rows))
}
names <- solvers()$name[solvers()$space != "linear"]
results <- do.call(rbind, lapply(names, several))
save_results(results, "solvers-draws")
report(
  "solvers-draws", sprintf("Chess boards of %s examples with a tenth of the labels wrong", format(n, big.mark = ",")),
  "RBF kernel, sigma = 0.3; processor seconds of one fit on one thread; error in per cent on 10,000 clean examples; millions: of",
  "kernel evaluations. Means over draws, and the standard deviation of the error.",
  table_md(results, digits = c(0, 0, 3, 2, 0, 1, 2, 0), row.names = FALSE)
)
