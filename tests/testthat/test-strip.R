each_solver("a stripped model predicts the same, and is not larger", function(name) {
  for (data in list(clouds(60), clouds(60, classes = 3))) for (kernel in solver_kernels(name)) {
    fit <- quick_fit(name, data, kernel = kernel, probability = kernel$name == "linear")
    small <- strip(fit)
    expect_close(decide(small, data$x), decide(fit, data$x), 1e-12)
    expect_identical(predict(small, data$x), predict(fit, data$x))
    expect_lt(length(serialize(small, NULL)), length(serialize(fit, NULL)))
    if (!is.null(fit$probability)) {
      expect_close(predict(small, data$x, type = "prob"), predict(fit, data$x, type = "prob"), 1e-12)
    }
  }
})

each_solver("a stripped model prints, and cannot be trained further", function(name) {
  data <- clouds()
  small <- strip(quick_fit(name, data))
  expect_null(small$state)
  expect_null(small$scalars)
  expect_output(print(small), solver_field(name, "title"), fixed = TRUE)
  expect_osvm_error(update(small, data$x, data$y))
  expect_identical(strip(small), small)
  if (solver_field(name, "forgets")) expect_osvm_error(forget(small, 1))
  if (solver_field(name, "leave_out")) expect_osvm_error(loo(small))
})
