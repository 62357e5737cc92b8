# The optimality conditions of the dual, checked in plain R.

overlapping <- function(n = 120, seed = 3) {
  set.seed(seed)
  data <- chessboard(n, size = 2, noise = 0.1)
  data$sign <- c(-1, 1)[data$y]
  data
}

smo_fit <- function(data, ..., kernel = kernel_rbf(gamma = 1.5), weights = NULL, cache_mb = 256) {
  osvm(data$x, data$y, solver_smo(...), kernel, scale = FALSE, weights = weights, cache_mb = cache_mb, verbose = FALSE)
}

# The dual at the model's coefficients: minus y times the gradient, gap, objective.
dual <- function(fit, data, coef = spread_coef(fit, data$x), C = fit$solver$params$C) {
  K <- ref_kernel(data$x, data$x, fit$kernel)
  error <- data$sign - as.vector(K %*% coef)
  low <- ifelse(data$sign < 0, -C, 0)
  high <- ifelse(data$sign > 0, C, 0)
  up <- coef < high # I_up and I_low
  down <- coef > low
  list(
    coef = coef, error = error, inside = all(coef >= low & coef <= high), between = up & down,
    gap = max(error[up]) - min(error[down]), objective = -sum(coef * (error + data$sign)) / 2,
    # Kernel values are single precision.
    slack = 1e-5 + 1e-7 * sum(abs(coef)) * max(abs(K))
  )
}

expect_optimal <- function(fit, data) {
  d <- dual(fit, data)
  expect_true(d$inside)
  expect_lte(abs(sum(d$coef)), 1e-8 * sum(abs(d$coef)))
  expect_lte(d$gap, fit$solver$params$tolerance + d$slack)
  expect_true(fit$convergence$finished)
  expect_lte(abs(fit$convergence$gap - max(d$gap, 0)), d$slack)
  expect_equal(fit$convergence$objective, d$objective, tolerance = 1e-5)
  if (any(d$between)) expect_lte(abs(fit$intercept - mean(d$error[d$between])), d$slack)
  expect_lte(max(abs(decide(fit, data$x) - (data$sign - d$error + fit$intercept))), d$slack)
}

smo_kernels <- list(
  linear = kernel_linear(), polynomial = kernel_polynomial(degree = 3, gamma = 0.5, coef0 = 1),
  rbf = kernel_rbf(gamma = 1.5), sigmoid = kernel_sigmoid(gamma = 0.2, coef0 = -0.5)
)

# For a linear model the coefficients are in `state`.
all_coef <- function(fit, data) {
  fit$coef <- fit$state[, , "coef"]
  spread_coef(fit, data$x)
}

test_that("second-order pairs end in an optimum of the dual, for every kernel", {
  data <- overlapping()
  for (kernel in smo_kernels) for (C in c(0.1, 1, 50)) for (shrinking in c(TRUE, FALSE)) {
    fit <- smo_fit(data, C = C, shrinking = shrinking, kernel = kernel)
    d <- dual(fit, data, all_coef(fit, data))
    expect_true(d$inside)
    expect_lte(abs(sum(d$coef)), 1e-8 * sum(abs(d$coef)))
    expect_lte(d$gap, 1e-3 + d$slack)
    expect_true(fit$convergence$finished)
  }
})

test_that("the convergence table and the intercept are those of the coefficients", {
  data <- overlapping()
  for (C in c(0.1, 1, 50)) {
    expect_optimal(smo_fit(data, C = C), data)
    expect_optimal(smo_fit(data, C = C, tolerance = 1e-5), data)
  }
  fit <- smo_fit(data)
  expect_named(fit$convergence, c("iterations", "gap", "objective", "finished"))
  expect_identical(nrow(fit$convergence), 1L)
  expect_identical(nrow(fit$trace), 0L)
})

test_that("shrinking, cache size and instruction set do not change the optimum", {
  data <- overlapping(900, seed = 8)
  whole <- smo_fit(data, C = 100, shrinking = FALSE, tolerance = 1e-4)
  expect_optimal(whole, data)
  for (mb in c(256, 0.2, 1e-6)) {
    fit <- smo_fit(data, C = 100, tolerance = 1e-4, cache_mb = mb)
    expect_optimal(fit, data)
    expect_equal(fit$convergence$objective, whole$convergence$objective, tolerance = 1e-6)
  }
  for (level in 0:2) {
    old <- options(onlinesvm.simd_level = level)
    fit <- smo_fit(data, C = 100, tolerance = 1e-4)
    options(old)
    expect_optimal(fit, data)
  }
})

test_that("sparse data, of low or high density, gives the same solution", {
  set.seed(4)
  for (density in c(0.04, 0.3)) {
    x <- as.matrix(Matrix::rsparsematrix(300, 60, density))
    x[, 1] <- rnorm(300)
    data <- list(x = x, y = factor(x[, 1] + rowSums(x[, 2:20]) + rnorm(300, sd = 0.3) > 0))
    data$sign <- c(-1, 1)[data$y]
    sparse <- list(x = methods::as(x, "CsparseMatrix"), y = data$y)
    for (C in c(1, 30)) {
      dense <- smo_fit(data, C = C, kernel = kernel_rbf(gamma = 0.05), tolerance = 1e-5)
      thin <- smo_fit(sparse, C = C, kernel = kernel_rbf(gamma = 0.05), tolerance = 1e-5)
      expect_optimal(dense, data)
      expect_close(decide(thin, sparse$x), decide(dense, data$x), 1e-3)
    }
  }
})

test_that("objective and decision values are LIBSVM's", {
  skip_if_not_installed("e1071")
  data <- overlapping(400, seed = 5)
  for (C in c(1, 100)) {
    ours <- smo_fit(data, C = C)
    theirs <- e1071::svm(data$x, data$y, scale = FALSE, gamma = 1.5, cost = C, fitted = FALSE)
    coef <- replace(numeric(400), theirs$index, theirs$coefs)
    coef <- coef * sign(sum(coef * data$sign)) # e1071's positive class is that of the first example
    objective <- dual(ours, data, coef, C + 1e-9)$objective
    expect_equal(ours$convergence$objective, objective, tolerance = 1e-4)
    decision <- attr(predict(theirs, data$x, decision.values = TRUE), "decision.values")
    expect_close(decide(ours, data$x), decision * sign(sum(decision * decide(ours, data$x))), 5e-3)
  }
})

# The paper's sweep stops when the pairs drawn give no improvement: the result is near the optimum.
test_that("random pairs come close to the same solution", {
  data <- overlapping()
  for (kernel in smo_kernels[c("linear", "polynomial", "rbf")]) {
    best <- smo_fit(data, C = 2, tolerance = 1e-6, kernel = kernel)
    set.seed(1)
    random <- smo_fit(data, C = 2, tolerance = 1e-5, selection = "random", kernel = kernel)
    expect_true(random$convergence$finished)
    expect_equal(random$convergence$objective, best$convergence$objective, tolerance = 0.01)
    expect_gte(random$convergence$objective, best$convergence$objective - 1e-4)
  }
  set.seed(1)
  again <- smo_fit(data, C = 2, tolerance = 1e-5, selection = "random", kernel = kernel)
  expect_identical(again$coef, random$coef)
  expect_true(all(is.finite(smo_fit(data, selection = "random", kernel = smo_kernels$sigmoid)$coef)))
})

test_that("weights multiply C, example by example", {
  data <- overlapping()
  w <- rep(c(1, 0.25, 4, 0), 30)
  fit <- smo_fit(data, C = 2, weights = w)
  d <- dual(fit, data, C = 2 * w)
  expect_true(d$inside)
  expect_true(all(d$coef[w == 0] == 0))
  expect_lte(d$gap, 1e-3 + d$slack)
})

test_that("a linear kernel gives weights, and update() works", {
  data <- overlapping()
  fit <- smo_fit(data, C = 3, kernel = kernel_linear())
  expect_identical(dim(fit$coef), c(2L, 1L))
  expect_close(fit$coef, crossprod(data$x, all_coef(fit, data)))
  more <- update(fit, data$x[1:10, ] + 0.01, data$y[1:10])
  expect_true(more$convergence$finished)
})

test_that("update starts from the old coefficients", {
  data <- overlapping(400, seed = 6)
  batch <- smo_fit(data, C = 5, tolerance = 1e-4)
  # All support vectors in the first part, so that the model keeps what the solution needs.
  first <- sort(c(which(spread_coef(batch, data$x) != 0), 1:20))
  rest <- setdiff(seq_along(data$y), first)
  part <- list(x = data$x[unique(first), ], y = data$y[unique(first)])
  fit <- smo_fit(part, C = 5, tolerance = 1e-4)
  grown <- update(fit, data$x[rest, ], data$y[rest])
  expect_lt(grown$convergence$iterations, batch$convergence$iterations / 4)
  expect_equal(grown$convergence$objective, batch$convergence$objective, tolerance = 1e-6)
  expect_close(decide(grown, data$x), decide(batch, data$x), 1e-3)
})

test_that("update() keeps the weights of each machine", {
  data <- overlapping()
  w <- rep(c(1, 3), 60)
  fit <- smo_fit(data, C = 0.5, weights = w)
  same <- update(fit, fit$sv[0, , drop = FALSE] |> rbind(c(50, 50)), data$y[1])
  expect_true(all(abs(same$coef) <= 0.5 * same$state[, , "weight"] + 1e-12))
  expect_gt(max(abs(same$coef)), 0.5)

  many <- clouds(90, classes = 3)
  for (multiclass in c("ovr", "ovo")) {
    fit <- osvm(many$x[1:60, ], many$y[1:60], solver_smo(), kernel_rbf(gamma = 0.3),
      multiclass = multiclass, verbose = FALSE
    )
    grown <- update(fit, many$x[61:90, ], many$y[61:90])
    expect_identical(dim(grown$state), c(nrow(grown$sv), 3L, 2L))
    expect_identical(dim(grown$convergence), c(3L, 4L))
    expect_true(all(grown$convergence$finished))
    expect_true(all(abs(colSums(grown$coef)) < 1e-8))
  }
})

test_that("an unfinished run gives a warning", {
  data <- overlapping()
  for (selection in c("second_order", "random")) {
    expect_warning(
      fit <- smo_fit(data, C = 1000, max_iter = 3, selection = selection, tolerance = 1e-8),
      "max_iter", class = "osvm_unfinished"
    )
    expect_false(fit$convergence$finished)
    expect_gt(fit$convergence$gap, 0.01)
    expect_true(all(is.finite(decide(fit, data$x))))
  }
})

test_that("invalid parameters are refused", {
  expect_osvm_error(solver_smo(C = 0))
  expect_osvm_error(solver_smo(tolerance = -1))
  expect_osvm_error(solver_smo(max_iter = 0.5))
  expect_osvm_error(solver_smo(selection = "third"))
  expect_osvm_error(solver_smo(shrinking = NA))
})

# Where examples take more than 2 MB, rows are computed several at a time.
test_that("many features give the optimum, too", {
  set.seed(9)
  x <- matrix(rnorm(400 * 1400), 400)
  data <- list(x = x, sign = ifelse(rowSums(x[, 1:60]) + rnorm(400) > 0, 1, -1))
  data$y <- factor(data$sign)
  for (C in c(0.5, 20)) expect_optimal(smo_fit(data, C = C, kernel = kernel_rbf(gamma = 5e-4)), data)
})

# Kernel values of hundreds and coefficients of 100: steps at the end are below the rounding of the coefficients, and
# examples shrunk away early must come back.
test_that("a tolerance below rounding ends at the optimum, whatever the form of the data", {
  set.seed(94)
  n <- 40
  y <- factor(rep_len(c("a", "b"), n))
  x <- 10 * (matrix(stats::rnorm(2 * n), n) + 0.5 * (y == "a"))
  fits <- function(x, tolerance) {
    suppressWarnings(osvm(x, y, solver_smo(C = 100, tolerance = tolerance), kernel_linear(), scale = FALSE))
  }
  loose <- fits(x, 1e-6)
  strict <- fits(x, 1e-14)
  expect_true(loose$convergence$finished)
  expect_equal(strict$convergence$objective, loose$convergence$objective, tolerance = 1e-8)
  expect_lt(strict$convergence$gap, 1e-9)
  expect_identical(fits(methods::as(x, "CsparseMatrix"), 1e-14)$convergence$objective, strict$convergence$objective)
  # Coefficients and gradient stay together: the objective is that of the coefficients.
  a <- strict$state[, 1, "coef"]
  expect_lt(abs(sum(a)), 1e-12 * sum(abs(a)))
  expect_equal(strict$convergence$objective, sum((crossprod(strict$sv, a))^2) / 2 - sum(abs(a)), tolerance = 1e-11)
})

# ---- without a bias ----

# 1/2 |f|^2 + sum C_i loss(y_i, f_i) and what the dual maximises differ by 0 at the optimum. `bound`: the largest
# coefficient downwards and upwards.
duality_gap <- function(K, coef, y, bound, epsilon = 0, hinge = FALSE) {
  f <- as.vector(K %*% coef)
  beyond <- if (hinge) cbind(1 - y * f, 0) else cbind(f - y, y - f) - epsilon
  sum(coef * f) + sum(bound * pmax(beyond, 0)) - sum(coef * y) + epsilon * sum(abs(coef))
}

unbiased_coef <- function(fit, x) {
  coef <- numeric(nrow(x))
  coef[fit$index] <- fit$coef[, 1]
  coef
}

test_that("without a bias the primal and dual objectives meet, whatever the loss", {
  data <- overlapping(150, seed = 5)
  K <- ref_kernel(data$x, data$x, kernel_rbf(gamma = 1.5))
  weights <- rep(c(0.5, 2), length.out = 150)
  numbers <- sin(3 * data$x[, 1]) + data$x[, 2] + 1
  for (C in c(0.3, 30)) for (selection in c("second_order", if (C < 1) "random")) {
    learn <- function(y, ...) {
      osvm(data$x, y, solver_smo(C, 1e-5, selection, bias = FALSE), kernel_rbf(gamma = 1.5), scale = FALSE, ...)
    }
    near <- if (selection == "random") 2e-2 else 1e-4
    check <- function(fit, y, bound, ...) {
      coef <- unbiased_coef(fit, data$x)
      expect_identical(unname(fit$intercept), 0)
      expect_true(all(coef >= -bound[, 1] - 1e-12 & coef <= bound[, 2] + 1e-12))
      expect_lte(duality_gap(K, coef, y, bound, ...), near * (1 + abs(fit$convergence$objective)))
    }
    of_class <- C * weights * ifelse(data$y == "white", 3, 1)
    check(
      learn(data$y, weights = weights, class_weights = c(white = 3)), data$sign, cbind(of_class, of_class),
      hinge = TRUE
    )
    check(learn(numbers, loss = loss_epsilon(0.1)), numbers, cbind(rep(C, 150), C), epsilon = 0.1)
    check(learn(numbers, loss = loss_quantile(0.8)), numbers, cbind(rep(0.2 * C, 150), 0.8 * C))
  }
})

test_that("a model without a bias goes on from a file, and prints what it is", {
  data <- overlapping(200, seed = 6)
  spec <- solver_smo(10, 1e-6, bias = FALSE)
  kernel <- kernel_rbf(gamma = 1.5)
  whole <- osvm(data$x, data$y, spec, kernel, scale = FALSE)
  half <- osvm(data$x[1:100, ], data$y[1:100], spec, kernel, scale = FALSE)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(half, file)
  grown <- update(readRDS(file), data$x[101:200, ], data$y[101:200])
  expect_identical(unname(grown$intercept), 0)
  expect_true(grown$convergence$finished)
  expect_lt(mean(predict(grown, data$x) != predict(whole, data$x)), 0.1)
  expect_output(print(whole), "bias = FALSE")
  expect_identical(
    osvm(data$x, data$y, spec, kernel, scale = FALSE, threads = 2)$coef,
    osvm(data$x, data$y, spec, kernel, scale = FALSE, threads = 1)$coef
  )
  three <- osvm(iris[1:4], iris$Species, solver_smo(bias = FALSE))
  expect_identical(unname(three$intercept), c(0, 0, 0))
  expect_lt(mean(predict(three, iris[1:4]) != iris$Species), 0.05)
  expect_error(
    osvm(data$x, loss = loss_novelty(), solver = spec), "`bias` must be TRUE with loss_novelty()",
    fixed = TRUE, class = "osvm_error"
  )
})

test_that("grids take bias as a parameter, and go along C without one", {
  data <- overlapping(120, seed = 7)
  foldid <- rep(1:3, 40)
  tuned <- osvm_tune(
    data$x, data$y, solver_smo(C = c(1, 10), tolerance = 1e-6, bias = c(TRUE, FALSE)),
    kernel_rbf(gamma = 1.5), foldid = foldid, scale = FALSE, refit = FALSE
  )
  expect_identical(tuned$parameters, c("C", "bias"))
  for (i in seq_len(4)) {
    spec <- solver_smo(tuned$results$C[i], 1e-6, bias = tuned$results$bias[i])
    errors <- vapply(1:3, function(k) {
      train <- foldid != k
      fit <- osvm(data$x[train, ], data$y[train], spec, kernel_rbf(gamma = 1.5), scale = FALSE)
      mean(predict(fit, data$x[!train, ]) != data$y[!train])
    }, 0)
    expect_equal(unname(tuned$scores[i, ]), errors)
  }
})

test_that("one example without a bias is learned in one step", {
  # Folds leave out all examples of two classes, and of each of the others all but one.
  x <- matrix(c(-0.7, 0.4, 1.2, -1.6))
  tuned <- osvm_tune(x, factor(letters[1:4]), solver_smo(bias = FALSE), kernel_polynomial(coef0 = 0), folds = 2,
    progress = FALSE, seconds = 60)
  expect_false(tuned$interrupted)
})
