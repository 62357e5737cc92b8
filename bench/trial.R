# What osvm(x, y) takes beyond 50,000 rows, beside the ways it did not take, each fitted to all rows by a call of its own:
# error on new rows, elapsed and processor seconds on two threads, the trial included in the row of the choice. OSVM_PARTS:
# numbers of the sets to run; the others stay as they were.
source("bench/common.R")

new <- 20000
noisy <- function(n, relevant, flipped) {
  x <- matrix(stats::rnorm(20 * n), n)
  y <- sin(x[, 1]) + x[, 2] * x[, 3] + 0.5 * x[, 4]^2 + x[, 5] > 0.5
  if (relevant > 5) y <- rowSums(x[, seq_len(relevant)]^2) > relevant
  list(x = x, y = factor(xor(y, stats::runif(n) < flipped)))
}
smooth <- function(n) {
  x <- matrix(stats::rnorm(20 * n), n)
  f <- sin(x[, 1] + x[, 2]) + x[, 3] * x[, 4] / 2 + rowSums(x[, 5:10]) / 4
  list(x = x, y = factor(f + stats::rnorm(n, sd = 0.5) > 0))
}
covertype <- function(n) {
  data <- real_data("covertype")
  some <- sample(nrow(data$x), n)
  list(x = data$x[some, ], y = factor(data$y[some]))
}
sets <- list(
  "covertype" = list(covertype, 60000), "covertype" = list(covertype, 500000),
  "5 of 20 features, 8 % of the labels wrong" = list(function(n) noisy(n, 5, 0.08), 60000),
  "20 of 20 features, 8 % of the labels wrong" = list(function(n) noisy(n, 20, 0.08), 60000),
  "10 of 20 features, smooth" = list(smooth, 200000),
  "chess board, 10 % of the labels wrong" = list(function(n) chessboard(n, noise = 0.1), 60000),
  "chess board of 40 x 40 squares" = list(function(n) chessboard(n, size = 40), 60000)
)

try_set <- function(set) {
  name <- names(sets)[set]
  rows <- sets[[set]][[2]]
  message(name, ", ", rows)
  set.seed(1)
  data <- sets[[set]][[1]](rows + min(new, rows / 4))
  train <- seq_len(rows)
  x <- data$x[train, ]
  y <- data$y[train]
  measure <- function(way, ..., some = train) {
    set.seed(2)
    time <- system.time(fit <- suppressMessages(osvm(x[some, ], y[some], ..., verbose = FALSE)))
    wrong <- error(predict(fit, data$x[-train, ]), data$y[-train])
    message(way, ": ", wrong, " %, ", time[["elapsed"]], " s")
    list(fit = fit, row = data.frame(
      set = name, rows = rows, way = way, error = wrong, elapsed = time[["elapsed"]],
      processor = sum(time[c("user.self", "sys.self")])
    ))
  }
  chosen <- measure("osvm(x, y)")
  taken <- chosen$fit$choice[chosen$fit$choice$taken, ]
  chosen$row$way <- paste("osvm(x, y), which took", switch(taken$way,
    cells = paste("cells of", taken$rows), "low rank" = paste("rank", taken$rows), linear = "a linear SVM",
    paste("one SVM of", taken$rows, "rows")
  ))
  rbind(
    chosen$row, measure("cells = 2000", cells = 2000)$row, measure("cells = 5000", cells = 5000)$row,
    measure("rank 500", kernel = kernel_nystrom(rank = 500))$row,
    measure("a sample of 20,000 rows", some = seq_len(20000))$row,
    if (rows <= 1e5) measure("one SVM of all rows, C = 2", solver_smo(C = 2), kernel_rbf())$row
  )
}

# What the choice has beyond the least error of the others, and its time beside that of this.
summarise <- function(part) {
  others <- part[-1, ]
  best <- others[which.min(others$error), ]
  data.frame(
    set = part$set[1], rows = part$rows[1], taken = sub(".*took ", "", part$way[1]), error = part$error[1],
    best = best$way, its_error = best$error, worse = part$error[1] - best$error,
    processor = part$processor[1], its_processor = best$processor, times = part$processor[1] / best$processor
  )
}

invisible(osvm(iris[1:4], iris$Species, verbose = FALSE)) # the first call loads code
parts <- as.integer(strsplit(Sys.getenv("OSVM_PARTS", paste(seq_along(sets), collapse = ",")), ",")[[1]])
label <- function(set, rows) paste(set, rows)
all_labels <- label(names(sets), vapply(sets, `[[`, 0, 2))
results <- do.call(rbind, lapply(parts, try_set))
path <- "vignettes/results/trial.csv"
if (length(parts) < length(sets) && file.exists(path)) {
  known <- utils::read.csv(path, comment.char = "#")
  results <- rbind(results, known[label(known$set, known$rows) %in% all_labels[-parts], names(results)])
}
results <- results[order(match(label(results$set, results$rows), all_labels)), ]
save_results(results, "trial")
of_set <- split(results, match(label(results$set, results$rows), all_labels))
shown <- function(table) replace(table, "rows", list(format(table$rows, big.mark = ",", scientific = FALSE)))
report(
  "trial", "Beyond 50,000 rows: what the trial takes, and what it could have taken",
  "Errors in per cent on 20,000 other rows, or a quarter as many as were learned; seconds of the whole call on two threads.",
  "Beside it, `worse`: points beyond the best of the other calls, and `times` the processor time of that.",
  table_md(shown(do.call(rbind, lapply(of_set, summarise))), digits = c(0, 0, 0, 2, 0, 2, 2, 1, 1, 1), row.names = FALSE),
  table_md(shown(results), digits = c(0, 0, 0, 2, 1, 1), row.names = FALSE)
)
