# Threads within a fit: elapsed seconds on one and on two threads, in alternation. Two processors may share memory, caches or
# a core, so that the table also has what they reach with two separate processes at once: the most that threads could.
source("bench/common.R")

repetitions <- 5
adult <- real_data("adult")
mnist <- real_data("mnist")
set.seed(1)
some <- sample(mnist$train, 10000)
digits <- matrix(as.integer(mnist$x[some, ]) / 255, length(some))

cases <- list(
  "SMO, Adult, 32,561 rows, sparse" = function(threads) {
    osvm(adult$x[adult$train, ], adult$y[adult$train], solver_smo(C = 1), kernel_rbf(gamma = 1 / ncol(adult$x)),
      scale = FALSE, threads = threads)
  },
  "SMO, ten digits one against one, 10,000 rows" = function(threads) {
    osvm(digits, factor(mnist$y[some]), solver_smo(C = 10), kernel_rbf(gamma = 0.02), multiclass = "ovo",
      scale = FALSE, threads = threads)
  },
  "LASVM, Adult, 8,000 rows, sparse" = function(threads) {
    few <- adult$train[1:8000]
    osvm(adult$x[few, ], adult$y[few], solver_lasvm(C = 1), kernel_rbf(gamma = 1 / ncol(adult$x)), scale = FALSE,
      threads = threads)
  },
  "OL SVM, ten digits one against the rest" = function(threads) {
    osvm(digits, factor(mnist$y[some]), solver_olsvm(C = 1, epochs = 2), kernel_rbf(gamma = 0.02), multiclass = "ovr",
      scale = FALSE, threads = threads)
  },
  "SVM^R, ten digits one against one, 2,000 rows" = function(threads) {
    osvm(digits[1:2000, ], factor(mnist$y[some[1:2000]]), solver_cccp(C = 1), kernel_rbf(gamma = 0.02),
      multiclass = "ovo", scale = FALSE, threads = threads)
  },
  "SMO, 150 rows" = function(threads) {
    for (k in 1:200) osvm(as.matrix(iris[-5]), iris$Species, solver_smo(), kernel_rbf(gamma = 0.5), threads = threads)
  }
)

# Elapsed seconds of two forked processes with one thread each
both <- function(fit) {
  elapsed({
    jobs <- lapply(1:2, function(k) parallel::mcparallel(fit(1)))
    parallel::mccollect(jobs)
  })
}

rows <- lapply(names(cases), function(name) {
  fit <- cases[[name]]
  set.seed(1)
  times <- t(replicate(repetitions, c(one = elapsed(fit(1)), two = elapsed(fit(2)), both = both(fit))))
  middle <- apply(times, 2, stats::median)
  message(name, ": ", paste(round(middle, 2), collapse = " "))
  data.frame(
    case = name, one = middle[["one"]], two = middle[["two"]], ratio = stats::median(times[, "one"] / times[, "two"]),
    limit = stats::median(2 * times[, "one"] / times[, "both"])
  )
})
result <- do.call(rbind, rows)

report(
  "threads", "Threads within a fit",
  paste0("Elapsed seconds, median of ", repetitions, " alternating runs. `ratio`: one thread over two, paired. `limit`: what"),
  "two separate processes with one thread each reach at once, twice the work over the time of both.",
  table_md(result, digits = 2, row.names = FALSE)
)
