# Bordes and Bottou (2005), Fig. 6: training time of one Huller epoch and of SMO against the size of the kernel cache.
source("bench/huller/mnist.R")

rows <- from_environment("OSVM_ROWS", 60000)
digits <- from_environment("OSVM_DIGITS", c(1, 8)) # the fewest and the most support vectors
sizes <- c(256, 128, 64, 32)
set <- mnist_digits(rows)

run <- function(digit, solver, cache) {
  message(solver, ", digit ", digit, ", ", cache, " MB")
  result <- mean_results(solver, set, digit, cache)
  data.frame(digit, solver, cache_mb = cache, t(result[c("seconds", "millions", "svs")]))
}

warm_up(set)
grid <- expand.grid(cache = sizes, solver = c("Huller x1", "SMO"), digit = digits, stringsAsFactors = FALSE)
results <- do.call(rbind, Map(run, grid$digit, grid$solver, grid$cache))

save_results(data.frame(examples = rows, results), "huller-cache")

# A row per digit and solver, a column per cache size.
at <- function(measure, cache) results[results$cache_mb == cache, measure]
by_cache <- function(measure, digits) {
  wide <- results[results$cache_mb == sizes[1], c("digit", "solver", "svs")]
  for (cache in sizes) wide[[paste(cache, "MB")]] <- at(measure, cache)
  wide$"32 over 256" <- at(measure, 32) / at(measure, 256)
  table_md(wide, digits = c(0, 0, 0, rep(digits, length(sizes)), 2), row.names = FALSE)
}
slower <- function(solver) {
  of <- results$solver == solver
  sum(results$seconds[of & results$cache_mb == 32]) / sum(results$seconds[of & results$cache_mb == 256])
}
report(
  "huller-cache", sprintf("Huller and SMO with a smaller cache: MNIST, %d examples", rows),
  "One-vs-rest; RBF kernel, gamma = 4 x 0.005 on pixels from 0 to 1, hard margin, one thread.",
  sprintf("Means of %d runs of the Huller; one of SMO, which draws nothing.", runs),
  "", "## Training, processor seconds", by_cache("seconds", 2),
  "## Kernel evaluations, millions", by_cache("millions", 1),
  sprintf(
    "- time at 32 MB over time at 256 MB: Huller x1 **%.2f** (target: flat, at most 1.1), SMO **%.2f**",
    slower("Huller x1"), slower("SMO")
  )
)
