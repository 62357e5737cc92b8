# IDSVM for numbers and novelty, row by row: the exact solution after every row, beside refitting by SMO, and forgetting.
source("bench/common.R")

set.seed(1)
n <- as.integer(Sys.getenv("OSVM_ROWS", "1000"))
x <- matrix(rnorm(5 * n), n)
y <- sin(2 * x[, 1]) + x[, 2] * x[, 3] + 0.3 * rnorm(n)
kernel <- kernel_rbf(gamma = 0.2)
losses <- list(epsilon = loss_epsilon(0.1), novelty = loss_novelty(0.1))

rows <- do.call(rbind, lapply(names(losses), function(name) {
  loss <- losses[[name]]
  labels <- function(i) if (name != "novelty") y[i]
  fit <- function(rows, solver) {
    osvm(x[rows, , drop = FALSE], labels(rows), solver, kernel, loss = loss, scale = FALSE, threads = 1, verbose = FALSE)
  }
  start <- seq_len(100)
  live <- osvm_live(fit(start, solver_idsvm(C = 1)))
  add <- if (name == "novelty") {
    function(i) update(live, x[i, , drop = FALSE])
  } else {
    function(i) update(live, x[i, , drop = FALSE], y[i])
  }
  ours <- seconds(for (i in (length(start) + 1):n) add(i))
  refits <- seq(200, n, by = 200)
  exact <- solver_smo(C = 1, tolerance = 1e-7)
  once <- vapply(refits, function(k) seconds(other <<- fit(seq_len(k), exact)), 0)
  difference <- max(abs(predict(live, x, "decision") - predict(other, x, "decision")))
  gone <- sample.int(n, 100)
  forgetting <- seconds(forget(live, gone))
  left <- fit(setdiff(seq_len(n), gone), exact)
  after <- max(abs(predict(live, x, "decision") - predict(left, x, "decision")))
  data.frame(
    loss = name, rows = n, "ms per row added" = 1000 * ours / (n - length(start)),
    "ms per refit by SMO" = 1000 * mean(once), "largest difference" = difference,
    "ms per row forgotten" = 1000 * forgetting / 100, "difference then" = after, check.names = FALSE
  )
}))

report(
  "numbers-rows", "Numbers and novelty row by row: IDSVM beside refitting",
  "The refits are SMO's at a tolerance of 1e-7, of the first 200, 400, ... rows; processor time, one thread.",
  table_md(rows, digits = c(0, 0, 2, 2, 9, 2, 9), row.names = FALSE)
)
