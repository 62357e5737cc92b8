skip_if_not_installed("butcher")

test_that("a butchered model of every solver predicts the same, and trains no further", {
  data <- clouds(60, classes = 3)
  for (name in tested_solvers()) {
    fit <- muffle_not_separable(quick_fit(name, data, probability = TRUE))
    small <- butcher::butcher(fit)
    for (type in c("class", "decision", "prob")) {
      expect_equal(predict(small, data$x, type), predict(fit, data$x, type), tolerance = 1e-6)
    }
    stripped <- strip(fit)
    expect_setequal(names(small), names(stripped))
    for (field in names(stripped)) expect_identical(small[[field]], stripped[[field]])
    expect_error(update(small, data$x, data$y), "cannot update", class = "osvm_error")
    expect_true("update()" %in% attr(small, "butcher_disabled"))
    expect_output(print(small), "osvm_")
  }
})

test_that("each part is removed alone", {
  fit <- osvm(Species ~ ., iris, solver = "olsvm", verbose = FALSE)
  expect_null(butcher::axe_call(fit)$call)
  expect_false(is.null(butcher::axe_call(fit)$trace))
  expect_null(butcher::axe_fitted(fit)$trace)
  expect_null(butcher::axe_data(fit)$scalars)
  expect_message(butcher::axe_data(fit, verbose = TRUE), "released", class = "osvm_message")
  expect_identical(butcher::axe_env(fit), fit)
})

test_that("a workflow is made smaller, too", {
  skip_if_not_installed("workflows")
  spec <- parsnip::svm_rbf(mode = "classification", cost = 1)
  spec <- parsnip::set_engine(spec, "onlinesvm", solver = "olsvm", epochs = 5)
  flow <- workflows::add_model(workflows::add_formula(workflows::workflow(), Species ~ .), spec)
  fit <- parsnip::fit(flow, iris)
  small <- butcher::butcher(fit)
  expect_null(workflows::extract_fit_engine(small)$path)
  expect_identical(predict(small, iris), predict(fit, iris))
})

test_that("a model whose state is damaged is refused", {
  skip_if_not_installed("butcher")
  fit <- osvm(Species ~ ., iris, verbose = FALSE)
  fit$state[1] <- "a"
  expect_error(butcher::axe_call(fit), "damaged", class = "osvm_error")
})
