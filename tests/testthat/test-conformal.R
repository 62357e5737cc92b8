gaussian <- kernel_rbf(gamma = 0.5)

conformal_fit <- function(x, y, ..., solver = solver_smo(), kernel = gaussian) {
  osvm(x, y, solver, kernel, ..., conformal = TRUE, verbose = FALSE)
}

# Numbers whose spread is equal, grows, or is skewed.
numbers_of_kind <- function(kind, n) {
  x <- matrix(runif(2 * n, -2, 2), n)
  noise <- switch(kind,
    equal = rnorm(n, sd = 0.4), growing = rnorm(n, sd = 0.1 + 0.4 * abs(x[, 1])), skewed = rexp(n, 2)
  )
  list(x = x, y = sin(2 * x[, 1]) + 0.5 * x[, 2] + noise)
}

overlapping_classes <- function(n, prob = c(0.6, 0.3, 0.1)) {
  y <- factor(sample(c("a", "b", "c"), n, TRUE, prob), c("a", "b", "c"))
  list(x = cbind(rnorm(n, c(0, 1.5, 0)[y]), rnorm(n, c(0, 0, 1.5)[y])), y = y)
}

# Mean of `measure(train, test)` over draws.
over_draws <- function(draw, measure, n = 80, draws = if (exhaustive()) 200 else 25) {
  set.seed(1)
  rowMeans(vapply(seq_len(draws), function(i) c(measure(draw(n), draw(200))), c(measure(draw(n), draw(200)))))
}

# One-vs-one with three classes: votes, and sums of decision values that break their ties; how far a class is behind.
votes_behind <- function(f, labels) {
  pairs <- cbind(c(1, 1, 2), c(2, 3, 3)) # the positive class of each pair is the later one
  votes <- total <- matrix(0, nrow(f), 3)
  for (m in 1:3) {
    won <- f[, m] > 0
    votes[, pairs[m, 2]] <- votes[, pairs[m, 2]] + won
    votes[, pairs[m, 1]] <- votes[, pairs[m, 1]] + !won
    total[, pairs[m, 2]] <- total[, pairs[m, 2]] + f[, m]
    total[, pairs[m, 1]] <- total[, pairs[m, 1]] - f[, m]
  }
  scores <- votes + total / (3 * (abs(total) + 1))
  vapply(seq_along(labels), function(i) {
    own <- as.integer(labels[i])
    max(scores[i, -own]) - scores[i, own]
  }, 0)
}

within <- function(bounds, y) mean(bounds[, "lower"] <= y & y <= bounds[, "upper"])

test_that("intervals cover as many new numbers as they are to, of equal, growing and skewed spread", {
  for (kind in c("equal", "growing", "skewed")) {
    covered <- over_draws(function(n) numbers_of_kind(kind, n), function(train, test) {
      fit <- conformal_fit(train$x, train$y)
      vapply(c(0.5, 0.8, 0.9), function(level) {
        within(predict(fit, test$x, type = "interval", level = level), test$y)
      }, 0)
    }, n = if (exhaustive()) 300 else 80) # SVMs that hold out rows have learned fewer, which shows among 80
    expect_lt(max(abs(covered - c(0.5, 0.8, 0.9))), if (exhaustive()) 0.015 else 0.035)
  }
})

test_that("conformalised quantiles cover likewise, and are wide where the spread is", {
  measured <- over_draws(function(n) numbers_of_kind("growing", n), function(train, test) {
    fit <- conformal_fit(train$x, train$y, loss = loss_quantile(c(0.1, 0.5, 0.9)))
    bounds <- predict(fit, test$x, type = "interval", level = 0.8)
    width <- bounds[, "upper"] - bounds[, "lower"]
    c(within(bounds, test$y), cor(width, abs(test$x[, 1])))
  }, n = 150)
  expect_equal(measured[1], 0.8, tolerance = if (exhaustive()) 0.015 else 0.04)
  expect_gt(measured[2], 0.3)
})

test_that("sets have the class of as many new rows as they are to, with by = \"class\" of each class", {
  for (probability in c(FALSE, TRUE)) {
    covered <- over_draws(overlapping_classes, function(train, test) {
      fit <- conformal_fit(train$x, train$y, probability = probability)
      own <- function(by) predict(fit, test$x, type = "set", level = 0.8, by = by)[cbind(1:200, as.integer(test$y))]
      c(mean(own("all")), tapply(own("class"), test$y, mean))
    }, n = 150)
    expect_equal(covered[[1]], 0.8, tolerance = if (exhaustive()) 0.015 else 0.04)
    expect_gt(min(covered[-1]), if (exhaustive()) 0.77 else 0.76)
    expect_lt(max(covered[-1]), 0.9)
  }
})

test_that("p-values of the true class are uniform, and sets are the classes whose p-value exceeds 1 - level", {
  set.seed(2)
  p <- unlist(lapply(1:10, function(i) {
    train <- overlapping_classes(150)
    test <- overlapping_classes(100)
    fit <- conformal_fit(train$x, train$y)
    p <- predict(fit, test$x, type = "p")
    sets <- predict(fit, test$x, type = "set", level = 0.7)
    expect_identical(unclass(sets)[, ], p > 0.3)
    expect_true(all(predict(fit, test$x, type = "set", level = 0.9) | !sets))
    p[cbind(1:100, as.integer(test$y))]
  }))
  expect_lt(max(abs(ecdf(p)(seq(0.05, 0.95, 0.05)) - seq(0.05, 0.95, 0.05))), 0.06)
})

test_that("p-values and widths are those of the definition, from the scores that the model keeps", {
  set.seed(3)
  data <- overlapping_classes(60)
  weights <- rep(c(1, 2, 0), 20)
  fit <- conformal_fit(data$x, data$y, weights = weights, class_weights = c(c = 5), multiclass = "ovr")
  held <- fit$conformal$scores[[1]]
  expect_identical(nrow(held), 40L)
  expect_setequal(held$weight, 1:2)
  f <- predict(fit, data$x, type = "decision")
  behind <- vapply(1:3, function(k) apply(f[, -k], 1, max) - f[, k], numeric(60))
  for (by in c("all", "class")) {
    p <- vapply(1:3, function(k) {
      rows <- by == "all" | held$class == k
      own <- mean(held$weight[rows])
      vapply(behind[, k], function(s) {
        (sum(held$weight[rows][held$score[rows] >= s]) + own) / (sum(held$weight[rows]) + own)
      }, 0)
    }, numeric(60))
    expect_equal(unname(predict(fit, data$x, type = "p", by = by)), p)
  }

  data <- numbers_of_kind("equal", 39)
  fit <- conformal_fit(data$x, data$y)
  bounds <- predict(fit, data$x, type = "interval", level = 0.9)
  expect_identical(bounds[, "fit"], predict(fit, data$x))
  expect_equal(bounds[, "upper"] - bounds[, "fit"], rep(sort(fit$conformal$scores[[1]]$score)[36], 39))
  expect_equal(bounds[, "fit"] - bounds[, "lower"], bounds[, "upper"] - bounds[, "fit"])
  expect_identical(predict(fit, data$x[1:2, ], type = "interval", level = 0.99)[, "upper"], c(Inf, Inf))
})

test_that("without scores sets have all classes, and intervals no end", {
  x <- matrix(c(0, 1, 2, 3), 2)
  fit <- conformal_fit(x, factor(c("a", "b"))) # no fold leaves two classes
  expect_identical(nrow(fit$conformal$scores[[1]]), 0L)
  expect_true(all(predict(fit, x, type = "set", level = 0.5)))
  expect_true(all(is.infinite(predict(conformal_fit(x, 1:2, loss = loss_epsilon()), x, type = "interval")[, -1])))
})

test_that("one hold-out path: probabilities and model are those of a fit without scores", {
  data <- overlapping_classes(90)
  set.seed(4)
  plain <- osvm(data$x, data$y, solver_smo(), gaussian, probability = TRUE, verbose = FALSE)
  set.seed(4)
  fit <- conformal_fit(data$x, data$y, probability = TRUE)
  expect_identical(fit$probability, plain$probability)
  expect_identical(fit$coef, plain$coef)
})

test_that("scores are those of models that have not learned the examples", {
  set.seed(5)
  x <- matrix(rnorm(200), 100)
  y <- rnorm(100) # noise, which a narrow kernel learns by heart
  fit <- conformal_fit(x, y, solver = solver_smo(C = 1000), kernel = kernel_rbf(gamma = 50), loss = loss_epsilon(0.01))
  expect_lt(max(abs(predict(fit, x) - y)), 0.05)
  expect_gt(median(fit$conformal$scores[[1]]$score), 0.3)
})

test_that("several columns, cells, low rank and online solvers have intervals", {
  set.seed(6)
  train <- numbers_of_kind("equal", 150)
  test <- numbers_of_kind("equal", 200)
  both <- conformal_fit(train$x, cbind(one = train$y, two = -3 * train$y))
  bounds <- predict(both, test$x, type = "interval", level = 0.8)
  expect_identical(colnames(bounds), paste0(rep(c("one.", "two."), each = 3), c("fit", "lower", "upper")))
  expect_equal(mean(bounds[, "two.lower"] <= -3 * test$y & -3 * test$y <= bounds[, "two.upper"]), 0.8, tolerance = 0.12)
  fits <- list(
    conformal_fit(train$x, train$y, cells = 50), conformal_fit(train$x, train$y, kernel = kernel_nystrom(rank = 40)),
    conformal_fit(train$x, train$y, solver = solver_lasvm()), conformal_fit(train$x, train$y, solver = NULL, effort = 0)
  )
  for (fit in fits) {
    expect_equal(within(predict(fit, test$x, type = "interval", level = 0.8), test$y), 0.8, tolerance = 0.12)
  }
  data <- overlapping_classes(150)
  fit <- conformal_fit(data$x, data$y, cells = 50, probability = TRUE)
  expect_identical(dim(predict(fit, data$x, type = "set")), c(150L, 3L))
})

test_that("weights, cells, low rank, quantiles and given kernels are served, or refused in a sentence", {
  set.seed(12)
  train <- numbers_of_kind("growing", 120)
  test <- numbers_of_kind("growing", 200)
  two <- cbind(one = train$y, two = -3 * train$y)
  weights <- rep(1:2, 60)
  quantiles <- loss_quantile(c(0.1, 0.5, 0.9))
  low <- kernel_nystrom(rank = 30)
  fits <- list(
    conformal_fit(train$x, train$y, weights = weights), conformal_fit(train$x, two, weights = weights),
    conformal_fit(train$x, train$y, loss = quantiles, weights = weights),
    conformal_fit(train$x, train$y, loss = quantiles, kernel = low), conformal_fit(train$x, two, kernel = low),
    conformal_fit(train$x, train$y, cells = 50, weights = weights), conformal_fit(train$x, two, cells = 50),
    conformal_fit(train$x, train$y, loss = loss_expectile(0.5)), conformal_fit(train$x, train$y, solver = solver_pa())
  )
  for (fit in fits) {
    bounds <- predict(fit, test$x, type = "interval", level = 0.8)
    expect_equal(within(`colnames<-`(bounds[, 1:3], c("fit", "lower", "upper")), test$y), 0.8, tolerance = 0.15)
  }
  values <- exp(-as.matrix(dist(rbind(train$x, test$x)))^2)
  given <- conformal_fit(values[1:120, 1:120], train$y, kernel = kernel_matrix())
  bounds <- predict(given, values[121:320, 1:120], type = "interval", level = 0.8)
  expect_equal(within(bounds, test$y), 0.8, tolerance = 0.15)

  classes <- overlapping_classes(150)
  new <- overlapping_classes(300)
  by_class <- list(
    conformal_fit(classes$x, classes$y, cells = 60, weights = rep(1:2, 75), class_weights = c(c = 4)),
    conformal_fit(classes$x, classes$y, kernel = low, class_weights = "balanced"),
    conformal_fit(classes$x, classes$y, multiclass = "ovr", probability = TRUE, class_weights = "balanced")
  )
  for (fit in by_class) {
    sets <- predict(fit, new$x, type = "set", level = 0.8, by = "class")
    covered <- tapply(sets[cbind(1:300, as.integer(new$y))], new$y, mean)
    expect_gt(min(covered[c("a", "b")]), 0.65) # "c" has ten scores
  }
  expect_error(conformal_fit(train$x, two, loss = quantiles), "one column", class = "osvm_error")
  expect_error(conformal_fit(train$x, NULL, loss = loss_novelty()), "classes and numbers", class = "osvm_error")
})

test_that("rows with missing values are NA, names stay, and one row is as among others", {
  data <- overlapping_classes(60)
  rownames(data$x) <- paste0("row", 1:60)
  fit <- conformal_fit(data$x, data$y)
  new <- replace(data$x, 3, NA)
  for (type in c("set", "p")) {
    all <- predict(fit, new, type = type)
    expect_identical(rownames(all), rownames(new))
    expect_identical(which(is.na(all[, 1])), c(row3 = 3L))
    expect_identical(unclass(predict(fit, new[2, , drop = FALSE], type = type))[1, ], unclass(all)[2, ])
    expect_identical(nrow(predict(fit, new[0, ], type = type)), 0L)
  }
  numbers <- conformal_fit(data$x, data$x[, 1] + rnorm(60))
  expect_identical(unname(predict(numbers, new, type = "interval")[3, ]), rep(NA_real_, 3))
})

test_that("interval = \"prediction\" is the same, as for predict.lm()", {
  set.seed(7)
  fit <- osvm(dist ~ speed, cars, solver_smo(), conformal = TRUE)
  expect_identical(predict(fit, cars, interval = "prediction"), predict(fit, cars, type = "interval"))
  expect_identical(predict(fit, cars, interval = "none"), predict(fit, cars))
})

test_that("an update leaves scores, warns when they are old, and makes them anew from its examples", {
  set.seed(8)
  data <- numbers_of_kind("equal", 200)
  first <- 1:60
  fit <- conformal_fit(data$x[first, ], data$y[first], solver = solver_lasvm())
  more <- update(fit, data$x[-first, ], data$y[-first])
  expect_identical(more$conformal, fit$conformal)
  expect_warning(predict(more, data$x, type = "interval"), class = "osvm_old_scores")
  expect_no_warning(predict(more, data$x))
  new <- update(fit, data$x[-first, ], data$y[-first], conformal = TRUE)
  expect_equal(new$conformal$scores[[1]]$score, sort(abs(predict(fit, data$x[-first, ]) - data$y[-first])))
  live <- osvm_live(fit)
  update(live, data$x[-first, ], data$y[-first], conformal = TRUE)
  expect_equal(snapshot(live)$conformal, new$conformal)
  expect_equal(nrow(suppressWarnings(predict(live, data$x, type = "interval"), "osvm_old_scores")), 200)

  data <- overlapping_classes(150)
  fit <- conformal_fit(data$x[1:80, ], data$y[1:80])
  more <- update(fit, data$x[-(1:80), ], data$y[-(1:80)], probability = TRUE)
  expect_false(identical(more$conformal, fit$conformal))
  expect_true(all(more$conformal$scores[[1]]$score >= 0)) # 1 - probability
  wider <- update(fit, data$x, rep("d", 150), new_classes = "join")
  expect_null(wider$conformal)
  expect_error(update(fit, data$x, rep("d", 150), new_classes = "join", conformal = TRUE), "no new classes")
})

test_that("a model from a file predicts the same, and damaged scores are found", {
  data <- overlapping_classes(60)
  fit <- conformal_fit(data$x, data$y)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data$x, type = "p"), predict(fit, data$x, type = "p"))
  expect_identical(predict(strip(fit), data$x, type = "set"), predict(fit, data$x, type = "set"))
  damages <- list(
    function(held) held[-1], function(held) held[rev(seq_len(nrow(held))), ], function(held) replace(held, "class", 9L),
    function(held) replace(held, "score", NA_real_), function(held) list()
  )
  for (damage in damages) {
    broken <- fit
    broken$conformal$scores[[1]] <- damage(broken$conformal$scores[[1]])
    expect_error(predict(broken, data$x, type = "p"), "conformal\\$scores")
  }
})

test_that("what is asked of the wrong model is refused in a sentence", {
  data <- overlapping_classes(60)
  set.seed(9)
  classes <- conformal_fit(data$x, data$y)
  numbers <- conformal_fit(data$x, data$x[, 1])
  without <- osvm(data$x, data$y, solver_smo(), gaussian)
  expect_snapshot(error = TRUE, {
    predict(without, data$x, type = "set")
    predict(numbers, data$x, type = "p")
    predict(classes, data$x, type = "interval")
    predict(numbers, data$x, type = "interval", by = "class")
    predict(classes, data$x, type = "set", level = 1)
    predict(classes, data$x, level = 0.9)
    predict(numbers, data$x, interval = "confidence")
    predict(classes, data$x, type = "p", interval = "prediction")
    osvm(data$x, loss = loss_novelty(), conformal = TRUE)
  })
})

test_that("models and sets print readably", {
  set.seed(10)
  data <- overlapping_classes(60)
  fit <- conformal_fit(data$x, data$y)
  expect_output(print(fit), "conformal +60 held-out scores, fitted")
  sets <- structure(
    matrix(c(TRUE, FALSE, NA, TRUE, FALSE, NA), 3, dimnames = list(NULL, c("no", "yes"))),
    level = 0.9, class = c("osvm_sets", "matrix", "array")
  )
  expect_identical(format(sets), c("{no, yes}", "{}", NA))
  expect_snapshot(print(sets))
  for (damage in list(list(dim = NULL), list(dimnames = NULL), list(level = "high"), list(level = NULL))) {
    damaged <- sets
    attr(damaged, names(damage)) <- damage[[1]]
    expect_error(print(damaged), "The prediction is damaged", class = "osvm_error")
    expect_error(format(damaged), "The prediction is damaged", class = "osvm_error")
  }
  expect_snapshot(print(predict(fit, data$x[1:5, ], type = "set"), n = 2))
})

test_that("full conformal sets are those of a refit per new row and class", {
  set.seed(11)
  for (prob in list(c(0.5, 0.5, 0), c(0.6, 0.3, 0.1))) {
    data <- overlapping_classes(40, prob)
    y <- droplevels(data$y)
    new <- overlapping_classes(6, prob)$x
    solver <- solver_idsvm(C = 2)
    fit <- osvm(data$x, y, solver, gaussian, scale = FALSE, conformal = "full", verbose = FALSE)
    for (by in c("all", "class")) {
      p <- predict(fit, new, type = "p", by = by)
      refitted <- outer(seq_len(nrow(new)), levels(y), Vectorize(function(i, class) {
        x <- rbind(data$x, new[i, ])
        labels <- factor(c(as.character(y), class), levels(y))
        f <- predict(osvm(x, labels, solver, gaussian, scale = FALSE, verbose = FALSE), x, type = "decision")
        strange <- if (nlevels(y) == 2) ifelse(labels == levels(y)[1], f, -f) else votes_behind(f, labels)
        like <- by == "all" | labels == class
        mean(strange[like] >= strange[length(strange)] - 1e-6)
      }))
      expect_equal(p, refitted, ignore_attr = TRUE)
      expect_identical(unclass(predict(fit, new, type = "set", by = by, level = 0.8))[, ], p > 0.2 + 1e-12)
    }
    expect_identical(predict(fit, new), predict(osvm(data$x, y, solver, gaussian, scale = FALSE), new))
  }
  expect_output(print(fit), "conformal +full")
  expect_error(predict(strip(fit), new, type = "p"), "training state", class = "osvm_error")
  expect_error(predict(fit, new, type = "interval"), "for numbers", class = "osvm_error")
  expect_error(osvm(data$x, data$y, solver_smo(), conformal = "full"), "cannot have full", class = "osvm_error")
  expect_error(osvm(data$x, data$x[, 1], solver_idsvm(), conformal = "full"), "for classes", class = "osvm_error")
  expect_error(osvm(data$x, data$y, conformal = "fool"), "must be TRUE, FALSE", class = "osvm_error")
  more <- update(fit, data$x[1:5, ], data$y[1:5])
  expect_identical(dim(predict(more, new, type = "p")), c(6L, 3L))
})

test_that("full conformal sets have the class of as many new rows as they are to", {
  two <- function(n) {
    data <- overlapping_classes(n, c(0.5, 0.5, 0))
    list(x = data$x, y = droplevels(data$y))
  }
  covered <- over_draws(two, function(train, test) {
    fit <- osvm(train$x, train$y, solver_idsvm(), gaussian, scale = FALSE, conformal = "full", verbose = FALSE)
    c(mean(predict(fit, test$x[1:20, ], type = "set", level = 0.8)[cbind(1:20, as.integer(test$y[1:20]))]), 0)
  }, n = 30)
  expect_gt(covered[1], 0.78)
  expect_lt(covered[1], 0.88)
})
