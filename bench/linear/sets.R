# Shared by the linear-* benchmarks. OSVM_SIZE (the largest number of training examples) and OSVM_REPEATS reduce a run.
source("bench/common.R")

most <- as.numeric(Sys.getenv("OSVM_SIZE", "Inf"))
repeats <- as.integer(Sys.getenv("OSVM_REPEATS", "3"))

# Documents of `words` words each out of a vocabulary of d; the word of rank r has probability proportional to
# 1 / (10 + r). The label is a random linear function thresholded at its median, with label noise.
documents <- function(n, d, words = 50, noise = 0.05) {
  column <- sample.int(d, n * words, replace = TRUE, prob = 1 / (10 + seq_len(d)))
  x <- Matrix::sparseMatrix(i = rep(seq_len(n), each = words), j = column, x = 1, dims = c(n, d))
  score <- as.vector(x %*% stats::rnorm(d))
  clean <- score > stats::median(score)
  list(x = x, y = xor(clean, stats::runif(n) < noise))
}

# Training and test examples; sparse sets are not scaled, dense ones are scaled by osvm().
split_set <- function(set, train, test) {
  rows <- sample(nrow(set$x), train + test)
  new <- utils::tail(rows, test)
  old <- utils::head(rows, min(train, most))
  list(x = set$x[old, ], y = set$y[old], new_x = set$x[new, ], new_y = set$y[new])
}
pegasos <- function(set, ...) {
  osvm(set$x, set$y, solver_pegasos(...), scale = is.matrix(set$x), threads = 1, verbose = FALSE)
}
