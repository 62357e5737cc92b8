deal <- function(x, y, shards) {
  of <- rep_len(seq_len(shards), length(y))
  lapply(seq_len(shards), function(k) list(x = x[of == k, , drop = FALSE], y = y[of == k]))
}

shards_without_timings <- function(fit) {
  fit$shards$rounds$seconds <- NULL
  without_timings(fit)
}

test_that("a cascade ends at the optimum of all data", {
  set.seed(1)
  board <- chessboard(400)
  kernel <- kernel_rbf(sigma = 0.3)
  whole <- osvm(board$x, board$y, solver_smo(C = 10), kernel)
  shards <- deal(board$x, board$y, 4)
  cases <- list(
    smo = list(shards, solver_smo(C = 10)), lasvm = list(shards, solver_lasvm(C = 10)),
    one = list(shards[1], solver_smo(C = 10)), odd = list(deal(board$x, board$y, 3), solver_smo(C = 10)),
    # Each shard has one class only.
    sorted = list(unlist(lapply(levels(factor(board$y)), function(class) {
      deal(board$x[board$y == class, ], board$y[board$y == class], 2)
    }), recursive = FALSE), solver_smo(C = 10))
  )
  for (name in names(cases)) {
    fit <- osvm_shards(cases[[name]][[1]], cases[[name]][[2]], kernel, verbose = FALSE)
    expect_true(fit$shards$optimum, info = name)
    expect_identical(fit$shards$violators, 0, info = name)
    expect_true(all(fit$convergence$finished) && all(fit$convergence$gap < 2e-3), info = name)
    if (name == "one") next
    expect_equal(fit$convergence$objective, whole$convergence$objective, tolerance = 1e-4, info = name)
    expect_equal(fit$scaling, whole$scaling, info = name)
    expect_equal(fit$range, whole$range, info = name)
    decision <- predict(whole, board$x, type = "decision")
    expect_equal(predict(fit, board$x, type = "decision"), decision, tolerance = 0.01, info = name)
    # Examples within the margin are support vectors.
    inside <- ifelse(board$y == fit$levels[2], 1, -1) * predict(fit, board$x, type = "decision") < 1 - 2e-3
    expect_identical(nrow(unique(rbind(fit$sv, board$x[inside, ]))), nrow(unique(fit$sv)), info = name)
  }
  expect_identical(fit$n_seen, 400L)
  expect_output(print(osvm_shards(shards, solver_smo(C = 10), kernel)), "4, . rounds, .*the optimum\n *of all data")
})

test_that("a round too few leaves violators, and says so", {
  set.seed(1)
  board <- chessboard(400)
  expect_warning(
    fit <- osvm_shards(deal(board$x, board$y, 4), solver_smo(C = 10), kernel_rbf(sigma = 0.3), rounds = 1),
    "After 1 round .* still violate", class = "osvm_unfinished"
  )
  expect_false(fit$shards$optimum)
  expect_gt(fit$shards$violators, 0)
  expect_false(fit$convergence$finished)
  expect_gt(fit$convergence$gap, 1e-3)
  expect_output(print(fit), "violators? left: not the optimum of")
})

test_that("several classes, weights, sparse data and data frames", {
  data <- clouds(60, classes = 3)
  kernel <- kernel_rbf(gamma = 0.5)
  for (multiclass in c("ovo", "ovr")) {
    balanced <- list(solver_smo(), kernel, multiclass = multiclass, class_weights = "balanced")
    whole <- do.call(osvm, c(data[c("x", "y")], balanced))
    fit <- do.call(osvm_shards, c(list(deal(data$x, data$y, 3)), balanced))
    expect_equal(fit$class_weights, whole$class_weights)
    expect_equal(fit$convergence$objective, whole$convergence$objective, tolerance = 1e-4)
    expect_true(fit$shards$optimum)
  }
  sparse <- methods::as(data$x * (data$x > 0), "CsparseMatrix")
  whole <- osvm(sparse, data$y, solver_smo(), kernel)
  fit <- osvm_shards(deal(sparse, data$y, 3), solver_smo(), kernel)
  expect_equal(fit$scaling, whole$scaling)
  expect_true(fit$sparse)
  expect_equal(fit$convergence$objective, whole$convergence$objective, tolerance = 1e-4)

  frame <- data.frame(data$x, kind = rep(c("u", "v", "w"), each = 20))
  # The first shard lacks a level, and a class.
  parts <- list(1:35, 36:60)
  order <- order(data$y)
  frame <- frame[order, ]
  shards <- lapply(parts, function(rows) list(x = frame[rows, ], y = data$y[order][rows]))
  whole <- osvm(frame, data$y[order], solver_smo(), kernel)
  fit <- osvm_shards(shards, solver_smo(), kernel)
  expect_identical(fit$levels, whole$levels)
  expect_setequal(fit$feature_names, whole$feature_names)
  expect_equal(predict(fit, frame), predict(whole, frame))
  expect_equal(sum(fit$convergence$objective), sum(whole$convergence$objective), tolerance = 1e-3)
})

test_that("linear machines are averaged by the number of examples, round by round", {
  set.seed(2)
  data <- clouds(90)
  shards <- list(
    list(x = data$x[1:60, ], y = data$y[1:60]), list(x = data$x[61:90, ], y = data$y[61:90])
  )
  for (name in c("pegasos", "pa", "perceptron", "sgd")) {
    solver <- get(paste0("solver_", name))(epochs = 1, shuffle = FALSE)
    fit <- osvm_shards(shards, solver, kernel_linear(), rounds = 1)
    each <- lapply(shards, function(shard) {
      osvm(shard$x, shard$y, solver, kernel_linear(), scale = fit$scaling)
    })
    averaged <- isTRUE(solver$params$average)
    mean <- if (averaged) {
      sums <- lapply(each, function(one) one$coef * one$scalars["steps", ])
      (2 * sums[[1]] + sums[[2]]) / (2 * 60 + 30)
    } else {
      (2 * each[[1]]$coef + each[[2]]$coef) / 3
    }
    expect_equal(fit$coef, mean, info = name)
    two <- osvm_shards(shards, solver, kernel_linear(), rounds = 2)
    expect_identical(nrow(two$shards$rounds), 2L)
    expect_identical(two$solver$params$epochs, 2)
    expect_s3_class(update(two, data$x[1:5, ], data$y[1:5]), "osvm")
  }
  # A single shard is a plain fit.
  solver <- solver_pegasos(epochs = 3, shuffle = FALSE)
  expect_equal(
    osvm_shards(list(data), solver)$coef, osvm(data$x, data$y, solver)$coef
  )
  expect_output(print(fit), "1, 3 rounds|2, 1 round, 4 weight vectors sent, weights averaged")
})

test_that("the model is an ordinary one, the same on workers, from files, and after a worker was lost", {
  set.seed(3)
  board <- chessboard(300)
  shards <- deal(board$x, board$y, 3)
  folder <- tempfile()
  dir.create(folder)
  files <- lapply(1:3, function(k) {
    file <- file.path(folder, paste0(k, ".csv"))
    utils::write.csv(
      data.frame(a = sprintf("%.17g", shards[[k]]$x[, 1]), b = sprintf("%.17g", shards[[k]]$x[, 2]), y = shards[[k]]$y),
      file, row.names = FALSE, quote = FALSE
    )
    source_csv(file, label = "y")
  })
  named <- lapply(shards, function(shard) list(x = `colnames<-`(shard$x, c("a", "b")), y = as.character(shard$y)))
  fits <- function(shards) {
    set.seed(4)
    list(
      shards_without_timings(osvm_shards(shards, solver_lasvm(C = 10), kernel_rbf(sigma = 0.3))),
      shards_without_timings(osvm_shards(shards, solver_pegasos(epochs = 2))), stats::runif(1)
    )
  }
  same <- function(a, b) {
    for (k in 1:2) a[[k]]$call <- b[[k]]$call <- NULL
    expect_equal(a, b, tolerance = 0)
  }
  here <- fits(named)
  same(fits(files), here)
  same(fits(lapply(named, function(shard) source_matrix(shard$x, shard$y))), here)
  file <- file.path(folder, "fit.rds")
  fit <- osvm_shards(named, solver_smo(C = 10), kernel_rbf(sigma = 0.3))
  saveRDS(fit, file)
  x <- `colnames<-`(board$x, c("a", "b"))
  expect_identical(predict(readRDS(file), x), predict(fit, x))
  expect_output(print(update(fit, x[1:20, ], as.character(board$y[1:20]))), "before the latest update")

  old <- start_workers()
  on.exit(future::plan(old))
  same(fits(named), here)
  lost <- worker_processes()[1]
  tools::pskill(lost, tools::SIGKILL)
  same(fits(files), here)
  expect_false(lost %in% worker_processes())
})

test_that("invalid shards are refused in one sentence", {
  board <- chessboard(40)
  shards <- deal(board$x, board$y, 2)
  expect_snapshot(error = TRUE, {
    osvm_shards()
    osvm_shards(board)
    osvm_shards(list())
    osvm_shards(source_matrix(board$x, board$y))
    osvm_shards(c(shards, list(board$x)))
    osvm_shards(c(shards, list(list(x = cbind(1, 2, 3), y = "black"))))
    osvm_shards(c(shards, list(list(x = cbind(1, 2), y = 7))))
    osvm_shards(list(list(x = board$x, y = rep("black", 40))))
    osvm_shards(shards, "olsvm")
    osvm_shards(shards, "ramp", kernel_linear())
    osvm_shards(shards, C = 1)
    osvm_shards(shards, rounds = 0)
    osvm_shards(shards, scale = "running")
    osvm_shards(list(source_matrix(board$x)))
    osvm_shards(list(list(x = board$x * NA, y = board$y)))
  })
})

test_that("expansions with a budget are averaged and merged", {
  set.seed(5)
  board <- chessboard(600)
  shards <- deal(board$x, board$y, 3)
  kernel <- kernel_rbf(sigma = 0.4)
  solver <- solver_olsvm(C = 10, epochs = 2, budget = 60, shuffle = FALSE)
  fit <- osvm_shards(shards, solver, kernel)
  expect_lte(fit$n_sv, 60)
  expect_identical(fit$shards$method, "merging")
  expect_lt(mean(predict(fit, board$x) != board$y), 0.15)
  expect_lte(update(fit, board$x[1:100, ], board$y[1:100])$n_sv, 60)
  expect_output(print(fit), "3, 2 rounds, .* vectors sent, expansions averaged and\n? *merged")
  # Where the budget holds all vectors, the mean of the shards' decision functions.
  solver$params[c("epochs", "budget")] <- list(1, 1000)
  fit <- osvm_shards(shards, solver, kernel)
  each <- lapply(shards, function(shard) osvm(shard$x, shard$y, solver, kernel, scale = fit$scaling))
  mean <- Reduce(`+`, lapply(each, predict, board$x, type = "decision")) / 3
  expect_equal(predict(fit, board$x, type = "decision"), mean, tolerance = 1e-4)
})

test_that("numbers and quantiles, by every method", {
  set.seed(2)
  x <- matrix(rnorm(900), 300)
  y <- 50 + 10 * sin(x[, 1]) + 5 * x[, 2] + rnorm(300)
  kernel <- kernel_rbf(gamma = 0.2)
  for (loss in list(loss_epsilon(0.2), loss_quantile(0.8))) {
    for (solver in list(solver_smo(C = 2), solver_lasvm(C = 2))) {
      whole <- osvm(x, y, solver, kernel, loss = loss)
      fit <- osvm_shards(deal(x, y, 4), solver, kernel, loss = loss)
      expect_true(fit$shards$optimum)
      expect_true(fit$convergence$gap < 2e-3)
      expect_equal(fit$convergence$objective, whole$convergence$objective, tolerance = 1e-4)
      expect_lt(max(abs(predict(fit, x) - predict(whole, x))) / sd(y), 0.02)
      expect_equal(fit$label, whole$label)
    }
  }
  expect_identical(osvm_shards(deal(x, y, 2))$loss, loss_epsilon())
  rmse <- function(fit) sqrt(mean((predict(fit, x) - y)^2))
  mixed <- osvm_shards(deal(x, y, 3), solver_pa(epochs = 10), kernel_linear())
  expect_identical(mixed$shards$method, "mixing")
  expect_lt(rmse(mixed), 1.3 * rmse(osvm(x, y, kernel = "linear")))
  merged <- osvm_shards(deal(x, y, 3), solver_olsvm(C = 1, budget = 40), kernel)
  expect_identical(merged$shards$method, "merging")
  expect_lte(merged$n_sv, 40)
  expect_lt(rmse(merged), sd(y) / 2)
  expect_equal(update(merged, x[1:5, ], y[1:5])$n_seen, 305)
})
