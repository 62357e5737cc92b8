skip_if_not_installed("DALEX")

test_that("explainers of two and three classes have finite losses", {
  two <- droplevels(iris[51:150, ])
  fit <- osvm(Species ~ ., two, probability = TRUE, verbose = FALSE)
  explainer <- DALEX::explain(fit, two[1:4], as.numeric(two$Species == "virginica"), verbose = FALSE)
  expect_identical(explainer$model_info$type, "classification")
  expect_identical(explainer$model_info$package, "onlinesvm")
  expect_identical(explainer$y_hat, unname(predict(fit, two, type = "prob")[, 2]))
  set.seed(1)
  parts <- DALEX::model_parts(explainer, B = 2)
  expect_true(all(is.finite(parts$dropout_loss)))
  loss <- tapply(parts$dropout_loss, parts$variable, mean)
  expect_gt(loss[["Petal.Width"]], loss[["_full_model_"]])
  fit <- osvm(Species ~ ., iris, probability = TRUE, verbose = FALSE)
  explainer <- DALEX::explain(fit, iris[1:4], iris$Species, verbose = FALSE)
  expect_identical(explainer$model_info$type, "multiclass")
  expect_true(all(is.finite(DALEX::model_parts(explainer, B = 1)$dropout_loss)))
  expect_true(is.finite(DALEX::model_performance(explainer)$measures$macro_F1))
  profile <- DALEX::model_profile(explainer, variables = "Petal.Width", N = 20)
  expect_true(all(is.finite(profile$agr_profiles$`_yhat_`)))
})

test_that("a class can be chosen, and matrices and single rows be predicted", {
  x <- as.matrix(iris[1:4])
  fit <- osvm(x, iris$Species, probability = TRUE, verbose = FALSE)
  explainer <- DALEX::explain(
    fit, x, as.numeric(iris$Species == "setosa"), predict_function_target_column = "setosa", verbose = FALSE
  )
  expect_identical(explainer$model_info$type, "classification")
  expect_identical(explainer$y_hat, unname(predict(fit, x, type = "prob")[, "setosa"]))
  expect_length(DALEX::yhat(explainer$model, data.frame(x[1, , drop = FALSE])), 1)
  attr(fit, "predict_function_target_column") <- "none"
  expect_error(DALEX::yhat(fit, x), "predict_function_target_column", class = "osvm_error")
  plain <- osvm(x, iris$Species, verbose = FALSE)
  expect_error(DALEX::yhat(plain, x), "probability = TRUE", class = "osvm_error")
})
