# What osvm(x, y) takes beyond 50,000 rows, beside the ways it did not take, each fitted to all rows: error on new rows,
# elapsed and processor seconds on two threads, the trial included in the row of the choice.
source("bench/common.R")

rows <- as.numeric(Sys.getenv("OSVM_ROWS", 60000))
new <- 20000
noisy <- function(n, relevant, flipped) {
  x <- matrix(stats::rnorm(20 * n), n)
  y <- sin(x[, 1]) + x[, 2] * x[, 3] + 0.5 * x[, 4]^2 + x[, 5] > 0.5
  if (relevant > 5) y <- rowSums(x[, seq_len(relevant)]^2) > relevant
  list(x = x, y = factor(xor(y, stats::runif(n) < flipped)))
}
sets <- list(
  covertype = function(n) {
    data <- real_data("covertype")
    some <- sample(nrow(data$x), n)
    list(x = data$x[some, ], y = factor(data$y[some]))
  },
  "5 of 20 features, 8 % of the labels wrong" = function(n) noisy(n, 5, 0.08),
  "20 of 20 features, 8 % of the labels wrong" = function(n) noisy(n, 20, 0.08),
  "chess board, 10 % of the labels wrong" = function(n) chessboard(n, noise = 0.1),
  "chess board of 40 x 40 squares" = function(n) chessboard(n, size = 40)
)

try_set <- function(name) {
  message(name)
  set.seed(1)
  data <- sets[[name]](rows + new)
  train <- seq_len(rows)
  x <- data$x[train, ]
  y <- data$y[train]
  measure <- function(way, ...) {
    set.seed(2)
    time <- system.time(fit <- suppressMessages(osvm(x, y, ..., verbose = FALSE)))
    wrong <- error(predict(fit, data$x[-train, ]), data$y[-train])
    list(fit = fit, row = data.frame(
      set = name, way = way, error = wrong, elapsed = time[["elapsed"]], processor = sum(time[c("user.self", "sys.self")])
    ))
  }
  chosen <- measure("osvm(x, y)")
  taken <- if (inherits(chosen$fit, "osvm_cells")) sprintf("cells of %g", chosen$fit$cells$size) else
    if (chosen$fit$kernel$name == "nystrom") "rank 500" else sprintf("one SVM of %g rows", chosen$fit$n_seen)
  chosen$row$way <- paste0("osvm(x, y), which took ", taken)
  rbind(
    chosen$row, measure("cells = 2000", cells = 2000)$row, measure("cells = 5000", cells = 5000)$row,
    measure("rank 500", kernel = kernel_nystrom(rank = 500))$row,
    measure("one SVM of all rows, C = 2", solver_smo(C = 2), kernel_rbf())$row
  )
}

invisible(osvm(iris[1:4], iris$Species, verbose = FALSE)) # the first call loads code
results <- do.call(rbind, lapply(names(sets), try_set))
save_results(results, "trial")
report(
  "trial", "Beyond 50,000 rows: what the trial takes, and what it could have taken",
  sprintf("%s rows, errors in per cent on %s others; seconds of the whole call on two threads.", format(rows, big.mark = ","),
    format(new, big.mark = ",")),
  table_md(results, digits = c(0, 0, 2, 1, 1), row.names = FALSE)
)
