# Shapley values: 10,000 rows of 20 features at 1,000 support vectors, beside kernelshap on a few rows; more features.
source("bench/common.R")

waves <- function(n, d) {
  x <- matrix(stats::rnorm(n * d), n, dimnames = list(NULL, paste0("x", seq_len(d))))
  list(x = x, y = factor(x[, 1] * x[, 2] + sin(2 * x[, 3]) + stats::rnorm(n) / 2 > 0, labels = c("low", "high")))
}

# A model whose first 1,000 support vectors are kept
model_of <- function(data, gamma) {
  fit <- osvm(data$x[1:2000, ], data$y[1:2000], solver_smo(C = 1), kernel_rbf(gamma = gamma), verbose = FALSE)
  fit <- strip(fit)
  kept <- seq_len(min(1000, nrow(fit$sv)))
  fit$sv <- fit$sv[kept, ]
  fit$coef <- fit$coef[kept, , drop = FALSE]
  fit[c("target", "index")] <- list(fit$target[kept], fit$index[kept])
  fit$n_sv <- length(kept)
  fit
}

set.seed(1)
data <- waves(10000, 20)
fit <- model_of(data, 0.05)
stopifnot(fit$n_sv == 1000)
invisible(osvm_shapley(fit, data$x[1:200, ]))
clock <- replicate(5, c(
  elapsed(osvm_shapley(fit, data$x, threads = 1)), elapsed(osvm_shapley(fit, data$x, threads = 2)),
  seconds(osvm_shapley(fit, data$x, threads = 1)), seconds(predict(fit, data$x, type = "decision", threads = 1))
))
least <- apply(clock, 1, min)
why <- osvm_shapley(fit, data$x)
f <- predict(fit, data$x, type = "decision")
rest <- max(abs(rowSums(why$values) + why$base - f))

sampled <- if (requireNamespace("kernelshap", quietly = TRUE)) {
  seconds(values <- kernelshap::kernelshap(
    fit, data$x[1:100, ], pred_fun = function(m, x) predict(m, x, type = "decision", threads = 1),
    bg_X = data$x[1001:1200, ], verbose = FALSE
  ))
}
rows <- data.frame(
  way = c("exact, 1 thread", "exact, 1 thread, elapsed time", "exact, 2 threads, elapsed time", "predict(), for comparison"),
  rows = 10000, seconds = least[c(3, 1, 2, 4)]
)
if (!is.null(sampled)) {
  rows <- rbind(rows, data.frame(
    way = c("kernelshap, 200 rows of background", "the same, extrapolated"), rows = c(100, 10000),
    seconds = c(sampled, 100 * sampled)
  ))
}
alike <- if (!is.null(sampled)) stats::cor(as.vector(values$S), as.vector(why$values[1:100, ]))

# More features: the time per feature grows with the number of nodes.
by_width <- do.call(rbind, lapply(c(5, 20, 100, 300), function(d) {
  data <- waves(2500, d)
  fit <- model_of(data, 1 / d)
  new <- data$x[1:500, ]
  time <- min(replicate(3, seconds(osvm_shapley(fit, new, threads = 1))))
  why <- osvm_shapley(fit, new)
  rest <- max(abs(rowSums(why$values) + why$base - predict(fit, new, type = "decision")))
  data.frame(features = d, `microseconds per pair` = 1e6 * time / 500 / fit$n_sv, `largest rest` = rest, check.names = FALSE)
}))

report(
  "shapley", "Exact Shapley values: 10,000 rows of 20 features against 1,000 support vectors",
  "A Gaussian kernel and two classes. `osvm_shapley()` leaves features out by the factor 1 and computes the values exactly;",
  "kernelshap leaves them out by sampling over background data, and estimates values of another definition.",
  table_md(rows, digits = 3),
  target("20 seconds over our elapsed time, two threads", 20 / least[2], 1),
  if (!is.null(sampled)) sprintf("- kernelshap's time over ours, one thread, extrapolated: **%.0f times**", 100 * sampled / least[3]),
  if (!is.null(alike)) sprintf("- correlation of both kinds of values over 100 rows: %.2f", alike),
  sprintf("- largest difference of base plus values to `predict()`, which computes in single precision: %.1e", rest),
  "", "Time per row and support vector, one thread, by the number of features:",
  table_md(by_width, digits = c(0, 2, 7)),
  if (!is.null(sampled)) paste("kernelshap", packageVersion("kernelshap"))
)
