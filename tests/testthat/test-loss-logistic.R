logistic <- function(y) function(f) log1p(exp(-y * f))

test_that("the objective is LIBLINEAR's, types 0 and 7, and that of weights searched in R", {
  data <- clouds(120)
  sign <- ifelse(data$y == "b", 1, -1)
  for (C in c(0.05, 2, 50)) {
    fit <- linear_optimum(data$x, data$y, loss_logistic(), C)
    expect_least(fit, data$x, logistic(sign), C, types = c(0, 7), y = sign)
  }
})

test_that("weights of examples multiply their cost, and a warm start has the optimum", {
  data <- clouds(90)
  sign <- ifelse(data$y == "b", 1, -1)
  weights <- rep(c(1, 0.2, 0), 30)
  fit <- linear_optimum(data$x, data$y, loss_logistic(), 2, weights = weights)
  expect_least(fit, data$x, function(f) weights * logistic(sign)(f), 2)
  tuned <- osvm_tune(data$x, data$y, solver_dcd(C = c(0.01, 0.3, 10), tolerance = 1e-7, max_iter = 1e5),
    loss = loss_logistic(), scale = FALSE, progress = FALSE, foldid = rep(1:3, 30), metric = "auc")
  held <- decide(linear_optimum(data$x[rep(1:3, 30) != 1, ], data$y[rep(1:3, 30) != 1], loss_logistic(), 10), data$x)
  expect_true(all(is.finite(held)) && all(is.finite(tuned$results$auc)))
})

test_that("decision values are log-odds", {
  set.seed(1)
  x <- matrix(rnorm(40000), 20000)
  p <- plogis(drop(x %*% c(1, -2)) + 0.5)
  y <- factor(ifelse(runif(20000) < p, "yes", "no"), levels = c("no", "yes"))
  fit <- osvm(x, y, loss = "logistic", scale = FALSE)
  expect_identical(fit$solver$name, "dcd")
  expect_equal(unname(c(fit$coef, fit$intercept)), c(1, -2, 0.5), tolerance = 0.05)
  ours <- osvm(x[1:2000, ], y[1:2000], solver_dcd(C = 30, tolerance = 1e-7), loss = "logistic", scale = FALSE)
  theirs <- stats::glm(y[1:2000] ~ x[1:2000, ], family = stats::binomial())
  expect_equal(unname(c(ours$intercept, ours$coef)), unname(coef(theirs)), tolerance = 1e-3)
})

test_that("with a kernel and no solver one that descends is taken; of several classes there is a model each", {
  fit <- osvm(Species ~ ., iris, kernel = kernel_rbf(), loss = "logistic")
  expect_true(fit$solver$name %in% strsplit(losses()$solvers[losses()$name == "logistic"], ", ")[[1]])
  expect_gt(mean(predict(fit, iris) == iris$Species), 0.9)
  low <- osvm(Species ~ ., iris, kernel = kernel_nystrom(rank = 20), loss = "logistic")
  expect_gt(mean(predict(low, iris) == iris$Species), 0.9)
  expect_snapshot(error = TRUE, osvm(Species ~ ., iris, solver_smo(), loss = "logistic"))
})
