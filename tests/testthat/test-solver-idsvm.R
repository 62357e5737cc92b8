overlapping <- function(n = 120, seed = 3) {
  set.seed(seed)
  data <- chessboard(n, size = 2, noise = 0.1)
  list(x = data$x, y = data$y)
}

id_kernels <- list(
  linear = kernel_linear(), polynomial = kernel_polynomial(degree = 3, gamma = 0.5, coef0 = 1),
  rbf = kernel_rbf(gamma = 1.5), smooth = kernel_rbf(gamma = 0.01)
)

test_that("after every example the model is the batch solution", {
  for (C in c(0.05, 1, 100)) {
    data <- overlapping(60)
    fit <- id_fit(rows(data, 1:6), C = C)
    for (n in 7:60) {
      fit <- update(fit, data$x[n, , drop = FALSE], data$y[n])
      expect_exact(fit)
      if (n %% 9 == 1) {
        batch <- smo_solution(fit, rows(data, seq_len(n)))
        expect_lte(max(abs(decide(fit, data$x) - decide(batch, data$x))), 1e-6)
        expect_equal(fit$convergence$objective, batch$convergence$objective, tolerance = 1e-8)
      }
    }
  }
})

test_that("every kernel, small C and large, gives the batch solution", {
  data <- overlapping()
  for (kernel in id_kernels) for (C in c(0.01, 1, 1000)) {
    fit <- id_fit(data, C = C, kernel = kernel)
    expect_exact(fit)
    expect_lte(max(abs(decide(fit, data$x) - decide(smo_solution(fit, data), data$x))), 1e-6)
    expect_exact(id_fit(data, C = C, bias = FALSE, kernel = kernel))
  }
})

test_that("without bias the intercept is 0", {
  fit <- id_fit(overlapping(), bias = FALSE)
  expect_identical(fit$intercept, 0)
  expect_exact(fit)
})

test_that("weights multiply C, and 0 leaves an example out", {
  data <- overlapping()
  w <- rep(c(1, 0.25, 4, 0), 30)
  fit <- id_fit(data, C = 2, weights = w)
  expect_exact(fit)
  expect_equal(nrow(fit$sv), 90)
  expect_lte(max(abs(decide(fit, data$x) - decide(smo_solution(fit, data, w), data$x))), 1e-6)
})

# ---- singular kernel matrices of the margin set ----

test_that("duplicates, of either class, satisfy the conditions", {
  set.seed(6)
  x <- matrix(rnorm(60), 30)
  twice <- list(x = rbind(x, x, x)[sample(90), ], y = factor(runif(90) < 0.5))
  for (kernel in id_kernels) for (C in c(0.01, 1, 1000)) for (bias in c(TRUE, FALSE)) {
    expect_exact(id_fit(twice, C = C, bias = bias, kernel = kernel))
  }
  same <- list(x = matrix(1, 20, 2), y = factor(rep(1:2, c(12, 8))))
  for (kernel in id_kernels) {
    fit <- id_fit(same, kernel = kernel)
    expect_exact(fit)
    expect_equal(decide(fit, same$x), rep(-1, 20), tolerance = 1e-9)
  }
})

test_that("more margin examples than features, and ties on a grid", {
  for (seed in some_of(1:4, 1:2)) {
    set.seed(seed)
    x <- matrix(sample(0:3, 160, TRUE), 80) + 0
    grid <- list(x = x, y = factor((x[, 1] + x[, 2] + rbinom(80, 1, 0.2)) %% 2))
    line <- list(x = x[, 1, drop = FALSE], y = factor(x[, 1] > 1))
    for (kernel in id_kernels) for (C in c(0.1, 10)) for (bias in c(TRUE, FALSE)) {
      expect_exact(id_fit(grid, C = C, bias = bias, kernel = kernel))
      expect_exact(id_fit(line, C = C, bias = bias, kernel = kernel))
    }
  }
})

# Until the second class appears every output is the bias, and every gradient 0.
test_that("one class first: the margin set starts empty, then all are tied", {
  for (seed in some_of(1:4, 1:2)) {
    set.seed(seed)
    x <- matrix(rnorm(120), 60)
    data <- list(x = x, y = factor(rep(c("a", "b"), c(40, 20))))
    for (kernel in id_kernels) for (C in c(0.01, 1, 1000)) {
      fit <- id_fit(data, C = C, kernel = kernel)
      expect_exact(fit)
      expect_lt(fit$stats$updates, 60 * 60)
    }
  }
})

test_that("near duplicates satisfy the conditions", {
  set.seed(2)
  x <- matrix(rnorm(60), 30)
  near <- list(x = rbind(x, x + 1e-6 * rnorm(60))[sample(60), ], y = factor(runif(60) < 0.5))
  for (kernel in id_kernels) for (C in c(1, 100)) {
    fit <- id_fit(near, C = C, kernel = kernel)
    expect_exact(fit, 1e-6)
    expect_lt(fit$stats$updates, 60 * 60)
  }
})

# All coefficients at C or 0: the conditions allow an interval of biases, of which SMO takes the midpoint as well.
test_that("without coefficients between the bounds the bias is the midpoint", {
  data <- list(x = rbind(c(0, 0), c(1, 0), c(3, 0), c(4, 0)), y = factor(c("a", "a", "b", "b")))
  fit <- id_fit(data, C = 0.01, kernel = kernel_rbf(gamma = 1))
  f <- decide(fit, data$x)
  expect_equal(f, -rev(f), tolerance = 1e-10)
  expect_lte(max(abs(f - decide(smo_solution(fit, data), data$x))), 1e-6)
})

test_that("a kernel that is not positive definite gives finite coefficients within bounds", {
  data <- overlapping()
  for (C in c(0.1, 10)) for (bias in c(TRUE, FALSE)) {
    solver <- solver_idsvm(C = C, bias = bias)
    fit <- suppressWarnings(osvm(data$x, data$y, solver, kernel_sigmoid(gamma = 0.3, coef0 = -0.5), verbose = FALSE))
    expect_true(all(is.finite(decide(fit, data$x))))
    expect_true(all(abs(fit$coef) <= C))
  }
})

test_that("the solution is invariant to the units of x", {
  data <- overlapping(60)
  fit <- id_fit(data, C = 1, kernel = kernel_linear())
  for (unit in c(1e6, 1e-6)) {
    far <- id_fit(list(x = data$x * unit, y = data$y), C = 1 / unit^2, kernel = kernel_linear())
    expect_equal(far$sets, fit$sets)
    expect_close(decide(far, data$x * unit), decide(fit, data$x), 1e-6)
  }
})

# ---- print() and summary() ----

test_that("the three sets are in print() and summary()", {
  fit <- id_fit(overlapping(), C = 10)
  expect_named(fit$sets, c("margin", "error", "reserve"))
  sets <- paste(fit$sets, names(fit$sets), collapse = ", ")
  expect_output(print(fit), sets, fixed = TRUE)
  expect_output(print(summary(fit)), sets, fixed = TRUE)
  expect_equal(fit$n_sv, fit$sets$margin + fit$sets$error)

  many <- quick_fit("idsvm", clouds(60, classes = 3), multiclass = "ovr")
  expect_identical(rownames(many$sets), c("a", "b", "c"))
  expect_exact(many)
  expect_output(print(many), paste(sum(many$sets$margin), "margin"))
  pairs <- quick_fit("idsvm", clouds(60, classes = 3), multiclass = "ovo")
  expect_exact(pairs)
  expect_true(all(rowSums(pairs$sets) == 40))
})

test_that("chunks give the model of one pass, scaled or sparse", {
  data <- sparse_clouds(60)
  whole <- id_fit(list(x = data$s, y = data$y), scale = FALSE)
  grown <- id_fit(list(x = data$s[1:20, ], y = data$y[1:20]), scale = FALSE)
  grown <- update(grown, data$s[21:60, ], data$y[21:60])
  expect_identical(grown$id, whole$id)
  expect_lte(max(abs(decide(grown, data$s) - decide(whole, data$s))), 1e-8)
  expect_exact(id_fit(data, scale = TRUE))
  expect_lte(max(abs(decide(id_fit(data), data$x) - decide(whole, data$s))), 1e-8)
})

test_that("invalid parameters are refused", {
  expect_osvm_error(solver_idsvm(C = 0))
  expect_osvm_error(solver_idsvm(bias = NA))
  expect_osvm_error(solver_idsvm(C = "a"))
})

test_that("numbers, quantiles and novelty: SMO's solution after every row, without those forgotten, left out", {
  set.seed(4)
  x <- matrix(rnorm(120), 60)
  y <- sin(2 * x[, 1]) + rnorm(60) / 4
  kernel <- kernel_rbf(gamma = 0.5)
  for (loss in list(loss_epsilon(0.1), loss_quantile(0.8), loss_novelty(0.2))) {
    labels <- if (loss$name != "novelty") y
    learn <- function(rows, solver) {
      osvm(x[rows, ], labels[rows], solver, kernel, loss = loss, scale = FALSE, verbose = FALSE)
    }
    apart <- function(fit, rows) {
      batch <- learn(rows, solver_smo(C = 2, tolerance = 1e-9))
      max(abs(predict(fit, x, type = "decision") - predict(batch, x, type = "decision")))
    }
    fit <- learn(1:40, solver_idsvm(C = 2))
    for (row in 41:60) {
      fit <- update(fit, x[row, , drop = FALSE], labels[row])
      expect_lt(apart(fit, 1:row), 1e-6)
    }
    expect_lt(apart(forget(fit, c(1, 5:14, 60)), c(2:4, 15:59)), 1e-6)
    left_out <- loo(fit)$decision
    for (row in c(1, 30)) {
      without <- learn(-row, solver_smo(C = 2, tolerance = 1e-9))
      value <- predict(without, x[row, , drop = FALSE], type = "decision")
      expect_equal(as.vector(left_out)[row], as.vector(value), tolerance = 1e-6)
    }
  }
})
