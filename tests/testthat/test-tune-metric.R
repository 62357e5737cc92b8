noisy <- function(n = 80, classes = 2) clouds(n, classes = classes, seed = 7)

# Held-out labels and decision values of every fold, as passed to a metric function.
seen_by_metric <- function(data, ..., folds = 3) {
  seen <- list()
  record <- function(truth, predicted, decision) {
    seen[[length(seen) + 1]] <<- list(truth = truth, predicted = predicted, decision = decision)
    0
  }
  set.seed(4)
  quick_tune(data$x, data$y, solver_smo(C = 2), kernel_rbf(gamma = 0.5), metric = record, folds = folds, ...)
  seen
}

score_by <- function(data, metric, ..., folds = 3) {
  set.seed(4)
  quick_tune(data$x, data$y, solver_smo(C = 2), kernel_rbf(gamma = 0.5), metric = metric, folds = folds, ...)
}

test_that("a metric function gets labels of the original type, and decision values", {
  data <- noisy()
  seen <- seen_by_metric(data)
  expect_length(seen, 3)
  for (fold in seen) {
    expect_s3_class(fold$truth, "factor")
    expect_identical(fold$predicted, factor(c("a", "b")[1 + (fold$decision > 0)], levels = c("a", "b")))
  }
  numbers <- seen_by_metric(list(x = data$x, y = ifelse(data$y == "a", 3, 8)))
  expect_true(all(numbers[[1]]$truth %in% c(3, 8)))
  three <- seen_by_metric(noisy(classes = 3), multiclass = "ovo")
  expect_identical(colnames(three[[1]]$decision), c("a/b", "a/c", "b/c"))
})

test_that("error, balanced error and AUC are their definitions", {
  for (classes in 2:3) {
    data <- noisy(classes = classes)
    data <- rows(data, c(which(data$y != "b"), which(data$y == "b")[1:12]))
    seen <- seen_by_metric(data, multiclass = "ovr")
    error <- vapply(seen, function(fold) mean(fold$truth != fold$predicted), 0)
    balanced <- vapply(seen, function(fold) {
      mean(vapply(levels(fold$truth), function(k) mean(fold$predicted[fold$truth == k] != k), 0))
    }, 0)
    auc <- vapply(seen, function(fold) {
      area <- function(f, own) mean(outer(f[own], f[!own], function(a, b) (a > b) + (a == b) / 2))
      if (classes == 2) return(area(fold$decision, fold$truth == "b"))
      mean(vapply(1:3, function(k) area(fold$decision[, k], fold$truth == letters[k]), 0))
    }, 0)
    expect_equal(score_by(data, "error", multiclass = "ovr")$scores[1, ], error)
    expect_equal(score_by(data, "balanced", multiclass = "ovr")$scores[1, ], balanced)
    tuned <- score_by(data, "auc", multiclass = "ovr")
    expect_equal(tuned$scores[1, ], auc)
    expect_true(tuned$maximize)
    expect_equal(tuned$results$auc, mean(auc))
    expect_equal(tuned$results$auc_se, sd(auc) / sqrt(3))
    expect_equal(tuned$results$error, mean(error))
  }
})

test_that("log-loss is that of probabilities fitted to the other folds", {
  data <- noisy()
  seen <- seen_by_metric(data)
  f <- unlist(lapply(seen, `[[`, "decision"))
  own <- unlist(lapply(seen, function(fold) fold$truth == "b"))
  fold <- rep(1:3, vapply(seen, function(fold) length(fold$truth), 0L))
  by_fold <- vapply(1:3, function(k) {
    par <- platt(f[fold != k], own[fold != k], rep(1, sum(fold != k)))
    p <- 1 / (1 + exp(-(par[1] * f[fold == k] + par[2])))
    c(loss = -mean(log(ifelse(own[fold == k], p, 1 - p))), error = mean((p > 0.5) != own[fold == k]))
  }, c(0, 0))
  tuned <- score_by(data, "logloss", refit = TRUE)
  expect_equal(tuned$scores[1, ], by_fold["loss", ], tolerance = 1e-4)
  expect_equal(tuned$results$error, mean(by_fold["error", ])) # classes are those of the probabilities
  p <- predict(tuned, data$x, type = "prob")
  expect_equal(rowSums(p), rep(1, 80))
  expect_equal(unlist(tuned$fit$probability[c("slope", "shift")], use.names = FALSE), platt(f, own, rep(1, 80)),
    tolerance = 1e-4)
  expect_identical(tuned$fit$probability$n_seen, 80)
})

test_that("log-loss of several classes and repeats, with class weights: probabilities of the final model agree", {
  data <- noisy(90, classes = 3)
  for (multiclass in c("ovr", "ovo")) {
    tuned <- score_by(data, "logloss", refit = TRUE, repeats = 2, multiclass = multiclass, class_weights = c(a = 3))
    expect_true(all(tuned$scores < log(3)))
    p <- predict(tuned, data$x, type = "prob")
    expect_identical(letters[max.col(p * rep(c(3, 1, 1), each = 90), "first")], as.character(predict(tuned, data$x)))
  }
})

test_that("metrics of streams choose grid points, too", {
  data <- noisy(classes = 3)
  seen <- seen_by_metric(data)
  scores <- function(metric) score_by(data, metric)$scores[1, ]
  expect_equal(scores("accuracy"), 1 - scores("error"))
  expect_equal(scores("balanced_accuracy"), 1 - scores("balanced"))
  expect_equal(scores("kappa"), vapply(seen, function(fold) {
    table <- prop.table(table(fold$truth, fold$predicted))
    chance <- sum(rowSums(table) * colSums(table))
    (sum(diag(table)) - chance) / (1 - chance)
  }, 0))
  expect_true(score_by(data, "kappa")$maximize)
  expect_true(all(scores("brier") < 1 / 3)) # of equal probabilities
})

test_that("the error of numbers is that of their loss, which chooses settings", {
  set.seed(1)
  make <- function(n) {
    x <- matrix(rnorm(10 * n), n)
    list(x = x, y = 5 * (x[, 1] + exp(x[, 2] / 2) * rnorm(n)))
  }
  data <- make(500)
  new <- make(3000)
  pinball <- function(truth, predicted) mean((truth - predicted) * (0.9 - (truth < predicted)))
  tune <- function(...) {
    set.seed(2)
    quick_tune(data$x, data$y, solver_smo(C = c(0.1, 1)), kernel_rbf(gamma = 0.02), folds = 3, ...)
  }
  tuned <- tune(loss = loss_quantile(0.9))
  named <- tune(loss = loss_quantile(0.9), metric = "pinball")
  own <- tune(loss = loss_quantile(0.9), metric = function(truth, predicted, decision) pinball(truth, predicted))
  expect_equal(tuned$results$error, named$results$pinball)
  expect_equal(tuned$scores, own$scores)
  expectile <- function(truth, predicted, decision) mean(abs(0.8 - (truth < predicted)) * (truth - predicted)^2)
  expect_equal(tune(loss = loss_expectile(0.8))$scores, tune(loss = loss_expectile(0.8), metric = expectile)$scores)
  expect_equal(tune()$scores, tune(metric = "rmse")$scores)
  for (model in list(
    osvm(data$x, data$y, loss = loss_quantile(0.9), verbose = FALSE),
    quick_tune(data$x, data$y, loss = loss_quantile(0.9), refit = TRUE)
  )) {
    covered <- mean(new$y < predict(model, new$x))
    expect_gt(covered, 0.85)
    expect_lt(covered, 0.95)
  }
})

test_that("a metric function is minimised or maximised", {
  data <- noisy()
  larger <- function(truth, predicted, decision) mean(decision > 5)
  run <- function(...) {
    set.seed(1)
    quick_tune(data$x, data$y, solver_smo(C = c(0.01, 1, 1000)), kernel_rbf(gamma = 0.5), metric = larger, ...)
  }
  expect_identical(run()$best$metric, min(run()$results$metric))
  expect_identical(run(maximize = TRUE)$best$metric, max(run()$results$metric))
  expect_gt(max(run()$results$metric), min(run()$results$metric))
})

test_that("grid points are kept when the metric fails in others", {
  data <- noisy()
  picky <- function(truth, predicted, decision) {
    if (max(abs(decision)) > 3) stop("too sure.")
    mean(truth != predicted)
  }
  set.seed(1)
  expect_warning(
    tuned <- quick_tune(data$x, data$y, solver_smo(C = c(0.1, 1000)), kernel_rbf(gamma = 0.5), metric = picky),
    class = "osvm_failed"
  )
  expect_identical(tuned$results$failed > 0, c(FALSE, TRUE))
  expect_identical(tuned$best$C, 0.1)
  expect_false(anyNA(tuned$results$error))
  expect_identical(unique(tuned$errors$message), "the metric failed: too sure")
  expect_identical(unique(tuned$errors$point), 2L)
  expect_output(print(tuned), "too sure")
})

test_that("invalid metrics are refused", {
  data <- noisy(30)
  score <- function(...) score_by(data, ...)
  expect_snapshot(error = TRUE, {
    score("Accuracy")
    score("kappa_temporal")
    score(c("error", "auc"))
    score(1)
    score("auc", maximize = TRUE)
    score("auc", folds = 30)
    score(function(truth, predicted, decision) "good")
    score(function(truth, predicted, decision) stop("no idea"))
  })
})

test_that("the AUC of a fold without both classes is missing, not failed", {
  data <- noisy(30)
  id <- rep(1:3, each = 10)
  data$y[id == 1] <- "a"
  tuned <- score_by(data, "auc", foldid = id)
  expect_identical(is.na(tuned$scores[1, ]), c(TRUE, FALSE, FALSE))
  expect_null(tuned$results$failed)
  expect_equal(tuned$results$auc, mean(tuned$scores[1, 2:3]))
})
