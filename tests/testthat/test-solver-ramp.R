noisy <- function(n = 90, seed = 5, noise = 0.15) {
  set.seed(seed)
  data <- chessboard(n, size = 2, noise = noise)
  data$sign <- c(-1, 1)[data$y]
  data
}

ramp_kernels <- list(
  rbf = kernel_rbf(gamma = 1.5), smooth = kernel_rbf(gamma = 0.05), linear = kernel_linear(),
  polynomial = kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1)
)

ramp_fit <- function(data, ..., kernel = ramp_kernels$rbf, weights = NULL, cache_mb = 256) {
  osvm(data$x, data$y, solver_ramp(...), kernel, scale = FALSE, weights = weights, cache_mb = cache_mb, verbose = FALSE)
}

ref_ramp <- function(data, solver, kernel, w = 1, learned = seq_along(data$y)) {
  cap <- rep_len(solver$params$C * w, length(data$y))
  s <- ref_ramp_start(ref_kernel(data$x, data$x, kernel), data$sign, cap, solver)
  for (i in learned) s <- ref_ramp_learn(s, i)
  s
}

expect_ramp <- function(fit, ref, tolerance) {
  expect_setequal(fit$id, ref$I)
  expect_close(fit$state[, , "coef"], (ref$a * ref$y)[fit$id], tolerance)
  expect_close(c(1, fit$state[, , "gradient"]), c(1, (ref$g * ref$y)[fit$id]), tolerance) # 1: may all be 0
  expect_equal(fit$n_sv, sum(ref$a > 0))
}

# In double precision the sequence of steps is the same.
test_that("OnlineSVM^R is Algorithms 1 and 2, number for number", {
  data <- noisy(if (exhaustive()) 90 else 60)
  for (case in combinations(kernel = ramp_kernels, C = c(0.3, 5), keep = c(Inf, 20, 0))) {
    fit <- ramp_fit(data, C = case$C, keep = case$keep, tolerance = 5e-6, kernel = case$kernel)
    expect_ramp(fit, ref_ramp(data, fit$solver, case$kernel), 1e-6)
  }
})

test_that("single precision gives the same solution", {
  data <- noisy()
  for (kernel in ramp_kernels[1:3]) {
    fit <- ramp_fit(data, C = 2, kernel = kernel)
    expect_ramp(fit, ref_ramp(data, fit$solver, kernel), 1e-4)
  }
})

test_that("weights multiply C, and 0 leaves an example out", {
  data <- noisy()
  w <- rep(c(1, 0.5, 2, 0), length.out = 90)
  fit <- ramp_fit(data, C = 2, tolerance = 5e-6, weights = w)
  expect_ramp(fit, ref_ramp(data, fit$solver, ramp_kernels$rbf, w, which(w > 0)), 1e-6)
})

test_that("after every example the optimality conditions hold on V, and V is {g <= 2}", {
  for (case in some_of(combinations(keep = c(Inf, 10), C = c(0.5, 20)), 2:3)) {
    data <- noisy(70, seed = 7)
    fit <- ramp_fit(rows(data, 1:5), C = case$C, keep = case$keep)
    for (i in 6:70) {
      fit <- update(fit, data$x[i, , drop = FALSE], data$y[i])
      expect_stationary(fit)
    }
    expect_lte(length(fit$id) - fit$n_sv, case$keep)
  }
})

# The first round starts from the function of the step before.
test_that("the ramp objective does not increase over a round", {
  data <- noisy(70, seed = 8)
  fit <- ramp_fit(rows(data, 1:10), C = 5, tolerance = 5e-6, min_gain = 1e-10)
  ref <- ref_ramp(data, fit$solver, ramp_kernels$rbf, learned = 1:10)
  for (i in 11:70) {
    before <- fit
    fit <- update(fit, data$x[i, , drop = FALSE], data$y[i])
    expect_lte(ramp_objective(fit), ramp_objective(fit, before) + 1e-5)
    ref <- ref_ramp_learn(ref, i)
    expect_true(all(diff(ref$objectives) <= 1e-5))
  }
  expect_equal(fit$convergence$objective, ramp_objective(fit), tolerance = 1e-6)
  for (i in sample(70, 30)) {
    before <- fit
    fit <- forget(fit, i)
    expect_lte(ramp_objective(fit), ramp_objective(fit, before) + 1e-5)
  }
})

test_that("chunks give the model of one pass", {
  data <- noisy()
  whole <- ramp_fit(data, C = 3, keep = 30)
  grown <- ramp_fit(rows(data, 1:20), C = 3, keep = 30)
  for (chunk in list(21:22, 23, 24:90)) grown <- update(grown, data$x[chunk, , drop = FALSE], data$y[chunk])
  expect_identical(grown$id, whole$id)
  expect_close(decide(grown, data$x), decide(whole, data$x), 1e-4)
  expect_equal(grown$stats$steps, whole$stats$steps)
})

test_that("kernel values are counted, and few are needed where there are few support vectors", {
  set.seed(2)
  data <- two_normals(2000)
  fit <- osvm(data$x, data$y, solver_ramp(C = 1), kernel_rbf(gamma = 0.5), verbose = FALSE)
  expect_gt(fit$stats$kernel_evaluations, 2000)
  expect_lt(fit$stats$kernel_evaluations, 2000^2 / 4)
  kept <- osvm(data$x, data$y, solver_ramp(C = 1, keep = 50), kernel_rbf(gamma = 0.5), verbose = FALSE)
  expect_lt(kept$stats$kernel_evaluations, fit$stats$kernel_evaluations)
  expect_stationary(kept)
})

test_that("cache size and instruction set affect the cost alone", {
  data <- noisy(300, seed = 9)
  fit <- ramp_fit(data, C = 5, tolerance = 5e-6)
  small <- ramp_fit(data, C = 5, tolerance = 5e-6, cache_mb = 1e-3)
  expect_close(decide(small, data$x), decide(fit, data$x), 1e-6)
  expect_gt(small$stats$kernel_evaluations, fit$stats$kernel_evaluations)
  for (level in 0:2) {
    old <- options(onlinesvm.simd_level = level)
    other <- ramp_fit(data, C = 5, tolerance = 5e-6)
    options(old)
    expect_close(decide(other, data$x), decide(fit, data$x), 1e-6)
  }
})

test_that("each machine of several classes is stationary", {
  data <- clouds(80, classes = 3)
  for (multiclass in c("ovr", "ovo")) {
    fit <- quick_fit("ramp", rows(data, 1:60), solver = solver_ramp(C = 3), multiclass = multiclass)
    fit <- update(fit, data$x[61:80, ], data$y[61:80])
    for (m in 1:3) expect_stationary(fit, m)
    expect_equal(nrow(fit$sv), 80)
    if (multiclass == "ovr") next
    # One against one: the third class is not part of the subproblem.
    expect_true(all(colSums(fit$state[, , "cost"] != 0) == c(54, 53, 53)))
  }
})

test_that("mislabelled examples beyond the margin have no coefficient", {
  data <- noisy(600, seed = 3)
  ramp <- ramp_fit(data, C = 10, kernel = kernel_rbf(gamma = 3))
  hinge <- osvm(data$x, data$y, solver_smo(C = 10), kernel_rbf(gamma = 3), scale = FALSE, verbose = FALSE)
  expect_lt(ramp$n_sv, hinge$n_sv / 2)
  expect_true(all(ramp$coef[1 - ramp$state[, , "gradient"] * kept_sides(ramp) < -1.001] == 0))
})

# Where k(x, x) < 0, V may oscillate.
test_that("a kernel that is not positive definite terminates", {
  data <- noisy(200, seed = 1)
  for (gamma in c(0.2, 0.5)) {
    fit <- ramp_fit(data, C = 10, kernel = kernel_sigmoid(gamma = gamma, coef0 = -0.5))
    expect_lt(fit$stats$updates, 1e5)
    expect_true(fit$convergence$finished)
    expect_gt(fit$n_sv, 0)
  }
})

test_that("outputs that are not numbers are an error, whatever is kept", {
  data <- noisy(30)
  data$x <- 100 * rbind(data$x, 1000)
  data$y <- data$y[c(1:30, 1)]
  for (keep in c(0, 1, 5, Inf)) {
    expect_osvm_error(ramp_fit(data, keep = keep, kernel = kernel_polynomial(degree = 100, gamma = 1)))
  }
})

test_that("invalid parameters are refused", {
  expect_osvm_error(solver_ramp(C = 0))
  expect_osvm_error(solver_ramp(tolerance = 0))
  expect_osvm_error(solver_ramp(min_gain = -1))
  expect_osvm_error(solver_ramp(keep = 1.5))
  expect_osvm_error(solver_ramp(keep = -1))
  expect_output(print(summary(ramp_fit(noisy()))), "objective")
})
