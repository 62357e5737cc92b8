# Draws man/figures/README-chessboard.png: the tuning grid on the first 1,000 examples of a chess board, and the best
# model before and after update() with the rest of the stream. Run from the top of the repository with the package
# installed: Rscript tools/readme-figure.R

library(onlinesvm)

set.seed(1)
stream <- chessboard(5000)
first <- 1:1000
tuned <- osvm_tune(
  stream$x[first, ], stream$y[first],
  solver_lasvm(C = 10^(0:4)), kernel_rbf(sigma = c(0.1, 0.2, 0.3, 0.4, 0.5)), scale = FALSE
)
updated <- update(tuned$fit, stream$x[-first, ], stream$y[-first])

dir.create("man/figures", showWarnings = FALSE, recursive = TRUE)
png("man/figures/README-chessboard.png", 1866, 680, res = 144, type = "cairo")
layout(matrix(1:3, 1), widths = c(1.22, 1, 1))
par(cex = 0.8, cex.main = 1.2) # changes the height of a line, so it is set before mar
par(mar = c(4.4, 4.4, 3.6, 0.5))
board <- function(fit, title) plot(fit, legend = FALSE, asp = 1, xlim = c(0, 4), ylim = c(0, 4), main = title)
plot(tuned, main = "osvm_tune(): error, %")
board(tuned$fit, "the best, after 1,000 examples")
board(updated, "update(): after 5,000")
invisible(dev.off())
