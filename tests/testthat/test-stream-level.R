# Prediction sets and intervals of streams, whose level follows the labels.

turned_numbers <- function(n = 4000) {
  set.seed(31)
  x <- matrix(rnorm(2 * n), n)
  list(x = x, y = x[, 1] * rep(c(2, -1), each = n / 2) + x[, 2] + rnorm(n, sd = rep(c(0.2, 0.8), each = n / 2)))
}

swapped_board <- function(n = 3000) {
  set.seed(32)
  board <- chessboard(n, noise = 0.05)
  late <- seq_len(n) > n / 2
  board$y[late] <- ifelse(board$y[late] == "black", "white", "black")
  board
}

level_run <- function(data, ..., solver = NULL, kernel = "linear", level = 0.9, chunk = 100, window = 500) {
  set.seed(33)
  osvm_stream(source_matrix(data$x, data$y), solver, kernel, ..., level = level, chunk = chunk, window = window,
    verbose = FALSE)
}

board_run <- function(data, ...) {
  level_run(data, ..., solver = solver_olsvm(C = 10, epochs = 1), kernel = kernel_rbf(sigma = 0.5))
}

columns_of <- function(run, names) unname(as.list(run$metrics[names]))

# The rule row by row, in plain R: limits of these scores, in blocks whose labels come together after `delay` rows.
limits_of <- function(score, level, rate, block = 1, delay = 0, most = 500) {
  now <- level
  known <- 0
  limit <- numeric(length(score))
  held <- numeric()
  ends <- unique(c(seq(block, length(score), by = block), length(score)))
  learn <- function(upto) {
    for (end in ends[ends > known & ends <= upto]) {
      rows <- (known + 1):end
      missed <- sum(score[rows] > limit[rows])
      now <<- min(max(now + rate * (missed - length(rows) * (1 - level)), -rate), 1 + rate)
      held <<- tail(c(held, score[rows]), most)
      known <<- end
    }
  }
  for (end in ends) {
    rows <- seq(end - (end - 1) %% block, end)
    k <- ceiling(now * (length(held) + 1) - 1e-9)
    limit[rows] <- c(-Inf, sort(held), Inf)[min(max(k, 0), length(held) + 1) + 1]
    learn(end - delay)
  }
  limit
}

test_that("coverage and width are those of the rule, row by row and chunk by chunk", {
  data <- turned_numbers()
  ways <- list(
    list(), list(evaluate = "chunks", chunk = 1), list(evaluate = "chunks"), list(delay = 250), list(level = 0.5),
    list(scale = "running")
  )
  for (way in ways) {
    run <- do.call(level_run, c(list(data, keep = "predictions"), way))
    told <- run$predictions[!is.na(run$predictions$predicted), ]
    score <- abs(told$label - told$predicted)
    way <- utils::modifyList(list(chunk = 100, level = 0.9, delay = 0), way)
    chunk <- way$chunk
    level <- way$level
    delay <- way$delay
    rows <- run$settings$evaluate == "rows"
    block <- if (rows) 1 else chunk
    limit <- limits_of(score, level, if (rows) 0.02 else min(0.02, 0.5 / (chunk + delay)), block, delay)
    last <- run$metrics[nrow(run$metrics), ]
    expect_equal(last$coverage, mean(score <= limit))
    expect_equal(told$upper, told$predicted + pmax(limit, 0))
    expect_equal(last$coverage, mean(told$lower <= told$label & told$label <= told$upper))
    expect_equal(last$unbounded, mean(limit == Inf))
    expect_equal(last$width, mean(2 * pmax(limit[limit < Inf], 0)))
    recent <- tail(seq_along(score), 500)
    expect_equal(last$coverage_window, mean(score[recent] <= limit[recent]))
    expect_gt(last$coverage, level - if (delay > 0) 0.1 else 0.05) # missed until the labels come
    expect_lt(last$coverage, level + 0.05)
  }
})

test_that("after an abrupt change coverage returns to the level, where that of a fixed level does not", {
  data <- turned_numbers()
  run <- level_run(data, keep = "predictions")
  score <- abs(run$predictions$label - run$predictions$predicted)
  after <- 2501:4000
  fixed <- quantile(score[500:2000], 0.9)
  expect_lt(mean(score[after] <= fixed), 0.6)
  expect_equal(run$metrics$coverage_window[run$metrics$row > 2500], rep(0.9, 15), tolerance = 0.02)
  expect_gt(mean(run$metrics$width_window[26:40]), 2 * run$metrics$width_window[20])

  board <- swapped_board()
  run <- board_run(board)
  expect_lt(min(run$metrics$accuracy_window[-(1:5)]), 0.7)
  expect_equal(run$metrics$coverage_window[-(1:5)], rep(0.9, 25), tolerance = 0.03)
  sizes <- run$metrics$set_size_window
  expect_gt(sizes[20], sizes[15] + 0.2)
  restarted <- board_run(board, drift = drift_adwin(react = "restart"))
  expect_true("restart" %in% restarted$events$event)
  expect_equal(restarted$metrics$coverage_window[-(1:5)], rep(0.9, 25), tolerance = 0.03)
  expect_lt(tail(restarted$metrics$set_size_window, 1), 1.5)
})

test_that("rows have the sets of chunks of one row, and classes that join are missed once", {
  set.seed(34)
  x <- matrix(rnorm(1200), 400)
  y <- as.character(cut(x[, 1] + x[, 2] + rnorm(400, sd = 0.3), c(-Inf, -0.5, 0.5, Inf), labels = c("p", "q", "r")))
  y[1:200][y[1:200] == "r"] <- "q"
  specs <- list(
    list(solver = solver_pa(epochs = 1, shuffle = FALSE), kernel = kernel_linear()),
    list(solver = solver_olsvm(epochs = 1, shuffle = FALSE), kernel = kernel_rbf(sigma = 1))
  )
  for (spec in specs) {
    go <- function(chunk, evaluate) {
      level_run(list(x = x, y = y), solver = spec$solver, kernel = spec$kernel, scale = FALSE, levels = c("p", "q"),
        chunk = chunk, evaluate = evaluate)
    }
    rows <- go(120, NULL)
    one <- go(1, "chunks")
    expect_identical(rows$settings$evaluate, "rows")
    expect_true("class" %in% rows$events$event)
    last <- function(run) unlist(run$metrics[nrow(run$metrics), c("coverage", "set_size", "coverage_window")])
    expect_equal(last(rows), last(one))
    expect_equal(rows$level, one$level)
    expect_equal(last(rows)[["coverage"]], 0.9, tolerance = 0.03)
  }
})

test_that("a stream that is resumed ends with the same sets, bit for bit", {
  board <- swapped_board(2400)
  numbers <- turned_numbers(2400)
  ways <- list(
    list(board_run, board, metrics = c("accuracy", "logloss")), list(level_run, numbers),
    list(level_run, numbers, delay = 130)
  )
  for (way in ways) {
    go <- function(...) do.call(way[[1]], c(way[-1], list(...)))
    whole <- go()
    file <- withr::local_tempfile(fileext = ".rds")
    part <- go(checkpoint = file, chunks = 13)
    expect_identical(part$ended, "chunks")
    run <- osvm_stream(source_matrix(way[[2]]$x, way[[2]]$y), resume = file, verbose = FALSE)
    timeless <- function(run) run$metrics[setdiff(names(run$metrics), c("seconds", "reading"))]
    expect_identical(timeless(run), timeless(whole))
    expect_identical(run$level, whole$level)
    expect_identical(run$fit$conformal, whole$fit$conformal)
  }
})

test_that("the model has the latest scores, at most 500, and predict() the level of the end", {
  data <- turned_numbers()
  run <- level_run(data, keep = "predictions")
  score <- abs(run$predictions$label - run$predictions$predicted)
  expect_equal(run$fit$conformal$scores[[1]]$score, sort(tail(score, 500)))
  bounds <- predict(run, data$x[1:5, ], type = "interval")
  expect_identical(bounds, predict(run$fit, data$x[1:5, ], type = "interval", level = run$level))
  expect_identical(predict(run, data$x[1:5, ], interval = "prediction"), bounds)
  wide <- predict(run, data$x[1:5, ], type = "interval", level = 0.99)
  expect_true(all(wide[, "upper"] > bounds[, "upper"]))
  expect_identical(predict(run, data$x[1:5, ]), predict(run$fit, data$x[1:5, ]))
  expect_error(predict(run, data$x[1:5, ], level = 0.8), class = "osvm_error")

  board <- swapped_board(1500)
  for (metrics in c("accuracy", "logloss")) {
    run <- board_run(board, metrics = metrics)
    sets <- predict(run, board$x[1:9, ], "set")
    expect_equal(attr(sets, "level"), run$level)
    expect_identical(dim(predict(run, board$x[1:9, ], type = "p", by = "class")), c(9L, 2L))
    expect_equal(nrow(run$fit$conformal$scores[[1]]), 500)
  }
  expect_gte(min(run$fit$conformal$scores[[1]]$score), 0) # 1 - probability
  expect_null(board_run(board, level = NULL)$fit$conformal)
})

test_that("rows without labels, a warm-up and one class only have a place", {
  data <- turned_numbers(1000)
  data$y[seq(5, 1000, by = 5)] <- NA
  run <- level_run(data, warm_up = 200)
  expect_equal(tail(run$metrics$coverage, 1), 0.9, tolerance = 0.03)
  expect_true(is.na(run$metrics$coverage[1]))
  one <- level_run(list(x = data$x, y = rep("a", 1000)))
  expect_true(all(is.na(one$metrics$coverage)))
  expect_null(one$fit)
})

test_that("sets are kept with predictions, those of rows without a label too", {
  board <- swapped_board(1500)
  board$y <- as.character(board$y)
  unknown <- seq(7, 1500, by = 7)
  board$y[unknown] <- NA
  for (evaluate in c("rows", "chunks")) {
    run <- board_run(board, keep = "predictions", evaluate = evaluate)
    told <- run$predictions
    labelled <- told[!is.na(told$label) & !is.na(told$set), ]
    has <- mapply(grepl, labelled$label, labelled$set, MoreArgs = list(fixed = TRUE))
    expect_equal(mean(has), tail(run$metrics$coverage, 1))
    size <- lengths(regmatches(labelled$set, gregexpr("black|white", labelled$set)))
    expect_equal(mean(size), tail(run$metrics$set_size, 1))
    expect_true(all(is.na(told$set[is.na(told$predicted)])))
    expect_false(anyNA(told$set[unknown[unknown > 200]]))
  }
  plain <- board_run(board, keep = "predictions", level = NULL)
  expect_identical(names(plain$predictions), c("row", "label", "predicted"))
})

test_that("pictures and text have the coverage", {
  run <- board_run(swapped_board(1500))
  text_of <- function(run) gsub("\\s+", " ", paste(capture.output(print(run)), collapse = " "))
  expect_match(text_of(run), "coverage 9[0-9.]+ % of the rows, .*latest 500, for level 0.9; classes in a set: 1")
  panels <- function(metric) onlinesvm:::stream_panels(run, metric)$panels
  expect_identical(vapply(panels(NULL)[1:2], `[[`, "", "label"), c("Accuracy, %", "Coverage, %"))
  expect_identical(panels(NULL)[[2]]$lines$level, rep(90, 15))
  expect_equal(panels("coverage")[[1]]$lines[["all rows"]], 100 * run$metrics$coverage)
  expect_identical(panels("set_size")[[1]]$label, "Classes in a set")
  file <- withr::local_tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  for (metric in c("accuracy", "coverage", "set_size")) expect_no_error(plot(run, metric = metric))
  grDevices::dev.off()
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_s3_class(ggplot2::autoplot(run), "ggplot")
  numbers <- level_run(turned_numbers(1000))
  expect_match(text_of(numbers), "; mean width [0-9.]+, [0-9.]+ % of them without ends")
  expect_identical(onlinesvm:::stream_panels(numbers, "unbounded")$panels[[1]]$label, "Intervals without ends, %")
})

test_that("what cannot have sets is refused in a sentence", {
  data <- turned_numbers(100)
  expect_snapshot(error = TRUE, {
    osvm_stream(source_matrix(data$x), loss = loss_novelty(), level = 0.9)
    level_run(data, level = 2)
    level_run(data, metrics = list(width = function(truth, predicted) 1))
    predict(level_run(data, level = NULL), data$x, type = "interval")
  })
})
