# Shared by lowrank.R and lowrank-ranks.R: data sets and a measurement. OSVM_MOST: the most rows.
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

# A fit and its predictions of the rows held out; further arguments are those of osvm().
measure <- function(set, solver, kernel, ..., threads = get("threads", globalenv())) {
  set.seed(1)
  time <- system.time(fit <- osvm(set$x, set$y, solver, kernel, ..., threads = threads, verbose = FALSE))
  predict <- system.time(p <- suppressWarnings(stats::predict(fit, set$new_x, threads = threads)))
  of <- function(spec, name) if (is.null(spec$params[[name]])) NA else spec$params[[name]]
  data.frame(
    seconds = sum(time[1:2]), elapsed = time[[3]], predict_s = sum(predict[1:2]), error = error(p, set$new_y),
    gamma = of(fit$kernel, "gamma"), C = of(fit$solver, "C")
  )
}
