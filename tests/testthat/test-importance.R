test_that("importance is the size of the gradient of the decision values", {
  data <- clouds(50, classes = 3)
  data$x <- data$x * rep(c(1, 5, 0.2), each = 50)
  kernels <- list(
    kernel_rbf(gamma = 0.4), kernel_polynomial(degree = 3, gamma = 0.3, coef0 = 1),
    kernel_sigmoid(gamma = 0.1, coef0 = 0.2)
  )
  for (kernel in kernels) {
    fit <- osvm(data$x, data$y, "smo", kernel, verbose = FALSE)
    # Numerical derivatives, per standard deviation, since sizes are those of scaled features.
    h <- 1e-2
    numeric <- vapply(1:3, function(j) {
      step <- h * fit$scaling$scale[j] * (seq_len(3) == j)
      up <- predict(fit, sweep(fit$sv, 2, step, "+"), type = "decision")
      down <- predict(fit, sweep(fit$sv, 2, step, "-"), type = "decision")
      sqrt(colMeans(((up - down) / (2 * h))^2))
    }, numeric(3))
    expect_equal(gradient_sizes(unclass(fit)), t(numeric), tolerance = 1e-2, ignore_attr = TRUE)
  }
  linear <- osvm(data$x, data$y, "smo", "linear", verbose = FALSE)
  expect_identical(gradient_sizes(unclass(linear)), abs(linear$coef))
})

test_that("a variable that decides comes first, and a factor is one variable, by every method", {
  set.seed(2)
  frame <- data.frame(noise = rnorm(80), site = factor(rep(c("n", "s"), 40)), signal = rnorm(80))
  y <- factor(ifelse(frame$signal > 0, "a", "b"))
  for (kernel in c("rbf", "linear")) {
    fit <- osvm(frame, y, kernel = kernel, verbose = FALSE)
    tables <- list(
      osvm_importance(fit), osvm_importance(fit, frame), osvm_importance(fit, frame, y),
      osvm_importance(fit, frame, y, metric = "auc", repeats = 3)
    )
    for (table in tables) {
      expect_identical(table$variable[1], "signal")
      expect_setequal(table$variable, names(frame))
    }
    methods <- vapply(tables, attr, "", "method")
    expect_identical(methods, c("gradient", "shapley", "permutation", "permutation"))
  }
  fit <- osvm(y ~ noise * site + signal, cbind(frame, y = y), verbose = FALSE)
  expect_setequal(osvm_importance(fit)$variable, c("noise", "site", "signal", "noise:site"))
  expect_setequal(osvm_importance(fit, cbind(frame, y = y), method = "permutation")$variable, names(frame))
})

test_that("by Shapley values it is their mean absolute value", {
  fit <- osvm(mpg ~ wt + hp + factor(cyl), mtcars, verbose = FALSE)
  table <- osvm_importance(fit, mtcars)
  values <- abs(osvm_shapley(fit, mtcars)$values)[, table$variable]
  expect_equal(table$importance, unname(colMeans(values)))
  expect_equal(table$std.error, unname(apply(values, 2, sd) / sqrt(32)))
  fit <- osvm(Species ~ ., iris, multiclass = "ovr", verbose = FALSE)
  table <- osvm_importance(fit, iris)
  expect_equal(table$importance, unname(rowMeans(colMeans(abs(osvm_shapley(fit, iris)$values)))[table$variable]))
  # Columns of numbers in other units count alike.
  y <- cbind(a = mtcars$mpg, b = 1000 * mtcars$mpg)
  fit <- osvm(mtcars[c("wt", "hp")], y, verbose = FALSE)
  scaled <- sweep(abs(osvm_shapley(fit, mtcars)$values), 3, fit$label$scale, "/")
  expect_equal(
    osvm_importance(fit, mtcars)$importance, sort(unname(rowMeans(colMeans(scaled))), decreasing = TRUE)
  )
})

test_that("by permutation it is what the metric loses", {
  set.seed(3)
  x <- cbind(a = rnorm(300), b = rnorm(300), c = 0)
  fit <- osvm(x, 3 * x[, "a"] + x[, "b"], solver_dcd(C = 100), kernel = "linear", verbose = FALSE)
  table <- osvm_importance(fit, x, 3 * x[, "a"] + x[, "b"], metric = "rmse", repeats = 40)
  # The root mean square of w (x - x') with independent x, x'
  expect_equal(table$importance[1:2], sqrt(2) * c(3, 1), tolerance = 0.1)
  expect_equal(table$importance[3], 0)
  expect_true(all(table$std.error[1:2] > 0 & table$std.error[1:2] < 0.1))
  set.seed(5)
  again <- osvm_importance(fit, x, x[, "a"], repeats = 2)
  set.seed(5)
  expect_identical(again, osvm_importance(fit, x, x[, "a"], repeats = 2))
  # Larger is better: a loss is a loss.
  expect_gt(osvm_importance(fit, x, 3 * x[, "a"], metric = "rsq")$importance[1], 0.5)
  largest <- function(truth, predicted, decision) -max(abs(truth - predicted))
  expect_gt(osvm_importance(fit, x, 3 * x[, "a"], metric = largest, maximize = TRUE)$importance[1], 2)
  missing <- x
  missing[7, 1] <- NA
  expect_true(all(is.finite(osvm_importance(fit, missing, x[, "a"], repeats = 2)$importance)))
})

test_that("weights of features that the fit has found are in the table", {
  set.seed(6)
  x <- matrix(rnorm(6000), ncol = 4)
  y <- factor(sin(3 * x[, 1]) + 0.1 * x[, 2] > 0)
  fit <- osvm(x, y, effort = 0, verbose = FALSE)
  expect_null(osvm_importance(fit)$weight)
  fit <- osvm(x, y, cells = 400, verbose = FALSE)
  expect_true("feature weights" %in% fit$estimated)
  table <- osvm_importance(fit, x[1:100, ])
  expect_identical(table$variable[which.max(table$weight)], "x1")
  expect_equal(mean(table$weight^2), 1)
  expect_output(print(table), "weight")
})

test_that("arguments that do not go together are refused in a sentence", {
  x <- as.matrix(iris[1:4])
  fit <- osvm(x, iris$Species, verbose = FALSE)
  expect_snapshot(error = TRUE, {
    osvm_importance(fit, method = "shapley")
    osvm_importance(fit, x, iris$Species, method = "shapley")
    osvm_importance(fit, x, method = "gradient")
    osvm_importance(fit, x, metric = "error")
    osvm_importance(fit, x, iris$Species, metric = "logloss")
    osvm_importance(osvm(x, loss = loss_novelty(), verbose = FALSE), x, method = "permutation")
  })
  expect_error(osvm_importance(fit, x, iris$Species, metric = "mae"), "`metric` must be \"error\"")
})

test_that("it is printed and drawn, and vip, caret and DALEX agree with it", {
  set.seed(1)
  fit <- osvm(Species ~ ., iris, solver_smo(C = 1), kernel_rbf(gamma = 0.3), verbose = FALSE)
  table <- osvm_importance(fit, iris)
  expect_snapshot(table)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_identical(plot(table), table)
  drawn <- importance_panels(table, 2)$panels[[1]]
  expect_identical(drawn$ticks, rev(table$variable[1:2]))
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_s3_class(ggplot2::autoplot(table), "ggplot")
  broken <- table
  broken$importance[1] <- NaN
  broken$std.error[2] <- Inf
  expect_identical(plot(broken), broken)
  expect_identical(importance_panels(broken, 10)$panels[[1]]$ticks, rev(table$variable[-1]))
  broken$importance <- NA_real_
  expect_error(plot(broken), "nothing to draw", class = "osvm_error")
  if (requireNamespace("caret", quietly = TRUE)) {
    expect_identical(rownames(caret::varImp(fit)), osvm_importance(fit)$variable)
  }
  if (requireNamespace("vip", quietly = TRUE)) {
    sizes <- vip::vi(fit, newdata = iris)
    expect_identical(sizes$Variable, table$variable)
    expect_identical(sizes$Importance, table$importance)
  }
})

test_that("DALEX's permutations lose as much", {
  skip_if_not_installed("DALEX")
  set.seed(1)
  fit <- osvm(mpg ~ wt + hp + qsec, mtcars, verbose = FALSE)
  ours <- osvm_importance(fit, mtcars, method = "permutation", repeats = 100)
  explainer <- DALEX::explain(fit, mtcars[c("wt", "hp", "qsec")], mtcars$mpg, verbose = FALSE)
  parts <- DALEX::model_parts(explainer, B = 100, N = NULL, loss_function = DALEX::loss_root_mean_square)
  theirs <- tapply(parts$dropout_loss, parts$variable, mean)
  lost <- as.vector(theirs[ours$variable]) - theirs[["_full_model_"]]
  expect_equal(ours$importance, lost, tolerance = 0.1)
})
