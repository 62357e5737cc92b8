# query() on a pool: labels are asked for in batches, and the model is fitted anew after each.
# OSVM_REPEATS: repeats per set.
source("bench/ramp/sets.R")

times <- repeats(3)
start <- 40
batch <- 20
batches <- 10

# Ten batches of a random pool of 2,000 rows. `pick`: rows among x, given the model.
labelled_by <- function(set, pick) {
  pool <- seq_len(2000)
  asked <- sample(pool, start)
  while (length(unique(set$y[asked])) < 2) asked <- sample(pool, start)
  accuracy <- numeric()
  for (i in seq_len(batches)) {
    fit <- osvm(set$x[asked, ], set$y[asked], verbose = FALSE)
    left <- setdiff(pool, asked)
    asked <- c(asked, left[pick(fit, set$x[left, , drop = FALSE])])
    fit <- osvm(set$x[asked, ], set$y[asked], verbose = FALSE)
    accuracy[i] <- 100 * mean(predict(fit, set$new_x) == set$new_y)
  }
  mean(accuracy)
}
strategies <- list(
  default = function(fit, x) query(fit, x, n = batch),
  `greedy, h = 5` = function(fit, x) query(fit, x, "greedy", h = 5, n = batch),
  margin = function(fit, x) query(fit, x, "margin", n = batch),
  ramp = function(fit, x) query(fit, x, "ramp", n = batch),
  random = function(fit, x) sample(nrow(x), batch)
)
results <- t(sapply(names(sets), function(name) {
  rowMeans(sapply(seq_len(times), function(seed) {
    set <- draw(name, seed, 2000)
    rows <- utils::head(seq_along(set$new_y), 3000)
    set$new_x <- set$new_x[rows, ]
    set$new_y <- set$new_y[rows]
    message(name, " ", seed)
    suppressWarnings(sapply(strategies, function(pick) {
      set.seed(seed)
      labelled_by(set, pick)
    }))
  }))
}))
results <- rbind(results, mean = colMeans(results))
report(
  "query", "Batches of labels from a pool",
  sprintf(
    "A pool of 2,000 rows, of which %d are labelled at random; then %d batches of %d, and after each the model is fitted",
    start, batches, batch
  ),
  sprintf("anew by `osvm(x, y)`. Accuracy on test data in per cent, mean over the batches; repeats: %d.", times),
  "The default is the nearest row of each of 20 parts of the pool; 'greedy, h = 5': the 20 nearest of one of every five.",
  table_md(results, digits = 1),
  target(
    "sets where the default is not below another strategy by more than half a point",
    sum(results[names(sets), "default"] > apply(results[names(sets), 2:4], 1, max) - 0.5), 7, "of nine"
  ),
  target(
    "sets where it is above random labels", sum(results[names(sets), "default"] > results[names(sets), "random"]), 6,
    "of nine"
  )
)
