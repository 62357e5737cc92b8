noisy <- function(n = 120, seed = 5) {
  set.seed(seed)
  data <- chessboard(n, size = 2, noise = 0.15)
  data$sign <- c(-1, 1)[data$y]
  data
}

cccp_fit <- function(data, ..., kernel = kernel_rbf(gamma = 1.5), weights = NULL) {
  osvm(data$x, data$y, solver_cccp(...), kernel, scale = FALSE, weights = weights, verbose = FALSE)
}

# On all training examples, though the model keeps only its support vectors.
expect_cccp_stationary <- function(fit, data, w = 1) {
  s <- list(K = ref_kernel(data$x, data$x, fit$kernel), cap = rep_len(fit$solver$params$C * w, length(data$y)))
  wide <- fit
  wide$coef <- matrix(fit$state[, , "coef"], nrow(fit$state))
  s$a <- data$sign * spread_coef(wide, data$x)
  s$g <- 1 - data$sign * as.vector(s$K %*% (data$sign * s$a))
  slack <- ramp_slack(fit, s)
  expect_true(all(s$a >= 0 & s$a <= s$cap))
  expect_true(all(s$a[s$g > 2 + slack] == 0))
  worth <- ref_ramp_violation(s$a, s$g, s$cap) > fit$solver$params$tolerance + slack &
    ref_ramp_best(s, seq_along(s$a))$gain > fit$solver$params$min_gain + slack * pmax(s$cap, 1)
  expect_false(any(worth & s$g <= 2 - slack))
  objective <- ref_ramp_objective(s$a, s$g, s$cap, s$K, data$sign)
  expect_equal(fit$convergence$objective, objective, tolerance = 1e-5)
  expect_true(fit$convergence$finished)
}

test_that("SVM^R is the concave-convex procedure, number for number", {
  data <- noisy(n <- if (exhaustive()) 80 else 50)
  kernels <- list(kernel_rbf(gamma = 1.5), kernel_linear(), kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1))
  for (case in combinations(kernel = kernels, C = c(0.3, 5), start = c(0.1, 0.5, 1))) {
    kernel <- case$kernel
    C <- case$C
    fit <- cccp_fit(data, C = C, start = case$start, tolerance = 5e-6, shuffle = FALSE, kernel = kernel)
    ref <- ref_cccp(ref_kernel(data$x, data$x, kernel), data$sign, rep(C, n), fit$solver)
    fit$coef <- matrix(fit$state[, , "coef"])
    expect_close(spread_coef(fit, data$x), ref$a * ref$y, 1e-6)
    expect_true(all(diff(ref$objectives) <= 1e-4 * C))
  }
})

test_that("the model is stationary for all examples", {
  data <- noisy()
  for (C in c(0.3, 3, 50)) for (seed in 1:3) {
    set.seed(seed)
    expect_cccp_stationary(cccp_fit(data, C = C), data)
  }
  w <- rep(c(1, 0.5, 2, 0), 30)
  fit <- cccp_fit(data, C = 2, weights = w)
  seen <- list(x = data$x[w > 0, ], y = data$y[w > 0], sign = data$sign[w > 0])
  expect_cccp_stationary(fit, seen, w[w > 0])
})

test_that("the online and the batch solver end at similar objectives", {
  data <- noisy(400)
  set.seed(1)
  off <- cccp_fit(data, C = 5)
  on <- osvm(data$x, data$y, solver_ramp(C = 5), kernel_rbf(gamma = 1.5), scale = FALSE, verbose = FALSE)
  expect_equal(off$convergence$objective, on$convergence$objective, tolerance = 0.1)
  expect_gt(mean(predict(off, data$x) == predict(on, data$x)), 0.95)
})

# With no example beyond the margin on the wrong side the ramp loss is the hinge loss, whose solution is unique.
test_that("without label noise all starts lead to the same solution, and ramp's", {
  set.seed(4)
  data <- chessboard(100, size = 2)
  data$x <- data$x + 0.6 * floor(data$x)
  fine <- function(...) decide(cccp_fit(data, C = 2, tolerance = 5e-6, min_gain = 1e-12, ...), data$x)
  one <- fine(start = 1)
  set.seed(2)
  expect_close(fine(start = 0.1), one, 1e-4)
  on <- osvm(data$x, data$y, solver_ramp(C = 2, tolerance = 5e-6, min_gain = 1e-12), kernel_rbf(gamma = 1.5),
    scale = FALSE, verbose = FALSE
  )
  expect_close(decide(on, data$x), one, 1e-4)
})

test_that("update() starts from the support vectors", {
  data <- noisy(200)
  set.seed(3)
  fit <- cccp_fit(rows(data, 1:150), C = 5)
  expect_equal(nrow(fit$sv), fit$n_sv)
  more <- update(fit, data$x[151:200, ], data$y[151:200])
  expect_true(more$convergence$finished)
  seen <- rbind(fit$sv, data$x[151:200, ])
  sign <- c(kept_sides(fit), data$sign[151:200])
  f <- decide(more, seen)
  a <- sign * spread_coef(more, seen)
  worst <- ref_ramp_violation(a, 1 - sign * f, 5)[sign * f >= -1]
  expect_lte(max(worst), 0.01)
})

test_that("several classes and sparse data", {
  data <- sparse_clouds(90, classes = 3)
  for (multiclass in c("ovr", "ovo")) {
    dense <- quick_fit("cccp", data, solver = solver_cccp(tolerance = 5e-6), multiclass = multiclass, scale = FALSE)
    sparse <- quick_fit("cccp", list(x = data$s, y = data$y), solver = solver_cccp(tolerance = 5e-6),
      multiclass = multiclass, scale = FALSE
    )
    expect_close(decide(sparse, data$s), decide(dense, data$x))
    expect_true(all(dense$convergence$finished))
  }
})

test_that("invalid parameters are refused", {
  expect_osvm_error(solver_cccp(start = 0))
  expect_osvm_error(solver_cccp(start = 1.1))
  expect_osvm_error(solver_cccp(C = NA))
})
