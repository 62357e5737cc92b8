# Models of cells, against fits of each cell alone in plain R.

quadrants <- function(n, seed = 1) {
  set.seed(seed)
  x <- matrix(runif(2 * n, -1, 1), n)
  list(x = x, y = factor(c("a", "b", "c", "d")[1 + (x[, 1] > 0) + 2 * (x[, 2] > 0)]))
}

# Without what differs from run to run.
same_for_all <- function(fit) {
  fit$stats$seconds <- fit$cells$table$seconds <- fit$control$threads <- fit$call <- NULL
  fit$cells$parts <- lapply(fit$cells$parts, function(part) {
    part$stats$seconds <- 0
    part
  })
  fit
}

nearest_leaf <- function(fit, x) {
  x <- scale(x, fit$scaling$center, fit$scaling$scale)
  apply(x, 1, function(row) {
    at <- 1
    while (at > 0) {
      node <- fit$cells$nodes[[at]]
      at <- node$child[which.min(colSums((t(as.matrix(node$centers)) - row)^2))]
    }
    -at
  })
}

test_that("each cell is the fit of its own rows", {
  board <- chessboard(1500, noise = 0.02)
  new <- chessboard(200)
  solver <- solver_smo(C = 10, tolerance = 1e-5)
  fit <- osvm(board$x, board$y, solver, kernel_rbf(gamma = 2), cells = 300)
  expect_s3_class(fit, c("osvm_cells", "osvm"), exact = TRUE)
  table <- fit$cells$table
  expect_true(all(table$rows <= 300))
  expect_equal(sum(table$rows), 1500)
  expect_equal(nobs(fit), 1500)
  cell <- nearest_leaf(fit, board$x)
  expect_equal(tabulate(cell, nrow(table)), table$rows)
  of <- nearest_leaf(fit, new$x)
  f <- predict(fit, new$x, type = "decision")
  for (k in unique(of)) {
    mine <- cell == k
    if (length(unique(board$y[mine])) < 2) next
    alone <- osvm(board$x[mine, ], board$y[mine], solver, kernel_rbf(gamma = 2), scale = fit$scaling)
    expect_equal(f[of == k], predict(alone, new$x[of == k, , drop = FALSE], type = "decision"), tolerance = 1e-3)
  }
})

test_that("cells that overlap also learn the rows with the second nearest mean, in fits and updates", {
  set.seed(1)
  board <- chessboard(1200, noise = 0.02)
  new <- chessboard(200)
  solver <- solver_smo(C = 10, tolerance = 1e-5)
  overlapping <- list(size = 300, overlap = TRUE)
  fit <- osvm(board$x, board$y, solver, kernel_rbf(gamma = 2), cells = overlapping)
  expect_output(print(fit), "rows, overlapping")
  cell <- nearest_leaf(fit, board$x)
  expect_equal(tabulate(cell, length(fit$cells$parts)), fit$cells$table$rows)
  expect_equal(nobs(fit), 1200)
  x <- scale(board$x, fit$scaling$center, fit$scaling$scale)
  means <- rowsum(x, cell) / fit$cells$table$rows
  expect_equal(unname(means), fit$cells$means, tolerance = 1e-6)
  second <- apply(x, 1, function(row) order(colSums((t(means) - row)^2))[1:2])
  second <- ifelse(second[1, ] == cell, second[2, ], second[1, ])
  of <- nearest_leaf(fit, new$x)
  f <- predict(fit, new$x, type = "decision")
  for (k in unique(of)) {
    mine <- cell == k | second == k
    alone <- osvm(board$x[mine, ], board$y[mine], solver, kernel_rbf(gamma = 2), scale = fit$scaling)
    expect_equal(f[of == k], predict(alone, new$x[of == k, , drop = FALSE], type = "decision"), tolerance = 1e-3)
  }
  # A new row reaches two cells, and counts once.
  updated <- update(fit, new$x[1, , drop = FALSE], new$y[1])
  expect_equal(nobs(updated), 1201)
  changed <- !mapply(identical, lapply(fit$cells$parts, `[[`, "stats"), lapply(updated$cells$parts, `[[`, "stats"))
  expect_equal(sum(changed), 2)
  expect_identical(updated$cells$table$rows, fit$cells$table$rows + (seq_along(changed) == of[1]))

  set.seed(1)
  sure <- osvm(board$x, board$y, cells = overlapping, probability = TRUE)
  set.seed(1)
  sparse <- osvm(Matrix::Matrix(board$x, sparse = TRUE), board$y, solver, kernel_rbf(gamma = 2), cells = overlapping)
  expect_gt(mean(max.col(predict(sure, new$x, type = "prob")) == as.integer(new$y)), 0.9)
  expect_gt(mean(predict(sparse, new$x) == new$y), 0.8)

  damaged <- fit
  damaged$cells$means <- damaged$cells$means[-1, ]
  expect_error(predict(damaged, new$x), "mean per cell", class = "osvm_error")
  for (wrong in list(list(size = 300, overlap = 2), list(size = 300, more = 1))) {
    expect_error(osvm(board$x, board$y, cells = wrong), "a list such as", class = "osvm_error")
  }
  expect_error(osvm_tune(board$x, board$y, "smo", cells = overlapping), "must not overlap", class = "osvm_error")
})

test_that("the same seed gives the same model, on any number of threads", {
  board <- chessboard(800)
  fits <- lapply(c(1, 2, 2), function(threads) {
    set.seed(4)
    same_for_all(osvm(board$x, board$y, cells = 200, threads = threads, probability = TRUE, scale = FALSE))
  })
  expect_identical(fits[[1]], fits[[2]])
  expect_identical(fits[[2]], fits[[3]])
})

test_that("settings are chosen for all cells, then in each", {
  board <- chessboard(1500)
  fit <- osvm(board$x, board$y, cells = 300)
  expect_named(fit$choice, c("C", "gamma", "error"))
  expect_equal(fit$solver$params$C, fit$choice$C[which.min(fit$choice$error)])
  table <- fit$cells$table
  expect_true(all(signif(table$C / fit$solver$params$C, 3) %in% c(0.2, 1, 5)))
  expect_gt(length(unique(table$gamma)), 1)
  expect_lt(mean(predict(fit, board$x) != board$y), 0.05)
  fixed <- osvm(board$x, board$y, kernel = kernel_rbf(gamma = 3), cells = 300)
  expect_identical(unique(fixed$cells$table$gamma), 3)
})

test_that("cells may lack classes", {
  data <- quadrants(2000)
  for (multiclass in c("ovo", "ovr")) {
    fit <- osvm(data$x, data$y, solver_smo(C = 10), kernel_rbf(gamma = 1), multiclass = multiclass, cells = 150)
    expect_true(any(fit$cells$table$state == "constant"))
    expect_lt(mean(predict(fit, data$x) != data$y), 0.02)
    expect_equal(ncol(predict(fit, data$x, type = "decision")), nrow(fit$machines))
    # a cell predicts classes that it has
    cell <- nearest_leaf(fit, data$x)
    predicted <- predict(fit, data$x)
    for (k in unique(cell)) expect_true(all(predicted[cell == k] %in% data$y[cell == k]))
  }
})

test_that("probabilities have one map, from outputs that are held out", {
  board <- chessboard(2000, noise = 0.1)
  new <- chessboard(1000, noise = 0.1)
  fit <- osvm(board$x, board$y, cells = 500, probability = TRUE, scale = FALSE)
  p <- predict(fit, new$x, type = "prob")
  expect_equal(rowSums(p), rep(1, 1000))
  expect_identical(unname(predict(fit, new$x) == "white"), unname(p[, "white"] > 0.5))
  right <- mean(predict(fit, new$x) == new$y)
  expect_lt(abs(mean(apply(p, 1, max)) - right), 0.06)
  data <- quadrants(1500)
  p <- predict(osvm(data$x, data$y, cells = 200, probability = TRUE, scale = FALSE), data$x, type = "prob")
  expect_equal(dim(p), c(1500L, 4L))
  expect_gt(mean(colnames(p)[max.col(p)] == data$y), 0.95)
})

test_that("numbers, formulas, factors, weights and sparse data are learned", {
  set.seed(1)
  frame <- data.frame(u = runif(1500), v = runif(1500), g = gl(3, 1, 1500, c("k", "l", "m")))
  frame$z <- sin(7 * frame$u) + as.integer(frame$g) + rnorm(1500, sd = 0.1)
  fit <- osvm(z ~ ., frame, cells = 300)
  expect_lt(sd(residuals(fit)), 0.15)
  expect_lt(sd(residuals(fit, frame[1:10, ])), 0.4)
  expect_output(print(fit), "target +numbers.*cells +[0-9]+ of")

  board <- chessboard(1000)
  light <- ifelse(board$y == "white", 1e-3, 1)
  solver <- solver_smo(C = 1)
  share <- function(...) {
    fit <- osvm(board$x, board$y, solver, kernel_rbf(gamma = 0.1), cells = 300, ...)
    mean(predict(fit, board$x) == "white")
  }
  expect_lt(share(weights = light), share() - 0.1)
  expect_gt(share(class_weights = c(white = 100)), share() + 0.1)
  none <- rep(0:1, 500)
  fit <- osvm(board$x, board$y, solver, cells = 300, weights = none)
  expect_lte(fit$n_sv, 500)

  x <- Matrix::rsparsematrix(1200, 300, 0.03)
  y <- factor(as.vector(x[, 1:20] %*% rep(1, 20)) > 0)
  fit <- osvm(x, y, solver_smo(C = 10), kernel_rbf(gamma = 0.01), cells = 250)
  expect_s4_class(fit$cells$nodes[[1]]$centers, "dgCMatrix")
  expect_true(all(fit$cells$table$rows <= 250))
  expect_identical(predict(fit, as.matrix(x)), predict(fit, x))
})

test_that("rows that are all the same make one cell", {
  fit <- osvm(matrix(rep(c(1, 5), each = 100), 200), factor(rep(c("a", "b"), 100)), cells = 50)
  expect_equal(fit$cells$table$rows, c(100, 100))
  fit <- osvm(matrix(1, 200, 2), factor(rep(c("a", "b"), 100)), cells = 50, scale = FALSE)
  expect_identical(fit$cells$nodes, list())
  expect_equal(fit$cells$table$rows, 200)
})

test_that("saved, stripped and updated models predict", {
  board <- chessboard(1200)
  more <- chessboard(600)
  fit <- osvm(board$x, board$y, solver_smo(C = 100), kernel_rbf(gamma = 3), cells = 300)
  file <- tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), more$x), predict(fit, more$x))
  small <- strip(fit)
  expect_identical(predict(small, more$x), predict(fit, more$x))
  expect_lt(object.size(small), object.size(fit))
  expect_error(update(small, more$x, more$y), "training state", class = "osvm_error")

  further <- update(fit, more$x, more$y)
  expect_equal(nobs(further), 1800)
  expect_equal(further$cells$table$rows, tabulate(nearest_leaf(fit, rbind(board$x, more$x)), nrow(fit$cells$table)))
  new <- chessboard(1000)
  error <- function(fit) mean(predict(fit, new$x) != new$y)
  expect_lte(error(further), error(fit) + 0.01)
  # one cell learns, the others are as they were
  cell <- nearest_leaf(fit, more$x)
  one <- update(fit, more$x[cell == 2, ], more$y[cell == 2])
  expect_identical(one$cells$parts[-2], fit$cells$parts[-2])
  expect_false(identical(one$cells$parts[[2]], fit$cells$parts[[2]]))
  expect_s3_class(one, c("osvm_cells", "osvm"), exact = TRUE)
  expect_s3_class(update(fit, more$x, more$y, probability = TRUE), "osvm_cells")
})

test_that("an update may bring classes to a cell that lacks them", {
  data <- quadrants(1500)
  fit <- osvm(data$x, data$y, solver_smo(C = 10), kernel_rbf(gamma = 1), cells = 150)
  constant <- which(fit$cells$table$state == "constant")[1]
  cell <- nearest_leaf(fit, data$x)
  inside <- data$x[cell == constant, ]
  old <- as.character(predict(fit, inside)[1])
  other <- setdiff(levels(data$y), old)[1]
  near <- rep(colMeans(inside), each = 30) + rnorm(60, sd = 0.01)
  further <- update(fit, matrix(near, 30), rep(other, 30))
  expect_identical(further$cells$table$state[constant], "learned")
  expect_identical(as.character(predict(further, t(colMeans(inside)))), other)
  expect_true(old %in% predict(further, inside))
  # more of its own class changes nothing
  same <- update(fit, inside, rep(old, nrow(inside)))
  expect_identical(same$cells$table$state[constant], "constant")
  expect_equal(same$cells$table$rows[constant], 2 * nrow(inside))
})

test_that("print() and summary() describe the cells", {
  set.seed(1)
  board <- chessboard(1000)
  set.seed(2)
  fit <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(gamma = 2), cells = 300)
  expect_output(print(fit), "<osvm_cells> SMO.*cells +[0-9]+ of [0-9]+ to [0-9]+ rows")
  expect_output(print(summary(fit)), "Cells.*rows.*n_sv.*highest")
  expect_output(print(summary(osvm(board$x, board$y, cells = 300, scale = FALSE))), "error")
})

test_that("a time limit keeps the cells that are done, and says which are missing", {
  set.seed(1)
  x <- matrix(rnorm(300000), 30000)
  y <- factor(sample(c("a", "b"), 30000, TRUE))
  solver <- solver_smo(C = 1e5, tolerance = 1e-8)
  expect_message(
    fit <- osvm(x, y, solver, kernel_rbf(gamma = 0.05), cells = 1000, seconds = 2, verbose = FALSE),
    "cells? (is|are) missing", class = "osvm_time_limit"
  )
  gone <- fit$cells$table$state == "missing"
  expect_true(any(gone))
  expect_equal(nobs(fit), sum(fit$cells$table$rows[!gone]))
  expect_true(all(predict(fit, x[1:50, ]) %in% levels(y)))
  expect_output(print(fit), "missing")
})

test_that("Ctrl-C keeps the cells that are done", {
  result <- interrupted(function(ready) {
    x <- matrix(rnorm(300000), 30000)
    y <- factor(sample(c("a", "b"), 30000, TRUE))
    ready()
    osvm(x, y, solver_smo(C = 1e5, tolerance = 1e-8), kernel_rbf(gamma = 0.05), cells = 1000, verbose = FALSE)
  }, function(fit) list(state = fit$cells$table$state, class = class(fit)), wait = 1.5)
  expect_match(result$message, "cells? (is|are) missing")
  expect_true("missing" %in% result$rest$state)
  expect_identical(result$rest$class, c("osvm_cells", "osvm"))
})

test_that("workers give the same model", {
  on.exit(future::plan("sequential"))
  board <- chessboard(1500)
  fit <- function() {
    set.seed(3)
    same_for_all(osvm(board$x, board$y, cells = 200, probability = TRUE, scale = FALSE))
  }
  here <- fit()
  start_workers()
  there <- fit()
  expect_identical(there, here)
})

test_that("what does not go with cells is said", {
  board <- chessboard(600)
  fit <- osvm(board$x, board$y, solver_smo(), kernel_rbf(gamma = 2), cells = 200)
  for (bad in list(0, 49, 100.5, NA, "a", c(500, 500), list(size = 10), list(overlap = TRUE))) {
    expect_error(osvm(board$x, board$y, cells = bad), "most rows of a cell", class = "osvm_error")
  }
  expect_error(osvm(board$x, loss = loss_novelty(), cells = 200), "novelty", class = "osvm_error")
  expect_error(osvm(board$x, board$y, scale = "running", cells = 200), "scale", class = "osvm_error")
  refused <- expression(
    forget(fit, 1), loo(fit), compress(fit, 10), osvm_live(fit), coef(fit),
    osvm_compression_curve(fit, board$x, board$y)
  )
  for (call in refused) expect_error(eval(call), "of one SVM", class = "osvm_error")
  expect_length(query(fit, board$x, n = 3), 3)
  expect_s3_class(osvm_roc(fit, board$x, board$y), "osvm_curve")
})

test_that("a damaged model of cells is refused", {
  board <- chessboard(300)
  fit <- osvm(board$x, board$y, solver_smo(), kernel_rbf(gamma = 2), cells = 100)
  at <- which(names(fit) == "cells")
  paths <- model_paths(unclass(fit)[["cells"]])
  for (path in paths[lengths(paths) > 0]) {
    for (value in list(NULL, "a", -5, list())) {
      broken <- swap_part(fit, c(at, path), value)
      expect_true(tryCatch(is.factor(predict(broken, board$x)), osvm_error = function(e) TRUE))
    }
  }
})

test_that("a tuning has the grid in each cell", {
  board <- chessboard(1200, noise = 0.05)
  set.seed(1)
  tuned <- osvm_tune(board$x, board$y, solver_smo(C = c(1, 100)), kernel_rbf(gamma = c(0.5, 4)),
    cells = 300, folds = 3, precision = NULL
  )
  expect_equal(nrow(tuned$results), 4)
  fit <- tuned$fit
  expect_s3_class(fit, c("osvm_cells", "osvm"), exact = TRUE)
  expect_identical(tuned$fit$call$cells, 300)
  cell <- nearest_leaf(fit, board$x)
  # cross-validation of every cell alone, on the same folds
  fold <- integer(1200)
  for (k in 1:3) fold[tuned$folds[[k]]$test] <- k
  wrong <- vapply(seq_len(4), function(i) {
    point <- tuned$results[i, ]
    out <- logical(1200)
    for (k in unique(cell)) {
      for (f in 1:3) {
        train <- cell == k & fold != f
        test <- cell == k & fold == f
        alone <- osvm(
          board$x[train, ], board$y[train], solver_smo(C = point$C), kernel_rbf(gamma = point$gamma),
          scale = fit$scaling
        )
        out[test] <- predict(alone, board$x[test, , drop = FALSE]) != board$y[test]
      }
    }
    out
  }, logical(1200))
  expect_equal(tuned$results$error, colMeans(apply(wrong, 2, tapply, fold, mean)), tolerance = 0.02)
  by_cell <- rowsum(wrong + 0, cell) / as.vector(table(cell))
  expect_equal(fit$cells$table$error, apply(by_cell, 1, min), tolerance = 0.05, ignore_attr = TRUE)
  # every cell has its own best
  expect_gt(nrow(unique(fit$cells$table[c("C", "gamma")])), 1)
  logloss <- osvm_tune(board$x, board$y, solver_smo(C = c(1, 100)), kernel_rbf(), cells = 300, metric = "logloss")
  expect_equal(rowSums(predict(logloss, board$x[1:5, ], type = "prob")), rep(1, 5))
  set.seed(1)
  x <- matrix(runif(1000), 500)
  numbers <- osvm_tune(x, x[, 1]^2, solver_smo(C = c(1, 10)), loss = loss_epsilon(c(0.01, 0.5)), cells = 100)
  expect_identical(numbers$fit$loss$params$epsilon, 0.01)
  expect_lt(numbers$best$error, 0.05)
})

test_that("plots have the borders of cells", {
  board <- chessboard(400)
  fit <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(gamma = 3), cells = 100)
  axes <- plot_axes(fit, NULL)
  axes$center <- plot_center(fit, NULL)
  surface <- list(x = seq(0, 4, length.out = 30), y = seq(0, 4, length.out = 40))
  borders <- cell_borders(fit, axes, surface)
  expect_gt(nrow(borders), 20)
  # the two sides of a border are different cells
  some <- borders[seq(1, nrow(borders), 7), ]
  level <- some$y0 == some$y1
  middle <- cbind((some$x0 + some$x1) / 2, (some$y0 + some$y1) / 2)
  aside <- cbind(ifelse(level, 0, 4 / 29 / 2), ifelse(level, 4 / 39 / 2, 0))
  expect_true(all(nearest_leaf(fit, middle + aside) != nearest_leaf(fit, middle - aside)))
  pdf(NULL)
  on.exit(dev.off())
  expect_no_error(plot(fit, board$x, board$y))
  expect_no_error(plot(osvm(board$x, board$x[, 1] * board$x[, 2] + 0.01, cells = 100, scale = FALSE)))
  skip_if_not_installed("ggplot2")
  expect_s3_class(ggplot2::autoplot(fit), "ggplot")
})

test_that("features are weighted by what they say about the labels", {
  set.seed(1)
  x <- matrix(runif(12000), 1500)
  y <- factor(sin(8 * x[, 1]) + 0.5 * x[, 2] > 0.3)
  fit <- osvm(x, y, cells = 300)
  weight <- apply(x, 2, sd) / fit$scaling$scale
  expect_identical(which.max(weight), 1L)
  expect_lt(max(weight[3:8]), weight[1] / 2)
  expect_gte(min(weight), 0.04 * max(weight))
  expect_equal(mean(weight^2), 1, tolerance = 1e-6)
  expect_output(print(fit), "weighted by")
  new <- matrix(runif(8000), 1000)
  truth <- factor(sin(8 * new[, 1]) + 0.5 * new[, 2] > 0.3)
  plain <- osvm(x, y, cells = 300, scale = list(center = colMeans(x), scale = apply(x, 2, sd)))
  expect_lt(mean(predict(fit, new) != truth), mean(predict(plain, new) != truth))
  # what the user gives stays as it is
  expect_equal(plain$scaling$scale, apply(x, 2, sd), ignore_attr = TRUE)
  for (given in list(osvm(x, y, solver_smo(), cells = 300), osvm(x, y, kernel = kernel_rbf(gamma = 1), cells = 300))) {
    expect_equal(given$scaling$scale, apply(x, 2, sd), ignore_attr = TRUE)
  }
})

test_that("a model of dense data predicts sparse rows in the same cells", {
  set.seed(3)
  x <- matrix(rnorm(3000, mean = 4) * rbinom(3000, 1, 0.6), 1000)
  fit <- osvm(x, factor(x[, 1] * x[, 2] > 8), cells = 200, verbose = FALSE)
  expect_equal(predict(fit, methods::as(x, "CsparseMatrix"), type = "decision"), predict(fit, x, type = "decision"))
})

test_that("each cell of a tuning goes by the metric of the tuning, and its error is that of its rows", {
  set.seed(5)
  x <- matrix(rnorm(600), 300)
  y <- x[, 1] + rt(300, 3)
  for (metric in c("mae", "rmse")) {
    tuned <- osvm_tune(
      x, y, solver_smo(C = c(0.1, 1, 30)), kernel_rbf(gamma = 1), metric = metric, cells = 300, precision = NULL,
      folds = 5, progress = FALSE
    )
    error <- min(tuned$results[[metric]])
    if (metric == "mae") expect_equal(tuned$fit$cells$table$error, error)
    expect_equal(tuned$fit$cells$table$error, error, tolerance = 0.1) # folds differ in size of their errors
    expect_equal(tuned$fit$cells$table$C, tuned$best$C)
  }
})
