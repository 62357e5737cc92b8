# Invalid input and damaged models, for every solver: an osvm_error, no crash. test-damage.R has more cases.

each_solver("unusable data is refused", function(name) {
  data <- clouds()
  fits <- function(x = data$x, y = data$y) quick_fit(name, list(x = x, y = y), na.action = na.fail)
  expect_osvm_error(fits(data$x[0, ], data$y[0]))
  expect_osvm_error(fits(y = rep("a", 40)))
  expect_osvm_error(fits(y = data$y[-1]))
  expect_osvm_error(fits(y = replace(data$y, 3, NA)))
  for (bad in c(NA, NaN, Inf)) expect_osvm_error(fits(replace(data$x, 5, bad)))
  expect_osvm_error(fits(matrix("a", 40, 2)))
  expect_osvm_error(fits(matrix(1i, 40, 2)))
  expect_osvm_error(fits(list(1, 2)))
})

each_solver("unusable new data is refused", function(name) {
  data <- clouds()
  fit <- quick_fit(name, data)
  expect_osvm_error(predict(fit, data$x[, 1:2]))
  expect_osvm_error(predict(fit, replace(data$x, 5, Inf)))
  expect_osvm_error(update(fit, data$x[, 1:2], data$y))
  expect_osvm_error(update(fit, data$x, data$y[-1]))
  expect_osvm_error(update(fit, data$x, rep("new", 40)))
})

each_solver("a damaged sparse matrix is refused", function(name) {
  data <- sparse_clouds()
  fit <- quick_fit(name, list(x = data$s, y = data$y))
  for (x in damaged_sparse()[c("p_not_monotone", "p_end", "p_short", "i_large", "i_negative", "x_short")]) {
    expect_osvm_error(quick_fit(name, list(x = x, y = data$y)))
    expect_osvm_error(predict(fit, x))
  }
})

each_solver("a damaged model is refused, or the damage has no effect", function(name) {
  data <- clouds(12, classes = 3)
  fit <- quick_fit(name, data, probability = TRUE)
  # test-damage.R damages the fields that all solvers share.
  shared <- c(
    "levels", "label", "kernel", "scaling", "multiclass", "machines", "n_features", "feature_names", "sparse",
    "class_weights", "extent", "control", "n_seen", "stats", "trace", "probability", "call"
  )
  swaps <- list(NULL, "x", NA_real_)
  expect_identical(unnoticed_damage(fit, data, function(k) some_of(swaps, 1 + k %% 3), shared), character())
  for (field in c("coef", "intercept")) {
    broken <- fit
    broken[[field]][1] <- NA
    expect_osvm_error(predict(broken, data$x))
  }
})
