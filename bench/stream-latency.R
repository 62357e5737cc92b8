# One row at a time through a live model of about 1,000 support vectors: predict, update, and the core's part of it.
source("bench/common.R")

features <- 20
calls <- 1000
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
  while (upto < 5000 && (upto == 0 || live$model$n_sv < target_sv)) {
    rows <- upto + seq_len(100)
    suppressWarnings(update(live, data$x[rows, ], data$y[rows]))
    upto <- max(rows)
  }
  live
}

# The call of the core inside update(), its arguments made beforehand.
core_update <- function(live, i) {
  package <- asNamespace("onlinesvm")
  new <- package$examples_of_update(live$model, row_of(i), data$y[i], NULL, NULL, stats::na.omit)
  arguments <- list(
    package$ffi_live_update, new$model$live$pointer,
    package$core_data(new$examples$x, new$model$scaling, rows = 0L), NULL,
    package$core_labels(new$model, new$examples, 1L), package$numeric_kernel(new$model$kernel),
    package$run_solver(new$model), package$run_control(new$model)
  )
  function() do.call(.Call, arguments)
}
micros <- function(f) {
  start <- unclass(Sys.time())
  f()
  1e6 * (unclass(Sys.time()) - start)
}

# Processor time of the core's call, mean over calls in a row, each with a row of its own.
core_processor <- function(live) {
  cores <- lapply(10000 + seq_len(500), core_update, live = live)
  1e6 * seconds(for (core in cores) core()) / length(cores)
}

e1071_fit <- e1071::svm(data$x[1:1400, ], data$y[1:1400])
measure <- function(name) {
  kernel <- if (grepl("linear", name)) kernel_linear() else kernel_rbf(gamma = 0.02)
  live <- grow(makers[[name]], kernel)
  before <- live$model$n_sv
  time <- matrix(0, calls, 4, dimnames = list(NULL, c("predict", "update", "core", "e1071")))
  for (i in seq_len(calls + warm_up)) {
    at <- 5000 + 2 * i
    core <- core_update(live, at + 1)
    taken <- c(
      micros(function() predict(live, row_of(at))), micros(function() update(live, row_of(at), data$y[at])),
      micros(core), micros(function() predict(e1071_fit, row_of(at)))
    )
    if (i > warm_up) time[i - warm_up, ] <- taken
  }
  message(name, ": ", paste(round(apply(time, 2, median)), collapse = ", "))
  middle <- apply(time, 2, median)
  late <- apply(time, 2, quantile, 0.99)
  data.frame(
    solver = name, sv_before = before, sv_after = live$model$n_sv, predict = middle[["predict"]],
    predict_p99 = late[["predict"]], update = middle[["update"]], update_p99 = late[["update"]],
    core = middle[["core"]], core_p99 = late[["core"]], core_processor = core_processor(live),
    e1071 = middle[["e1071"]], e1071_p99 = late[["e1071"]]
  )
}
results <- do.call(rbind, lapply(names(makers), measure))
save_results(results, "stream-latency")

shown <- data.frame(
  solver = results$solver, SVs = paste(results$sv_before, "to", results$sv_after), results[-(1:3)], check.names = FALSE
)
names(shown) <- gsub("_", ", ", names(shown))
load <- strsplit(readLines("/proc/loadavg"), " ")[[1]][2]
report(
  "stream-latency", "One row through a live model",
  sprintf("%d features, two classes, RBF kernel unless linear; microseconds, median and 99th percentile of %s calls,",
    features, format(calls, big.mark = ",")),
  "which alternate. core: the call into C within an update, its arguments prepared beforehand; core, processor: mean",
  "processor time of 500 such calls in a row. e1071: its prediction of one",
  sprintf("row, with %d support vectors.", e1071_fit$tot.nSV),
  sprintf("Elapsed time; other work shared the processors (load %s), which the 99th percentiles show.", load),
  table_md(shown, digits = 0),
  sprintf("- core's part of an update, largest of these solvers: **%.0f microseconds of processor time** (limit: 100)",
    max(results$core_processor)),
  sprintf("- update over e1071's prediction, largest: **%.2f times**", max(results$update / results$e1071)),
  sprintf("- predict over e1071's prediction, largest: **%.2f times** (limit: 1)", max(results$predict / results$e1071))
)
