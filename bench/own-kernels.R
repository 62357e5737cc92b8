# A Gaussian kernel as kernel_rbf(), as a kernel matrix and as a function written in R: the same model, and the time
# that it takes, beside kernlab.
source("bench/common.R")

gaussian <- function(gamma) {
  function(x, z) exp(-gamma * pmax(outer(rowSums(x^2), rowSums(z^2), "+") - 2 * tcrossprod(x, z), 0))
}

set.seed(1)
some <- function(data, n) {
  rows <- sample.int(nrow(data$x), n)
  list(x = scale(data$x[rows, apply(data$x[rows, ], 2, sd) > 0]), y = factor(data$y[rows]))
}
spam <- packaged("spam", "kernlab")
sets <- list(
  `Noisy chess board` = some(chessboard(4000, noise = 0.05), 4000),
  Banana = some(real_data("banana"), 4000),
  Spam = some(list(x = as.matrix(spam[-58]), y = spam$type), 3000),
  Covertype = some(real_data("covertype"), 4000),
  `USPS, ten classes` = some(real_data("usps"), 4000)
)

measure <- function(name) {
  message(name)
  train <- seq_along(sets[[name]]$y) %% 5 != 0
  x <- sets[[name]]$x[train, ]
  new <- sets[[name]]$x[!train, ]
  y <- sets[[name]]$y[train]
  gamma <- 2 / median(dist(x[1:300, ])^2)
  f <- gaussian(gamma)
  fit <- function(x, kernel, tolerance, y = sets[[name]]$y[train]) {
    osvm(x, y, solver_smo(C = 5, tolerance = tolerance), kernel, scale = FALSE, threads = 1, verbose = FALSE)
  }
  of_matrix <- seconds({
    K <- f(x, x)
    K_new <- f(new, x)
  })
  models <- function(tolerance) {
    list(
      rbf = fit(x, kernel_rbf(gamma = gamma), tolerance), matrix = fit(K, kernel_matrix(), tolerance),
      f = fit(x, kernel_function(f), tolerance)
    )
  }
  difference <- function(m) {
    a <- predict(m$rbf, new, type = "decision")
    max(abs(predict(m$matrix, K_new, type = "decision") - a), abs(predict(m$f, new, type = "decision") - a))
  }
  usual <- models(1e-3)
  exact <- models(1e-8)
  middle <- function(code) median(replicate(3, seconds(code())))
  part <- 1:1000
  ours <- K[part, part]
  theirs <- kernlab::as.kernelMatrix(ours)
  data.frame(
    data = name, n = length(y), d = ncol(x), sv = usual$rbf$n_sv,
    exact = format(difference(exact), digits = 2), usual = difference(usual),
    f = of_matrix * length(y) / nrow(rbind(x, new)),
    rbf = middle(function() fit(x, kernel_rbf(gamma = gamma), 1e-3)),
    matrix = middle(function() fit(K, kernel_matrix(), 1e-3)),
    `function` = middle(function() fit(x, kernel_function(f), 1e-3)),
    kernlab_1000 = seconds(kernlab::ksvm(theirs, y[part], C = 5, tol = 1e-3)),
    matrix_1000 = middle(function() fit(ours, kernel_matrix(), 1e-3, y[part])),
    predict_rbf = middle(function() predict(usual$rbf, new, threads = 1)),
    predict_function = middle(function() predict(usual$f, new, threads = 1)), check.names = FALSE
  )
}
table <- do.call(rbind, lapply(names(sets), measure))

# kernlab calls an R function for each pair.
small <- lapply(sets[["Spam"]], function(part) if (is.matrix(part)) part[1:500, ] else part[1:500])
pair <- structure(function(x, y) exp(-0.01 * sum((x - y)^2)), class = "kernel")
by_pair <- seconds(kernlab::ksvm(small$x, small$y, kernel = pair, C = 5, scaled = FALSE))
by_block <- seconds(osvm(small$x, small$y, solver_smo(C = 5), kernel_function(gaussian(0.01)), verbose = FALSE))

report(
  "own-kernels", "Kernels of one's own",
  c(
    "SMO with C = 5, four fifths of the rows, one thread; processor seconds, of fits the median of three. `exact` and",
    "`usual`: the largest difference between decision values of `kernel_rbf()` and of the other two, on other rows,",
    "with a tolerance of 1e-8 and of 1e-3. `f`: one evaluation of the function in R for all pairs of training rows.",
    "`kernlab_1000`: `ksvm()` of the kernel matrix of the first 1,000 rows, beside `kernel_matrix()` with the same."
  ),
  table_md(table, digits = c(0, 0, 0, 0, 0, 5, 2, 3, 3, 2, 2, 3, 3, 3), row.names = FALSE),
  sprintf(
    paste(
      "- Against `kernel_rbf()` a kernel function takes %.1f to %.1f times as long, mostly in R; a kernel matrix %.1f",
      "to %.1f times."
    ),
    min(table[["function"]] / table$rbf), max(table[["function"]] / table$rbf), min(table$matrix / table$rbf),
    max(table$matrix / table$rbf)
  ),
  sprintf(
    "- From the same matrix of 1,000 rows kernlab takes %.1f to %.0f times as long.",
    min(table$kernlab_1000 / table$matrix_1000), max(table$kernlab_1000 / table$matrix_1000)
  ),
  sprintf(
    "- A Gaussian written in R, on 500 rows of Spam: kernlab, which calls it for each pair, %.1f s; here %.2f s.",
    by_pair, by_block
  )
)
