# Sparse text: OL SVM against e1071 on the same dgCMatrix (e1071 converts it by SparseM).
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
  linear = list(onlinesvm = kernel_linear(), e1071 = list(kernel = "linear")),
  rbf = list(onlinesvm = kernel_rbf(sigma = 10), e1071 = list(kernel = "radial", gamma = 1 / 200))
)

run <- function(kernel, C) {
  message(kernel, ", C = ", C)
  k <- kernels[[kernel]]
  ours <- function(epochs) {
    time <- seconds(fit <- osvm(x, y, solver_olsvm(C = C, epochs = epochs), k$onlinesvm,
      scale = FALSE, threads = 1, verbose = FALSE
    ))
    c(time, error(predict(fit, new_x), new_y))
  }
  two <- ours(2)
  ten <- ours(10)
  e1071_time <- seconds(e1071_fit <- do.call(e1071::svm, c(
    list(x, y, cost = C, scale = FALSE, fitted = FALSE, cachesize = 256), k$e1071
  )))
  data.frame(
    kernel, C,
    two_s = two[1], ten_s = ten[1], e1071_s = e1071_time,
    two_error = two[2], ten_error = ten[2], e1071_error = error(predict(e1071_fit, new_x), new_y)
  )
}

grid <- expand.grid(C = c(0.1, 1, 10, 100), kernel = names(kernels), stringsAsFactors = FALSE)
results <- do.call(rbind, Map(run, grid$kernel, grid$C))
ratio <- function(kernel, epochs) {
  rows <- results[results$kernel == kernel, ]
  target(paste0("e1071's total time over ours, ", kernel, ", ", epochs, " epochs"),
    sum(rows$e1071_s) / sum(rows[[paste0(epochs, "_s")]]), 20
  )
}
report(
  "reuters", "Reuters money-fx, 11,069 x 8,362 sparse: OL SVM, two and ten epochs, against e1071",
  "Processor seconds of one fit on 80 % of the documents, one thread; error in per cent on the rest.",
  "onlinesvm stores weights instead of support vectors for the linear kernel.",
  table_md(results, digits = c(0, 1, 3, 3, 2, 2, 2, 2), row.names = FALSE),
  ratio("rbf", "two"), ratio("rbf", "ten"), ratio("linear", "two"), ratio("linear", "ten"),
  sprintf(
    "- best error: two epochs %.2f %%, ten epochs %.2f %%, e1071 %.2f %%",
    min(results$two_error), min(results$ten_error), min(results$e1071_error)
  )
)
