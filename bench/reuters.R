# Sparse text: OL SVM against e1071 on the same dgCMatrix (e1071 reads it through SparseM).
source("bench/common.R")

data <- real_data("reuters")
x <- data$x
y <- factor(data$y)
set.seed(1)
train <- sample(nrow(x), 0.8 * nrow(x))
new_x <- x[-train, ]
new_y <- y[-train]
x <- x[train, ]
y <- y[train]

kernels <- list(
  linear = list(ours = kernel_linear(), theirs = list(kernel = "linear")),
  rbf = list(ours = kernel_rbf(sigma = 10), theirs = list(kernel = "radial", gamma = 1 / 200))
)

run <- function(kernel, C) {
  message(kernel, ", C = ", C)
  k <- kernels[[kernel]]
  ours_time <- seconds(ours <- osvm(x, y, solver_olsvm(C = C, epochs = 10), k$ours,
    scale = FALSE, threads = 1, verbose = FALSE
  ))
  theirs_time <- seconds(theirs <- do.call(e1071::svm, c(
    list(x, y, cost = C, scale = FALSE, fitted = FALSE, cachesize = 256), k$theirs
  )))
  data.frame(
    kernel, C,
    ours_s = ours_time, e1071_s = theirs_time, ratio = theirs_time / ours_time,
    ours_error = error(predict(ours, new_x), new_y),
    e1071_error = error(predict(theirs, new_x), new_y)
  )
}

grid <- expand.grid(C = c(0.1, 1, 10, 100), kernel = names(kernels), stringsAsFactors = FALSE)
results <- do.call(rbind, Map(run, grid$kernel, grid$C))
rbf <- results[results$kernel == "rbf", ]
report(
  "reuters", "Reuters money-fx, 11,069 x 8,362 sparse: OL SVM, ten epochs, against e1071",
  "Processor seconds of one fit on 80 % of the documents, one thread; error in per cent on the rest.",
  "onlinesvm keeps weights instead of support vectors for the linear kernel.",
  table_md(results, digits = c(0, 1, 3, 2, 1, 2, 2), row.names = FALSE),
  target("e1071's total time over ours, RBF", sum(rbf$e1071_s) / sum(rbf$ours_s), 20),
  target("e1071's total time over ours, all", sum(results$e1071_s) / sum(results$ours_s), 20),
  sprintf("- best error: onlinesvm %.2f %%, e1071 %.2f %%", min(results$ours_error), min(results$e1071_error))
)
