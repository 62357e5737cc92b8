# What a model is checked for, and what is remembered.

test_that("every method refuses a damaged model by an error of ours", {
  data <- clouds(20, classes = 3)
  frame <- data.frame(data$x, y = data$y)
  polynomial <- quick_fit("olsvm", data, kernel = kernel_polynomial(degree = 2, gamma = 0.3))
  by_formula <- osvm(y ~ ., frame, "olsvm", verbose = FALSE)
  broken <- list(
    swap_part(polynomial, "n_features", 2e9),
    swap_part(polynomial, c("kernel", "params", "degree"), NULL),
    swap_part(polynomial, c("kernel", "params"), list(degree = 2, degree = 3, gamma = 0.3, coef0 = 0)),
    swap_part(polynomial, c("solver", "params", "C"), NULL),
    swap_part(polynomial, "levels", c("p", "q", "r")),
    swap_part(polynomial, "levels", c("a", "a", "b")),
    swap_part(polynomial, c("label", "values"), c("a", "b", "b")),
    swap_part(polynomial, "multiclass", "both"),
    swap_part(polynomial, "multiclass", NA),
    swap_part(polynomial, "machines", polynomial$machines[-1, ]),
    swap_part(polynomial, c("control", "cache_mb"), -1),
    swap_part(polynomial, "stats", list(steps = 1)),
    swap_part(polynomial, "trace", data.frame(epoch = "a")),
    swap_part(polynomial, "n_seen", "many")
  )
  for (model in broken) used_by_all_methods(model, data)
  expect_osvm_error(predict(swap_part(polynomial, c("kernel", "params", "degree"), NULL), data$x))
  expect_osvm_error(predict(swap_part(polynomial, "levels", c("p", "q", "r")), data$x))
  expect_osvm_error(print(swap_part(polynomial, "stats", list())))
  expect_osvm_error(summary(swap_part(polynomial, "trace", 1)))
  expect_osvm_error(coef(swap_part(quick_fit("pegasos", data), "coef", 1)))
  for (part in list("kind", "variables", "terms", c("variables", "x1"), "xlevels")) {
    for (value in list(1, "a", list(), NA)) {
      damaged <- swap_part(by_formula, c("encoding", part), value)
      got <- tryCatch(predict(damaged, frame), osvm_error = function(e) NULL)
      expect_true(is.null(got) || identical(got, predict(by_formula, frame)))
    }
  }
})

test_that("a summary is checked before it is printed", {
  made <- summary(quick_fit("olsvm", clouds()))
  expect_osvm_error(print(structure(list(), class = "summary.osvm")))
  made$model$levels <- NULL
  expect_osvm_error(print(made))
})

test_that("damage after a check that passed is noticed", {
  data <- clouds(20, classes = 3)
  fit <- quick_fit("olsvm", data)
  sparse <- sparse_clouds(20)
  other <- quick_fit("olsvm", list(x = sparse$s, y = sparse$y))
  expect_no_error(predict(fit, data$x))
  expect_no_error(predict(other, sparse$s))
  for (field in c("coef", "intercept", "sv", "class_weights", "scaling", "levels")) {
    broken <- fit
    if (field == "scaling") broken$scaling$scale[2] <- NA else broken[[field]][2] <- NA
    expect_osvm_error(predict(broken, data$x))
    expect_no_error(predict(fit, data$x))
  }
  other$sv@x[1] <- Inf
  expect_osvm_error(predict(other, sparse$s))
  other$sv@x <- other$sv@x[-1]
  expect_osvm_error(predict(other, sparse$s))
})

test_that("what is remembered is bounded, and found by value", {
  calls <- 0
  double <- function(value) {
    calls <<- calls + 1
    2 * value
  }
  for (k in c(1:3, 1:3)) expect_identical(remembered("test", k, double), 2 * k)
  expect_identical(calls, 3)
  for (k in 1:20) remembered("test", k, double)
  expect_length(cache$test, 8)
})

test_that("the trace keeps the latest epochs, and their numbers", {
  data <- clouds(20)
  fit <- osvm(data$x, data$y, solver_pa(epochs = 300))
  expect_identical(fit$trace$epoch, 1:300)
  live <- osvm_live(fit)
  for (k in 1:4) {
    fit <- update(fit, data$x, data$y)
    update(live, data$x, data$y)
  }
  expect_identical(fit$trace$epoch, 501:1500)
  expect_identical(snapshot(live)$trace$epoch, 501:1500)
  # One run is never shortened.
  expect_identical(update(fit, data$x[1, , drop = FALSE], data$y[1])$trace$epoch, 801:1800)
})

test_that("support vectors have the numbers of their rows", {
  data <- clouds(60, seed = 4)
  all <- solvers()
  for (name in all$name[all$space != "linear"]) {
    fit <- suppressWarnings(osvm(data$x[1:40, ], data$y[1:40], name, kernel_rbf(gamma = 0.5), verbose = FALSE))
    expect_identical(unname(fit$sv), unname(data$x[fit$index, ]), info = name)
    more <- suppressWarnings(update(fit, data$x[41:60, ], data$y[41:60]))
    expect_identical(unname(more$sv), unname(data$x[more$index, ]), info = name)
    expect_identical(strip(more)$index, more$index[rowSums(more$coef != 0) > 0], info = name)
  }
  merged <- osvm(data$x, data$y, solver_pa(budget = 5), kernel_rbf(gamma = 0.5), verbose = FALSE)
  expect_identical(is.na(merged$index), merged$merged)
  live <- osvm_live(fit)
  update(live, data$x[41:60, ], data$y[41:60])
  expect_identical(snapshot(live)$index, more$index)
})
