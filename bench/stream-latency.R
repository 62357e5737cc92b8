# One row at a time through a live model of about 1,000 support vectors: predict, update, and the core's part of it.
source("bench/common.R")

features <- 20
calls <- 500
warm_up <- 50
target_sv <- 1000

set.seed(5)
draw <- function(n) {
  x <- matrix(rnorm(n * features), n, dimnames = list(NULL, paste0("v", seq_len(features))))
  wrong <- runif(n) < 0.2
  list(x = x, y = factor(ifelse((rowSums(x[, 1:5]^2) > 4.35) != wrong, "out", "in")))
}
data <- draw(20000)
row_of <- function(i) data$x[i, , drop = FALSE]

makers <- list(
  perceptron = solver_perceptron(epochs = 1), `passive-aggressive` = solver_pa(epochs = 1),
  `OL SVM` = solver_olsvm(C = 10, epochs = 1), NORMA = solver_norma(epochs = 1), Pegaz = solver_pegaz(epochs = 1),
  LASVM = solver_lasvm(C = 1, finish = FALSE), Huller = solver_huller(C = 1, epochs = 1), ramp = solver_ramp(C = 1),
  `ID-SVM` = solver_idsvm(C = 1), `passive-aggressive, linear` = solver_pa(epochs = 1),
  `Pegasos, linear` = solver_pegasos(epochs = 1)
)

# Examples until there are `target_sv` support vectors, or 5,000 examples.
grow <- function(solver, kernel) {
  live <- osvm_live(levels = levels(data$y), solver = solver, kernel = kernel, threads = 1, verbose = FALSE)
  upto <- 0
  while (upto < 5000 && (upto == 0 || snapshot(live)$n_sv < target_sv)) {
    rows <- upto + seq_len(100)
    suppressWarnings(update(live, data$x[rows, ], data$y[rows]))
    upto <- max(rows)
  }
  live
}

# The call of the core inside update(), its arguments made beforehand.
core_update <- function(live, i) {
  package <- asNamespace("onlinesvm")
  new <- package$examples_of_update(package$model_of(live), row_of(i), data$y[i], NULL, NULL, stats::na.omit)
  arguments <- list(
    package$ffi_live_update, live$pointer, package$core_request(new$model, new$examples, 1L), NULL,
    package$model_header(new$model)
  )
  function() do.call(.Call, arguments)
}
micros <- function(f) {
  start <- unclass(Sys.time())
  f()
  1e6 * (unclass(Sys.time()) - start)
}

# Mean processor time of calls in a row, each with a row of its own. The four are measured in turn, so that they share the
# machine's ups and downs; each turn begins with a live model of `fit` that has learned one row.
processor <- function(fit, turns = 10, each = 100) {
  started <- function() {
    live <- osvm_live(fit)
    update(live, row_of(1), data$y[1])
    live
  }
  time <- 0
  for (turn in seq_len(turns)) {
    at <- 9000 + each * turn + seq_len(each)
    live <- started()
    other <- started()
    cores <- lapply(at, core_update, live = other)
    time <- time + c(
      predict = seconds(for (i in at) predict(live, row_of(i))),
      update = seconds(for (i in at) update(live, row_of(i), data$y[i])),
      core = seconds(for (core in cores) core()), e1071 = seconds(for (i in at) predict(e1071_fit, row_of(i)))
    )
  }
  1e6 * time / (turns * each)
}

e1071_fit <- e1071::svm(data$x[1:1100, ], data$y[1:1100])
measure <- function(name) {
  kernel <- if (grepl("linear", name)) kernel_linear() else kernel_rbf(gamma = 0.02)
  fit <- snapshot(grow(makers[[name]], kernel))
  time <- matrix(0, calls, 4, dimnames = list(NULL, c("predict", "update", "core", "e1071")))
  for (i in seq_len(calls + warm_up)) {
    if (i %% 50 == 1) live <- osvm_live(fit) # so that it stays as large
    at <- 5000 + 2 * i
    core <- core_update(live, at + 1)
    Sys.sleep(0.002) # as rows arrive; without a pause the scheduler interrupts a busy process more often
    taken <- c(
      micros(function() predict(live, row_of(at))), micros(function() update(live, row_of(at), data$y[at])),
      micros(core), micros(function() predict(e1071_fit, row_of(at)))
    )
    if (i > warm_up) time[i - warm_up, ] <- taken
  }
  middle <- apply(time, 2, median)
  late <- apply(time, 2, quantile, 0.99)
  names(late) <- paste0(names(late), "_p99")
  mean <- processor(fit)
  names(mean) <- paste0(names(mean), "_processor")
  message(name, ": ", paste(round(middle), collapse = ", "), "; ", paste(round(mean), collapse = ", "))
  data.frame(solver = name, n_sv = fit$n_sv, t(middle), t(late), t(mean))
}
results <- do.call(rbind, lapply(names(makers), measure))

# One row in each of the ways to give it, a linear model: mean processor time of ten times 1,000 calls, in turn.
ways <- function() {
  fit <- snapshot(grow(makers[["passive-aggressive, linear"]], kernel_linear()))
  live <- osvm_live(fit)
  rows <- list(matrix = row_of(9000), `named vector` = data$x[9000, ], `data frame` = as.data.frame(row_of(9000)))
  label <- as.character(data$y[9000])
  core <- core_update(osvm_live(fit), 9000)
  repeated <- function(call) seconds(for (k in 1:1000) call())
  out <- 0
  for (turn in 1:10) out <- out + vapply(rows, function(row) {
    c(repeated(function() update(live, row, label)), repeated(core), repeated(function() predict(live, row)),
      repeated(function() predict(fit, row)))
  }, numeric(4))
  data.frame(row = names(rows), `update(live)` = 100 * out[1, ], `its core` = 100 * out[2, ],
    `R's part` = 100 * (out[1, ] - out[2, ]), `predict(live)` = 100 * out[3, ], `predict(fit)` = 100 * out[4, ],
    check.names = FALSE, row.names = NULL)
}
ways <- ways()
save_results(results, "stream-latency")

shown <- data.frame(
  solver = results$solver, SVs = results$n_sv,
  results[c("predict", "predict_p99", "update", "update_p99", "core", "core_p99", "e1071", "e1071_p99")]
)
names(shown) <- gsub("_", ", ", names(shown))
worked <- results[c("solver", "predict_processor", "update_processor", "core_processor", "e1071_processor")]
names(worked) <- sub("_processor", "", names(worked))
load <- strsplit(readLines("/proc/loadavg"), " ")[[1]][2]
solves <- results$solver %in% c("ramp", "ID-SVM") # to a stationary point or the optimum after every example
largest <- function(values) sprintf("**%.2f times**, with ramp loss and ID-SVM %s", max(values[!solves]),
  paste(sprintf("%.2f", values[solves]), collapse = " and "))
report(
  "stream-latency", "One row through a live model",
  sprintf("%d features, two classes, RBF kernel unless linear. core: the call into C within an update, its arguments",
    features),
  sprintf("prepared beforehand. e1071: its prediction of one row, with %d support vectors.", e1071_fit$tot.nSV),
  "", "## Elapsed time", "",
  sprintf("Microseconds, median and 99th percentile of %d calls, which alternate. Other work shared the", calls),
  sprintf("processors (load %s).", load),
  table_md(shown, digits = 0),
  "## Processor time", "",
  "Microseconds, mean of ten times 100 calls in a row, each with another row; the four were measured in turn.",
  table_md(worked, digits = 0),
  "## Ways to give a row", "",
  "Linear passive-aggressive model, one class label; processor time, mean of ten times 1,000 calls in turn.",
  table_md(ways, digits = 0),
  sprintf("- R's part of an update by a matrix or a named vector: **%.0f microseconds** at most (limit: 60)",
    max(ways$`R's part`[1:2])),
  sprintf("- core's part of an update, processor time, largest: **%.0f microseconds** (limit: 100), with ramp loss and",
    max(results$core_processor[!solves])),
  sprintf("  ID-SVM, which solve their problem anew after every example, %s",
    paste(round(results$core_processor[solves]), collapse = " and ")),
  sprintf("- core's part of an update over e1071's prediction, largest: %s",
    largest(results$core_processor / results$e1071_processor)),
  sprintf("- predict over e1071's prediction, processor time, largest: %s (limit: 1)",
    largest(results$predict_processor / results$e1071_processor)),
  sprintf("- update over e1071's prediction, processor time, largest: %s (limit: 1)",
    largest(results$update_processor / results$e1071_processor))
)
