# The layout of sparse data: dense panels where the density makes them faster. A matrix as full as ijcnn1 (22 features,
# 59 % not zero) as dense and as sparse matrix, and the break-even density. Scaling differs between the two classes of
# matrices, so there is none.
source("bench/common.R")

generate <- function(n, d, share) {
  set.seed(1)
  x <- matrix(rnorm(n * d) * (runif(n * d) < share), n)
  score <- rowSums(x[, 1:4]^2) - x[, 5] * x[, 6] + 0.3 * rnorm(n)
  list(x = x, y = factor(score > median(score)), sparse = methods::as(methods::as(x, "dMatrix"), "CsparseMatrix"))
}

# Features without a value make a matrix so thin that its store is sparse, and cost a sparse store nothing.
thinned <- function(sparse) {
  empty <- Matrix::sparseMatrix(i = integer(), j = integer(), x = numeric(), dims = c(nrow(sparse), 40 * ncol(sparse)))
  cbind(sparse, empty)
}

# The solvers and prediction on one form of the data.
runs_on <- function(x, y, gamma, tuned = NULL) {
  fit <- function(solver, kernel = kernel_rbf(gamma = gamma)) {
    set.seed(1)
    osvm(x, y, solver, kernel, scale = FALSE, threads = 1, verbose = FALSE)
  }
  model <- fit(solver_smo(C = 1))
  tune <- function() {
    set.seed(1)
    osvm_tune(x[tuned, ], y[tuned], solver_smo(C = c(0.1, 1, 10)), kernel_rbf(gamma = gamma * c(0.5, 1, 2)),
      folds = 3, scale = FALSE, threads = 1, progress = FALSE
    )
  }
  c(
    list(
      SMO = function() fit(solver_smo(C = 1)), LASVM = function() fit(solver_lasvm(C = 1)),
      `OL SVM` = function() fit(solver_olsvm(C = 1, epochs = 2)),
      `Pegasos, linear` = function() fit(solver_pegasos(epochs = 50), kernel_linear()),
      prediction = function() predict(model, x, threads = 1)
    ),
    if (!is.null(tuned)) list(`tuning, SMO` = tune)
  )
}

# Processor times, a row per run and a column per form; the forms alternate, the fastest of several counts.
times <- function(forms, ..., repeats = 3) {
  runs <- lapply(forms, runs_on, ...)
  t(vapply(names(runs[[1]]), function(name) {
    apply(replicate(repeats, vapply(runs, function(run) seconds(run[[name]]()), 0)), 1, min)
  }, numeric(length(forms))))
}

message("22 features, 59 % ...")
data <- generate(6000, 22, 0.59)
forms <- list(dense = data$x, sparse = data$sparse, thin = thinned(data$sparse))
like <- as.data.frame(times(forms, data$y, 0.05, tuned = 1:1500, repeats = 7))
rivals <- seconds(other <- e1071::svm(data$sparse, data$y, scale = FALSE, gamma = 0.05, cost = 1, fitted = FALSE))
rivals[2] <- seconds(predict(other, data$sparse))
like$e1071 <- NA
like[c("SMO", "prediction"), "e1071"] <- rivals
like$ratio <- like$sparse / like$dense

# Time from a sparse store over time from dense panels; above 1 dense is faster.
break_even <- do.call(rbind, lapply(c(10, 22, 60, 300), function(d) {
  do.call(rbind, lapply(c(0.05, 0.1, 0.2, 0.3, 0.6), function(share) {
    message(d, " features, ", 100 * share, " % ...")
    data <- generate(2500, d, share)
    seconds <- times(list(thinned(data$sparse), data$x), data$y, 0.5 / (d * share))
    ratio <- seconds[, 1] / seconds[, 2]
    chosen <- d * share^2 + 1 > d / 16
    data.frame(
      features = d, `not zero` = share, t(ratio), panels = if (chosen) "dense" else "sparse", check.names = FALSE
    )
  }))
}))

least <- function(name) {
  target(paste0(name, ": e1071's time over ours, both sparse"), like[name, "e1071"] / like[name, "sparse"], 5)
}
kernels <- setdiff(rownames(like), "Pegasos, linear")
report(
  "layout", "Dense panels for sparse matrices",
  "6,000 x 22, 59 % of it not zero, RBF kernel: processor seconds of the same numbers as a dense matrix, as a sparse",
  "one, and as a sparse one with empty features, which is so thin that the core packs it sparsely.",
  table_md(like, digits = 3),
  target("with kernels, the dense matrix's time over the sparse one's", min(1 / like[kernels, "ratio"]), 0.77),
  least("SMO"), least("prediction"), "",
  "Break-even, 2,500 examples: the time from a sparse store over that from dense panels. The last column is what the",
  "core chooses for kernels in single precision: dense where d p^2 + 1 > d / 16, with d features and p the share that",
  "is not zero; in double precision d / 8, and for the weights of a linear model p > 1/3.",
  table_md(break_even, digits = 2)
)
