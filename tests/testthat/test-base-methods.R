test_that("nobs counts what was learned and not forgotten", {
  data <- clouds(40)
  fit <- osvm(data$x, data$y, solver_idsvm(), kernel_rbf(gamma = 0.5), verbose = FALSE)
  expect_identical(nobs(fit), 40)
  expect_identical(nobs(forget(fit, 1:3)), 37)
  expect_identical(nobs(update(fit, data$x[1:5, ], data$y[1:5])), 45)
  expect_equal(nobs(osvm_tune(data$x, data$y, "smo", grid = list(C = 1), refit = FALSE, progress = FALSE)), 40)
})

test_that("formula and terms are those of the call, and predict is not changed by them", {
  cut <- 2
  formula <- Species ~ log(Petal.Length) + I(Petal.Width > cut)
  fit <- osvm(formula, iris, solver = "smo", verbose = FALSE)
  expect_equal(formula(fit), formula, ignore_formula_env = TRUE)
  expect_s3_class(terms(fit), "terms")
  expect_identical(labels(terms(fit)), c("log(Petal.Length)", "I(Petal.Width > cut)"))
  tuned <- osvm_tune(Species ~ ., iris, solver = "smo", grid = list(C = 1), progress = FALSE)
  expect_identical(all.vars(formula(tuned)), c("Species", names(iris)[1:4]))
  by_matrix <- osvm(as.matrix(iris[1:4]), iris$Species, "smo", verbose = FALSE)
  expect_error(formula(by_matrix), "not fitted by a formula", class = "osvm_error")
  expect_error(terms(by_matrix), "not fitted by a formula", class = "osvm_error")
  without <- osvm_tune(Species ~ ., iris, solver = "smo", grid = list(C = 1), refit = FALSE, progress = FALSE)
  expect_error(formula(without), "no final model", class = "osvm_error")
})

test_that("model.frame and model.matrix give what the model learned", {
  data <- iris
  data$site <- factor(rep(c("n", "s"), 75))
  fit <- osvm(Species ~ Petal.Width + site, data, solver = "smo", verbose = FALSE)
  frame <- model.frame(fit)
  expect_identical(names(frame), c("Species", "Petal.Width", "site"))
  expect_identical(frame$site, data$site)
  expect_identical(nrow(model.frame(fit, data[1:3, ])), 3L)
  matrix <- model.matrix(fit)
  expect_identical(colnames(matrix), c("Petal.Width", "siten", "sites"))
  expect_identical(unname(matrix[, "sites"]), as.numeric(data$site == "s"))
  by_matrix <- osvm(as.matrix(iris[1:4]), iris$Species, "smo", verbose = FALSE)
  expect_equal(model.matrix(by_matrix), as.matrix(iris[1:4]), ignore_attr = TRUE)
  expect_error(model.frame(fit, 1:3), "data frame", class = "osvm_error")
})

test_that("fitted are the predictions of the rows learned", {
  data <- iris
  data$Petal.Width[c(2, 60)] <- NA
  run <- function(...) {
    suppressMessages(osvm(Species ~ Petal.Width + Petal.Length, data, solver = "smo", verbose = FALSE, ...))
  }
  rows <- setdiff(1:150, c(2, 60))
  fit <- run()
  expect_identical(fitted(fit), predict(fit, data[rows, ]))
  padded <- fitted(run(na.action = na.exclude))
  expect_identical(which(is.na(padded)), c(2L, 60L))
  expect_identical(padded[rows], fitted(fit))
  some <- suppressMessages(
    osvm(Species ~ Petal.Width + Petal.Length, data, solver = "smo", verbose = FALSE, subset = Sepal.Length > 5)
  )
  kept <- which(data$Sepal.Length > 5 & !is.na(data$Petal.Width))
  expect_identical(fitted(some), predict(some, data[kept, ]))
  x <- as.matrix(iris[1:4])
  by_matrix <- osvm(x, iris$Species, "smo", verbose = FALSE)
  expect_identical(fitted(by_matrix), predict(by_matrix, x))
  tuned <- osvm_tune(x, iris$Species, "smo", grid = list(C = 1), progress = FALSE)
  expect_identical(fitted(tuned), predict(tuned, x))
})

test_that("training data that is gone, or is not what was learned, is not taken for it", {
  make <- function() {
    local <- iris[1:100, ]
    osvm(Species ~ ., local, solver = "smo", verbose = FALSE)
  }
  fit <- make()
  expect_error(fitted(fit), "does not keep its training data", class = "osvm_error")
  expect_length(fitted(fit, iris[1:7, ]), 7)
  called <- do.call(osvm, list(Species ~ ., iris, solver = "smo", verbose = FALSE))
  expect_error(fitted(called), "does not keep", class = "osvm_error")
  data <- iris
  fit <- osvm(Species ~ ., data, solver = "olsvm", verbose = FALSE)
  expect_error(fitted(update(fit, data[1:5, ])), "has learned 155", class = "osvm_error")
  expect_error(fitted(strip(fit)), "does not keep", class = "osvm_error")
  expect_error(fitted(fit, newdata = data), "no argument `newdata`", class = "osvm_error")
})

test_that("code in the call of a model is not evaluated", {
  fit <- osvm(Species ~ ., iris, solver = "smo", verbose = FALSE)
  run <- FALSE
  for (code in list(quote(local({
    run <<- TRUE
    iris
  })), quote((function() run <<- TRUE)()), quote(iris[assign("run", TRUE), ]), quote(get("iris")))) {
    fit$call$data <- code
    expect_error(fitted(fit), "does not keep", class = "osvm_error")
    fit$call$data <- quote(iris)
    fit$call$subset <- code
    expect_error(fitted(fit), "does not keep", class = "osvm_error")
    fit$call$subset <- NULL
  }
  expect_false(run)
  fit$call$data <- quote(iris[seq_len(150), -9])
  expect_length(fitted(fit), 150)
  fit$call <- Inf
  expect_error(fitted(fit), "does not keep", class = "osvm_error")
})
