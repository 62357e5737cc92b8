# make demo: trains on kernlab's spam data as a stream of chunks and compares with e1071.
library(onlinesvm)
data(spam, package = "kernlab")
set.seed(1)
options(cli.progress_show_after = 0)

x <- log1p(as.matrix(spam[, -58])) # word frequencies are very skewed
y <- spam$type
test <- sample(nrow(x), 601) # leaves 4,000
stream <- sample(setdiff(seq_len(nrow(x)), test))
chunks <- split(stream, ceiling(seq_along(stream) / 200))

cli::cli_h1("onlinesvm: {length(stream)} e-mails (kernlab's spam) in {length(chunks)} chunks")
seconds <- system.time({
  bar <- cli::cli_progress_bar("Training", total = length(stream), clear = FALSE)
  fit <- NULL
  for (rows in chunks) {
    # Scaling and kernel width are set by the first chunk.
    fit <- if (is.null(fit)) {
      osvm(x[rows, ], y[rows], solver_olsvm(C = 10, epochs = 5), verbose = FALSE)
    } else {
      # The first chunk has constant columns.
      suppressWarnings(update(fit, x[rows, ], y[rows]), classes = "osvm_out_of_range")
    }
    cli::cli_progress_update(length(rows), id = bar)
  }
  cli::cli_progress_done(id = bar)
})[["elapsed"]]

e1071_seconds <- system.time(
  e1071_fit <- e1071::svm(x[stream, ], y[stream],
    cost = 10, gamma = fit$kernel$params$gamma, fitted = FALSE
  )
)[["elapsed"]]

accuracy <- function(model) mean(predict(model, x[test, ]) == y[test])
results <- data.frame(
  model = c("onlinesvm, OL SVM, stream", "e1071, batch, same C and kernel"),
  accuracy = sprintf("%.1f %%", 100 * c(accuracy(fit), accuracy(e1071_fit))),
  SVs = c(fit$n_sv, e1071_fit$tot.nSV),
  seconds = sprintf("%.2f", c(seconds, e1071_seconds))
)
cli::cli_verbatim(utils::capture.output(print(results, row.names = FALSE, right = FALSE)))

figure <- file.path("build", "demo.png")
board <- chessboard(2000)
fit <- osvm(board$x, board$y, solver_olsvm(C = 10, epochs = 10), kernel_rbf(gamma = 5), verbose = FALSE)
grDevices::png(figure, width = 1200, height = 1200, res = 150)
plot(fit, board$x, board$y)
invisible(grDevices::dev.off())
cli::cli_alert_success("Decision boundary of a 4 x 4 chess board: {.file {figure}}")
