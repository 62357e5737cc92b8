test_that("the area under the curve is that of the points, and of osvm_tune()'s metric", {
  data <- clouds(120)
  fit <- osvm(data$x[1:60, ], data$y[1:60], "smo", kernel_rbf(gamma = 0.5), verbose = FALSE)
  curve <- osvm_roc(fit, data$x[61:120, ], data$y[61:120])
  points <- curve$data
  trapezoid <- sum(diff(points$fpr) * (utils::head(points$tpr, -1) + points$tpr[-1]) / 2)
  expect_equal(unname(curve$summary), trapezoid)
  expect_identical(range(points$fpr), c(0, 1))
  expect_identical(range(points$tpr), c(0, 1))
  expect_false(is.unsorted(points$tpr))
  f <- predict(fit, data$x[61:120, ], type = "decision")
  above <- outer(f, points$threshold, ">=")
  expect_equal(points$tpr, colMeans(above[data$y[61:120] == "b", ]))
  expect_equal(points$fpr, colMeans(above[data$y[61:120] == "a", ]))
  expect_equal(osvm_roc(unname(f), data$y[61:120])$data[-1], points[-1])
})

test_that("ties are one step", {
  curve <- osvm_roc(c(1, 1, 2, 2, 3), c("a", "b", "a", "b", "b"))
  expect_equal(curve$data$fpr, c(0, 0, 0.5, 1))
  expect_equal(curve$data$tpr, c(0, 1, 2, 3) / 3)
})

test_that("several classes have a curve each", {
  fit <- osvm(Species ~ ., iris[seq(1, 150, 2), ], probability = TRUE, verbose = FALSE)
  test <- iris[seq(2, 150, 2), ]
  test[3, 1] <- NA
  roc <- osvm_roc(fit, test)
  expect_named(roc$summary, levels(iris$Species))
  expect_true(all(roc$summary > 0.9))
  calibration <- osvm_calibration(fit, test, bins = 5)
  expect_identical(unname(tapply(calibration$data$n, calibration$data$class, sum)), rep(74L, 3), ignore_attr = TRUE)
  p <- predict(fit, test[-3, ], type = "prob")
  expect_equal(calibration$summary[["setosa"]], mean((p[, "setosa"] - (test$Species[-3] == "setosa"))^2))
  expect_equal(osvm_calibration(p, test$Species[-3], bins = 5)$data, calibration$data)
  tuned <- osvm_tune(Species ~ ., iris, solver = "smo", grid = list(C = 1), metric = "logloss", progress = FALSE)
  expect_s3_class(osvm_roc(tuned, iris), "osvm_curve")
  expect_s3_class(osvm_calibration(tuned, iris), "osvm_curve")
})

test_that("probabilities that are right lie on the diagonal", {
  set.seed(5)
  p <- runif(20000)
  data <- osvm_calibration(p, rbinom(20000, 1, p))$data
  expect_identical(nrow(data), 10L)
  expect_true(all(abs(data$observed - data$predicted) < 4 * data$se))
})

test_that("invalid arguments are refused", {
  data <- clouds(40)
  fit <- osvm(data$x, data$y, "smo", verbose = FALSE)
  expect_error(osvm_roc(fit), "newdata", class = "osvm_error")
  expect_error(osvm_roc(fit, data$x), "y", class = "osvm_error")
  expect_error(osvm_roc(fit, data$x, data$y, nonsense = 1), "nonsense", class = "osvm_error")
  expect_error(osvm_roc(fit, data$x[data$y == "a", ], data$y[data$y == "a"]), "two classes", class = "osvm_error")
  expect_error(osvm_roc("a", data$y), "numeric", class = "osvm_error")
  expect_error(osvm_roc(1:3, c("a", "b", "c")), "column for each class", class = "osvm_error")
  expect_error(osvm_roc(1:3), "y", class = "osvm_error")
  expect_error(osvm_calibration(fit, data$x, data$y), "probability = TRUE", class = "osvm_error")
  expect_error(osvm_calibration(c(0.5, 2), c("a", "b")), "probabilities", class = "osvm_error")
  expect_error(osvm_calibration(c(0.5, 0.2), c("a", "b"), bins = 0), "bins", class = "osvm_error")
})

test_that("thresholds of a ROC curve, by decision values and by probabilities", {
  train <- clouds(100, seed = 1)
  test <- clouds(200, seed = 2)
  test$x <- test$x + rnorm(600)
  fit <- osvm(train$x, train$y, "smo", probability = TRUE, verbose = FALSE)
  p <- predict(fit, test$x, "prob")[, 2]
  roc <- osvm_roc(fit, test$x, test$y, type = "prob")
  expect_true(all(roc$data$threshold[-1] %in% p))
  expect_equal(roc$summary, osvm_roc(p, test$y)$summary)
  errors <- function(at) {
    second <- predict(fit, test$x, threshold = at) == "b"
    c(fp = sum(second & test$y == "a"), fn = sum(!second & test$y == "b"))
  }
  cost <- function(at) sum(errors(at) * c(1, 5))
  least <- min(vapply(roc$data$threshold, cost, 0))
  expect_equal(cost(osvm_threshold(roc, cost = c(fp = 1, fn = 5))), least)
  at <- osvm_threshold(roc, tpr = 0.9)
  expect_gte(1 - errors(at)[["fn"]] / sum(test$y == "b"), 0.9)
  expect_true(all(roc$data$tpr[roc$data$threshold > at] < 0.9))
  at <- osvm_threshold(roc, fpr = 0.1)
  expect_lte(errors(at)[["fp"]] / sum(test$y == "a"), 0.1)
  expect_true(all(roc$data$fpr[roc$data$threshold < at] > 0.1))
  expect_error(osvm_threshold(roc), "Give one of", class = "osvm_error")
  expect_error(osvm_threshold(roc, tpr = 2), "from 0 to 1", class = "osvm_error")
  expect_error(osvm_threshold(roc, cost = 1), "two numbers", class = "osvm_error")
  expect_error(osvm_threshold(osvm_calibration(fit, test$x, test$y), tpr = 0.5), "ROC curve", class = "osvm_error")
  attr(at, "scale") <- data.frame()
  expect_error(print(at), "The threshold is damaged", class = "osvm_error")
})

test_that("a threshold has the least cost on its rows, whatever weights the model has learned with", {
  set.seed(3)
  train <- two_normals(200)
  test <- two_normals(400)
  last <- tail(levels(factor(test$y)), 1)
  price <- c(fp = 5, fn = 1)
  is_last <- test$y == last
  costs <- function(positive) sum(price["fp"] * (positive & !is_last) + price["fn"] * (!positive & is_last))
  costly <- stats::setNames(c(1, 20), levels(factor(train$y)))
  for (probability in c(FALSE, TRUE)) {
    fit <- osvm(
      train$x, train$y, solver_smo(), kernel_rbf(gamma = 0.1), class_weights = costly, weights = runif(200),
      probability = probability, verbose = FALSE
    )
    at <- osvm_threshold(fit, test$x, test$y, cost = price)
    score <- if (probability) predict(fit, test$x, type = "prob")[, 2] else predict(fit, test$x, type = "decision")
    least <- min(vapply(c(score, Inf), function(t) costs(score >= t), 0))
    expect_identical(costs(predict(fit, test$x, threshold = at) == last), least)
    expect_gt(costs(predict(fit, test$x) == last), least)
  }
})

test_that("two columns of probabilities go by their names", {
  y <- rep(c("a", "b"), c(30, 30))
  b <- c(seq(0.1, 0.4, length.out = 30), seq(0.6, 0.9, length.out = 30))
  for (p in list(cbind(a = 1 - b, b = b), cbind(b = b, a = 1 - b), unname(cbind(1 - b, b)), b)) {
    expect_identical(unname(osvm_roc(p, y)$summary), 1)
    expect_equal(unname(osvm_calibration(p, y)$summary), mean((b - (y == "b"))^2))
  }
  expect_error(osvm_roc(cbind(u = 1 - b, v = b), y), "column for each class", class = "osvm_error")
})

test_that("novelty has a ROC curve where it is known what belongs", {
  set.seed(3)
  x <- rbind(matrix(rnorm(200), 100), matrix(rnorm(60, 3), 30))
  belongs <- rep(c(TRUE, FALSE), c(100, 30))
  fit <- osvm(x[1:60, ], loss = loss_novelty())
  curve <- osvm_roc(fit, x[-(1:60), ], belongs[-(1:60)])
  f <- predict(fit, x[-(1:60), ], type = "decision")
  pairs <- outer(f[1:40], f[-(1:40)], "-")
  expect_equal(curve$summary[["novel"]], mean((pairs > 0) + (pairs == 0) / 2))
  expect_equal(osvm_roc(fit, x[-(1:60), ], belongs[-(1:60)] + 0)$data, curve$data)
  alarms <- vapply(curve$data$threshold, function(at) {
    novel <- !predict(fit, x[-(1:60), ], threshold = at)
    c(fpr = mean(novel[1:40]), tpr = mean(novel[-(1:40)]))
  }, numeric(2))
  expect_equal(t(alarms), as.matrix(curve$data[c("fpr", "tpr")]), ignore_attr = TRUE)
  novel <- !predict(fit, x[-(1:60), ], threshold = osvm_threshold(curve, tpr = 0.9))
  expect_gte(mean(novel[-(1:40)]), 0.9)
  expect_equal(osvm_threshold(fit, x[-(1:60), ], belongs[-(1:60)], tpr = 0.9), osvm_threshold(curve, tpr = 0.9))
  for (y in list(NULL, rep(TRUE, 70), "a", belongs, rep(NA, 70))) {
    expect_error(osvm_roc(fit, x[-(1:60), ], y), "must be TRUE for rows", class = "osvm_error")
  }
  expect_error(osvm_roc(fit, x, belongs, type = "prob"), "no probabilities", class = "osvm_error")
})

test_that("a threshold knows whether it is a probability or a decision value", {
  train <- clouds(100, seed = 1)
  test <- clouds(200, seed = 2)
  test$x <- test$x + rnorm(600)
  fit <- osvm(train$x, train$y, "smo", probability = TRUE, verbose = FALSE)
  cost <- c(fp = 1, fn = 2)
  for (type in c("decision", "prob")) {
    curve <- osvm_roc(fit, test$x, test$y, type = type)
    at <- osvm_threshold(curve, cost = cost)
    expect_identical(attr(at, "scale"), type)
    score <- as.matrix(predict(fit, test$x, type))
    expect_identical(predict(fit, test$x, threshold = at) == "b", unname(score[, ncol(score)] >= as.numeric(at)))
  }
  expect_equal(osvm_threshold(fit, test$x, test$y, cost = cost), at)
  expect_equal(osvm_roc(fit, test$x, test$y), curve) # the scale of predict()
  expect_output(print(at), "a probability")
  expect_error(predict(fit, test$x, threshold = -0.309), "probability, from 0 to 1", class = "osvm_error")
  plain <- osvm(train$x, train$y, "smo", verbose = FALSE)
  expect_identical(osvm_roc(plain, test$x, test$y)$scale, "decision")
  expect_error(predict(plain, test$x, threshold = at), "probability = TRUE", class = "osvm_error")
  expect_error(osvm_threshold(fit), "newdata", class = "osvm_error")
  expect_error(osvm_threshold(1, fpr = 0.1), "ROC curve", class = "osvm_error")
})

test_that("a rate of false alarms needs only examples that belong", {
  set.seed(4)
  fit <- osvm(matrix(rnorm(400), 200), loss = loss_novelty(), solver = "smo", kernel = kernel_rbf(gamma = 0.5))
  for (n in c(99, 500)) {
    rates <- replicate(60, {
      at <- osvm_threshold(fit, matrix(rnorm(2 * n), n), fpr = 0.05)
      mean(!predict(fit, matrix(rnorm(1000), 500), threshold = at))
    })
    expect_lt(abs(mean(rates) - 0.05), 4 * sd(rates) / sqrt(60))
  }
  expect_error(osvm_threshold(fit, matrix(rnorm(20), 10), fpr = 0.01), "at least 99 rows", class = "osvm_error")
  expect_true(all(predict(fit, matrix(9, 1, 2), threshold = osvm_threshold(fit, matrix(rnorm(20), 10), fpr = 0))))
})
