# Bagnell (2010) on a large sparse set: the online linear SVM on 500,000 documents of 50 words out of 100,000, compared
# with LIBLINEAR.
source("bench/linear/sets.R")

set.seed(1)
message("Drawing documents")
n_train <- min(500000, most)
set <- split_set(documents(n_train + 50000, 1e5), n_train, 50000)
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

# LiblineaR makes a dgCMatrix dense; a matrix.csr of SparseM stays sparse.
by_rows <- function(x) {
  x <- Matrix::t(x)
  methods::new("matrix.csr", ra = x@x, ja = x@i + 1L, ia = x@p + 1L, dimension = rev(dim(x)))
}
# The same problem with C = 1 / (lambda n).
liblinear <- function(lambda) {
  message("LiblineaR, lambda = ", lambda)
  limited({
    time <- seconds(fit <- LiblineaR::LiblineaR(rows, set$y, type = 3, cost = 1 / (lambda * n), bias = 1))
    c(time, error(as.logical(predict(fit, by_rows(set$new_x))$predictions), set$new_y))
  }, 300)
}
baseline <- if (requireNamespace("LiblineaR", quietly = TRUE) && requireNamespace("SparseM", quietly = TRUE)) {
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
results <- rbind(ours, baseline)

# The same documents as a stream: test error after each tenth of them.
stream <- do.call(rbind, lapply(c(FALSE, TRUE), function(average) {
  message("Stream, average = ", average)
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

save_results(results, "linear-large")
save_results(stream, "linear-stream", provenance("linear-large"))
report(
  "linear-large", "The online linear SVM on a large sparse set",
  sprintf(
    "%d generated documents of 50 words out of 100,000, 5 %% of the labels wrong, %d more for testing.",
    n, length(set$new_y)
  ),
  "Processor seconds on one thread, of the whole fit and of one epoch; error in per cent.",
  table_md(results, digits = c(0, 6, 0, 0, 2, 3, 2), row.names = FALSE),
  "## One pass over a stream of ten chunks, lambda = 1e-5", table_md(stream, digits = 2, row.names = FALSE)
)
