# 9 C x 4 sigma x 5 folds: 180 fits of 1,600 of 2,000 rows.
set.seed(1)
grid_data <- chessboard(2000)
run_grid <- function(threads = NULL) {
  set.seed(2)
  osvm_tune(grid_data$x, grid_data$y, solver_olsvm(C = 10^seq(-2, 2, length.out = 9), epochs = 2),
    kernel_rbf(sigma = c(0.1, 0.3, 1, 3)), progress = FALSE, refit = FALSE, threads = threads)
}
