# Default fits of small data beside e1071::svm(): processor time of a call, as a ratio in the same run.
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
compare <- function(ours, theirs, seconds_each = 0.2) {
  times <- replicate(5, {
    calls <- list(ours = ours, theirs = theirs)
    vapply(calls, function(call) {
      call()
      count <- ceiling(seconds_each / 5 / max(seconds(for (k in 1:5) call()) / 5, 1e-4))
      1000 * seconds(for (k in seq_len(count)) call()) / count
    }, 0)
  })
  ratio <- times["theirs", ] / times["ours", ]
  c(ours = stats::median(times["ours", ]), e1071 = stats::median(times["theirs", ]), ratio = stats::median(ratio),
    low = min(ratio), high = max(ratio))
}

matrix_calls <- function(data) {
  force(data)
  list(
    function() osvm(data$x, data$y, threads = 1, verbose = FALSE), function() e1071::svm(data$x, data$y)
  )
}
cases <- list()
for (n in c(100, 200, 500, 1000)) {
  for (classes in c(2, 3, 26)) cases[[sprintf("%d rows, %d classes", n, classes)]] <- matrix_calls(clouds(n, classes))
  cases[[sprintf("%d rows, numbers", n)]] <- matrix_calls(numbers(n))
}
cases[["iris, matrix"]] <- matrix_calls(list(x = as.matrix(iris[1:4]), y = iris$Species))
cases[["iris, formula"]] <- list(
  function() osvm(Species ~ ., iris, threads = 1, verbose = FALSE), function() e1071::svm(Species ~ ., iris)
)
cases[["iris, data frame"]] <- list(
  function() osvm(iris[1:4], iris$Species, threads = 1, verbose = FALSE),
  function() e1071::svm(iris[1:4], iris$Species)
)

results <- do.call(rbind, lapply(names(cases), function(name) {
  row <- compare(cases[[name]][[1]], cases[[name]][[2]])
  message(name, ": ", round(row[["ratio"]], 2))
  data.frame(case = name, t(row))
}))
slower <- results$case[results$ratio < 1]
report(
  "small", "Default fits of small data: osvm(x, y) beside e1071::svm(x, y)",
  "Milliseconds of processor time of a call, one thread, medians of five alternating measurements; `ratio`: e1071's time",
  "over ours in the same measurement, with its range. The default of e1071 is one fit at fixed parameters and the",
  "predictions of the training data; ours chooses C and the width of the kernel among several settings, and fits.",
  table_md(results, digits = c(0, 2, 2, 2, 2, 2), row.names = FALSE),
  sprintf("- not slower than e1071: %d of %d", sum(results$ratio >= 1), nrow(results)),
  if (length(slower) > 0) paste0("- slower: ", paste(slower, collapse = "; "))
)
