# SMO for numbers and novelty beside e1071 (LIBSVM) at equal parameters: the same optimum, and the time to it.
source("bench/common.R")
suppressMessages(library(e1071))

# The least of three: other processes only add to the time.
least <- function(fit) min(replicate(3, seconds(fit())))

stored <- function(name) {
  data <- real_data(name)
  set.seed(1)
  rows <- sample.int(nrow(data$x), min(nrow(data$x), 8000))
  list(x = data$x[rows, ], y = data$y[rows])
}
friedman <- function(n) {
  set.seed(1)
  mlbench::mlbench.friedman1(n)[c("x", "y")]
}
waves <- function(n) {
  set.seed(1)
  x <- matrix(rnorm(10 * n), n)
  list(x = x, y = sin(2 * x[, 1]) + x[, 2] * x[, 3] + 0.3 * rnorm(n))
}
sets <- list(
  friedman1 = friedman(2000), waves = waves(5000), "2dplanes" = stored("2dplanes"), cpu_small = stored("cpu_small"),
  house_8L = stored("house_8L")
)

regression <- do.call(rbind, lapply(names(sets), function(name) {
  d <- sets[[name]]
  C <- 2
  gamma <- 1 / ncol(d$x)
  solver <- solver_smo(C = C)
  kernel <- kernel_rbf(gamma = gamma)
  ours <- least(function() {
    a <<- osvm(d$x, d$y, solver, kernel, loss = loss_epsilon(0.1), threads = 1, verbose = FALSE)
  })
  theirs <- least(function() b <<- svm(d$x, d$y, cost = C, gamma = gamma, epsilon = 0.1, fitted = FALSE))
  difference <- max(abs(predict(a, d$x) - predict(b, d$x))) / sd(d$y)
  message(name, ": ", signif(theirs / ours, 3))
  data.frame(set = name, rows = nrow(d$x), features = ncol(d$x), "support vectors" = a$n_sv, ours, e1071 = theirs,
    ratio = theirs / ours, "largest difference, sd of y" = difference, check.names = FALSE)
}))

normal <- function(n, d) {
  set.seed(1)
  matrix(rnorm(n * d), n)
}
novelty <- do.call(rbind, lapply(list(c(20000, 10), c(100000, 2)), function(size) {
  x <- normal(size[1], size[2])
  nu <- 0.1
  gamma <- 1 / size[2]
  kernel <- kernel_rbf(gamma = gamma)
  ours <- least(function() {
    a <<- osvm(x, solver = solver_smo(), kernel = kernel, loss = loss_novelty(nu), threads = 1, verbose = FALSE)
  })
  theirs <- seconds(b <- svm(x, type = "one-classification", nu = nu, gamma = gamma, fitted = FALSE))
  message("novelty: ", signif(theirs / ours, 3))
  data.frame(rows = size[1], features = size[2], "support vectors" = a$n_sv, ours, e1071 = theirs, ratio = theirs / ours,
    "predictions that agree, %" = 100 * mean(predict(a, x) == predict(b, x)),
    "outside, %" = 100 * mean(!predict(a, x)), check.names = FALSE)
}))

report(
  "numbers", "SMO for numbers and novelty beside e1071",
  "Equal C, gamma and epsilon or nu, and the tolerance 0.001 of both; processor seconds of the fit, one",
  "thread, the least of three.", "",
  "## Numbers", table_md(regression, digits = c(0, 0, 0, 0, 2, 2, 1, 5), row.names = FALSE),
  target("Smallest ratio", min(regression$ratio), 8),
  "", "## Novelty, nu = 0.1", table_md(novelty, digits = c(0, 0, 0, 2, 2, 1, 2, 2), row.names = FALSE)
)
