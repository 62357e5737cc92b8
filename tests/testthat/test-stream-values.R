# Streams of numbers, quantiles and novelty.

wave_stream <- function(n = 600, change = n) {
  set.seed(5)
  x <- matrix(rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "c")))
  y <- 10 + 3 * sin(x[, 1]) + 2 * x[, 2] + rnorm(n, sd = 0.3)
  late <- seq_len(n) > change
  y[late] <- y[late] - 4 * x[late, 2]
  list(x = x, y = y)
}

last_row <- function(run) run$metrics[nrow(run$metrics), -(1:5)]
quiet_stream <- function(...) osvm_stream(..., verbose = FALSE)
in_turn <- function(make, ...) make(..., epochs = 1, shuffle = FALSE)

test_that("metrics and baselines are their definitions, by rows and by chunks", {
  d <- wave_stream()
  for (evaluate in c("rows", "chunks")) {
    run <- quiet_stream(
      source_matrix(d$x, d$y), kernel = "linear", evaluate = evaluate, chunk = 50, window = 130, warm_up = 7,
      metrics = list("rmse", "mae", "rsq", "pinball", worst = function(truth, predicted) max(abs(truth - predicted))),
      keep = "predictions"
    )
    kept <- run$predictions
    expect_identical(kept$label, d$y)
    counted <- which(!is.na(kept$predicted) & seq_along(d$y) > 7)
    recent <- tail(counted, 130)
    before <- c(NA, d$y[-600])
    so_far <- c(NA, (cumsum(d$y) / seq_along(d$y))[-600])
    last <- last_row(run)
    of <- list(kept$predicted, before, so_far)
    for (k in 1:3) {
      for (window in c(FALSE, TRUE)) {
        rows <- if (window) recent else counted
        e <- d$y[rows] - of[[k]][rows]
        got <- function(m) last[[paste0(m, c("", "_no_change", "_mean")[k], if (window) "_window")]]
        expect_equal(got("rmse"), sqrt(mean(e^2)))
        expect_equal(got("mae"), mean(abs(e)))
        expect_equal(got("pinball"), mean(abs(e)) / 2)
        expect_equal(got("rsq"), 1 - mean(e^2) / mean((d$y[rows] - mean(d$y[rows]))^2))
      }
    }
    expect_equal(last$worst_window, max(abs(d$y[recent] - kept$predicted[recent])))
    expect_lt(last$rmse, 1.2)
    expect_gt(last$rmse_mean, 2)
  }
})

test_that("a chunk is one fit and updates, predicted before they are learned", {
  d <- wave_stream(400)
  solver <- solver_olsvm(C = 1, epochs = 1, shuffle = TRUE)
  set.seed(2)
  fit <- osvm(d$x[1:100, ], d$y[1:100], solver)
  errors <- numeric()
  for (from in c(101, 201, 301)) {
    rows <- from + 0:99
    errors <- c(errors, d$y[rows] - predict(fit, d$x[rows, ]))
    fit <- update(fit, d$x[rows, ], d$y[rows])
  }
  set.seed(2)
  run <- quiet_stream(source_matrix(d$x, d$y), solver, chunk = 100)
  expect_identical(run$fit$coef, fit$coef)
  expect_identical(run$fit$label, fit$label)
  expect_equal(last_row(run)$mae, mean(abs(errors)))
})

test_that("rows have the metrics of chunks of one row, whatever solver and loss", {
  d <- wave_stream(150)
  rbf <- kernel_rbf(gamma = 0.3)
  cases <- list(
    list(in_turn(solver_pa), kernel_linear(), loss_epsilon()),
    list(in_turn(solver_pa, budget = 30), rbf, loss_epsilon()),
    list(in_turn(solver_sgd), kernel_linear(), loss_quantile(0.8)), list(solver_idsvm(), rbf, loss_epsilon()),
    list(in_turn(solver_olsvm), rbf, loss_quantile(0.2)), list(in_turn(solver_norma, budget = 40), rbf, loss_epsilon()),
    list(solver_lasvm(finish = FALSE, shuffle = FALSE), rbf, loss_quantile(0.5)),
    list(in_turn(solver_norma), rbf, loss_novelty(0.2)), list(in_turn(solver_sgd), kernel_linear(), loss_novelty(0.2))
  )
  for (case in cases) {
    run <- function(chunk, evaluate) {
      set.seed(2)
      quiet_stream(
        source_matrix(d$x, if (case[[3]]$name != "novelty") d$y - 10), case[[1]], case[[2]], loss = case[[3]],
        scale = FALSE, chunk = chunk, evaluate = evaluate, keep = "predictions", window = 60
      )
    }
    rows <- run(64, "rows")
    one <- run(1, "chunks")
    # By chunks the first row is not predicted
    expect_equal(rows$predictions[-1, ], one$predictions[-1, ], info = format(case[[1]]), tolerance = 1e-5)
    window <- grep("window", names(last_row(one)))
    expect_equal(last_row(rows)[window], last_row(one)[window], tolerance = 1e-5, ignore_attr = TRUE)
  }
})

test_that("the loss is that of the labels, of the metrics, or the one given", {
  d <- wave_stream(100)
  of <- function(y, ...) quiet_stream(source_matrix(d$x, y), ...)$fit$loss$name
  whole <- rep_len(1:3, length(d$y))
  expect_identical(of(d$y), "epsilon")
  expect_identical(of(round(10 * d$y)), "epsilon")
  expect_message(expect_identical(of(whole), "hinge"), class = "osvm_guess")
  expect_identical(of(whole, metrics = "mae"), "epsilon")
  expect_identical(of(whole, loss = "quantile"), "quantile")
  expect_identical(of(d$y, chunk = 1), "epsilon")
  run <- quiet_stream(source_matrix(d$x, d$y), kernel = "linear", loss = loss_quantile(0.9))
  expect_identical(names(last_row(run))[1], "pinball")
  # A model goes on
  fit <- osvm(d$x, d$y, solver_lasvm(finish = FALSE))
  run <- quiet_stream(source_matrix(d$x, d$y), fit = fit, window = 10)
  expect_identical(run$fit$n_seen, 200)
  expect_lt(last_row(run)$rmse, last_row(run)$rmse_no_change)
})

test_that("drift of the error is found, and what follows is learned", {
  d <- wave_stream(1200, 600)
  for (react in c("restart", "forget", "fade")) {
    solver <- switch(react, forget = solver_idsvm(), fade = in_turn(solver_pa), restart = NULL)
    run <- quiet_stream(
      source_matrix(d$x, d$y), solver, kernel_rbf(gamma = 0.1), chunk = 60, drift = drift_adwin(react = react)
    )
    found <- run$events[run$events$event == "drift", ]
    expect_true(all(found$row > 600))
    expect_lt(found$row[1], 900)
    expect_true(react %in% run$events$event)
  }
  set.seed(6)
  far <- rbind(matrix(rnorm(1500), 500), matrix(rnorm(1500, 4), 500))
  run <- quiet_stream(
    source_matrix(far), loss = loss_novelty(0.1), chunk = 50, drift = drift_adwin(), window = 50, evaluate = "chunks"
  )
  expect_true(any(run$events$row > 500 & run$events$row <= 700))
  expect_gt(run$metrics$novel_window[11], 0.9)
  expect_lt(run$metrics$novel_window[10], 0.3)
})

test_that("missing labels, delays and data frames", {
  d <- wave_stream(300)
  y <- replace(d$y, c(5, 120:130), NA)
  run <- quiet_stream(source_matrix(d$x, y), kernel = "linear", chunk = 50, keep = "predictions")
  expect_identical(run$rows[c("learned", "unlabelled")], c(learned = 288, unlabelled = 12))
  expect_false(anyNA(run$predictions$predicted[120:130]))
  late <- quiet_stream(source_matrix(d$x, d$y), kernel = "linear", chunk = 50, delay = 75, keep = "predictions")
  expect_identical(late$rows[["learned"]], 300)
  expect_true(all(is.na(late$predictions$predicted[1:100])))
  expect_equal(last_row(late)$mae, mean(abs(d$y - late$predictions$predicted), na.rm = TRUE))
  frame <- data.frame(d$x, kind = rep(c("u", "v"), 150), y = d$y + rep(c(0, 5), 150))
  file <- tempfile(fileext = ".csv")
  utils::write.csv(frame, file, row.names = FALSE)
  run <- quiet_stream(source_csv(file, label = "y"), kernel = "linear", chunk = 50)
  expect_lt(last_row(run)$rmse_window, 1.5)
  usual <- quiet_stream(source_csv(file, ignore = "y"), loss = "novelty", chunk = 50)
  expect_identical(usual$rows[["learned"]], 300)
})

test_that("running scaling follows the numbers, too", {
  d <- wave_stream(400)
  y <- 1000 * d$y + seq_len(400) * 100
  run <- quiet_stream(source_matrix(d$x, y), kernel = "linear", scale = "running", chunk = 40)
  expect_equal(run$fit$label$center, mean(y))
  expect_equal(run$fit$label$scale, sd(y))
  expect_equal(run$fit$label$range, range(y))
  fit <- osvm(d$x[1:40, ], y[1:40], in_turn(solver_pa), "linear", scale = "running")
  for (from in seq(41, 400, 40)) fit <- update(fit, d$x[from + 0:39, ], y[from + 0:39])
  expect_equal(predict(run, d$x), predict(fit, d$x))
  # Chunks of single rows wait for as many as scaling needs
  one <- quiet_stream(source_matrix(d$x, y), kernel = "linear", chunk = 1)
  expect_lt(last_row(one)$rmse, last_row(one)$rmse_mean)
  few <- quiet_stream(source_matrix(d$x[1:10, ], y[1:10]))
  expect_null(few$fit)
  expect_error(predict(few, d$x), "fewer than 20 rows came", class = "osvm_error")
  expect_output(print(few), "fewer than 20 rows came")
})

test_that("a checkpoint goes on as if nothing had happened", {
  d <- wave_stream(500)
  file <- tempfile(fileext = ".rds")
  for (loss in list(loss_epsilon(), loss_quantile(0.8), loss_novelty())) {
    source <- source_matrix(d$x, if (loss$name != "novelty") d$y)
    run <- function(...) {
      set.seed(1)
      drift <- drift_adwin(react = "restart")
      quiet_stream(source, solver_olsvm(epochs = 1), loss = loss, chunk = 60, drift = drift, ...)
    }
    if (loss$name == "novelty") run <- function(...) quiet_stream(source, loss = loss, chunk = 60, ...)
    whole <- run()
    run(checkpoint = file, chunks = 4)
    rest <- quiet_stream(source, resume = file)
    expect_identical(rest$fit$coef, whole$fit$coef)
    expect_identical(last_row(rest), last_row(whole))
  }
})

test_that("results are printed, drawn and tidied", {
  d <- wave_stream(300)
  run <- quiet_stream(source_matrix(d$x, d$y), chunk = 50)
  usual <- quiet_stream(source_matrix(d$x), loss = loss_novelty(), chunk = 50, keep = "predictions")
  expect_output(print(run), "no_change *mean.*rmse.*mae")
  expect_output(print(usual), "novel *all rows")
  expect_named(summary(run)$table, c("metric", "over", "model", "no_change", "mean"))
  expect_named(summary(usual)$table, c("metric", "over", "model"))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (metric in list(NULL, "mae")) expect_silent(plot(run, metric = metric))
  expect_silent(plot(usual))
  expect_silent(plot(osvm_learning_curve(run)))
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_s3_class(ggplot2::autoplot(run), "ggplot")
  skip_if_not_installed("generics")
  expect_setequal(unique(generics::tidy(usual)$metric), c("novel", "novel_window"))
  expect_identical(generics::glance(run)$metric, "rmse")
  expect_type(as.data.frame(usual, what = "predictions")$predicted, "logical")
})

test_that("what does not fit together is said", {
  d <- wave_stream(60)
  source <- source_matrix(d$x, d$y)
  expect_snapshot(error = TRUE, {
    quiet_stream(source, loss = loss_hinge())
    quiet_stream(source, loss = loss_novelty())
    quiet_stream(source, metrics = c("rmse", "accuracy"))
    quiet_stream(source, metrics = "accuracy", loss = loss_epsilon())
    quiet_stream(source_matrix(d$x, letters[1 + d$y %/% 10]), loss = loss_epsilon())
    quiet_stream(source, solver_perceptron(), loss = loss_epsilon())
    quiet_stream(source_matrix(d$x))
    quiet_stream(source, levels = c("a", "b"), loss = loss_epsilon())
    quiet_stream(source_matrix(d$x, replace(d$y, 3, Inf)))
  })
})
