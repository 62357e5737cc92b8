# The batch solver against LIBSVM (e1071) at the same kernel, tolerance and cache: seconds and dual objective.
source("bench/common.R")

limit <- 600 # seconds for one cell of e1071
tolerance <- 1e-3

standardised <- function(x) {
  x <- as.matrix(x)
  x <- x[, apply(x, 2, sd) > 0]
  scale(x)
}
spam <- local({
  data("spam", package = "kernlab", envir = environment())
  list(x = spam[, -58], y = spam$type)
})
banana <- real_data("banana")
prototask <- real_data("prototask")
usps <- real_data("usps")
adult <- real_data("adult")
reuters <- real_data("reuters")
set.seed(1)
some <- sample(adult$train, 10000)
normals <- two_normals(12000)

# Sparse sets are not scaled.
sets <- list(
  banana = list(x = standardised(banana$x), y = banana$y),
  prototask = list(x = standardised(prototask$x), y = prototask$y),
  usps = list(x = standardised(usps$x[usps$train, ]), y = usps$y[usps$train] %in% c(3, 6, 8, 9, 0)),
  adult = list(x = adult$x[some, ], y = adult$y[some]),
  reuters = list(x = reuters$x, y = reuters$y, gamma = 1 / 200),
  spam = list(x = standardised(spam$x), y = spam$y),
  "two normals" = list(x = normals$x, y = normals$y)
)
sets <- lapply(sets, function(set) {
  set$y <- factor(set$y)
  if (is.null(set$gamma)) set$gamma <- 1 / ncol(set$x)
  set
})

# a'Ka/2 - sum |a| for signed coefficients, in double precision, by blocks of rows.
objective <- function(sv, coef, gamma) {
  norms <- Matrix::rowSums(sv^2)
  quadratic <- 0
  for (rows in split(seq_along(coef), ceiling(seq_along(coef) / 500))) {
    squared <- outer(norms[rows], norms, "+") - 2 * as.matrix(Matrix::tcrossprod(sv[rows, , drop = FALSE], sv))
    quadratic <- quadratic + sum(coef[rows] * (exp(-gamma * pmax(squared, 0)) %*% coef))
  }
  quadratic / 2 - sum(abs(coef))
}

ours <- function(set, C, cache) {
  time <- seconds(fit <- osvm(set$x, set$y, solver_smo(C = C, tolerance = tolerance), kernel_rbf(gamma = set$gamma),
    scale = FALSE, cache_mb = cache, threads = 1, verbose = FALSE
  ))
  c(time, objective(fit$sv, as.vector(fit$coef), set$gamma), fit$n_sv, fit$convergence$iterations)
}
e1071 <- function(set, C, cache) {
  time <- seconds(fit <- e1071::svm(set$x, set$y,
    scale = FALSE, gamma = set$gamma, cost = C, tolerance = tolerance, cachesize = cache, fitted = FALSE
  ))
  c(time, objective(set$x[fit$index, , drop = FALSE], as.vector(fit$coefs), set$gamma), fit$tot.nSV)
}

run <- function(name, C, cache) {
  message(name, ", C = ", C, ", ", cache, " MB")
  set <- sets[[name]]
  own <- ours(set, C, cache)
  libsvm <- limited(e1071(set, C, cache), limit)
  if (is.null(libsvm)) libsvm <- c(limit, NA, NA)
  data.frame(
    data = name, C, cache_mb = cache, onlinesvm_s = own[1], e1071_s = libsvm[1], ratio = libsvm[1] / own[1],
    onlinesvm_objective = own[2], e1071_objective = libsvm[2], difference = (own[2] - libsvm[2]) / abs(libsvm[2]),
    onlinesvm_svs = own[3], e1071_svs = libsvm[3], iterations = own[4]
  )
}

invisible(ours(list(x = banana$x[1:100, ], y = factor(banana$y[1:100]), gamma = 1), 1, 1)) # the first call loads code
grid <- rbind(
  expand.grid(data = names(sets), C = c(1, 100), cache = 256, stringsAsFactors = FALSE),
  expand.grid(data = c("usps", "adult"), C = c(1, 100), cache = 40, stringsAsFactors = FALSE)
)
grid <- grid[order(match(grid$data, names(sets)), -grid$cache, grid$C), ]
results <- do.call(rbind, Map(run, grid$data, grid$C, grid$cache))

in_mean <- results$data != "two normals" & results$cache_mb == 256
mean_ratio <- exp(mean(log(results$ratio[in_mean])))
save_results(results, "smo")
report(
  "smo", "SMO against e1071 (LIBSVM): RBF kernel, tolerance 1e-3",
  "Processor seconds of one fit on one thread. gamma is 1 / features (Reuters: 1 / 200); dense sets standardised.",
  "Objective: a'Ka/2 - sum |a| of both packages, in double precision; difference relative, negative is better.",
  "Two normals, and the cells with 40 MB, are not in the geometric mean.",
  table_md(results, digits = c(0, 0, 0, 3, 3, 1, 2, 2, 7, 0, 0, 0), row.names = FALSE),
  target("geometric mean of e1071's time over ours", mean_ratio, 5),
  target("smallest ratio of all", min(results$ratio), 1),
  sprintf(
    "- largest relative difference of the objectives: %.1e (target: at most 1e-4)",
    max(abs(results$difference), na.rm = TRUE)
  )
)
