largest_weighted <- function(p, weights = rep(1, ncol(p))) max.col(p * rep(weights, each = nrow(p)), "first")

test_that("probabilities are those of the map, and the class has the largest one, times its weight", {
  for (case in list(list(2, "ovr"), list(3, "ovr"), list(3, "ovo"), list(4, "ovo"))) {
    classes <- case[[1]]
    data <- clouds(80, classes = classes)
    new <- clouds(60, classes = classes, seed = 3)$x
    for (weights in list(rep(1, classes), c(5, rep(1, classes - 1)))) {
      names(weights) <- levels(data$y)
      fit <- quick_fit("smo", data, multiclass = case[[2]], class_weights = weights, probability = TRUE)
      p <- mapped(fit, decide(fit, new))
      expect_equal(unname(predict(fit, new, type = "prob")), p)
      expect_identical(largest_weighted(p, weights), match(predict(fit, new), levels(data$y)))
      one <- predict(fit, new[1, , drop = FALSE])
      expect_identical(one, predict(fit, new)[1])
    }
  }
})

test_that("two classes: a sigmoid of the decision value, which ranks as it does and sets the boundary", {
  set.seed(1)
  data <- two_normals(600)
  rare <- c(which(data$y == "first"), which(data$y == "second")[1:40])
  data <- list(x = data$x[rare, ], y = data$y[rare])
  test <- two_normals(2000)
  for (weights in list(NULL, "balanced")) for (C in c(0.01, 1)) {
    fit <- osvm(data$x, data$y, solver_smo(C = C), kernel_rbf(gamma = 0.5), class_weights = weights,
                probability = TRUE, verbose = FALSE)
    f <- predict(fit, test$x, type = "decision")
    p <- predict(fit, test$x, type = "prob")
    expect_equal(p[, 2], plogis(fit$probability$slope * f + fit$probability$shift))
    expect_identical(order(p[, 2]), order(f))
    expect_identical(anyDuplicated(p[, 2]), 0L)
    expect_identical(osvm_roc(p[, 2], test$y)$summary, osvm_roc(fit, test$x, test$y)$summary)
    predicted <- predict(fit, test$x)
    expect_identical(as.integer(predicted), largest_weighted(p, fit$class_weights))
    # Above a decision value, which need not be 0.
    expect_lt(max(f[predicted == "first"]), min(f[predicted == "second"], Inf))
  }
})

test_that("outputs that say nothing give the frequencies of the classes, and still a ranking", {
  set.seed(3)
  data <- two_normals(200)
  fit <- quick_fit("olsvm", data)
  wrong <- factor(ifelse(data$y == "first", "second", "first"))
  more <- c(which(wrong == "first")[1:90], which(wrong == "second")[1:45])
  fit <- update(fit, data$x[more, ], wrong[more], probability = TRUE)
  p <- predict(fit, data$x, type = "prob")
  expect_equal(p[, 1], rep(2 / 3, 200), tolerance = 0.01)
  expect_identical(order(p[, 2]), order(predict(fit, data$x, type = "decision")))
})

test_that("they are near the true posterior, whatever the class weights", {
  set.seed(2)
  train <- two_normals(1500)
  test <- two_normals(1500)
  posterior <- 1 / (1 + exp(4 - 2 * rowSums(test$x)))
  for (weights in list(NULL, c(first = 1, second = 12), c(first = 7, second = 0.5))) {
    fit <- osvm(
      train$x, train$y, solver_smo(C = 1), kernel_linear(), class_weights = weights, probability = TRUE, verbose = FALSE
    )
    p <- predict(fit, test$x, type = "prob")
    expect_lt(mean(abs(p[, 2] - posterior)), 0.04)
    w <- if (is.null(weights)) c(1, 1) else weights
    expect_identical(levels(test$y)[largest_weighted(p, w)], as.character(predict(fit, test$x)))
  }
  # The classes of the last fit differ from those without weights.
  expect_gt(mean(predict(fit, test$x) == "first"), 0.6)
})

test_that("class weights leave probabilities of three classes calibrated", {
  data <- clouds(900, classes = 3)
  test <- clouds(900, classes = 3, seed = 9)
  for (multiclass in c("ovr", "ovo")) {
    fits <- lapply(list(NULL, c(a = 6, c = 3)), function(weights) {
      set.seed(1)
      osvm(data$x, data$y, solver_smo(), kernel_rbf(gamma = 0.1), multiclass = multiclass, class_weights = weights,
           probability = TRUE, verbose = FALSE)
    })
    p <- lapply(fits, predict, test$x, type = "prob")
    for (part in p) expect_lt(max(abs(colMeans(part) - 1 / 3)), 0.05)
    loss <- vapply(p, function(part) -mean(log(part[cbind(1:900, as.integer(test$y))])), 0)
    expect_lt(loss[2], 1.15 * loss[1])
    expect_identical(levels(test$y)[largest_weighted(p[[2]], c(6, 1, 3))], as.character(predict(fits[[2]], test$x)))
  }
})

test_that("weights of examples are frequencies", {
  set.seed(4)
  data <- two_normals(800)
  weights <- ifelse(data$y == "second", 4, 1)
  fit <- osvm(data$x, data$y, solver_smo(), kernel_linear(), weights = weights, probability = TRUE, verbose = FALSE)
  p <- predict(fit, data$x, type = "prob")[, 2]
  expect_lt(abs(weighted.mean(p, weights) - 0.8), 0.03)
})

# test-conformance.R has the case without class weights.
each_solver("with class weights, the weighted probability is largest for the class", function(name) {
  for (case in list(list(2, "ovr"), list(4, "ovr"), list(4, "ovo"))) {
    data <- clouds(60, classes = case[[1]])
    new <- clouds(100, classes = case[[1]], seed = 5)$x
    fit <- quick_fit(name, data, multiclass = case[[2]], class_weights = c(b = 5), probability = TRUE)
    p <- predict(fit, new, type = "prob")
    expect_close(rowSums(p), rep(1, 100), 1e-12)
    expect_true(all(p >= 0))
    expect_identical(largest_weighted(p, fit$class_weights), match(predict(fit, new), levels(data$y)))
  }
})

test_that("probabilities beat the frequencies of the classes, and one slope for all machines", {
  data <- clouds(400, d = 4, classes = 4)
  test <- clouds(600, d = 4, classes = 4, seed = 8)
  for (multiclass in c("ovr", "ovo")) {
    fit <- quick_fit("smo", data, multiclass = multiclass, probability = TRUE)
    loss <- function(p) -mean(log(p[cbind(1:600, as.integer(test$y))]))
    p <- predict(fit, test$x, type = "prob")
    expect_lt(loss(p), 0.8 * log(4))
    if (multiclass == "ovo") next
    by_slope <- function(s) {
      e <- exp(s * decide(fit, test$x))
      loss(e / rowSums(e))
    }
    expect_lt(loss(p), 1.02 * min(vapply(exp(seq(-2, 3, by = 0.1)), by_slope, 0)))
  }
})

test_that("row names go through, and no row gives none", {
  fit <- quick_fit("smo", clouds(30), probability = TRUE)
  expect_no_warning(none <- predict(fit, clouds(30)$x[0, ], type = "prob"))
  expect_identical(dim(none), c(0L, 2L))
  data <- clouds(60, classes = 3)
  x <- data$x
  rownames(x) <- paste0("r", 1:60)
  for (multiclass in c("ovr", "ovo")) {
    fit <- quick_fit("smo", data, multiclass = multiclass, probability = TRUE)
    expect_identical(dimnames(predict(fit, x, type = "prob")), list(rownames(x), letters[1:3]))
    expect_identical(dim(predict(fit, x[0, ], type = "prob")), c(0L, 3L))
  }
})

test_that("tiny, separable and constant outputs are no trouble", {
  set.seed(1)
  tiny <- two_normals(11)
  for (gamma in c(1e4, 1e-12)) for (make in list(solver_idsvm, solver_smo)) {
    fit <- osvm(tiny$x, tiny$y, make(), kernel_rbf(gamma = gamma), probability = TRUE, verbose = FALSE)
    expect_true(all(is.finite(predict(fit, tiny$x, type = "prob"))))
  }
  fit <- osvm(tiny$x, tiny$y, solver_idsvm(bias = FALSE), kernel_rbf(gamma = 1e4), probability = TRUE, verbose = FALSE)
  expect_true(all(is.finite(predict(fit, tiny$x, type = "prob"))))
  apart <- list(x = matrix(c(1:10, 101:110)), y = rep(1:2, each = 10))
  fit <- osvm(apart$x, apart$y, solver_smo(), kernel_linear(), probability = TRUE, verbose = FALSE)
  p <- predict(fit, apart$x, type = "prob")
  expect_true(all(p[cbind(1:20, apart$y)] > 0.7 & p[cbind(1:20, apart$y)] < 1))
  # Too few examples for folds with two classes.
  two <- osvm(matrix(c(0, 1)), c("a", "b"), solver_smo(), kernel_linear(), probability = TRUE, verbose = FALSE)
  expect_true(all(is.finite(predict(two, matrix(0:3), type = "prob"))))
})

test_that("probabilities do not depend on threads", {
  data <- clouds(300, classes = 3)
  for (solver in list(solver_smo(), solver_lasvm(), solver_olsvm(epochs = 3), solver_pa())) {
    maps <- lapply(1:2, function(threads) {
      set.seed(5)
      osvm(data$x, data$y, solver, kernel_rbf(gamma = 0.5), probability = TRUE, threads = threads, verbose = FALSE)
    })
    expect_identical(maps[[1]]$probability, maps[[2]]$probability)
  }
})

test_that("an update keeps the map and its age, or refreshes it", {
  set.seed(6)
  data <- two_normals(1000)
  part <- function(i) list(x = data$x[i, ], y = data$y[i])
  learn_part <- function(fit, i, ...) {
    set.seed(7)
    update(fit, part(i)$x, part(i)$y, ...)
  }
  fit <- quick_fit("olsvm", part(1:200), probability = TRUE)
  expect_identical(fit$probability$n_seen, 200)
  expect_output(print(fit), "probability +fitted$")
  more <- learn_part(fit, 201:400)
  expect_identical(more$probability, fit$probability)
  expect_output(print(more), "fitted after 200 of the examples")
  expect_no_warning(predict(more, data$x, type = "prob"))
  old <- learn_part(more, 401:500)
  expect_snapshot(invisible(predict(old, data$x, type = "prob")))
  expect_warning(predict(old, data$x, type = "prob"), class = "osvm_old_probabilities")
  expect_warning(predict(old, data$x), class = "osvm_old_probabilities")
  expect_no_warning(predict(old, data$x, type = "decision"))
  fresh <- learn_part(old, 501:900, probability = TRUE)
  expect_identical(fresh$coef, learn_part(old, 501:900)$coef)
  expect_identical(fresh$probability$n_seen, 500)
  best <- platt(decide(old, data$x[501:900, ]), data$y[501:900] == "second", rep(1, 400))
  expect_equal(unlist(fresh$probability[1:2], use.names = FALSE), best, tolerance = 1e-4)
  none <- quick_fit("olsvm", part(1:200))
  expect_false(is.null(learn_part(none, 201:400, probability = TRUE)$probability))
  expect_snapshot(error = TRUE, {
    update(fit, data$x[data$y == "first", ], data$y[data$y == "first"], probability = TRUE)
    update(fit, data$x, data$y, probability = NA)
  })
})

test_that("a damaged map is refused", {
  for (case in list(list(2, "ovr"), list(3, "ovr"), list(3, "ovo"))) {
    data <- clouds(30, classes = case[[1]])
    fit <- quick_fit("smo", data, multiclass = case[[2]], probability = TRUE)
    expect_length(fit$probability, if (case[[1]] == 3 && case[[2]] == "ovr") 5 else 4)
    damage <- function(name, value) {
      fit$probability[[name]] <- value
      fit
    }
    for (name in names(fit$probability)) {
      good <- fit$probability[[name]]
      none <- if (name == "sigmoids") 1
      for (value in list(none, "x", NA_real_, numeric(), c(good, 1), Inf * good, list(1), matrix(1, 2, 5))) {
        expect_osvm_error(predict(damage(name, value), data$x, type = "prob"))
      }
    }
    fit$probability <- 3
    expect_osvm_error(predict(fit, data$x))
  }
})
