test_that("unknown arguments are refused, with a path and without", {
  data <- clouds(40)
  method <- osvm_caret("olsvm", kernel_rbf(gamma = 1))
  point <- data.frame(C = 1, gamma = 1, epochs = 2)
  for (last in c(TRUE, FALSE)) {
    fit <- function(...) method$fit(data$x, data$y, NULL, point, levels(data$y), last, FALSE, ...)
    expect_s3_class(fit(scale = FALSE, class_weights = c(a = 2)), "osvm_olsvm")
    expect_error(fit(kernal = 1), "no argument `kernal`", class = "osvm_error")
    expect_error(fit(kernel = "rbf"), "belong into", class = "osvm_error")
  }
})

test_that("a model has no field of a name that caret adds", {
  taken <- c("xNames", "problemType", "tuneValue", "obsLevels", "param")
  for (name in tested_solvers()) {
    fit <- muffle_not_separable(quick_fit(name, clouds(30, classes = 3), probability = TRUE))
    expect_length(intersect(names(fit), taken), 0)
  }
})

# ---- parameters and grids, which need no caret ----

grid_of <- function(method, data = clouds(30), ...) method$grid(data$x, data$y, ...)

test_that("every solver has parameters to tune, and a grid that osvm() accepts", {
  for (name in tested_solvers()) for (kernel in solver_kernels(name)) {
    method <- osvm_caret(name, kernel$name)
    for (search in c("grid", "random")) {
      grid <- grid_of(method, len = 2, search = search)
      expect_setequal(names(grid), method$parameters$parameter)
      expect_gte(nrow(grid), if (search == "grid") 1 else 2)
      expect_s3_class(do.call(make_solver, c(name, grid[1, , drop = FALSE])), "osvm_solver")
    }
    expect_true(is.function(method$varImp))
  }
})

test_that("several values in a spec are the grid, one value is its middle", {
  method <- osvm_caret(solver_pa(C = c(1, 5), variant = c("PA-I", "PA-II"), epochs = 8), kernel_rbf(gamma = 0.5))
  expect_identical(method$parameters$parameter, c("C", "gamma", "epochs", "variant"))
  expect_identical(method$parameters$class, c("numeric", "numeric", "numeric", "character"))
  grid <- grid_of(method, len = 3)
  expect_identical(unique(grid$C), c(1, 5))
  expect_identical(unique(grid$gamma), c(0.125, 0.5, 2))
  expect_identical(unique(grid$epochs), c(4, 8, 16))
  expect_identical(unique(grid$variant), c("PA-I", "PA-II"))
  random <- grid_of(method, len = 20, search = "random")
  expect_true(all(random$C %in% c(1, 5)) && all(random$epochs == round(random$epochs)))
  expect_gt(length(unique(random$gamma)), 10)
})

test_that("a gamma that is not given is the one osvm() computes", {
  data <- clouds(40)
  fit <- osvm(data$x, data$y, "smo", verbose = FALSE)
  expect_equal(grid_of(osvm_caret(), data, len = 1)$gamma, fit$kernel$params$gamma)
  expect_equal(osvm_caret()$grid(data.frame(data$x), data$y, len = 1)$gamma, fit$kernel$params$gamma)
  expect_equal(grid_of(osvm_caret(kernel = "polynomial"), data, len = 1)$gamma, 1 / 3)
})

test_that("only the largest number of epochs is fitted, where runs are nested", {
  grid <- expand.grid(epochs = c(2, 8, 4), C = c(1, 1 + 1e-15))
  info <- osvm_caret("olsvm")$loop(grid)
  expect_identical(info$loop$epochs, c(8, 8))
  expect_identical(info$loop$C, c(1, 1 + 1e-15))
  expect_identical(info$submodels, list(data.frame(epochs = c(2, 4)), data.frame(epochs = c(2, 4))))
  expect_null(osvm_caret("lasvm")$loop)
  expect_null(osvm_caret(solver_pegasos(batch = c(1, 8)))$loop)
  expect_identical(grid_of(osvm_caret("lasvm"), len = 3)$epochs, rep(1, 9))
})

test_that("caret's order is from simple to complex", {
  sorted <- osvm_caret("pegasos")$sort(data.frame(lambda = c(1, 2, 2), epochs = c(1, 5, 1), Accuracy = 1))
  expect_identical(sorted$lambda, c(2, 2, 1))
  expect_identical(sorted$epochs, c(1, 5, 1))
})

test_that("invalid arguments are refused", {
  expect_error(osvm_caret("unknown"), "solver", class = "osvm_error")
  expect_error(osvm_caret("pegasos", "rbf"), "kernel_linear", class = "osvm_error")
  data <- clouds(30)
  method <- osvm_caret("smo")
  param <- grid_of(method, data, len = 1)
  expect_error(method$fit(data$x, data$y, NULL, param, solver = "pa"), "osvm_caret", class = "osvm_error")
  expect_error(method$fit(data$x, data$y, NULL, param, nonsense = 1), "nonsense", class = "osvm_error")
  fit <- method$fit(data$x, data$y, NULL, param)
  expect_error(method$prob(fit, data$x), "classProbs", class = "osvm_error")
})

# ---- with caret ----

trained <- function(x, y, method, ..., control = list(), seed = 1) {
  skip_if_not_installed("caret")
  set.seed(seed)
  given <- list(method = "cv", number = 3)
  control <- do.call(caret::trainControl, c(control, given[setdiff(names(given), names(control))]))
  muffle_not_separable(caret::train(x, y, method = method, ..., trControl = control))
}

expect_sound <- function(tuned) {
  measured <- unlist(tuned$results[tuned$perfNames])
  expect_true(all(is.finite(measured)))
  expect_gt(max(tuned$results$Accuracy), 1 / length(levels(tuned)) + 0.1)
}

test_that("train() works with all solvers", {
  data <- clouds(60, classes = 3)
  for (name in tested_solvers()) {
    tuned <- trained(data$x, data$y, osvm_caret(soft_solver(name)), tuneLength = 2, control = list(number = 2))
    expect_sound(tuned)
    expect_identical(levels(predict(tuned, data$x)), levels(data$y))
    expect_identical(predict(tuned, data$x), predict(tuned$finalModel, data$x))
  }
})

test_that("formula and x/y, two classes and three, linear and not", {
  for (case in some_of(combinations(classes = 2:3, kernel = c("linear", "rbf")), 2:3)) {
    data <- clouds(60, classes = case$classes)
    kernel <- case$kernel
    frame <- data.frame(data$x, kind = factor(rep(c("u", "v"), 30)), y = data$y)
    by_frame <- trained(frame[-5], frame$y, osvm_caret("pa", kernel), tuneLength = 1)
    by_formula <- trained(y ~ ., frame, osvm_caret("pa", kernel), tuneLength = 1)
    expect_sound(by_frame)
    expect_sound(by_formula)
    # train() keeps a matrix as a data frame.
    expect_identical(predict(by_formula), predict(by_formula, frame))
    expect_identical(predict(by_frame), predict(by_frame, frame[-5]))
  }
})

test_that("the final model is osvm() with the best parameters", {
  data <- clouds(60)
  tuned <- trained(
    data$x, data$y, osvm_caret("olsvm"), tuneLength = 2, class_weights = c(a = 1, b = 2),
    weights = rep(c(1, 2, 0.5), 20), control = list(seeds = c(rep(list(rep(4, 99)), 3), 5))
  )
  best <- tuned$bestTune
  base::set.seed(5)
  fit <- osvm(
    data$x, data$y, solver_olsvm(C = best$C, epochs = best$epochs), kernel_rbf(gamma = best$gamma),
    class_weights = c(a = 1, b = 2), weights = rep(c(1, 2, 0.5), 20), verbose = FALSE
  )
  expect_identical(decide(tuned$finalModel, data$x), decide(fit, data$x))
  more <- update(tuned$finalModel, data$x[1:9, ], data$y[1:9])
  expect_s3_class(more, class(fit), exact = TRUE)
  expect_gt(more$stats$steps, fit$stats$steps)
})

test_that("sub-models predict as separate fits do", {
  # An expansion, weights and a set of support vectors; test-path.R has all solvers.
  specs <- some_of(nested_solvers(5), c("olsvm", "pegasos", "huller"))
  for (name in names(specs)) for (classes in some_of(2:3, if (name == "huller") 1 else 2)) {
    data <- clouds(60, classes = classes)
    method <- osvm_caret(specs[[name]], main_kernel(name))
    expect_true(is.function(method$loop))
    grid <- grid_of(method, data, len = 1)
    grid <- transform(grid[c(1, 1, 1), , drop = FALSE], epochs = c(1, 5, 2))
    separate <- method
    separate$loop <- NULL
    separate$fit <- function(..., last) method$fit(..., last = TRUE)
    fits <- lapply(list(method, separate), function(method) {
      trained(
        data$x, data$y, method, tuneGrid = grid,
        control = list(classProbs = TRUE, savePredictions = "all", number = 2, seeds = list(c(4, 4, 4), c(6, 6, 6), 5))
      )
    })
    pred <- lapply(fits, function(fit) fit$pred[order(fit$pred$epochs, fit$pred$rowIndex), ])
    expect_identical(pred[[1]]$pred, pred[[2]]$pred)
    for (level in levels(data$y)) expect_close(pred[[1]][[level]], pred[[2]][[level]], 1e-6)
    expect_equal(fits[[1]]$results, fits[[2]]$results)
  }
})

test_that("probabilities agree with the classes, and cover a class that a resample does not contain", {
  data <- clouds(60, classes = 3)
  for (solver in some_of(c("smo", "olsvm"), 2)) {
    tuned <- trained(data$x, data$y, osvm_caret(solver), tuneLength = 2, control = list(classProbs = TRUE))
    p <- predict(tuned, data$x, type = "prob")
    expect_identical(names(p), levels(data$y))
    expect_equal(rowSums(p), rep(1, 60), ignore_attr = TRUE)
    expect_identical(levels(data$y)[max.col(p, "first")], as.character(predict(tuned, data$x)))
    index <- list(one = which(data$y != "b"), two = 1:40)
    without <- trained(
      data$x, data$y, osvm_caret(solver), tuneLength = 2,
      control = list(classProbs = TRUE, index = index, summaryFunction = caret::mnLogLoss), metric = "logLoss"
    )
    expect_true(all(is.finite(without$results$logLoss)))
  }
})

test_that("weights reach the fits", {
  data <- clouds(60)
  tuned <- function(weights) {
    fit <- trained(data$x, data$y, osvm_caret("smo"), tuneLength = 1, weights = weights)
    decide(fit$finalModel, data$x)
  }
  expect_close(tuned(rep(1, 60)), tuned(NULL), 1e-9)
  expect_gt(mean(tuned(ifelse(data$y == "b", 9, 1))), mean(tuned(NULL)))
})

test_that("random search, sparse data, pre-processing", {
  data <- sparse_clouds(60)
  random <- trained(data$x, data$y, osvm_caret("huller"), tuneLength = 3, control = list(search = "random"))
  expect_identical(nrow(random$results), 3L)
  expect_sound(random)
  sparse <- trained(data$s, data$y, osvm_caret("olsvm"), tuneLength = 1)
  expect_sound(sparse)
  expect_true(sparse$finalModel$sparse)
  data <- clouds(60)
  scaled <- trained(data$x, data$y, osvm_caret("pegaz"), tuneLength = 1, preProcess = "pca", scale = FALSE)
  expect_sound(scaled)
  expect_null(scaled$finalModel$scaling)
})

test_that("the weights of a linear model are its importance", {
  data <- clouds(60, classes = 3)
  tuned <- trained(data$x, data$y, osvm_caret("smo", "linear"), tuneLength = 1, multiclass = "ovr")
  importance <- caret::varImp(tuned, scale = FALSE)$importance
  expect_equal(as.matrix(importance), abs(tuned$finalModel$coef))
  expect_identical(dimnames(importance), list(colnames(data$x), levels(data$y)))
  expect_identical(caret::predictors(tuned), colnames(data$x))
  two <- clouds(60)
  importance <- caret::varImp(trained(two$x, two$y, osvm_caret("pegasos"), tuneLength = 1), scale = FALSE)$importance
  expect_identical(dimnames(importance), list(colnames(two$x), "Overall"))
})

test_that("varImp() of a kernel model, fitted by caret or not", {
  two <- clouds(60)
  two$x[, 3] <- rnorm(60)
  fit <- osvm(two$x, two$y, "smo", verbose = FALSE)
  own <- caret::varImp(fit)
  expect_identical(names(own), "Overall")
  expect_setequal(rownames(own), colnames(two$x))
  tuned <- trained(two$x, two$y, osvm_caret(solver_smo(C = 1), kernel_rbf(gamma = 0.3)), tuneLength = 1)
  expect_equal(caret::varImp(tuned, scale = FALSE)$importance, caret::varImp(tuned$finalModel))
})
