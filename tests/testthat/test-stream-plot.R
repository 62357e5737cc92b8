# print(), summary(), plot() and autoplot() of the result of a stream.

stream_runs <- function() {
  set.seed(21)
  board <- chessboard(1000)
  late <- 501:1000
  board$y[late] <- ifelse(board$y[late] == "black", "white", "black")
  run <- function(rows = 1:1000, solver = solver_olsvm(C = 10, epochs = 1), kernel = kernel_rbf(sigma = 0.5), ...) {
    osvm_stream(source_matrix(board$x[rows, , drop = FALSE], board$y[rows]), solver, kernel, ...)
  }
  flowers <- iris[c(1:60, 101:150, 61:100), ]
  list(
    drifting = run(chunk = 50, window = 200, metrics = c("accuracy", "kappa", "logloss"),
      drift = drift_page_hinkley(threshold = 20, react = "restart")),
    one_chunk = run(1:40, chunk = 100),
    two_chunks = run(1:100, chunk = 60),
    linear = run(1:200, solver_pa(), kernel_linear(), chunk = 20),
    classes = osvm_stream(source_matrix(as.matrix(flowers[1:4]), flowers$Species), chunk = 10),
    no_fit = osvm_stream(source_matrix(as.matrix(flowers[1:30, 1:4]), flowers$Species[1:30]), chunk = 10),
    not_evaluated = run(1:200, chunk = 20, warm_up = 500),
    unlabelled = osvm_stream(source_matrix(board$x, rep(NA, 1000)), chunk = 100),
    function_metric = run(1:200, chunk = 20, metrics = list(f1 = function(truth, predicted) {
      2 * sum(truth == "black" & predicted == "black") / (sum(truth == "black") + sum(predicted == "black"))
    }))
  )
}

# Chunks that take long enough to be drawn.
slow_run <- function(run) {
  run$metrics$seconds <- run$metrics$seconds + 0.02
  run
}
quick_run <- function(run) {
  run$metrics$seconds[] <- 1e-4
  run
}
no_chunk <- function() osvm_stream(source_matrix(chessboard(5)$x[0, ], character()))

test_that("print() says what was read, learned, measured and detected", {
  runs <- stream_runs()
  text <- lapply(runs, function(run) paste(capture.output(print(run)), collapse = "\n"))
  expect_match(text$drifting, "1,000 read in 20 chunks, 1,000 learned", fixed = TRUE)
  expect_match(text$drifting, "1 detection", fixed = TRUE)
  expect_match(text$drifting, "latest 200", fixed = TRUE)
  expect_match(text$drifting, "restart", fixed = TRUE)
  expect_match(text$no_fit, "fewer than two classes", fixed = TRUE)
  expect_match(text$classes, "new: virginica", fixed = TRUE)
  expect_match(text$unlabelled, "1,000 without a label", fixed = TRUE)
  expect_match(text$linear, "weights other than zero", fixed = TRUE)
  expect_match(paste(capture.output(print(no_chunk())), collapse = "\n"), "0 read in 0 chunks", fixed = TRUE)
  failure <- tryCatch(osvm_stream(source_function(function(n) stop("no more")), chunk = 5), error = identity)
  expect_output(print(failure$run), "by an error")
  expect_output(expect_invisible(print(runs$linear)), "Passive-Aggressive")
  expect_error(print(runs$linear, n = -1), "number of events", class = "osvm_error")
  expect_error(print(runs$linear, digits = 3), class = "osvm_error")
})

test_that("the table of summary() has the last chunk's values", {
  run <- stream_runs()$drifting
  table <- summary(run)$table
  last <- run$metrics[nrow(run$metrics), ]
  expect_identical(table$metric, rep(c("accuracy", "kappa", "logloss"), each = 2))
  expect_identical(table$over, rep(c("all rows", "latest 200"), 3))
  expect_identical(table$model[1:2], c(last$accuracy, last$accuracy_window))
  expect_identical(table$no_change[3:4], c(last$kappa_no_change, last$kappa_no_change_window))
  expect_identical(table$majority[5:6], c(last$logloss_majority, last$logloss_majority_window))
  many <- run
  many$events <- run$events[rep(1, 9), ]
  expect_output(print(many), "the last 6 of 9")
  expect_length(grep("since the change", capture.output(print(summary(many)))), 9)
  expect_identical(nrow(summary(no_chunk())$table), 0L)
})

test_that("plot() and autoplot() of every kind of run", {
  runs <- stream_runs()
  for (run in runs) {
    expect_identical(draw(run), run)
    expect_no_error(draw(run, legend = FALSE))
  }
  for (metric in c("accuracy", "kappa", "logloss")) expect_no_error(draw(runs$drifting, metric = metric))
  expect_no_error(draw(slow_run(runs$drifting), ylim = c(0, 100)))
  expect_error(draw(runs$drifting, ylim = 0), "two numbers", class = "osvm_error")
  expect_error(draw(runs$drifting, metric = "f1"), "kappa", class = "osvm_error")
  expect_error(draw(runs$drifting, main = "Mine"), class = "osvm_error")
  expect_error(draw(runs$drifting, legend = NA), class = "osvm_error")
  expect_error(draw(no_chunk()), "nothing to draw", class = "osvm_error")
  skip_if_not_installed("ggplot2")
  pdf(NULL)
  on.exit(dev.off())
  for (run in c(runs, lapply(runs, slow_run))) {
    plot <- ggplot2::autoplot(run)
    expect_s3_class(plot, "ggplot")
    expect_no_condition(print(plot))
  }
  expect_no_error(print(ggplot2::autoplot(runs$drifting, metric = "kappa")))
  expect_error(ggplot2::autoplot(runs$drifting, what = "kappa"), class = "osvm_error")
})

test_that("panels have the metrics, and marks the events", {
  skip_if_not_installed("ggplot2")
  runs <- stream_runs()
  drawn <- function(run, ...) ggplot2::autoplot(run, ...)
  marks <- function(run) drawn(run)$layers[[1]]$data
  expect_identical(levels(drawn(quick_run(runs$drifting))$data$panel), c("Accuracy, %", "Support vectors"))
  data <- drawn(slow_run(runs$drifting), metric = "accuracy")$data
  line <- function(name) data$value[data$line == name]
  finite <- function(values) values[!is.na(values)]
  expect_identical(levels(data$panel), c("Accuracy, %", "Support vectors", "ms per chunk"))
  expect_equal(line("latest 200"), finite(100 * runs$drifting$metrics$accuracy_window))
  expect_equal(line("reading"), 1000 * runs$drifting$metrics$reading)
  drift <- runs$drifting$events[runs$drifting$events$event == "drift", ]
  expect_identical(marks(runs$drifting)$row, drift$row)
  expect_identical(unname(marks(runs$drifting)$line), "drift")
  expect_identical(unname(marks(runs$classes)$line), "new class")
  expect_length(levels(drawn(runs$linear)$data$panel), 1)
  constant <- ggplot2::layer_scales(drawn(runs$no_fit))$y$range$range
  expect_identical(constant, c(0, 100))
})

test_that("a damaged result is one sentence", {
  flowers <- iris[c(1:60, 101:150), ]
  run <- osvm_stream(source_matrix(as.matrix(flowers[1:4]), flowers$Species), chunk = 10)
  swaps <- list(NULL, NA, "a", -1, list(), quote(stop("no")))
  pdf(NULL)
  on.exit(dev.off())
  quiet <- function(broken) {
    capture.output(print(broken))
    plot(broken, legend = FALSE)
  }
  parts <- c(
    list("fit", "metrics", "events", "rows", "ended", "seconds", "settings"),
    lapply(names(run$settings), c, "settings"), lapply(names(run$metrics), c, "metrics"),
    lapply(names(run$events), c, "events")
  )
  for (part in parts) for (swap in swaps) {
    broken <- unclass(run)
    broken[[rev(part)]] <- tryCatch(swap, error = identity)
    broken <- structure(broken, class = "osvm_stream")
    got <- tryCatch(quiet(broken), osvm_error = identity, error = function(e) {
      paste(paste(part, collapse = " of "), deparse(swap), conditionMessage(e))
    })
    expect_false(is.character(got), info = got)
  }
  for (broken in list(1, "a", list())) {
    expect_error(print(structure(broken, class = "osvm_stream")), "damaged", class = "osvm_error")
    expect_error(print(structure(list(run = broken), class = "summary.osvm_stream")), "damaged", class = "osvm_error")
  }
})
