# Ways to a quicker grid, on sets of several kinds: without a bias, and as a race. 9 C x 9 gamma, five folds.
#
# C = 10^(-1..3), gamma = 4^(-2..2) / features, features scaled. Each way runs in turn with the same folds. OSVM_SETS
# selects sets.
source("bench/common.R")

sets <- c(
  covertype = 5000, adult = 3000, banana = 2000, usps = 2000, eukaryotic = 1600, dna = 1500, prototask = 2500,
  cpu_small = 2500, house_8L = 2500, fried = 2500
)
selected <- Sys.getenv("OSVM_SETS")
if (nzchar(selected)) sets <- sets[strsplit(selected, ",")[[1]]]

draw <- function(name) {
  data <- real_data(name)
  set.seed(3)
  rows <- sample.int(nrow(data$x), min(nrow(data$x), sets[[name]] + 4000))
  learned <- seq_len(min(sets[[name]], round(2 * length(rows) / 3)))
  x <- as.matrix(data$x[rows, ])
  x <- x[, apply(x[learned, ], 2, sd) > 0]
  y <- data$y[rows]
  list(x = x, y = if (length(unique(y)) > 30) y else factor(y), learned = learned)
}

tune <- function(data, bias = TRUE, ...) {
  set.seed(1)
  width <- 1 / ncol(data$x)
  osvm_tune(
    data$x[data$learned, ], data$y[data$learned], solver_smo(C = 10^seq(-1, 3, by = 0.5), bias = bias),
    kernel_rbf(gamma = width * 4^seq(-2, 2, by = 0.5)), threads = 1, progress = FALSE, ...
  )
}
ways <- list(
  `osvm_tune()` = tune, `bias = FALSE` = function(data) tune(data, bias = FALSE),
  `race = TRUE` = function(data) tune(data, race = TRUE)
)

run <- function(name, way) {
  data <- draw(name)
  time <- seconds(tuned <- suppressWarnings(ways[[way]](data)))
  test <- data$y[-data$learned]
  predicted <- suppressWarnings(predict(tuned, data$x[-data$learned, ]))
  folds <- tuned$results$folds
  data.frame(
    set = name, rows = length(data$learned), way = way, seconds = time,
    test_error = if (is.factor(test)) error(predicted, test) else 100 * sqrt(mean((predicted - test)^2)) / sd(test),
    C = tuned$best$C, gamma = tuned$best$gamma * ncol(data$x),
    given_up = if (is.null(folds)) NA else 100 * mean(folds < length(tuned$folds)),
    runs = if (is.null(folds)) 100 else 100 * mean(folds) / length(tuned$folds)
  )
}
invisible(tune(list(x = as.matrix(iris[1:4]), y = iris$Species, learned = 1:150))) # the first call loads code
cases <- expand.grid(way = names(ways), name = names(sets), stringsAsFactors = FALSE)
table <- do.call(rbind, Map(run, cases$name, cases$way))
of <- function(way, column) table[[column]][table$way == way]
ratio <- function(way) exp(mean(log(of("osvm_tune()", "seconds") / of(way, "seconds"))))
difference <- function(way) {
  d <- of(way, "test_error") - of("osvm_tune()", "test_error")
  sprintf("%.2f points in the mean, from %.2f to %.2f", mean(d), min(d), max(d))
}
report(
  "tune-ways", "Ways to a quicker grid: without a bias, and as a race",
  "A grid of 9 C x 9 gamma, five folds. Processor seconds on one thread, the model of all rows included; errors in",
  "per cent on other rows, of numbers (the last three sets) the root mean squared error in per cent of their standard",
  "deviation; gamma in units of one over the number of features; per cent of grid points given up, and of runs made.",
  table_md(table, digits = c(0, 0, 0, 2, 2, 2, 3, 0, 0), row.names = FALSE),
  sprintf("- `%s`: %.2f times as fast (geometric mean); error: %s", names(ways)[-1],
    vapply(names(ways)[-1], ratio, 0), vapply(names(ways)[-1], difference, "")
  ),
  "",
  readLines("bench/tune/tried.md")
)
