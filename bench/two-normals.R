# Time of OL SVM over the grid of Kecman and Melki (2016): dependence on C and sigma, and comparison with e1071.
source("bench/common.R")

limit <- 300 # seconds for one cell of e1071 or kernlab
set.seed(1)
data <- two_normals(15000)
train <- 1:12000
x <- data$x[train, ]
y <- data$y[train]
new_x <- data$x[-train, ]
new_y <- data$y[-train]

ours <- function(C, sigma) {
  time <- seconds(fit <- osvm(x, y, solver_olsvm(C = C, epochs = 2), kernel_rbf(sigma = sigma),
    scale = FALSE, threads = 1, verbose = FALSE
  ))
  c(time, error(predict(fit, new_x), new_y), fit$n_sv)
}
# The same cache size as ours; e1071's default of 40 MB is slower.
e1071 <- function(C, sigma) {
  time <- seconds(fit <- e1071::svm(x, y,
    scale = FALSE, gamma = 1 / (2 * sigma^2), cost = C, cachesize = 256, fitted = FALSE
  ))
  c(time, error(predict(fit, new_x), new_y), fit$tot.nSV)
}
kernlab <- function(C, sigma) {
  time <- seconds(fit <- kernlab::ksvm(x, y,
    scaled = FALSE, kpar = list(sigma = 1 / (2 * sigma^2)), C = C, cache = 256, fit = FALSE
  ))
  c(time, error(kernlab::predict(fit, new_x), new_y), kernlab::nSV(fit))
}
cell <- function(run, C, sigma) {
  result <- limited(run(C, sigma), limit)
  if (is.null(result)) c(limit, NA, NA) else result
}

invisible(ours(1, 1)) # the first call loads code
grid <- expand.grid(C = 10^(-2:4), sigma = c(0.1, 1, 10))
results <- t(mapply(function(C, sigma) {
  message("C = ", C, ", sigma = ", sigma)
  c(ours(C, sigma), cell(e1071, C, sigma), if (C == 1) cell(kernlab, C, sigma) else rep(NA, 3))
}, grid$C, grid$sigma))
colnames(results) <- paste(rep(c("onlinesvm", "e1071", "kernlab"), each = 3), c("s", "error %", "SVs"))

time <- results[, c("onlinesvm s", "e1071 s")]
done <- !is.na(results[, "e1071 error %"])
best <- apply(results[, c("onlinesvm error %", "e1071 error %")], 2, min, na.rm = TRUE)
report(
  "two-normals", "OL SVM on two normals: 12,000 x 2, two epochs, against e1071 and kernlab",
  "Processor seconds of one fit on one thread, error on 3,000 test examples. kernlab runs at C = 1 only.",
  sprintf("A baseline cell of %g s was stopped, so the ratio is a lower bound.", limit),
  table_md(cbind(grid, results), digits = c(2, 1, 3, 2, 0, 2, 2, 0, 2, 2, 0)),
  target("e1071's total time over ours", sum(time[, 2]) / sum(time[, 1]), 80),
  target("the same over the cells that e1071 finished", sum(time[done, 2]) / sum(time[done, 1]), 80),
  sprintf(
    "- totals: onlinesvm %.2f s, e1071 %.1f s; e1071 cells stopped: %d of %d",
    sum(time[, 1]), sum(time[, 2]), sum(!done), nrow(grid)
  ),
  sprintf(
    "- best error: onlinesvm %.2f %%, e1071 %.2f %% (target: at most 0.5 points above)", best[1], best[2]
  ),
  sprintf(
    "- slowest cell over fastest: onlinesvm %.1f, e1071 %.0f",
    max(time[, 1]) / min(time[, 1]), max(time[, 2]) / min(time[, 2])
  ),
  sprintf(
    "- slope of log10(seconds) per decade of C and of sigma: %s",
    paste(sprintf("%.2f", coef(lm(log10(time[, 1]) ~ log10(C) + log10(sigma), grid))[-1]), collapse = ", ")
  )
)
