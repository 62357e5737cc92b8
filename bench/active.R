# osvm_active(), whose model stays in the core, against its loop of query() and update() on ordinary models.
source("bench/common.R")

n <- 2000
features <- 20
set.seed(5)
x <- matrix(rnorm(n * features), n)
wrong <- runif(n) < 0.2
y <- factor(ifelse((rowSums(x[, 1:5]^2) > 4.35) != wrong, "out", "in"))
kernel <- kernel_rbf(gamma = 0.02)
makers <- list(
  LASVM = solver_lasvm(C = 1, finish = FALSE), `OL SVM` = solver_olsvm(C = 0.1, epochs = 1),
  `passive-aggressive` = solver_pa(epochs = 1), Huller = solver_huller(C = 1, epochs = 1), ramp = solver_ramp(C = 1),
  `ID-SVM` = solver_idsvm(C = 1)
)

# Rows are evaluated in blocks, as osvm_active() does: the size doubles while no row is queried.
loop <- function(solver) {
  at <- match(TRUE, y != y[1])
  fit <- osvm(x[1:at, ], y[1:at], solver, kernel, scale = FALSE, verbose = FALSE, trace = FALSE)
  block <- 32
  asked <- at
  while (at < n) {
    rows <- at + seq_len(min(block, n - at))
    near <- head(sort(query(fit, x[rows, , drop = FALSE], "ramp")), 1)
    block <- if (length(near) == 0) min(2 * block, 4096) else 32
    at <- if (length(near) == 0) max(rows) else rows[near]
    if (length(near) == 0) next
    asked <- asked + 1
    fit <- update(fit, x[at, , drop = FALSE], y[at])
  }
  asked
}
measure <- function(name) {
  solver <- makers[[name]]
  set.seed(1)
  live <- seconds(fit <- suppressWarnings(osvm_active(x, y, solver, kernel, scale = FALSE, verbose = FALSE)))
  set.seed(1)
  fits <- seconds(asked <- suppressWarnings(loop(solver)))
  message(name, ": ", round(live, 2), ", ", round(fits, 2))
  data.frame(solver = name, asked = length(fit$asked), active = live, loop_asked = asked, loop = fits, times = fits / live)
}
results <- do.call(rbind, lapply(names(makers), measure))
shown <- results
names(shown) <- c("solver", "labels", "osvm_active()", "labels, loop", "loop", "loop / osvm_active()")
report(
  "active", "Active learning on a live model",
  sprintf("%d rows of %d features arrive, and those between the margins are queried and learned one by one. Seconds of", n,
    features),
  "processor time of `osvm_active()`, and of the same loop of `query()` and `update()` on ordinary models.",
  table_md(shown, digits = 2),
  target("loop over osvm_active(), least", min(results$times), 2)
)
