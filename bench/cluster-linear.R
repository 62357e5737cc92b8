# Iterative parameter mixing: 4 shards of 1,000,000 rows against Pegasos on all rows in one process.
source("bench/common.R")
shards <- 4
rows <- as.numeric(Sys.getenv("OSVM_ROWS", 1e6))
features <- 10
epochs <- 5

# Two normal clouds, 10 per cent of the labels wrong.
draw <- function(n, seed, features) {
  set.seed(seed)
  y <- sample(c("a", "b"), n, replace = TRUE)
  x <- matrix(stats::rnorm(n * features), n) + 0.4 * (y == "b")
  wrong <- stats::runif(n) < 0.1
  y[wrong] <- ifelse(y[wrong] == "a", "b", "a")
  list(x = x, y = y)
}
# Rows of a shard, drawn where it is read: all that the function needs is in its environment, which goes to the worker.
shard_source <- function(k, draw, left, features) {
  force(k)
  force(left)
  force(draw)
  environment(draw) <- baseenv()
  force(features)
  part <- 0
  source_function(function(n) {
    n <- min(n, left)
    left <<- left - n
    part <<- part + 1
    if (n > 0) draw(n, 1000 * k + part, features)
  })
}
make_shards <- function() lapply(seq_len(shards), shard_source, draw, rows, features)
solver <- solver_pegasos(lambda = 1e-5, epochs = epochs)
test <- draw(2e5, 99999, features)
fit <- function() {
  set.seed(1)
  osvm_shards(make_shards(), solver, threads = 1, verbose = FALSE)
}
total <- seconds(here <- fit())
old <- future::plan(future::multisession, workers = 2, rscript_libs = .libPaths())
two <- elapsed(there <- fit())
future::plan(old)
stopifnot(identical(here$coef, there$coef))

parts <- lapply(make_shards(), onlinesvm:::read_shard)
x <- do.call(rbind, lapply(parts, `[[`, "x"))
y <- unlist(lapply(parts, `[[`, "y"))
set.seed(1)
alone <- seconds(one <- osvm(x, y, solver, threads = 1, verbose = FALSE))
rounds <- there$shards$rounds
errors <- c(one = error(predict(one, test$x), test$y), mixed = error(predict(there, test$x), test$y))
summary <- data.frame(
  method = c("one process, all rows", "4 shards, one process", "4 shards, 2 workers"),
  `error, %` = c(errors[["one"]], errors[["mixed"]], errors[["mixed"]]),
  `processor, s` = c(alone, total, NA), `elapsed, s` = c(NA, NA, two), check.names = FALSE
)
results <- cbind(round = seq_len(nrow(rounds)), rounds)
from <- provenance("cluster-linear")
save_results(results, "cluster-linear-rounds", from)
save_results(stats::setNames(summary, c("method", "error", "processor", "elapsed")), "cluster-linear", from)
off <- abs(diff(errors))
shown <- results[c("round", "vectors", "objective", "seconds")]
names(shown) <- c("round", "weight vectors", "loss", "elapsed, s")
report(
  "cluster-linear",
  sprintf("Iterative parameter mixing: %d shards of %s rows", shards, format(rows, big.mark = ",", scientific = FALSE)),
  sprintf("%d features, 10 per cent of the labels wrong, Pegasos, %d epochs; error on 200,000 further rows. Each",
    features, epochs),
  "shard is drawn by the worker that trains it, and kept there; per round the weights travel. Processor time of shards",
  "includes drawing them.",
  table_md(summary, digits = c(0, 3, 1, 1), row.names = FALSE),
  "Rounds on two workers (loss: mean hinge loss of the epoch):",
  table_md(shown, digits = c(0, 0, 4, 2), row.names = FALSE),
  sprintf("- Error against one machine: **%.3f points** (target: at most 0.1, %s)", off,
    if (off <= 0.1) "reached" else "**missed**"),
  sprintf("- Time per round after the first: **%.2f s**", stats::median(rounds$seconds[-1]))
)
