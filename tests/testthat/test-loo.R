expect_refits <- function(fit, data, refit) {
  left <- loo(fit)
  want <- lapply(seq_along(data$y), function(i) {
    less <- refit(rows(data, -i))
    at <- data$x[i, , drop = FALSE]
    list(class = predict(less, at), decision = decide(less, at))
  })
  decision <- do.call(rbind, lapply(want, function(w) matrix(w$decision, 1)))
  expect_lte(max(abs(left$decision - decision)), 1e-6)
  expect_identical(left$predicted, do.call(c, lapply(want, `[[`, "class")))
  expect_identical(left$class, data$y)
  expect_identical(left$error, mean(left$predicted != data$y))
  expect_equal(left$id, fit$id)
}

test_that("leaving one out is n fits, two classes", {
  set.seed(3)
  data <- chessboard(50, size = 2, noise = 0.1)
  data <- list(x = data$x, y = data$y)
  for (case in some_of(combinations(C = c(0.1, 1, 50), bias = c(TRUE, FALSE)), c(1, 3, 5))) {
    refit <- function(data) id_fit(data, C = case$C, bias = case$bias)
    expect_refits(refit(data), data, refit)
  }
})

test_that("leaving one out is n fits, several classes", {
  data <- clouds(40, classes = 3)
  for (multiclass in c("ovr", "ovo")) {
    refit <- function(data) quick_fit("idsvm", data, multiclass = multiclass, scale = FALSE)
    expect_refits(refit(data), data, refit)
  }
})

test_that("leave-one-out after update() and forget()", {
  set.seed(3)
  data <- chessboard(60, size = 2, noise = 0.1)
  fit <- id_fit(list(x = data$x[1:40, ], y = data$y[1:40]), C = 3)
  fit <- forget(update(fit, data$x[41:60, ], data$y[41:60]), 11:20)
  left <- loo(fit)
  expect_equal(left$id, c(1:10, 21:60))
  for (i in c(1, 30, 60)) {
    less <- forget(fit, i)
    expect_lte(abs(left$decision[left$id == i] - decide(less, data$x[i, , drop = FALSE])), 1e-6)
  }
  expect_output(print(left), paste(sum(left$class != left$predicted), "of 50 examples"))
})

test_that("loo() does not modify the model", {
  set.seed(3)
  data <- chessboard(300, size = 2, noise = 0.1)
  fit <- id_fit(list(x = data$x, y = data$y))
  before <- serialize(fit, NULL)
  expect_s3_class(loo(fit), "osvm_loo")
  expect_identical(serialize(fit, NULL), before)
})

test_that("predictions have the type and levels of the labels", {
  data <- clouds(30)
  for (y in list(ifelse(data$y == "b", 10, 9), data$y == "b", as.character(data$y))) {
    left <- loo(id_fit(list(x = data$x, y = y)))
    expect_identical(left$class, y)
    expect_identical(typeof(left$predicted), typeof(y))
  }
})

test_that("models of other solvers are refused", {
  data <- clouds(30)
  for (name in all_solvers$name[!all_solvers$leave_out]) {
    kernel <- if (solver_space(name) == "linear") kernel_linear() else kernel_rbf(gamma = 1)
    other <- muffle_not_separable(osvm(data$x, data$y, name, kernel, verbose = FALSE))
    expect_error(loo(other), "idsvm", class = "osvm_error")
  }
  expect_osvm_error(loo(list()))
  expect_osvm_error(loo(NULL))
})

test_that("the error is named by the loss that is learned", {
  set.seed(1)
  x <- matrix(rnorm(60), 30)
  left <- loo(osvm(x, x[, 1] + rnorm(30), "idsvm", loss = loss_quantile(0.8)))
  expect_output(print(left), "leave-one-out pinball loss")
  expect_output(print(loo(osvm(x, x[, 1], "idsvm"))), "leave-one-out root mean square error")
})
