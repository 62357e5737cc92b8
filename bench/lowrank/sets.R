# Shared by lowrank.R and lowrank-ranks.R: data sets, the choice of width and cost, and a measurement. OSVM_MOST: the
# most rows.
source("bench/common.R")
most <- as.numeric(Sys.getenv("OSVM_MOST", 1e6))
threads <- min(2, parallel::detectCores())

# 18 features as in SUSY: eight that are measured and ten functions of them; a part of the labels is noise.
susy_like <- function(n) {
  base <- matrix(rnorm(8 * n), n)
  derived <- cbind(
    abs(base[, 1:4]), base[, 1] * base[, 5], sqrt(base[, 2]^2 + base[, 6]^2), pmax(base[, 3], base[, 7]),
    base[, 4] - base[, 8], sin(2 * base[, 1]), base[, 5]^2
  )
  score <- derived[, 5] + derived[, 6] - 1.2 + 0.8 * sin(2 * base[, 3]) * base[, 7] + 0.5 * derived[, 8]
  list(x = cbind(base, derived), y = ifelse(score + 0.9 * rnorm(n) > 0, 1, -1))
}
smooth_noisy <- function(n, d = 20) {
  x <- matrix(rnorm(n * d), n)
  list(x = x, y = sign(sin(x[, 1] + x[, 2]) + x[, 3] * x[, 4] / 2 + rowSums(x[, 5:10]) / 4 + 0.5 * rnorm(n)))
}
set_of <- function(all, n, new) {
  rows <- sample(nrow(all$x))
  test <- rows[n + seq_len(new)]
  list(x = all$x[rows[seq_len(n)], ], y = all$y[rows[seq_len(n)]], new_x = all$x[test, ], new_y = all$y[test])
}
covertype <- function(n) set_of(real_data("covertype"), min(n, most), 50000)
adult <- function() {
  all <- real_data("adult")
  all$x <- as.matrix(all$x)
  set_of(all, 40000, 8842)
}

# Width and cost by cross-validation on a sample, at a small rank.
choose <- function(set) {
  rows <- sample(nrow(set$x), 5000)
  width <- osvm(set$x[rows[1:500], ], set$y[rows[1:500]], solver_dcd(), kernel_nystrom(rank = 10))$kernel$params$gamma
  tuned <- osvm_tune(
    set$x[rows, ], set$y[rows], solver_dcd(C = 4^(-1:1), tolerance = 1e-2),
    kernel_nystrom(gamma = width * 4^(-2:1), rank = 300),
    folds = 3, refit = FALSE, progress = FALSE, threads = threads
  )
  tuned$best[c("gamma", "C")]
}
measure <- function(name, set, solver, kernel, cache_mb = 256, ...) {
  set.seed(1)
  wall <- system.time(
    fit <- osvm(set$x, set$y, solver, kernel, threads = threads, verbose = FALSE, cache_mb = cache_mb, ...)
  )
  predict <- system.time(p <- stats::predict(fit, set$new_x, threads = threads))
  data.frame(
    machine = name, seconds = sum(wall[1:2]), elapsed = wall[[3]], predict_s = sum(predict[1:2]),
    error = error(p, set$new_y)
  )
}
