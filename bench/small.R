# Fits of small data without a choice beside e1071::svm(): processor time of a call, as a ratio in the same run.
source("bench/common.R")
suppressMessages(library(Matrix))

# Classes of ten features around centres of their own.
clouds <- function(n, classes) {
  set.seed(n + classes)
  class <- rep_len(seq_len(classes), n)
  centres <- matrix(stats::rnorm(classes * 10, sd = 1.2), classes)
  list(x = centres[class, ] + matrix(stats::rnorm(n * 10), n), y = factor(class))
}
numbers <- function(n) {
  set.seed(n)
  x <- matrix(stats::runif(n * 10), n)
  y <- 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] + 5 * x[, 5] + stats::rnorm(n)
  list(x = x, y = y)
}

# Milliseconds of a call, alternating, so that the load of the machine is that of both.
compare <- function(calls, seconds_each = 0.2) {
  times <- replicate(5, {
    vapply(calls, function(call) {
      first <- seconds(call())
      each <- if (first > 0.05) first else seconds(for (k in 1:5) call()) / 5
      count <- ceiling(seconds_each / 5 / max(each, 1e-4))
      1000 * seconds(for (k in seq_len(count)) call()) / count
    }, 0)
  })
  ratio <- times["e1071", ] / times["few", ]
  c(apply(times, 1, stats::median), ratio = stats::median(ratio), low = min(ratio), high = max(ratio))
}

calls_of <- function(...) {
  arguments <- list(...)
  call <- function(f, ...) function() do.call(f, c(arguments, ...))
  list(
    search = call(osvm, threads = 1, verbose = FALSE), few = call(osvm, effort = 0, threads = 1, verbose = FALSE),
    e1071 = call(e1071::svm)
  )
}
cases <- list()
for (n in c(100, 200, 500, 1000)) {
  for (classes in c(2, 3, 26)) {
    cases[[sprintf("%d rows, %d classes", n, classes)]] <- do.call(calls_of, unname(clouds(n, classes)))
  }
  cases[[sprintf("%d rows, numbers", n)]] <- do.call(calls_of, unname(numbers(n)))
}
cases[["iris, matrix"]] <- calls_of(as.matrix(iris[1:4]), iris$Species)
cases[["iris, formula"]] <- calls_of(Species ~ ., iris)
cases[["iris, data frame"]] <- calls_of(iris[1:4], iris$Species)

results <- do.call(rbind, lapply(names(cases), function(name) {
  row <- compare(cases[[name]])
  message(name, ": ", round(row[["ratio"]], 2))
  data.frame(case = name, t(row))
}))
slower <- results$case[results$ratio < 1]
report(
  "small", "Fits of small data: osvm(x, y) beside e1071::svm(x, y)",
  "Milliseconds of processor time of a call, one thread, medians of five alternating measurements. `search`: `osvm(x, y)`;",
  "`few`: `osvm(x, y, effort = 0)`, which compares a few settings of `C` and the width; `e1071`: one fit at fixed parameters",
  "and the predictions of the training data. `ratio`: e1071's time over that of `few` in the same measurement, with its range.",
  table_md(results, digits = c(0, 1, 2, 2, 2, 2, 2), row.names = FALSE),
  sprintf("- `few` is not slower than e1071: %d of %d", sum(results$ratio >= 1), nrow(results)),
  if (length(slower) > 0) paste0("- slower: ", paste(slower, collapse = "; "))
)
