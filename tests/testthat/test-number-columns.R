# Several columns of numbers: a machine each.

two_waves <- function(n = 150) {
  set.seed(3)
  x <- matrix(rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "c")))
  y <- cbind(low = sin(x[, 1]) + rnorm(n, sd = 0.1), high = 100 + 20 * x[, 2] + rnorm(n))
  list(x = x, y = y, new = matrix(rnorm(60), 20, dimnames = list(NULL, c("a", "b", "c"))))
}

numeric_solvers <- function() {
  all <- solvers()
  all[grepl("epsilon", all$losses), ]
}

test_that("each column has the model of a fit of its own, whatever the solver", {
  d <- two_waves()
  all <- numeric_solvers()
  for (k in seq_len(nrow(all))) {
    solver <- get(paste0("solver_", all$name[k]))()
    kernel <- if (all$space[k] == "linear") kernel_linear() else kernel_rbf(gamma = 0.3)
    seeded <- function(y) {
      set.seed(2)
      osvm(d$x, y, solver, kernel)
    }
    fit <- seeded(d$y)
    both <- predict(fit, d$new)
    expect_identical(colnames(both), c("low", "high"))
    for (name in colnames(d$y)) {
      expect_close(both[, name], predict(seeded(d$y[, name]), d$new), 1e-8)
    }
    expect_identical(predict(fit, d$new, type = "decision"), both)
    # Further examples, in a model and in a live one, the columns in another order
    more <- function(model) {
      set.seed(4)
      update(model, d$x[1:50, ], d$y[1:50, 2:1] + 0.1)
    }
    again <- more(fit)
    expect_equal(again$n_seen, 200)
    if (all$online[k]) expect_identical(predict(more(osvm_live(fit)), d$new), predict(again, d$new))
    file <- tempfile(fileext = ".rds")
    saveRDS(fit, file)
    expect_identical(predict(readRDS(file), d$new), both)
    expect_close(predict(strip(fit), d$new), both, 1e-10)
  }
})

test_that("formulas, data frames, sparse data and quantiles", {
  d <- two_waves()
  exact <- solver_smo(C = 2, tolerance = 1e-6)
  kernel <- kernel_rbf(gamma = 0.2)
  fit <- osvm(d$x, d$y, exact, kernel)
  both <- predict(fit, d$new)
  frame <- data.frame(d$x, d$y)
  named <- osvm(cbind(low, high) ~ ., frame, exact, kernel)
  expect_equal(predict(named, data.frame(d$new)), both, ignore_attr = TRUE)
  expect_equal(predict(osvm(frame[1:3], frame[4:5], exact, kernel), data.frame(d$new)), both)
  more <- update(named, frame[1:10, ])
  expect_close(unname(predict(more, d$new)), unname(predict(update(fit, d$x[1:10, ], d$y[1:10, ]), d$new)), 1e-4)
  expect_equal(residuals(fit, d$x, d$y), d$y - predict(fit, d$x), ignore_attr = TRUE)
  expect_equal(residuals(named), residuals(fit), ignore_attr = TRUE)
  unnamed <- predict(osvm(d$x, unname(d$y), exact, kernel), d$new)
  expect_identical(unname(unnamed), unname(both))
  expect_identical(colnames(unnamed), c("y1", "y2"))
  expect_identical(osvm(d$x, cbind(low = d$y[, 1], -d$y[, 2]), exact, kernel)$label$names, c("low", "y2"))
  sparse <- methods::as(d$x, "CsparseMatrix")
  plain <- list(scale = rep(1, 3))
  expect_equal(
    predict(osvm(sparse, d$y, exact, kernel, scale = plain), d$new),
    predict(osvm(d$x, d$y, exact, kernel, scale = plain), d$new), tolerance = 1e-5
  )
  high <- osvm(d$x, d$y, exact, kernel, loss = loss_quantile(0.9))
  expect_true(all(abs(colMeans(d$y < predict(high, d$x)) - 0.9) < 0.05))
  y <- d$y
  y[c(3, 150 + 7)] <- NA
  expect_message(gone <- osvm(d$x, y, exact, kernel), "2 rows")
  expect_equal(predict(gone, d$new), predict(osvm(d$x[-c(3, 7), ], d$y[-c(3, 7), ], exact, kernel), d$new))
  expect_identical(dim(coef(osvm(d$x, d$y, kernel = "linear"))), c(4L, 2L))
  # Counts are columns of numbers, too
  expect_identical(osvm(d$x, round(d$y))$loss$name, "epsilon")
})

test_that("forgetting and leaving out", {
  d <- two_waves(80)
  fit <- osvm(d$x, d$y, solver_idsvm(C = 2), kernel_rbf(gamma = 0.3), scale = FALSE)
  less <- osvm(d$x[-(1:5), ], d$y[-(1:5), ], solver_idsvm(C = 2), kernel_rbf(gamma = 0.3), scale = FALSE)
  expect_close(predict(forget(fit, 1:5), d$new), predict(less, d$new), 1e-6)
  left <- loo(fit)
  one <- lapply(1:2, function(k) loo(osvm(d$x, d$y[, k], solver_idsvm(C = 2), kernel_rbf(gamma = 0.3), scale = FALSE)))
  expect_close(left$predicted[, 2], one[[2]]$predicted, 1e-6)
  expect_close(left$error, mean(c(one[[1]]$error, one[[2]]$error)), 1e-6)
  expect_output(print(left), "80 examples")
})

test_that("tunings and curves have the mean over the columns", {
  d <- two_waves(90)
  solver <- solver_smo(C = c(1, 10))
  kernel <- kernel_rbf(gamma = 0.3)
  fold <- rep(1:3, 30)
  tune <- function(y, ...) osvm_tune(d$x, y, solver = solver, kernel = kernel, foldid = fold, progress = FALSE, ...)
  for (metric in c("rmse", "mae", "rsq")) {
    both <- tune(d$y, metric = metric)
    one <- lapply(1:2, function(k) tune(d$y[, k], metric = metric))
    expect_close(both$table[[metric]], (one[[1]]$table[[metric]] + one[[2]]$table[[metric]]) / 2, 1e-6)
  }
  expect_identical(colnames(predict(both, d$new)), c("low", "high"))
  own <- tune(d$y, metric = function(truth, predicted, decision) max(abs(truth - predicted)))
  expect_true(all(is.finite(own$table$metric)))
  curve <- osvm_learning_curve(d$x, d$y, solver_smo(), kernel, folds = 3, sizes = c(0.5, 1))
  expect_true(all(is.finite(curve$data$value)))
})

test_that("budgets, running scaling, threads and data frames of results", {
  d <- two_waves()
  fit <- osvm(d$x, d$y, solver_pa(budget = 20, epochs = 2), kernel_rbf(gamma = 0.3), threads = 1)
  expect_lte(fit$n_sv, 20)
  small <- compress(osvm(d$x, d$y, solver_smo(), kernel_rbf(gamma = 0.3)), 30)
  expect_identical(dim(predict(small, d$new)), c(20L, 2L))
  running <- osvm(d$x[1:50, ], d$y[1:50, ], solver_olsvm(), scale = "running")
  running <- update(running, d$x[51:150, ], d$y[51:150, ])
  expect_equal(running$label$center, unname(colMeans(d$y)))
  expect_equal(running$label$scale, unname(apply(d$y, 2, sd)))
  threaded <- function(threads) predict(osvm(d$x, d$y, solver_smo(), kernel_rbf(), threads = threads), d$new)
  expect_identical(threaded(2), threaded(1))
  expect_output(print(fit), "low +numbers from.*high +numbers from")
  skip_if_not_installed("generics")
  frame <- generics::augment(osvm(cbind(low, high) ~ ., data.frame(d$x, d$y)), data.frame(d$x, d$y))
  expect_true(all(c(".pred_low", ".pred_high", ".resid_low", ".resid_high") %in% names(frame)))
  expect_equal(frame$.resid_high, d$y[, 2] - frame$.pred_high, ignore_attr = TRUE)
})

test_that("what does not fit together is said", {
  d <- two_waves(60)
  fit <- osvm(d$x, d$y, solver_olsvm())
  expect_snapshot(error = TRUE, {
    osvm(d$x, d$y, loss = loss_hinge())
    osvm(d$x, data.frame(d$y, u = "a"))
    osvm(d$x, d$y[1:10, ])
    osvm(d$x, replace(d$y, 3, Inf))
    osvm(d$x, cbind(u = d$y[, 1], u = d$y[, 2]))
    update(fit, d$x, d$y[, 1])
    update(fit, d$x, cbind(low = d$y[, 1], other = 1))
    update(osvm(d$x, d$y[, 1], solver_olsvm()), d$x, d$y)
    plot(fit, d$x)
    osvm_stream(source_matrix(d$x, d$y[, 1]), fit = fit)
    osvm_stream(source_matrix(d$x, d$y))
  })
})
