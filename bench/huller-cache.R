# Paper 004, Fig. 6: training time of one Huller epoch and of SMO when the kernel cache shrinks.
# OSVM_ROWS: how many of MNIST's 60,000 training examples; OSVM_DIGITS: which digits against the rest, as in "1,8".
source("bench/common.R")

rows <- as.integer(Sys.getenv("OSVM_ROWS", "60000"))
digits <- as.integer(strsplit(Sys.getenv("OSVM_DIGITS", "1,8"), ",")[[1]]) # the fewest and the most support vectors
sizes <- c(256, 128, 64, 32)
gamma <- 4 * 0.005 # see bench/huller.R
solvers <- list("Huller x1" = solver_huller(epochs = 1), "SMO" = solver_smo(C = 1000))

mnist <- real_data("mnist")
set.seed(1)
train <- sample(mnist$train)[seq_len(rows)]
x <- matrix(as.integer(mnist$x[train, ]) / 255, rows)
y <- mnist$y[train]

run <- function(digit, solver, cache) {
  message(solver, ", digit ", digit, ", ", cache, " MB")
  set.seed(2)
  time <- seconds(fit <- osvm(x, y == digit, solvers[[solver]], kernel_rbf(gamma = gamma),
    scale = FALSE, cache_mb = cache, threads = 1, verbose = FALSE
  ))
  data.frame(
    digit, solver, cache_mb = cache, seconds = time, millions = fit$stats$kernel_evaluations / 1e6, svs = fit$n_sv
  )
}

invisible(osvm(x[1:100, ], y[1:100] < 5, "smo", verbose = FALSE)) # the first call loads code
grid <- expand.grid(cache = sizes, solver = names(solvers), digit = digits, stringsAsFactors = FALSE)
results <- do.call(rbind, Map(run, grid$digit, grid$solver, grid$cache))

save_results(data.frame(examples = rows, results), "huller-cache")

# A row per digit and solver; the figures of one cache size after the other.
at <- function(figure, cache) results[results$cache_mb == cache, figure]
by_cache <- function(figure, digits) {
  wide <- results[results$cache_mb == sizes[1], c("digit", "solver", "svs")]
  for (cache in sizes) wide[[paste(cache, "MB")]] <- at(figure, cache)
  wide$"32 over 256" <- at(figure, 32) / at(figure, 256)
  table_md(wide, digits = c(0, 0, 0, rep(digits, length(sizes)), 2), row.names = FALSE)
}
slower <- function(solver) {
  of <- results$solver == solver
  sum(results$seconds[of & results$cache_mb == 32]) / sum(results$seconds[of & results$cache_mb == 256])
}
report(
  "huller-cache", sprintf("Huller and SMO with a smaller cache: MNIST, %d examples", rows),
  "One digit against the rest; RBF kernel, gamma = 4 x 0.005 on pixels from 0 to 1, hard margin, one thread.",
  "", "## Training, processor seconds", by_cache("seconds", 2),
  "## Kernel evaluations, millions", by_cache("millions", 1),
  sprintf(
    "- time at 32 MB over time at 256 MB: Huller x1 **%.2f** (target: flat, at most 1.1), SMO **%.2f**",
    slower("Huller x1"), slower("SMO")
  )
)
