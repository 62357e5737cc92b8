# A grid of 10 C x 10 gamma, five folds, on 5,000 rows of covertype: osvm_tune(), and liquidSVM where it is installed.
#
# C = 10^(-1..3.5), gamma = 2^(-5..4); features scaled to [-1, 1]; error on 20,000 other rows. liquidSVM has its own
# folds and a grid of the same size, chosen from the data. Processor seconds on one thread, model of all rows included;
# each runs three times in turn, the medians count.
source("bench/common.R")

covertype <- real_data("covertype")
set.seed(1)
rows <- sample(nrow(covertype$x), 25000)
learned <- 1:5000
x <- covertype$x[rows, ]
ranges <- apply(x[learned, ], 2, range)
x <- 2 * sweep(sweep(x, 2, ranges[1, ]), 2, pmax(ranges[2, ] - ranges[1, ], 1), "/") - 1
y <- factor(covertype$y[rows])
rm(covertype)
foldid <- sample(rep(1:5, 1000))

tune <- function(..., bias = TRUE) {
  suppressWarnings(osvm_tune(x[learned, ], y[learned], solver_smo(C = 10^seq(-1, 3.5, length.out = 10), bias = bias),
    kernel_rbf(gamma = 2^(-5:4)),
    foldid = foldid, scale = FALSE, threads = 1, progress = FALSE, ...
  ))
}
ways <- list(
  `osvm_tune()` = function() tune(),
  `osvm_tune(race = TRUE)` = function() tune(race = TRUE),
  `osvm_tune(), bias = FALSE` = function() tune(bias = FALSE),
  `osvm_tune(precision = NULL)` = function() tune(precision = NULL)
)
if (requireNamespace("liquidSVM", quietly = TRUE)) {
  ways$liquidSVM <- function() {
    liquidSVM::svm(
      x[learned, ], y[learned],
      folds = 5, grid_choice = 0, threads = 1, scale = FALSE, partition_choice = 0
    )
  }
}
labels_of <- function(fit) suppressWarnings(predict(fit, x[-learned, ]))

run <- function(way) {
  time <- seconds(fit <- ways[[way]]())
  tuned <- inherits(fit, "osvm_tuning")
  data.frame(
    way = way, seconds = time, fold_error = if (tuned) 100 * fit$best$error else NA,
    test_error = error(labels_of(fit), y[-learned]),
    C = if (tuned) fit$best$C else NA, gamma = if (tuned) fit$best$gamma else NA
  )
}
runs <- do.call(rbind, lapply(rep(names(ways), 3), run))
table <- do.call(rbind, lapply(names(ways), function(way) {
  mine <- runs[runs$way == way, ]
  mine[order(mine$seconds), ][2, ]
}))
ours <- table[1, ]
report(
  "tune-grid", "A grid of 10 C x 10 gamma, five folds, on 5,000 rows of covertype",
  "Processor seconds on one thread, the model of all 5,000 rows included, medians of three runs in turn; errors in",
  "per cent, in the folds and on 20,000 other rows. liquidSVM, where it is installed, has its own grid of 10 x 10.",
  table_md(table, digits = c(0, 1, 2, 2, 2, 3), row.names = FALSE),
  sprintf(
    "- At most 9 s at an error of at most 20 per cent: **%.1f s, %.2f per cent** (%s)", ours$seconds, ours$test_error,
    if (ours$seconds <= 9 && ours$test_error <= 20) "reached" else "**missed**"
  )
)
