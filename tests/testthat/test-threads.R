# Long loops of a fit are shared by threads from some thousand rows and features on; machines of several classes work
# side by side from fewer on.
threads_data <- function(n, d, classes) {
  set.seed(3)
  x <- matrix(rnorm(n * d), n)
  score <- x[, 1] * x[, 2] + x[, 3] / 2
  list(x = x, y = cut(score, c(-Inf, quantile(score, seq_len(classes - 1) / classes), Inf), letters[seq_len(classes)]))
}

fit_with <- function(data, solver, threads) {
  set.seed(1)
  fit <- suppressWarnings(osvm(data$x, data$y, solver, kernel_rbf(gamma = 0.02), threads = threads))
  fit[c("coef", "intercept", "sv", "n_sv", "convergence", "scalars", "stats")]
}

test_that("a fit has the same numbers on one thread and on two", {
  dense <- threads_data(700, 300, 2)
  sparse <- list(x = Matrix::rsparsematrix(2500, 400, 0.02, rand.x = rnorm))
  sparse$y <- factor(as.numeric(sparse$x %*% rnorm(400)) > 0)
  several <- threads_data(600, 20, 4)
  solvers <- list(solver_smo(), solver_lasvm(), solver_huller(C = 1), solver_olsvm(epochs = 1), solver_cccp())
  for (data in list(dense, sparse, several)) {
    for (solver in solvers) {
      one <- fit_with(data, solver, 1)
      two <- fit_with(data, solver, 2)
      one$stats$seconds <- two$stats$seconds <- 0
      expect_identical(two, one, info = paste(solver$name, nrow(data$x)))
    }
  }
})
