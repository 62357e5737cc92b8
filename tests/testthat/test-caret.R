# ---- the models on the way, which need no caret ----

# Solvers whose models on the way are what fewer epochs would have given.
with_epochs <- function(epochs) {
  specs <- lapply(solvers()$name, function(name) {
    spec <- soft_solver(name, finish = FALSE)
    if (!is.null(spec$params$epochs)) spec$params$epochs <- epochs
    spec
  })
  Filter(has_path, stats::setNames(specs, solvers()$name))
}

# Decision values along one run, and those of a fit for each number of epochs.
expect_path <- function(spec, kernel, data, ..., epochs = spec$params$epochs) {
  x <- if (is.null(data$s)) data$x else data$s
  set.seed(2)
  long <- muffle_not_separable(fit_path(x, data$y, FALSE, solver = spec, kernel = kernel, ..., verbose = FALSE))
  along <- path_decisions(long, x, seq_len(epochs))
  for (e in seq_len(epochs)) {
    spec$params$epochs <- e
    set.seed(2)
    fit <- muffle_not_separable(osvm(x, data$y, spec, kernel, ..., verbose = FALSE))
    expect_null(fit$path)
    expect_close(along[[e]], decide(fit, x), 1e-9)
  }
}

test_that("after e epochs a run is where a fit of e epochs ends", {
  specs <- with_epochs(3)
  expect_gt(length(specs), 6)
  for (classes in 2:3) {
    data <- clouds(60, classes = classes)
    for (name in names(specs)) for (kernel in solver_kernels(name)) expect_path(specs[[name]], kernel, data)
  }
})

test_that("the same holds for sparse data, weights, one against one, averages and choices", {
  data <- sparse_clouds(45, classes = 3)
  weights <- rep(c(0, 1, 3), 15)
  for (name in names(specs <- with_epochs(3))) {
    expect_path(specs[[name]], main_kernel(name), data, multiclass = "ovo", weights = weights)
  }
  for (make in list(solver_norma, solver_pegaz, solver_olsvm)) {
    expect_path(make(epochs = 3, average = TRUE, outputs = "list"), kernel_rbf(gamma = 0.5), clouds(40))
  }
  choosing <- solver_lasvm(epochs = 3, finish = FALSE, selection = "margin")
  expect_path(choosing, kernel_rbf(gamma = 0.5), clouds(80))
})

test_that("a run that goes on, or ends with a finishing touch, has no path", {
  data <- clouds(40)
  expect_false(has_path(solver_lasvm(epochs = 2)))
  expect_false(has_path(solver_pegasos(batch = 5)))
  expect_false(has_path(solver_smo()))
  fit <- fit_path(data$x, data$y, FALSE, solver = solver_olsvm(epochs = 2), verbose = FALSE)
  expect_false(is.null(fit$path))
  expect_null(update(fit, data$x, data$y)$path)
})

test_that("arguments that osvm() does not know are refused, with a path and without", {
  data <- clouds(40)
  method <- osvm_caret("olsvm", kernel_rbf(gamma = 1))
  point <- data.frame(C = 1, gamma = 1, epochs = 2)
  for (last in c(TRUE, FALSE)) {
    fit <- function(...) method$fit(data$x, data$y, NULL, point, levels(data$y), last, FALSE, ...)
    expect_s3_class(fit(scale = FALSE, class_weights = c(a = 2)), "osvm_olsvm")
    expect_error(fit(kernal = 1), "does not know the argument `kernal`", class = "osvm_error")
    expect_error(fit(kernel = "rbf"), "belong into", class = "osvm_error")
  }
})

test_that("caret's names are free", {
  taken <- c("xNames", "problemType", "tuneValue", "obsLevels", "param")
  for (name in solvers()$name) {
    fit <- muffle_not_separable(quick_fit(name, clouds(30, classes = 3), probability = TRUE))
    expect_length(intersect(names(fit), taken), 0)
  }
})

# ---- parameters and grids, which need none either ----

grid_of <- function(method, data = clouds(30), ...) method$grid(data$x, data$y, ...)

test_that("every solver has something to tune, and a grid that osvm() takes", {
  for (name in solvers()$name) for (kernel in solver_kernels(name)) {
    method <- osvm_caret(name, kernel$name)
    for (search in c("grid", "random")) {
      grid <- grid_of(method, len = 2, search = search)
      expect_setequal(names(grid), method$parameters$parameter)
      expect_gte(nrow(grid), if (search == "grid") 1 else 2)
      solver <- set_values(make_solver(name), grid[1, , drop = FALSE])
      expect_s3_class(check_spec(solver, "solver"), "osvm_solver")
    }
    expect_identical(is.function(method$varImp), kernel$name == "linear")
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

test_that("an open gamma is the one osvm() would take", {
  data <- clouds(40)
  fit <- osvm(data$x, data$y, verbose = FALSE)
  expect_equal(grid_of(osvm_caret(), data, len = 1)$gamma, fit$kernel$params$gamma)
  expect_equal(osvm_caret()$grid(data.frame(data$x), data$y, len = 1)$gamma, fit$kernel$params$gamma)
  expect_equal(grid_of(osvm_caret(kernel = "polynomial"), data, len = 1)$gamma, 1 / 3)
})

test_that("only the largest number of epochs is fitted, where that is enough", {
  grid <- expand.grid(epochs = c(2, 8, 4), C = c(1, 1 + 1e-15))
  info <- osvm_caret("olsvm")$loop(grid)
  expect_identical(info$loop$epochs, c(8, 8))
  expect_identical(info$loop$C, c(1, 1 + 1e-15))
  expect_identical(info$submodels, list(data.frame(epochs = c(2, 4)), data.frame(epochs = c(2, 4))))
  expect_null(osvm_caret("lasvm")$loop)
  expect_null(osvm_caret(solver_pegasos(batch = c(1, 8)))$loop)
  expect_identical(grid_of(osvm_caret("lasvm"), len = 3)$epochs, rep(1, 9))
})

test_that("the simplest comes first", {
  sorted <- osvm_caret("pegasos")$sort(data.frame(lambda = c(1, 2, 2), epochs = c(1, 5, 1), Accuracy = 1))
  expect_identical(sorted$lambda, c(2, 2, 1))
  expect_identical(sorted$epochs, c(1, 5, 1))
})

test_that("what does not fit is refused", {
  expect_error(osvm_caret("nobody"), "solver", class = "osvm_error")
  expect_error(osvm_caret("pegasos", "rbf"), "kernel_linear", class = "osvm_error")
  data <- clouds(30)
  method <- osvm_caret("smo")
  param <- grid_of(method, data, len = 1)
  expect_error(method$fit(data$x, data$y, NULL, param, solver = "pa"), "osvm_caret", class = "osvm_error")
  expect_error(method$fit(data$x, data$y, NULL, param, nonsense = 1), "nonsense", class = "osvm_error")
  fit <- method$fit(data$x, data$y, NULL, param)
  expect_error(method$prob(fit, data$x), "classProbs", class = "osvm_error")
})

test_that("an interrupted fit interrupts train(), too", {
  cut_short <- function() stop_when_interrupted(warn("Stopped.", "osvm_interrupted"))
  expect_identical(tryCatch(try(cut_short(), silent = TRUE), interrupt = function(i) "out"), "out")
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

test_that("all solvers go through train()", {
  data <- clouds(60, classes = 3)
  for (name in solvers()$name) {
    tuned <- trained(data$x, data$y, osvm_caret(soft_solver(name)), tuneLength = 2, control = list(number = 2))
    expect_sound(tuned)
    expect_identical(levels(predict(tuned, data$x)), levels(data$y))
    expect_identical(predict(tuned, data$x), predict(tuned$finalModel, data$x))
  }
})

test_that("formula and x/y, two classes and three, linear and curved", {
  for (classes in 2:3) for (kernel in c("linear", "rbf")) {
    data <- clouds(60, classes = classes)
    frame <- data.frame(data$x, kind = factor(rep(c("u", "v"), 30)), y = data$y)
    by_frame <- trained(frame[-5], frame$y, osvm_caret("pa", kernel), tuneLength = 1)
    by_formula <- trained(y ~ ., frame, osvm_caret("pa", kernel), tuneLength = 1)
    expect_sound(by_frame)
    expect_sound(by_formula)
    # What train() keeps as a data frame had been a matrix.
    expect_identical(predict(by_formula), predict(by_formula, frame))
    expect_identical(predict(by_frame), predict(by_frame, frame[-5]))
  }
})

test_that("the final model is what osvm() makes of the best parameters", {
  data <- clouds(60)
  tuned <- trained(
    data$x, data$y, osvm_caret("olsvm"), tuneLength = 2, class_weights = c(a = 1, b = 2),
    weights = rep(c(1, 2, 0.5), 20), control = list(seeds = c(rep(list(rep(4, 99)), 3), 5))
  )
  best <- tuned$bestTune
  set.seed(5)
  fit <- osvm(
    data$x, data$y, solver_olsvm(C = best$C, epochs = best$epochs), kernel_rbf(gamma = best$gamma),
    class_weights = c(a = 1, b = 2), weights = rep(c(1, 2, 0.5), 20), verbose = FALSE
  )
  expect_identical(decide(tuned$finalModel, data$x), decide(fit, data$x))
  more <- update(tuned$finalModel, data$x[1:9, ], data$y[1:9])
  expect_s3_class(more, class(fit), exact = TRUE)
  expect_gt(more$stats$steps, fit$stats$steps)
})

test_that("sub-models do as separate fits would", {
  specs <- with_epochs(5)
  for (name in names(specs)) for (classes in 2:3) {
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

test_that("probabilities agree with the classes, and cover a class a resample has missed", {
  data <- clouds(60, classes = 3)
  for (solver in c("smo", "olsvm")) {
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
  scaled <- trained(data$x, data$y, osvm_caret("pegaz"), tuneLength = 1, preProcess = "pca", scale = FALSE)
  expect_sound(scaled)
  expect_null(scaled$finalModel$scaling)
})

test_that("the weights of a linear model are its importance", {
  data <- clouds(60, classes = 3)
  tuned <- trained(data$x, data$y, osvm_caret("smo", "linear"), tuneLength = 1)
  importance <- caret::varImp(tuned, scale = FALSE)$importance
  expect_equal(as.matrix(importance), abs(tuned$finalModel$coef))
  expect_identical(dimnames(importance), list(colnames(data$x), levels(data$y)))
  expect_identical(caret::predictors(tuned), colnames(data$x))
  two <- clouds(60)
  importance <- caret::varImp(trained(two$x, two$y, osvm_caret("pegasos"), tuneLength = 1), scale = FALSE)$importance
  expect_identical(dimnames(importance), list(colnames(two$x), "Overall"))
})
