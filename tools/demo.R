# make demo: streams kernlab's spam data from a file, measures as it goes, and compares with e1071.
library(onlinesvm)
data(spam, package = "kernlab")
set.seed(1)
options(cli.progress_show_after = 0)

x <- log1p(as.matrix(spam[, -58])) # word frequencies are very skewed
colnames(x) <- make.names(colnames(x))
test <- sample(nrow(x), 601) # leaves 4,000
stream <- sample(setdiff(seq_len(nrow(x)), test))
file <- tempfile(fileext = ".csv")
utils::write.csv(data.frame(x, type = spam$type)[stream, ], file, row.names = FALSE)

cli::cli_h1("onlinesvm: {length(stream)} e-mails (kernlab's spam) from a file, in chunks of 200")
# Each chunk is predicted before it is learned; the kernel's width is set by the first one, scaling follows the stream.
run <- osvm_stream(
  source_csv(file, label = "type"), solver_olsvm(C = 10, epochs = 5),
  scale = "running", chunk = 200, metrics = c("accuracy", "kappa"), verbose = TRUE
)
cli::cli_verbatim(utils::capture.output(print(run)))

y <- spam$type
e1071_seconds <- system.time(
  e1071_fit <- e1071::svm(x[stream, ], y[stream],
    cost = 10, gamma = run$fit$kernel$params$gamma, fitted = FALSE
  )
)[["elapsed"]]

cli::cli_h2("On {length(test)} e-mails held out")
accuracy <- function(model) mean(as.character(predict(model, x[test, ])) == y[test])
results <- data.frame(
  model = c("onlinesvm, OL SVM, stream", "e1071, batch, same C and kernel"),
  accuracy = sprintf("%.1f %%", 100 * c(accuracy(run$fit), accuracy(e1071_fit))),
  SVs = c(run$fit$n_sv, e1071_fit$tot.nSV),
  seconds = sprintf("%.2f", c(run$seconds, e1071_seconds))
)
cli::cli_verbatim(utils::capture.output(print(results, row.names = FALSE, right = FALSE)))
cli::cli_text("The seconds of the stream include reading the file, and predicting every e-mail before it was learned.")

draw <- function(file, ...) {
  grDevices::png(file, width = 1200, height = 1200, res = 150)
  plot(...)
  invisible(grDevices::dev.off())
}
figures <- file.path("build", c("demo-stream.png", "demo.png"))
draw(figures[1], run)
board <- chessboard(2000)
fit <- osvm(board$x, board$y, solver_olsvm(C = 10, epochs = 10), kernel_rbf(gamma = 5), verbose = FALSE)
draw(figures[2], fit, board$x, board$y)
cli::cli_alert_success("The stream, chunk by chunk: {.file {figures[1]}}")
cli::cli_alert_success("Decision boundary of a 4 x 4 chess board: {.file {figures[2]}}")
