# All solvers on noisy chess boards of increasing size: the number of training examples in ten seconds.
source("bench/common.R")
source("bench/solvers/board.R")

budget <- 10 # seconds; the size stops increasing after a fit that takes a third of this
sizes <- 1000 * 2^(0:9)
timings <- function(name) {
  rows <- NULL
  for (n in sizes) {
    rows <- rbind(rows, one(name, n))
    if (max(rows$seconds) > budget / 3) break
  }
  rows
}
results <- do.call(rbind, lapply(names(rules), timings))

# Log-log interpolation or extrapolation through the last two sizes.
in_ten <- function(rows) {
  last <- utils::tail(rows, 2)
  if (max(last$seconds) <= budget / 3) return(Inf)
  slope <- diff(log(last$examples)) / diff(log(last$seconds))
  signif(exp(log(last$examples[2]) + slope * log(budget / last$seconds[2])), 1)
}
reach <- vapply(split(results, factor(results$solver, names(rules))), in_ten, 0)

save_results(results, "solvers")
save_results(data.frame(solver = names(reach), examples = reach), "solvers-reach", provenance("solvers"))
report(
  "solvers", "All solvers on a chess board with a tenth of the labels wrong",
  "RBF kernel, sigma = 0.3; linear for Pegasos and SGD. Processor seconds of one fit on one thread; error in per cent",
  "on 10,000 clean examples; millions: of kernel evaluations.",
  table_md(results, digits = c(0, 0, 3, 2, 0, 1), row.names = FALSE),
  "## Training examples in ten seconds, approximate", "",
  "Extrapolated from the last two sizes; Inf: the largest size takes less than a third of the time.",
  table_md(data.frame(solver = names(reach), examples = format(reach, big.mark = ",")), row.names = FALSE)
)
