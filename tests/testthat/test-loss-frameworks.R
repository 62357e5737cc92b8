# Numbers and novelty in other packages.

cars_fit <- function(...) osvm(mpg ~ wt + hp, mtcars, ...)

test_that("numbers and novelty as data frames", {
  skip_if_not_installed("generics")
  fit <- cars_fit()
  one <- generics::glance(fit)
  expect_identical(one$outcome, "numbers")
  expect_true(is.na(one$n_classes))
  more <- generics::augment(fit, mtcars)
  expect_equal(more$.pred, unname(predict(fit, mtcars)))
  expect_equal(more$.resid, mtcars$mpg - more$.pred)
  expect_false(any(c(".pred_class", ".decision") %in% names(more)))
  expect_false(".resid" %in% names(generics::augment(fit, mtcars[c("wt", "hp")])))
  x <- as.matrix(mtcars[c("wt", "hp")])
  y <- mtcars$mpg
  plain <- osvm(x, y)
  expect_equal(generics::augment(plain)$.resid, unname(residuals(plain)))
  usual <- osvm(~ wt + hp, mtcars, loss = loss_novelty(0.2))
  expect_identical(generics::augment(usual, mtcars)$.pred_class, unname(predict(usual, mtcars)))
  tuned <- osvm_tune(mpg ~ wt + hp, mtcars, solver = solver_smo(C = c(1, 10)), folds = 3)
  expect_true(is.na(generics::glance(tuned)$n_classes))
})

test_that("caret learns a numeric y as numbers", {
  skip_if_not_installed("caret")
  set.seed(1)
  tuned <- caret::train(
    mpg ~ wt + hp, mtcars, method = osvm_caret(solver_olsvm(C = c(1, 10), epochs = c(2, 5))), tuneLength = 1,
    trControl = caret::trainControl("cv", number = 3)
  )
  expect_identical(tuned$finalModel$loss, loss_epsilon())
  expect_true(all(is.finite(tuned$results$RMSE)))
  expect_equal(unname(predict(tuned, mtcars)), unname(predict(tuned$finalModel, as.matrix(mtcars[c("wt", "hp")]))))
  # Numbers of few values, too, and other losses
  counts <- caret::train(
    mtcars[c("wt", "hp")], mtcars$cyl, method = osvm_caret("smo"), tuneLength = 1, loss = loss_quantile(0.5),
    trControl = caret::trainControl("none")
  )
  expect_identical(counts$finalModel$loss, loss_quantile(0.5))
  # The loss has a grid, too
  tune <- function(loss, ...) {
    caret::train(
      mpg ~ wt + hp, mtcars, method = osvm_caret(solver_smo(C = 1), kernel_rbf(gamma = 0.2), loss), tuneLength = 3,
      trControl = caret::trainControl("cv", number = 3), ...
    )
  }
  expect_setequal(tune(loss_epsilon(c(0.05, 0.3)))$results$epsilon, c(0.05, 0.3))
  around <- tune("epsilon")
  expect_equal(sort(unique(around$results$epsilon)), 0.1 * 4^(-1:1))
  expect_identical(around$finalModel$loss, loss_epsilon(around$bestTune$epsilon))
  expect_error(osvm_caret("huller", loss = "epsilon"), "does not learn numbers", class = "osvm_error")
})

test_that("the engine's function learns numbers with a margin", {
  x <- as.matrix(mtcars[c("wt", "hp")])
  fit <- osvm_parsnip(x, mtcars$mpg, C = 3, gamma = 0.2, margin = 0.05)
  expect_identical(fit$loss, loss_epsilon(0.05))
  expect_null(fit$probability)
  high <- osvm_parsnip(x, mtcars$mpg, loss = loss_quantile(0.9))
  expect_identical(high$loss, loss_quantile(0.9))
  expect_error(osvm_parsnip(x, mtcars$mpg, margin = 1, loss = loss_epsilon()), "not both", class = "osvm_error")
})

test_that("parsnip's mode regression", {
  skip_if_not_installed("parsnip")
  for (model in c("svm_linear", "svm_poly", "svm_rbf")) {
    spec <- getExportedValue("parsnip", model)(mode = "regression", cost = 2, margin = 0.2)
    fit <- parsnip::fit(parsnip::set_engine(spec, "onlinesvm"), mpg ~ wt + hp, mtcars)
    expect_identical(fit$fit$loss, loss_epsilon(0.2))
    predicted <- predict(fit, mtcars)
    expect_identical(names(predicted), ".pred")
    expect_equal(predicted$.pred, unname(predict(fit$fit, as.matrix(mtcars[c("wt", "hp")]))))
  }
  spec <- parsnip::set_engine(parsnip::svm_rbf(mode = "regression"), "onlinesvm", solver = "olsvm", epochs = 3)
  fit <- parsnip::fit(spec, mpg ~ wt + hp, mtcars)
  each <- parsnip::multi_predict(fit, mtcars[1:2, ], epochs = c(1, 3))$.pred[[1]]
  expect_identical(names(each), c("epochs", ".pred"))
  expect_equal(each$.pred[2], predict(fit, mtcars[1, ])$.pred)
})

test_that("mlr3's learner of numbers", {
  skip_if_not_installed("mlr3")
  skip_if_not_installed("paradox", "1.0.0")
  task <- mlr3::tsk("mtcars")
  learner <- mlr3::lrn("regr.onlinesvm", C = 3, epsilon = 0.05)
  learner$train(task)
  expect_identical(learner$model$loss, loss_epsilon(0.05))
  x <- as.data.frame(task$data(cols = task$feature_names))
  expect_equal(learner$predict(task)$response, unname(predict(learner$model, x)))
  expect_identical(learner$predict_types, c("response", "quantiles"))
  expect_false("class_weights" %in% learner$param_set$ids())
  high <- mlr3::lrn("regr.onlinesvm", loss = loss_quantile(0.9))$train(task)
  expect_identical(high$model$loss, loss_quantile(0.9))
  expect_identical(mlr3::lrn("regr.onlinesvm", tau = 0.2)$train(task)$model$loss, loss_quantile(0.2))
  both <- mlr3::lrn("regr.onlinesvm", tau = 0.2, epsilon = 0.1)
  expect_error(both$train(task), "Give one of the parameters")
  expect_length(learner$importance(), length(task$feature_names))
  learner$update(task, 1:5)
  expect_equal(learner$model$n_seen, 37)
})

test_that("DALEX explains numbers", {
  skip_if_not_installed("DALEX")
  fit <- cars_fit()
  explainer <- DALEX::explain(fit, mtcars[c("wt", "hp")], mtcars$mpg, verbose = FALSE)
  expect_identical(explainer$model_info$type, "regression")
  expect_equal(explainer$y_hat, unname(predict(fit, mtcars)))
  expect_equal(explainer$residuals, unname(residuals(fit)))
})

test_that("vetiver serves numbers, butcher leaves their predictions", {
  fit <- cars_fit()
  expect_match(vetiver_create_description.osvm(fit), "model of numbers")
  skip_if_not_installed("butcher")
  expect_identical(predict(butcher::butcher(fit), mtcars), predict(fit, mtcars))
})
