skip_if_not_installed("mlr3")
skip_if_not_installed("paradox", "1.0.0")
brought("lgr", "get_logger")("mlr3")$set_threshold("warn")
learner <- function(...) mlr3::lrn("classif.onlinesvm", ...)

test_that("mlr3's own test passes, for kernel and linear models", {
  skip_if_not(exhaustive(), "it starts a session for every task")
  theirs <- new.env(parent = asNamespace("mlr3"))
  for (file in c("helper_misc.R", "helper_expectations.R", "helper_autotest.R")) {
    sys.source(system.file("testthat", file, package = "mlr3", mustWork = TRUE), theirs)
  }
  for (set in list(list(), list(solver = "pegasos", epochs = 3))) {
    tested <- do.call(learner, set)
    theirs$expect_learner(tested, check_man = FALSE)
    result <- theirs$run_autotest(tested)
    expect_true(result, info = result$error)
  }
})

test_that("parameters are those usually set", {
  usual <- c(
    "solver", "kernel", "C", "lambda", "rate", "epochs", "tolerance", "gamma", "degree", "coef0", "scale", "cache_mb",
    "seconds", "threads", "cells"
  )
  expect_setequal(learner()$param_set$ids(), c(usual, "multiclass", "class_weights"))
  expect_setequal(mlr3::lrn("regr.onlinesvm")$param_set$ids(), c(usual, "epsilon", "tau", "loss"))
  expect_error(learner(solver = "SMO"), "The name here is")
  task <- mlr3::tsk("iris")
  expect_error(learner(solver = solver_pegasos(), C = 1)$train(task), "\"pegasos\" has no parameter `C`")
})

test_that("the learner is the model of osvm(), with its parameters", {
  task <- mlr3::tsk("iris")
  x <- as.data.frame(task$data(cols = task$feature_names))
  set.seed(1)
  trained <- learner(solver = solver_pa(variant = "PA-II"), C = 3, kernel = "rbf", gamma = 0.2, multiclass = "ovr")
  trained$train(task)
  set.seed(1)
  solver <- solver_pa(C = 3, variant = "PA-II")
  fit <- osvm(x, task$truth(), solver = solver, kernel = kernel_rbf(gamma = 0.2), multiclass = "ovr", verbose = FALSE)
  expect_identical(trained$model$coef, fit$coef)
  expect_identical(trained$predict(task)$response, predict(fit, x))
  prob <- learner(predict_type = "prob")$train(task)$predict(task)$prob
  expect_identical(colnames(prob), task$class_names)
  expect_equal(rowSums(prob), rep(1, 150))
  expect_error(learner(solver = "pegasos", C = 1)$train(task), "has no parameter")
  expect_error(learner(solver = "smo", C = -1))
  expect_error(learner()$importance(), "train it first", class = "osvm_error")
})

test_that("every parameter of every solver can be set, and is what the model has", {
  task <- mlr3::tsk("iris")$filter(51:150)$droplevels()
  for (name in tested_solvers()) {
    kernel <- if (solver_space(name) == "linear") "linear" else "rbf"
    trained <- learner(solver = make_solver(name), kernel = kernel)
    muffle_not_separable(suppressWarnings(trained$train(task)))
    expect_identical(trained$model$solver$params, make_solver(name)$params)
  }
})

test_that("a learner of more epochs goes on from one of fewer", {
  task <- mlr3::tsk("iris")
  fresh <- function(epochs, ...) {
    learner(solver = solver_pegasos(shuffle = FALSE), kernel = "linear", epochs = epochs, ...)
  }
  stack <- mlr3::HotstartStack$new(fresh(2)$train(task))
  hot <- fresh(6)
  hot$hotstart_stack <- stack
  hot$train(task)
  long <- fresh(6)$train(task)
  expect_close(hot$model$coef, long$model$coef, 1e-6)
  expect_lt(hot$model$stats$steps, 1.5 * long$model$stats$steps)
  expect_identical(hot$model$solver$params$epochs, 6)
  prob <- fresh(6, predict_type = "prob")
  prob$hotstart_stack <- stack
  expect_false(is.null(prob$train(task)$model$probability))
  smo <- learner(solver = "lasvm", epochs = 2)$train(task)
  more <- learner(solver = "lasvm", epochs = 3)
  more$hotstart_stack <- mlr3::HotstartStack$new(smo)
  expect_identical(more$train(task)$model$n_seen, 150)
})

test_that("examples of another task are added by update", {
  task <- mlr3::tsk("iris")
  trained <- learner(solver = "olsvm")$train(task, row_ids = seq(1, 150, 2))
  trained$update(task, row_ids = seq(2, 150, 2))
  expect_identical(trained$model$n_seen, 150)
  expect_lt(trained$predict(task)$score(), 0.1)
  expect_identical(nrow(task$data()), 150L)
})

test_that("resampling and tuning work", {
  task <- mlr3::tsk("sonar")
  set.seed(3)
  resampled <- mlr3::resample(task, learner(predict_type = "prob"), mlr3::rsmp("cv", folds = 3))
  expect_gt(resampled$aggregate(mlr3::msr("classif.auc")), 0.8)
  skip_if_not_installed("mlr3tuning")
  tuned <- mlr3tuning::tune(
    mlr3tuning::tnr("grid_search", resolution = 2), task,
    learner(solver = "smo", kernel = "rbf", C = paradox::to_tune(1, 10), gamma = paradox::to_tune(0.01, 0.1)),
    mlr3::rsmp("holdout"), mlr3::msr("classif.ce")
  )
  expect_identical(nrow(tuned$archive$data), 4L)
})

test_that("seconds is the time limit of the fit", {
  expect_identical(learner()$param_set$default$seconds, Inf)
  expect_true(all(learner()$param_set$tags$seconds == "train"))
  expect_identical(learner(seconds = Inf)$train(mlr3::tsk("iris"))$model$n_seen, 150)
  task <- mlr3::as_task_classif(data.frame(chessboard(500)), target = "y")
  limited <- learner(solver = solver_norma(outputs = "list"), kernel = "rbf", gamma = 1, epochs = 1e5, seconds = 0.3)
  expect_message(limited$train(task), "limit of 0.3 seconds", class = "osvm_time_limit")
  expect_false(anyNA(limited$predict(task)$response))
})

test_that("parameters of the default solver and kernel need no name", {
  task <- mlr3::tsk("iris")
  expect_identical(learner(C = 3, gamma = 0.1)$train(task)$model$solver, solver_smo(C = 3))
  expect_identical(learner(gamma = 0.1)$train(task)$model$kernel, kernel_rbf(gamma = 0.1))
  expect_error(learner(solver = "pegasos", C = 3)$train(task), "\"pegasos\" has no parameter `C`")
})

test_that("quantiles are predicted together, and do not cross", {
  skip_if_not("quantiles" %in% names(mlr3::mlr_reflections$learner_predict_types$regr))
  task <- mlr3::tsk("mtcars")
  quantiles <- function(...) mlr3::lrn("regr.onlinesvm", predict_type = "quantiles", ...)
  regr <- quantiles(C = 1, quantiles = c(0.1, 0.5, 0.9), quantile_response = 0.5)
  prediction <- regr$train(task)$predict(task)
  levels <- prediction$quantiles
  expect_equal(unname(unclass(levels)[, 2]), prediction$response)
  expect_true(all(levels[, 1] <= levels[, 2] & levels[, 2] <= levels[, 3]))
  x <- as.data.frame(task$data(cols = task$feature_names))
  expect_equal(unname(levels[, 1:3]), unname(predict(regr$model, x)), check.attributes = FALSE)
  expect_identical(regr$model$loss, loss_quantile(c(0.1, 0.5, 0.9)))
  expect_error(quantiles(quantiles = 0.5, tau = 0.1)$train(task), "Leave out `tau`")
})

test_that("a learner learns in cells", {
  task <- mlr3::tsk("iris")
  trained <- learner(cells = 50)$train(task)
  expect_s3_class(trained$model, "osvm_cells")
  expect_lt(mean(trained$predict(task)$response != task$truth()), 0.1)
  expect_error(trained$importance(), "one in each of its cells", class = "osvm_error")
  expect_identical(mlr3::lrn("regr.onlinesvm", cells = 60)$param_set$values$cells, 60L)
})
