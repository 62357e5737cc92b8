# Prediction: 10,000 MNIST digits, the same model of about 3,000 support vectors in e1071 and onlinesvm.
source("bench/common.R")

data <- real_data("mnist")
pixels <- function(rows) matrix(as.integer(data$x[rows, ]) / 255, length(rows))
label <- function(rows) factor(ifelse(data$y[rows] < 5, "0-4", "5-9"))
set.seed(1)
train <- sample(data$train, 10000)
x <- pixels(train)
y <- label(train)
test <- setdiff(seq_len(nrow(data$x)), data$train)
new_x <- pixels(test)

gamma <- 0.02
message("Fitting e1071 ...")
e1071_fit <- e1071::svm(x, y, scale = FALSE, gamma = gamma, cost = 1, cachesize = 1000, fitted = FALSE)

# The same model in onlinesvm: support vectors, coefficients and intercept are copied into a fit of the same examples.
ours <- strip(osvm(x, y, solver_smo(C = 1), kernel_rbf(gamma = gamma), scale = FALSE, verbose = FALSE))
sign <- if (e1071_fit$levels[e1071_fit$labels[1]] == ours$levels[2]) 1 else -1
ours$n_sv <- nrow(e1071_fit$SV)
ours$sv <- unname(e1071_fit$SV)
ours$coef <- sign * unname(e1071_fit$coefs)
ours$intercept <- -sign * e1071_fit$rho
ours$target <- rep(1, ours$n_sv)
ours$index <- as.double(seq_len(ours$n_sv))

decision_values <- function(threads, rows = new_x) {
  suppressWarnings(predict(ours, rows, type = "decision", threads = threads), "osvm_out_of_range")
}
invisible(decision_values(2))
e1071_time <- seconds(values <- attr(predict(e1071_fit, new_x, decision.values = TRUE), "decision.values"))
by_level <- vapply(c(avx2 = 2, "128 bits" = 1), function(level) {
  options(onlinesvm.simd_level = level)
  on.exit(options(onlinesvm.simd_level = NULL))
  median(replicate(5, seconds(decision_values(1))))
}, 0)
row <- new_x[1, , drop = FALSE]
one_row <- seconds(for (i in 1:200) decision_values(1, row)) / 200
e1071_row <- seconds(for (i in 1:5) predict(e1071_fit, row)) / 5
one <- median(replicate(5, seconds(decision_values(1))))
# Thread counts are compared by elapsed time, in alternating runs; the minimum of several.
clock <- replicate(15, c(elapsed(decision_values(1)), elapsed(decision_values(2))))
one_elapsed <- min(clock[1, ])
two_elapsed <- min(clock[2, ])
difference <- max(abs(decision_values(1) - sign * as.vector(values)))

report(
  "predict", sprintf("Prediction: 10,000 x 784 against %d support vectors", ours$n_sv),
  "The same RBF model in both packages (MNIST, digits 0-4 against 5-9); decision values of the test set.",
  table_md(data.frame(
    package = c(
      "e1071", "onlinesvm, 1 thread", "the same with AVX2", "the same with vectors of 128 bits",
      "onlinesvm, 1 thread, elapsed time", "onlinesvm, 2 threads, elapsed time", "e1071, one row", "onlinesvm, one row"
    ),
    seconds = c(e1071_time, one, by_level, one_elapsed, two_elapsed, e1071_row, one_row)
  ), digits = 5),
  target("e1071's time over ours, one thread", e1071_time / one, 20),
  target("the same with AVX2", e1071_time / by_level[["avx2"]], 20),
  target("one thread's time over two threads'", one_elapsed / two_elapsed, 1.7),
  sprintf("- largest difference between the two packages' decision values: %.1e", difference)
)
