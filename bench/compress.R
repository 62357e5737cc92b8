# Models compressed to a fifth of their support vectors: accuracy, and time beside that of the fit.
source("bench/common.R")
source("bench/budget/generators.R")

real <- function(name, rows) {
  data <- real_data(name)
  set.seed(1)
  chosen <- sample.int(length(data$y), rows)
  list(x = data$x[chosen, ], y = factor(data$y[chosen]))
}
set.seed(1)
board <- chessboard(9000, noise = 0.05)
engine <- misfires(60000)
engine$x <- apply(engine$x, 2, function(v) (v - min(v)) / diff(range(v)))
sets <- list(
  Misfires = c(engine, list(solver = solver_smo(C = 10), kernel = kernel_rbf(gamma = 4), scale = FALSE)),
  `Misfires, C = 100` = c(engine, list(solver = solver_smo(C = 100), kernel = kernel_rbf(gamma = 4), scale = FALSE)),
  `Noisy chess board` = c(board, list(solver = solver_smo(C = 10), kernel = kernel_rbf(sigma = 0.4))),
  Banana = c(real("banana", 5300), list(solver = solver_smo(C = 10), kernel = kernel_rbf())),
  Spam = {
    set.seed(1)
    data <- packaged("spam", "kernlab")
    data <- data[sample.int(nrow(data)), ]
    list(x = as.matrix(data[-58]), y = data$type, solver = solver_smo(C = 2), kernel = kernel_rbf())
  },
  Adult = c(real("adult", 15000), list(solver = solver_smo(C = 1), kernel = kernel_rbf(gamma = 0.05), scale = FALSE)),
  `USPS, ten classes` = c(real("usps", 9298), list(solver = solver_smo(C = 5), kernel = kernel_rbf())),
  Covertype = c(real("covertype", 15000), list(solver = solver_smo(C = 10), kernel = kernel_rbf())),
  `Covertype, quartic` = c(real("covertype", 15000), list(solver = solver_smo(C = 10), kernel = kernel_polynomial(4)))
)

measure <- function(name, share) {
  data <- sets[[name]]
  test <- seq_along(data$y) %% 3 == 0
  fit_seconds <- seconds(fit <- osvm(
    data$x[!test, ], data$y[!test], data$solver, data$kernel, scale = !identical(data$scale, FALSE), threads = 1, verbose = FALSE
  ))
  compress_seconds <- seconds(small <- compress(fit, share * fit$n_sv))
  accuracy <- function(model) 100 * mean(predict(model, data$x[test, ]) == data$y[test])
  message(name, " ", share)
  data.frame(
    data = name, test = sum(test), sv = fit$n_sv, left = small$n_sv, accuracy = accuracy(fit),
    compressed = accuracy(small), distance = max(small$compression$distance), fit_seconds, compress_seconds
  )
}
table <- do.call(rbind, lapply(c(0.2, 0.1, 0.05), function(share) {
  do.call(rbind, suppressWarnings(lapply(names(sets), measure, share = share)))
}))
table$loss <- table$accuracy - table$compressed
save_results(table, "compress")
report(
  "compress", "Compressed models",
  "SMO; a third of the examples for the test. Loss in points of accuracy, seconds of processor time, one thread.",
  table_md(table, digits = c(0, 0, 0, 0, 2, 2, 2, 2, 2, 2), row.names = FALSE)
)
