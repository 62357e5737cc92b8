# make demo: kernlab's spam mails arrive in chunks; the model learns each chunk as it comes.
library(onlinesvm)
data(spam, package = "kernlab")
set.seed(1)
options(cli.progress_show_after = 0)

x <- log1p(as.matrix(spam[, -58])) # word frequencies are very skewed
y <- spam$type
test <- sample(nrow(x), 601) # leaves 4,000
stream <- sample(setdiff(seq_len(nrow(x)), test))
chunks <- split(stream, ceiling(seq_along(stream) / 200))

cli::cli_h1("onlinesvm: {length(stream)} mails (kernlab's spam) in {length(chunks)} chunks")
seconds <- system.time({
  bar <- cli::cli_progress_bar("Learning", total = length(stream), clear = FALSE)
  fit <- NULL
  for (rows in chunks) {
    # The first chunk settles the scaling and the kernel's width; the others go on from there.
    fit <- if (is.null(fit)) {
      osvm(x[rows, ], y[rows], solver_olsvm(C = 10, epochs = 5), verbose = FALSE)
    } else {
      update(fit, x[rows, ], y[rows])
    }
    cli::cli_progress_update(length(rows), id = bar)
  }
  cli::cli_progress_done(id = bar)
})[["elapsed"]]

rival_seconds <- system.time(
  rival <- e1071::svm(x[stream, ], y[stream],
    cost = 10, gamma = fit$kernel$params$gamma, fitted = FALSE
  )
)[["elapsed"]]

accuracy <- function(model) mean(predict(model, x[test, ]) == y[test])
figures <- data.frame(
  model = c("onlinesvm, streamed through OL SVM", "e1071, all mails at once, same C and kernel"),
  accuracy = sprintf("%.1f %%", 100 * c(accuracy(fit), accuracy(rival))),
  SVs = c(fit$n_sv, rival$tot.nSV),
  seconds = sprintf("%.2f", c(seconds, rival_seconds))
)
cli::cli_verbatim(utils::capture.output(print(figures, row.names = FALSE, right = FALSE)))

picture <- file.path("build", "demo.png")
board <- chessboard(2000)
fit <- osvm(board$x, board$y, solver_olsvm(C = 10, epochs = 10), kernel_rbf(gamma = 5), verbose = FALSE)
grDevices::png(picture, width = 1200, height = 1200, res = 150)
plot(fit, board$x, board$y)
invisible(grDevices::dev.off())
cli::cli_alert_success("The decision boundary of a 4 x 4 chess board is drawn in {.file {picture}}")
