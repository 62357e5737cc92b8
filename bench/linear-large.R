# Paper 003 on a large sparse set: one pass of the on-line linear SVM over 500,000 documents of 50 words out of 100,000,
# beside LIBLINEAR.
source("bench/linear/sets.R")

set.seed(1)
message("Drawing documents")
documents_wanted <- min(500000, most)
set <- split_set(documents(documents_wanted + 50000, 1e5), documents_wanted, 50000)
n <- nrow(set$x)
new_error <- function(fit) error(predict(fit, set$new_x), set$new_y)

runs <- expand.grid(lambda = 10^-(4:6), epochs = c(1, 5), unit_norm = c(FALSE, TRUE))
ours <- do.call(rbind, Map(function(lambda, epochs, unit_norm) {
  message("Pegasos, lambda = ", lambda, ", epochs = ", epochs, if (unit_norm) ", unit norm")
  time <- seconds(fit <- pegasos(set, lambda = lambda, epochs = epochs, unit_norm = unit_norm))
  data.frame(
    solver = "Pegasos", lambda, epochs, unit_norm, seconds = time, epoch_s = min(fit$trace$seconds),
    error = new_error(fit)
  )
}, runs$lambda, runs$epochs, runs$unit_norm))

# LiblineaR makes a dgCMatrix dense; it wants the rows of SparseM.
by_rows <- function(x) {
  x <- Matrix::t(x)
  methods::new("matrix.csr", ra = x@x, ja = x@i + 1L, ia = x@p + 1L, dimension = rev(dim(x)))
}
# C = 1 / (lambda n) makes it the same problem.
liblinear <- function(lambda) {
  message("LiblineaR, lambda = ", lambda)
  limited({
    time <- seconds(fit <- LiblineaR::LiblineaR(rows, set$y, type = 3, cost = 1 / (lambda * n), bias = 1))
    c(time, error(as.logical(predict(fit, by_rows(set$new_x))$predictions), set$new_y))
  }, 300)
}
theirs <- if (requireNamespace("LiblineaR", quietly = TRUE) && requireNamespace("SparseM", quietly = TRUE)) {
  rows <- by_rows(set$x)
  do.call(rbind, lapply(10^-(4:6), function(lambda) {
    value <- liblinear(lambda)
    if (is.null(value)) value <- c(300, NA)
    data.frame(
      solver = "LiblineaR, type 3", lambda, epochs = NA, unit_norm = FALSE, seconds = value[1], epoch_s = NA,
      error = value[2]
    )
  }))
}
figures <- rbind(ours, theirs)

# The same documents as a stream: what a model knows after each tenth of them.
stream <- do.call(rbind, lapply(c(FALSE, TRUE), function(average) {
  message("A stream, average = ", average)
  model <- NULL
  do.call(rbind, lapply(split(seq_len(n), ceiling(10 * seq_len(n) / n)), function(rows) {
    x <- set$x[rows, ]
    model <<- if (is.null(model)) {
      osvm(x, set$y[rows], solver_pegasos(lambda = 1e-5, epochs = 1, average = average), scale = FALSE, threads = 1)
    } else {
      update(model, x, set$y[rows])
    }
    data.frame(average, examples = max(rows), error = new_error(model))
  }))
}))

save_results(figures, "linear-large")
save_results(stream, "linear-stream", provenance("linear-large"))
report(
  "linear-large", "The on-line linear SVM on a large sparse set",
  sprintf(
    "%d generated documents of 50 words out of 100,000, 5 %% of the labels wrong, %d more for testing.",
    n, length(set$new_y)
  ),
  "Processor seconds on one thread, of the whole fit and of one epoch; error in per cent.",
  table_md(figures, digits = c(0, 6, 0, 0, 2, 3, 2), row.names = FALSE),
  "## In one pass, as a stream in ten chunks, lambda = 1e-5", table_md(stream, digits = 2, row.names = FALSE)
)
