# The loop of osvm_stream(): evaluation, the life of a stream, drift, limits.

swapped_board <- function(n = 1200, change = n / 2) {
  set.seed(11)
  board <- chessboard(n)
  late <- seq_len(n) > change
  board$y[late] <- ifelse(board$y[late] == "black", "white", "black")
  board
}

learner <- function() solver_olsvm(C = 10, epochs = 1, shuffle = TRUE)
width <- function() kernel_rbf(sigma = 0.5)

# The same by hand: predict, count, update.
by_hand <- function(x, y, chunk, solver, kernel) {
  hits <- 0
  counted <- 0
  fit <- NULL
  for (from in seq(1, length(y), by = chunk)) {
    rows <- from:min(length(y), from + chunk - 1)
    if (!is.null(fit)) {
      hits <- hits + sum(predict(fit, x[rows, , drop = FALSE]) == y[rows])
      counted <- counted + length(rows)
    }
    fit <- if (is.null(fit)) osvm(x[rows, ], y[rows], solver, kernel) else
      update(fit, x[rows, , drop = FALSE], y[rows])
  }
  list(fit = fit, accuracy = hits / counted)
}

test_that("a stream is predict() and update() by hand", {
  board <- swapped_board()
  for (solver in list(learner(), solver_lasvm(finish = FALSE, shuffle = TRUE), solver_pegasos())) {
    kernel <- if (solver$name == "pegasos") kernel_linear() else width()
    set.seed(4)
    hand <- suppressWarnings(by_hand(board$x, board$y, 100, solver, kernel))
    set.seed(4)
    run <- osvm_stream(source_matrix(board$x, board$y), solver, kernel, chunk = 100)
    expect_identical(unname(run$fit$coef), unname(hand$fit$coef))
    expect_identical(run$fit$intercept, hand$fit$intercept)
    expect_equal(tail(run$metrics$accuracy, 1), hand$accuracy)
  }
  expect_identical(run$ended, "source")
  expect_identical(run$rows, c(read = 1200, learned = 1200, unlabelled = 0, incomplete = 0, empty_chunks = 0))
  expect_identical(nrow(run$metrics), 12L)
})

test_that("a class may have an empty label", {
  set.seed(5)
  board <- chessboard(120)
  learn <- function(labels, third) {
    set.seed(6)
    y <- replace(labels[as.integer(board$y)], 61:70, third)
    osvm_stream(source_matrix(board$x, y), solver_lasvm(finish = FALSE), kernel_rbf(sigma = 0.5), chunk = 10)
  }
  empty <- learn(c("", "b"), "a")
  named <- learn(c("_", "b"), "a")
  expect_setequal(empty$fit$levels, c("", "a", "b"))
  expect_identical(empty$metrics$accuracy, named$metrics$accuracy)
})

test_that("classes join as they come, one class first, both schemes", {
  sorted <- iris[order(iris$Species), ]
  set.seed(2)
  mixed <- iris[sample(150), ]
  x <- as.matrix(rbind(sorted[1:40, 1:4], mixed[, 1:4], mixed[, 1:4]))
  y <- c(as.character(sorted$Species[1:40]), rep(as.character(mixed$Species), 2))
  names <- c("lasvm", "olsvm", "idsvm", "pa", "perceptron", "ramp", "pegaz", "huller")
  for (scheme in c("ovo", "ovr")) for (name in names) {
    run <- osvm_stream(
      source_matrix(x, y), get(paste0("solver_", name))(), kernel_rbf(gamma = 0.5), chunk = 1, multiclass = scheme
    )
    expect_identical(run$events$event, "class")
    expect_setequal(run$fit$levels, unique(y))
    expect_gt(mean(predict(run$fit, as.matrix(iris[1:4])) == iris$Species), 0.85)
    expect_gt(tail(run$metrics$accuracy, 1), 0.7)
  }
  declared <- osvm_stream(source_matrix(x, y), solver_huller(), kernel_rbf(gamma = 0.5), chunk = 10, multiclass = "ovr",
    levels = c("setosa", "versicolor", "virginica", "other"))
  expect_length(declared$fit$levels, 4)
  expect_identical(nrow(declared$events), 0L)
  only <- osvm_stream(source_matrix(x[1:40, ], y[1:40]), chunk = 10)
  expect_null(only$fit)
  expect_identical(tail(only$metrics$accuracy, 1), 1)
})

test_that("numeric, logical and factor labels come back as they went in", {
  board <- swapped_board(400, 400)
  for (y in list(as.integer(board$y == "black"), board$y == "black", factor(board$y), as.character(board$y))) {
    run <- osvm_stream(source_matrix(board$x, y), learner(), width(), chunk = 50)
    answer <- predict(run$fit, board$x)
    expect_identical(class(answer), if (is.integer(y)) "integer" else class(y))
    expect_gt(mean(answer == y), 0.85)
  }
})

test_that("missing values, missing labels and empty chunks are passed over and counted", {
  board <- swapped_board(600, 600)
  x <- board$x
  y <- as.character(board$y)
  x[c(3, 77, 500), 1] <- NA
  y[c(10, 200, 201)] <- NA
  keep <- setdiff(1:600, c(3, 77, 500, 10, 200, 201))
  parts <- list(list(x = x[1:300, ], y = y[1:300]), list(x = x[0, ], y = y[0]), list(x = x[301:600, ], y = y[301:600]))
  k <- 0
  source <- source_function(function(n) {
    k <<- k + 1
    if (k <= 3) parts[[k]]
  })
  set.seed(1)
  run <- osvm_stream(source, learner(), width(), chunk = 300)
  expect_identical(run$rows, c(read = 600, learned = 594, unlabelled = 3, incomplete = 3, empty_chunks = 1))
  nothing <- osvm_stream(source_matrix(x[0, ], y[0]))
  expect_null(nothing$fit)
  unlabelled <- osvm_stream(source_matrix(x), fit = run$fit, chunk = 200)
  expect_identical(unlabelled$rows[["learned"]], 0)
  expect_identical(unlabelled$fit$coef, run$fit$coef)
})

test_that("a new column is an error that says which, and the run until then is kept", {
  chunks <- list(iris[1:100, ], cbind(iris[101:150, ], Sepal.Colour = 1))
  k <- 0
  source <- source_function(function(n) {
    k <<- k + 1
    if (k <= 2) list(x = chunks[[k]][names(chunks[[k]]) != "Species"], y = chunks[[k]]$Species)
  })
  failure <- tryCatch(osvm_stream(source, chunk = 100), osvm_error = identity)
  expect_match(conditionMessage(failure), "Sepal.Colour")
  expect_s3_class(failure$run$fit, "osvm")
  expect_identical(failure$run$rows[["learned"]], 100)
})

test_that("labels that come later are learned later", {
  board <- swapped_board()
  now <- osvm_stream(source_matrix(board$x, board$y), learner(), width(), chunk = 50)
  later <- osvm_stream(source_matrix(board$x, board$y), learner(), width(), chunk = 50, delay = 300)
  expect_lt(tail(later$metrics$accuracy, 1), tail(now$metrics$accuracy, 1))
  expect_identical(later$rows, now$rows)
  expect_true(all(is.na(later$metrics$accuracy[1:6])))
})

test_that("reactions to drift do what they say", {
  board <- swapped_board(2000)
  stream <- function(drift, solver = learner()) {
    set.seed(5)
    osvm_stream(source_matrix(board$x, board$y), solver, width(), chunk = 100, window = 500, drift = drift)
  }
  end <- function(run) tail(run$metrics$accuracy_window, 1)
  none <- stream(drift_none())
  told <- stream(drift_adwin())
  expect_identical(unname(told$fit$coef), unname(none$fit$coef))
  expect_true("drift" %in% told$events$event)
  restarted <- stream(drift_adwin(react = "restart"))
  expect_gt(end(restarted), end(none) + 0.05)
  expect_identical(restarted$events$event[1:2], c("drift", "restart"))
  expect_lt(restarted$fit$n_sv, none$fit$n_sv)
  faded <- stream(drift_page_hinkley(react = "fade"))
  expect_gt(end(faded), end(none))
  forgotten <- stream(drift_adwin(react = "forget"), solver_idsvm(C = 10))
  expect_gt(end(forgotten), end(stream(drift_none(), solver_idsvm(C = 10))) + 0.05)
  expect_gt(min(forgotten$fit$id), 900)
  expect_error(stream(drift_adwin(react = "forget")), "cannot do", class = "osvm_error")
  expect_error(stream(drift_adwin(react = "fade"), solver_lasvm()), "cannot do", class = "osvm_error")
})

test_that("log-loss is prequential and probabilities stay in the model", {
  board <- swapped_board(1500, 1500)
  metrics <- c("logloss", "accuracy")
  run <- osvm_stream(source_matrix(board$x, board$y), learner(), width(), chunk = 100, metrics = metrics)
  last <- run$metrics[15, ]
  expect_lt(last$logloss_window, last$logloss_majority_window)
  probability <- predict(run$fit, board$x, type = "prob")
  expect_equal(rowSums(probability), rep(1, 1500), ignore_attr = TRUE)
  expect_identical(as.character(predict(run$fit, board$x)), run$fit$levels[max.col(probability, "first")])
})

test_that("running scaling follows the stream and stays in the model", {
  set.seed(8)
  x <- matrix(rnorm(3000), 1000)
  y <- ifelse(x[, 1] + x[, 2] > 0, "a", "b")
  x <- sweep(x, 2, c(1, 100, 1e4), "*") + 50
  run <- osvm_stream(source_matrix(x, y), solver_pa(), kernel_linear(), scale = "running", chunk = 50)
  expect_equal(run$fit$transform$mean, unname(colMeans(x)))
  expect_equal(sqrt(run$fit$transform$square / 999), unname(apply(x, 2, sd)))
  expect_gt(mean(predict(run$fit, x) == y), 0.95)
  w <- coef(run$fit)
  expect_equal(drop(x %*% w[-1] + w[1]), unname(predict(run$fit, x, type = "decision")))
  whole <- osvm(x, y, solver_pa(), kernel_linear(), scale = "running")
  same <- osvm(x, y, solver_pa(), kernel_linear(), scale = TRUE)
  expect_equal(whole$n_seen, same$n_seen)
  half <- osvm(x[1:500, ], y[1:500], solver_pa(), kernel_linear(), scale = "running")
  grown <- update(half, x[501:1000, ], y[501:1000])
  expect_equal(grown$transform, whole$transform)
  sparse <- Matrix::rsparsematrix(200, 5, 0.3)
  kept <- osvm_stream(source_matrix(sparse, ifelse(sparse[, 1] > 0, "a", "b")), solver_lasvm(finish = FALSE),
    kernel_rbf(gamma = 0.3), scale = "running", chunk = 40)
  nonzeros <- sparse^2
  expect_equal(kept$fit$transform$square, unname(Matrix::colSums(nonzeros)))
})

test_that("limits end a run, which goes on where it stopped", {
  board <- swapped_board(1000, 1000)
  file <- tempfile(fileext = ".rds")
  set.seed(3)
  whole <- osvm_stream(source_matrix(board$x, board$y), solver_lasvm(finish = FALSE), width(), chunk = 50)
  set.seed(3)
  part <- osvm_stream(source_matrix(board$x, board$y), solver_lasvm(finish = FALSE), width(), chunk = 50,
    checkpoint = file, chunks = 7)
  expect_identical(part$ended, "chunks")
  expect_identical(nrow(part$metrics), 7L)
  runif(10)
  expect_error(osvm_stream(resume = file), "must be given again", class = "osvm_error")
  rest <- osvm_stream(source_matrix(board$x, board$y), resume = file)
  expect_identical(rest$ended, "source")
  expect_identical(rest$fit[c("coef", "sv", "state", "scalars", "intercept")],
    whole$fit[c("coef", "sv", "state", "scalars", "intercept")])
  timing <- c("seconds", "reading")
  expect_identical(rest$metrics[setdiff(names(rest$metrics), timing)],
    whole$metrics[setdiff(names(whole$metrics), timing)])
  quick <- osvm_stream(source_function(function(n) chessboard(n)), learner(), width(), seconds = 0.2)
  expect_identical(quick$ended, "seconds")
})

test_that("arguments are checked in one sentence", {
  board <- swapped_board(100, 100)
  source <- source_matrix(board$x, board$y)
  fails <- function(...) expect_error(osvm_stream(...), class = "osvm_error")
  fails()
  fails(board$x)
  fails(source, solver_smo())
  fails(source, chunk = 0)
  fails(source, window = "a")
  fails(source, delay = -1)
  fails(source, drift = "adwin2")
  fails(source, seconds = 0)
  fails(source, metrics = "f2")
  fails(source, metrics = methods::getClass("numeric"))
  fails(source, checkpoint = file.path(tempdir(), "no", "such", "folder.rds"))
  fails(source, chuk = 100)
  fails(resume = tempfile())
  fails(source, fit = osvm(board$x, board$y))
  saveRDS(list(format = 1L), file <- tempfile())
  fails(resume = file)
})

test_that("classes beyond 50 are learned one against the rest, unless multiclass says otherwise", {
  set.seed(6)
  classes <- 56
  y <- sprintf("c%02d", rep(seq_len(classes), each = 10))
  x <- matrix(rnorm(length(y) * 2), ncol = 2) / 10 + 2 * rep(seq_len(classes), each = 10)
  turn <- c(1:510, sample(length(y))) # classes join one by one
  run <- function(...) {
    osvm_stream(source_matrix(x[turn, ], y[turn]), learner(), kernel_rbf(gamma = 0.5), scale = FALSE, chunk = 10, ...)
  }
  got <- run()
  expect_identical(got$fit$multiclass, "ovr")
  expect_identical(got$rows[["learned"]], as.numeric(length(turn)))
  expect_match(got$events$detail[got$events$event == "restart"], "one against the rest")
  expect_gt(mean(predict(got$fit, x) == y), 0.9)
  expect_identical(run(multiclass = "ovo", chunks = 52)$fit$multiclass, "ovo")
})

# A source of these chunks.
source_of <- function(...) {
  parts <- list(...)
  k <- 0
  source_function(function(n) {
    k <<- k + 1
    if (k <= length(parts)) parts[[k]]
  })
}

test_that("columns in another order are the same stream", {
  set.seed(3)
  x <- cbind(a = rnorm(300), b = 5 * rnorm(300), c = runif(300))
  y <- ifelse(x[, "a"] + x[, "c"] > 0.5, "u", "v")
  turn <- order(y != "u") # one class first
  cuts <- split(turn, rep(1:6, each = 50))
  orders <- list(1:3, 3:1, c(2, 1, 3), 1:3, c(3, 1, 2), 3:1)
  in_order <- lapply(cuts, function(rows) list(x = x[rows, ], y = y[rows]))
  permuted <- Map(function(part, order) list(x = part$x[, order], y = part$y), in_order, orders)
  run <- function(parts, ...) {
    set.seed(1)
    osvm_stream(do.call(source_of, parts), learner(), width(), chunk = 50, ...)$fit
  }
  expect_identical(predict(run(permuted), x, type = "decision"), predict(run(in_order), x, type = "decision"))
  restart <- drift_page_hinkley(threshold = 2, min_examples = 5, react = "restart")
  expect_identical(
    predict(run(permuted, drift = restart), x, type = "decision"),
    predict(run(in_order, drift = restart), x, type = "decision")
  )
  tuned <- function(parts) {
    set.seed(1)
    osvm_tune(do.call(source_of, parts), solver_smo(), kernel_rbf(), grid = data.frame(C = c(1, 10)), folds = 3)$scores
  }
  expect_identical(tuned(permuted), tuned(in_order))
})

test_that("balanced weights with a class that has not come yet", {
  board <- swapped_board(400, 400)
  run <- osvm_stream(source_matrix(board$x, board$y), learner(), width(), chunk = 100, class_weights = "balanced",
    levels = c("black", "white", "red"))
  expect_true(all(is.finite(run$fit$class_weights)))
  expect_gt(mean(as.character(predict(run$fit, board$x)) == board$y), 0.8)
  live <- osvm_live(levels = c("black", "white", "red"), solver = learner(), kernel = width(),
    class_weights = "balanced")
  update(live, board$x[1:100, ], board$y[1:100])
  few <- table(factor(board$y[1:100], c("black", "white")))
  expect_equal(snapshot(live)$class_weights, c(unname(c(100 / (2 * few))), 1))
})

test_that("labels stay of one type, and new numbers must look like classes", {
  board <- swapped_board(300, 300)
  x <- board$x
  flag <- board$y == "black"
  halves <- function(a, b) source_of(list(x = x[1:150, ], y = a[1:150]), list(x = x[151:300, ], y = b[151:300]))
  run <- function(source, ...) osvm_stream(source, learner(), width(), chunk = 150, ...)
  for (labels in list(list(flag + 0, board$y), list(flag, flag + 0), list(as.character(board$y), flag))) {
    failure <- tryCatch(run(halves(labels[[1]], labels[[2]])), osvm_error = identity)
    expect_match(conditionMessage(failure), "from row 151 on, and were")
    expect_identical(failure$run$rows[["learned"]], 150)
    expect_length(predict(failure$run, x), 300)
  }
  text <- as.character(board$y)
  for (labels in list(list(factor(text), text), list(text, factor(text)), list(flag + 0L, flag + 0))) {
    fit <- run(halves(labels[[1]], labels[[2]]))$fit
    expect_identical(class(predict(fit, x)), class(labels[[1]]))
  }
  # A third number: of another storage, by rounding only, and not whole
  joined <- run(halves(flag + 1L, c(flag[1:299] + 1, 3)))$fit
  expect_identical(sort(unique(predict(update(joined, x[1:5, ], c(1, 2, 3, 1, 2)), x)))[1:2], c(1, 2))
  expect_error(run(halves(ifelse(flag, 0.3, 2), ifelse(flag, 0.1 + 0.2, 2))), "rounding", class = "osvm_error")
  measured <- round(rowSums(x), 2)
  expect_error(
    osvm_stream(source_matrix(x, measured), learner(), width(), chunk = 1, metrics = "accuracy"), "must hold classes",
    class = "osvm_error"
  )
  many <- rep_len(1:25, 300)
  expect_length(run(source_matrix(x, many), levels = 1:25)$fit$levels, 25)
})

test_that("a chunk that fails is not counted, and its labels do not join", {
  board <- swapped_board(200, 200)
  text <- as.character(board$y)
  bad <- list(x = board$x[101:200, ], y = replace(text[101:200], 3, "new"))
  bad$x[7, 1] <- Inf
  failure <- tryCatch(
    osvm_stream(source_of(list(x = board$x[1:100, ], y = text[1:100]), bad), learner(), width(), chunk = 100),
    osvm_error = identity
  )
  expect_identical(failure$run$rows[c("read", "learned")], c(read = 200, learned = 100))
  expect_identical(failure$run$fit$n_seen, 100)
  expect_setequal(failure$run$fit$levels, c("black", "white"))
  expect_identical(nrow(failure$run$events), 0L)
})

test_that("delayed labels that are left at the end are in the last row of the metrics", {
  board <- swapped_board(600, 600)
  run <- function(delay, metrics = "accuracy") {
    osvm_stream(source_matrix(board$x, board$y), learner(), width(), chunk = 50, delay = delay, metrics = metrics,
      fit = NULL, keep = "predictions")
  }
  for (delay in c(0, 30, 300, 10000)) {
    got <- run(delay)
    expect_identical(nrow(got$metrics), 12L)
    expect_identical(got$rows[["learned"]], 600)
    told <- got$predictions
    expect_identical(told$row, as.numeric(1:600))
    expect_identical(tail(got$metrics$accuracy, 1),
      if (delay == 10000) NA_real_ else mean(told$label == told$predicted, na.rm = TRUE))
  }
})

test_that("log-loss counts from the first probabilities on", {
  board <- swapped_board(800, 800)
  run <- osvm_stream(source_matrix(board$x, board$y), learner(), width(), chunk = 100, metrics = "logloss",
    window = 300)
  expect_true(all(is.na(run$metrics$logloss[1:2])))
  expect_true(all(is.finite(run$metrics$logloss[3:8])))
  expect_equal(run$metrics$logloss[4], run$metrics$logloss_window[4])
  expect_lt(tail(run$metrics$logloss, 1), tail(run$metrics$logloss_majority, 1))
})

test_that("a restart keeps a scaling that was given, the levels of factors, and says from how many examples", {
  board <- swapped_board(1000)
  units <- list(center = c(2, 2), scale = c(1.1, 0.9))
  fit <- osvm(board$x[1:100, ], board$y[1:100], learner(), width(), scale = units)
  run <- osvm_stream(source_matrix(board$x, board$y), fit = fit, chunk = 100, drift = drift_adwin(react = "restart"))
  expect_true("restart" %in% run$events$event)
  expect_equal(unname(unlist(run$fit$scaling)), c(2, 2, 1.1, 0.9))
  detail <- run$events$detail
  since <- as.numeric(sub(".*over the (\\d+) .*", "\\1", detail[run$events$event == "drift"]))
  from <- as.numeric(sub(".*latest (\\d+) .*", "\\1", detail[run$events$event == "restart"]))
  expect_true(all(from >= pmin(since, 100)))
  # A level that the rows since the change lack
  frame <- data.frame(board$x, colour = rep(c("b", "a", "b"), c(3, 937, 60)))
  run <- osvm_stream(source_matrix(frame, board$y), learner(), width(), chunk = 50, scale = FALSE,
    drift = drift_adwin(react = "restart"), window = 100)
  expect_true("restart" %in% run$events$event)
  expect_identical(run$rows[["learned"]], 1000)
  expect_identical(colnames(run$fit$sv), c(colnames(data.frame(board$x)), "coloura", "colourb"))
})

test_that("a new level of a factor is passed over, or ends the stream", {
  board <- swapped_board(300, 300)
  frame <- data.frame(board$x, colour = rep_len(c("red", "blue"), 300))
  frame$colour[c(120, 260)] <- "mauve"
  run <- function(...) osvm_stream(source_matrix(frame, board$y), learner(), width(), chunk = 1, ...)
  got <- run()
  expect_identical(got$rows[c("learned", "incomplete")], c(learned = 298, incomplete = 2))
  expect_identical(got$events$event, "level")
  expect_match(got$events$detail, "colour: mauve")
  expect_error(run(new_levels = "error"), "mauve", class = "osvm_error")
  # Labels that come after the model has begun, of rows that came before
  late <- run(delay = 130)
  expect_identical(late$rows[c("learned", "incomplete")], c(learned = 298, incomplete = 2))
})

test_that("time stamps are said, once, and labels that were forgotten", {
  board <- swapped_board(200, 200)
  frame <- data.frame(board$x, time = as.POSIXct("2024-01-01", tz = "UTC") + seq_len(200))
  said <- testthat::capture_messages(
    osvm_stream(source_matrix(frame, board$y), learner(), width(), chunk = 50, drift = drift_adwin(react = "restart"))
  )
  expect_length(said, 1)
  expect_match(said, "time.*seconds")
  file <- tempfile(fileext = ".csv")
  utils::write.csv(frame, file, row.names = FALSE)
  expect_error(osvm_stream(source_csv(file)), "no labels", class = "osvm_error")
  expect_error(osvm_stream(source_matrix(board$x)), "no labels", class = "osvm_error")
})

test_that("a stream predicts, and is a data frame", {
  board <- swapped_board(300, 300)
  run <- osvm_stream(source_matrix(board$x, board$y), learner(), width(), chunk = 100, keep = "predictions")
  expect_identical(predict(run, board$x), predict(run$fit, board$x))
  expect_identical(predict(run, board$x, type = "decision"), predict(run$fit, board$x, type = "decision"))
  expect_identical(as.data.frame(run), run$metrics)
  expect_identical(as.data.frame(run, what = "events"), run$events)
  expect_identical(as.data.frame(run, what = "predictions"), run$predictions)
  few <- structure(1:3, class = "factor")
  for (type in list(identity, few)) expect_error(predict(run, board$x, type), "`type` must be", class = "osvm_error")
  none <- osvm_stream(source_matrix(board$x[0, ], board$y[0]))
  expect_error(predict(none, board$x), "no model", class = "osvm_error")
  expect_error(as.data.frame(none, what = "predictions"), "keep", class = "osvm_error")
})
