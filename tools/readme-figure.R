# Draws man/figures/README-chessboard.png: one model, seen three times while a
# stream of examples goes through it. Run from the top of the repository with
# the package installed: Rscript tools/readme-figure.R

library(onlinesvm)

set.seed(1)
stream <- chessboard(4992)
seen <- c(250, 1000, 4992)

fit <- NULL
models <- list()
for (i in seq_along(seen)) {
  rows <- seq(c(0, seen)[i] + 1, seen[i])
  x <- stream$x[rows, ]
  y <- stream$y[rows]
  fit <- if (is.null(fit)) {
    osvm(x, y, solver_olsvm(C = 10, epochs = 5), kernel_rbf(sigma = 0.3))
  } else {
    update(fit, x, y)
  }
  models[[i]] <- fit
}

dir.create("man/figures", showWarnings = FALSE, recursive = TRUE)
png("man/figures/README-chessboard.png", 1260, 500, res = 108, type = "cairo")
par(mfrow = c(1, 3), mar = c(4, 4, 4, 0.8), cex.main = 1.4)
for (i in seq_along(seen)) {
  plot(
    models[[i]], legend = FALSE, asp = 1, xlim = c(0, 4), ylim = c(0, 4),
    main = sprintf("after %s examples", format(seen[i], big.mark = ","))
  )
}
invisible(dev.off())
