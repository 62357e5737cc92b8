# Shared by the Huller benchmarks on MNIST: the data, and the results of a fit. OSVM_ROWS: the number of training
# examples (subsets are nested); OSVM_DIGITS: the digits, as in "1,8"; OSVM_REPEATS: the number of runs.
source("bench/common.R")

gamma <- 4 * 0.005 # the paper's 0.005 for pixels from -1 to 1, whose squared distances are four times ours
C <- 1000 # above all coefficients: a hard margin

from_environment <- function(name, default) {
  as.integer(strsplit(Sys.getenv(name, paste(default, collapse = ",")), ",")[[1]])
}

mnist_digits <- function(rows) {
  mnist <- real_data("mnist")
  pixels <- function(at) matrix(as.integer(mnist$x[at, ]) / 255, length(at))
  set.seed(1)
  train <- sample(mnist$train)[seq_len(rows)]
  test <- setdiff(seq_along(mnist$y), mnist$train)
  list(x = pixels(train), y = mnist$y[train], new_x = pixels(test), new_y = mnist$y[test])
}

solvers <- list(
  "Huller x1" = solver_huller(epochs = 1),
  "Huller x2" = solver_huller(epochs = 2),
  "SMO" = solver_smo(C = C),
  "perceptron x1" = solver_perceptron(epochs = 1, bias = FALSE),
  "perceptron x10" = solver_perceptron(epochs = 10, bias = FALSE)
)

# One fit, whose random numbers are those of `run`; millions: of kernel evaluations.
fit_results <- function(method, x, y, new_x, new_y, cache = 256, run = 1) {
  set.seed(1 + run)
  time <- seconds(fit <- osvm(x, y, solvers[[method]], kernel_rbf(gamma = gamma),
    scale = FALSE, multiclass = "ovr", cache_mb = cache, threads = 1, verbose = FALSE
  ))
  c(
    error = error(predict(fit, new_x), new_y), seconds = time, svs = fit$n_sv,
    millions = fit$stats$kernel_evaluations / 1e6
  )
}
# The same, one digit against the rest.
digit_results <- function(method, set, digit, ...) {
  fit_results(method, set$x, set$y == digit, set$new_x, set$new_y == digit, ...)
}

# Means of five runs, as in the paper; SMO, which draws nothing, has one.
runs <- from_environment("OSVM_REPEATS", 5)
runs_of <- function(method) seq_len(if (method == "SMO") 1 else runs)
mean_results <- function(method, set, digit, cache) {
  rowMeans(vapply(runs_of(method), function(run) digit_results(method, set, digit, cache, run), numeric(4)))
}

# The first call loads code.
warm_up <- function(set) invisible(osvm(set$x[1:100, ], set$y[1:100] < 5, "smo", verbose = FALSE))
