# Latency: one row at a time, predicted or learned, as a service or a stream does it.
source("bench/common.R")
suppressPackageStartupMessages(library(kernlab))

calls <- 500
clouds <- function(n, d, classes) {
  set.seed(d + classes)
  y <- sample(classes, n, replace = TRUE)
  x <- matrix(rnorm(n * d), n, dimnames = list(NULL, paste0("v", seq_len(d))))
  x <- x + matrix(rnorm(classes * d, 0, 0.45), classes)[y, ]
  list(x = x, y = factor(letters[y]))
}

# Microseconds of a call of each function. median: processor time, of batches of calls that alternate, since the clock of
# processes has a resolution of a millisecond; other processes do not distort it. p99: elapsed time of single calls.
batch <- 50
microseconds <- function(functions, calls) {
  batches <- ceiling(calls / batch)
  time <- matrix(0, batches * batch, length(functions), dimnames = list(NULL, names(functions)))
  processor <- matrix(0, batches, length(functions), dimnames = list(NULL, names(functions)))
  for (call in functions) for (i in 1:20) call()
  for (b in seq_len(batches)) {
    for (k in seq_along(functions)) {
      processor[b, k] <- 1e6 / batch * seconds(for (i in seq_len(batch)) {
        start <- unclass(Sys.time())
        functions[[k]]()
        time[(b - 1) * batch + i, k] <- 1e6 * (unclass(Sys.time()) - start)
      })
    }
  }
  list(median = apply(processor, 2, median), p99 = apply(time, 2, quantile, 0.99))
}

fit <- function(..., solver = solver_lasvm(), kernel = kernel_rbf()) osvm(..., solver, kernel, verbose = FALSE)
predictions <- function(what, e1071, ksvm, ours, row) {
  message(what)
  time <- microseconds(list(
    e1071 = function() predict(e1071, row), ksvm = function() kernlab::predict(ksvm, row),
    ours = function() predict(ours, row)
  ), calls)
  data.frame(
    model = what, `SV e1071` = nrow(e1071$SV), `SV ours` = if (is.null(ours$sv)) 0 else nrow(ours$sv),
    e1071 = time$median[["e1071"]], ksvm = time$median[["ksvm"]], ours = time$median[["ours"]],
    `ours / e1071` = time$median[["ours"]] / time$median[["e1071"]],
    `p99 e1071` = time$p99[["e1071"]], `p99 ksvm` = time$p99[["ksvm"]], `p99 ours` = time$p99[["ours"]],
    check.names = FALSE
  )
}

shapes <- expand.grid(features = c(5, 20), classes = 2:3)
by_matrix <- Map(function(d, classes) {
  data <- clouds(700, d, classes)
  predictions(
    sprintf("matrix, %d features, %d classes", d, classes), e1071::svm(data$x, data$y), ksvm(data$x, data$y),
    fit(data$x, data$y), data$x[1, , drop = FALSE]
  )
}, shapes$features, shapes$classes)

data <- clouds(700, 10, 3)
frame <- data.frame(data$x, y = data$y)
mixed <- cbind(frame, group = factor(sample(c("p", "q", "r"), 700, replace = TRUE)))
linear <- clouds(700, 20, 2)
five <- clouds(700, 10, 5)
others <- list(
  predictions(
    "one against the rest, 10 features, 5 classes", e1071::svm(five$x, five$y), ksvm(five$x, five$y),
    fit(five$x, five$y, multiclass = "ovr"), five$x[1, , drop = FALSE]
  ),
  predictions(
    "formula, 10 numeric columns, 3 classes", e1071::svm(y ~ ., frame), ksvm(y ~ ., frame), fit(y ~ ., frame),
    frame[1, ]
  ),
  predictions("formula with a factor", e1071::svm(y ~ ., mixed), ksvm(y ~ ., mixed), fit(y ~ ., mixed), mixed[1, ]),
  predictions(
    "linear, 20 features, 2 classes", e1071::svm(linear$x, linear$y, kernel = "linear"),
    ksvm(linear$x, linear$y, kernel = "vanilladot", kpar = list()),
    fit(linear$x, linear$y, solver = solver_pegasos(), kernel = "linear"),
    linear$x[1, , drop = FALSE]
  )
)
predicted <- do.call(rbind, c(by_matrix, others))

# One-row updates, beside e1071's one-row prediction on the same data.
solvers_used <- list(
  perceptron = solver_perceptron(), `passive-aggressive` = solver_pa(), `OL SVM` = solver_olsvm(),
  `LASVM, finish = TRUE` = solver_lasvm(), `LASVM, finish = FALSE` = solver_lasvm(finish = FALSE),
  `Pegasos, linear` = solver_pegasos()
)
updates <- function(d, classes) {
  data <- clouds(if (classes == 2) 500 else 400, d, classes)
  row <- data$x[1, , drop = FALSE]
  label <- data$y[1]
  other <- e1071::svm(data$x, data$y)
  rows <- Map(function(solver, name) {
    message(name)
    kernel <- if (name == "Pegasos, linear") kernel_linear() else kernel_rbf()
    ours <- fit(data$x, data$y, solver = solver, kernel = kernel)
    time <- microseconds(list(
      e1071 = function() predict(other, row), update = function() update(ours, row, label)
    ), calls / 2)
    data.frame(
      solver = name, features = d, classes = classes, SV = if (is.null(ours$sv)) 0 else nrow(ours$sv),
      update = time$median[["update"]], `p99` = time$p99[["update"]], `e1071, predict` = time$median[["e1071"]],
      ratio = time$median[["update"]] / time$median[["e1071"]], check.names = FALSE
    )
  }, solvers_used, names(solvers_used))
  do.call(rbind, c(rows, make.row.names = FALSE))
}
learned <- rbind(updates(5, 2), updates(20, 2), updates(10, 3))

# A linear model stays as large as it is: does an update cost more after many?
stream <- clouds(700, 20, 2)
model <- fit(stream$x, stream$y, solver = solver_pegasos(), kernel = "linear")
time <- numeric(5000)
for (i in seq_along(time)) {
  k <- (i - 1) %% 700 + 1
  start <- unclass(Sys.time())
  model <- update(model, stream$x[k, , drop = FALSE], stream$y[k])
  time[i] <- 1e6 * (unclass(Sys.time()) - start)
}
long <- data.frame(
  updates = c("1 to 1,000", "4,001 to 5,000"),
  median = c(median(head(time, 1000)), median(tail(time, 1000)))
)

limit <- function(what, value, most) {
  sprintf("- %s: **%.2f times** (limit: %g, %s)", what, value, most, if (value <= most) "kept" else "**missed**")
}
report(
  "latency", "Latency of one row",
  "Microseconds of one call: processor time, median over batches of 50 calls, in which the packages alternate; p99: 99th",
  "percentile of the elapsed time of single calls, which other processes of the machine lengthen.",
  "", "## Prediction of one row",
  table_md(predicted, digits = c(0, 0, 0, 0, 0, 0, 2, 0, 0, 0)),
  limit("our median over e1071's, largest of these models", max(predicted[["ours / e1071"]]), 1),
  "", "## Update by one row",
  table_md(learned, digits = c(0, 0, 0, 0, 0, 0, 0, 2)),
  limit("update over e1071's prediction, largest of these models", max(learned$ratio), 3),
  "", "## After many updates", "",
  "Pegasos, linear, 20 features; microseconds of one-row updates.",
  table_md(long, digits = 0)
)
