# Bordes and Bottou (2005), Fig. 5 at the paper's size: the ten one-vs-rest problems of MNIST, all 60,000 examples, with
# a hard margin. Without e1071 (see bench/huller.R, on fewer examples): with 256 MB of cache it thrashes here. Errors and support
# vectors are means of five runs (OSVM_REPEATS), as in the paper; SMO, which draws nothing, has one. Times are of the first run.
source("bench/huller/mnist.R")

rows <- from_environment("OSVM_ROWS", 60000)
digits <- from_environment("OSVM_DIGITS", 0:9)
set <- mnist_digits(rows)
keep <- file.path(Sys.getenv("OSVM_KEEP", tempfile("huller")), "huller-full")
dir.create(keep, showWarnings = FALSE, recursive = TRUE)

one_run <- function(method, digit, run) {
  path <- file.path(keep, sprintf("%s %d %d run %d.rds", method, digit, rows, run))
  if (!file.exists(path)) {
    message(method, ", digit ", digit, ", run ", run)
    saveRDS(digit_results(method, set, digit, run = run), path)
  }
  readRDS(path)
}
all_runs <- function(method, digit) {
  each <- vapply(runs_of(method), function(k) one_run(method, digit, k), numeric(4))
  mean <- replace(rowMeans(each), "seconds", each["seconds", 1])
  data.frame(examples = rows, digit, method, t(mean), error_sd = if (ncol(each) > 1) stats::sd(each["error", ]) else NA)
}

warm_up(set)
grid <- expand.grid(method = names(solvers), digit = digits, stringsAsFactors = FALSE)
results <- do.call(rbind, Map(all_runs, grid$method, grid$digit))
save_results(results, "huller-full")

means <- stats::aggregate(cbind(error, seconds, svs, millions) ~ method, results, mean)
means <- means[match(names(solvers), means$method), ]
wide <- function(what) {
  cells <- tapply(results[[what]], results[c("digit", "method")], sum)[, names(solvers)]
  data.frame(digit = rownames(cells), cells, check.names = FALSE)
}
report(
  "huller-full", sprintf("The Huller on MNIST: ten one-vs-rest problems, %d examples", rows),
  sprintf("As bench/results/huller.md, without e1071; means of %d runs, seconds of the first;", runs),
  "millions: of kernel evaluations.",
  table_md(means, digits = c(0, 2, 2, 0, 0), row.names = FALSE),
  "## Test error, per cent", table_md(wide("error"), digits = 2, row.names = FALSE),
  "## Training, processor seconds", table_md(wide("seconds"), digits = 1, row.names = FALSE),
  "## Support vectors", table_md(wide("svs"), digits = 0, row.names = FALSE)
)
