# The draws of support vectors are internal. A model is compared with all states that Fig. 4 can lead to, after one more
# example and after a few visits, and with the solution it converges to, which does not depend on the draws.

# A chessboard without noise, separable by a Gaussian kernel.
separable <- function(n = 60, seed = 5) {
  set.seed(seed)
  data <- chessboard(n, size = 2)
  data$sign <- c(-1, 1)[data$y]
  data
}

# Two Gaussians; `gap` 4 and more is separable by a line.
two_gaussians <- function(n = 60, gap = 2.2, seed = 3) {
  set.seed(seed)
  sign <- rep_len(c(1, -1, -1), n)
  list(x = matrix(rnorm(2 * n), n) + gap * sign, y = factor(sign), sign = sign)
}

part <- function(data, i) list(x = data$x[i, , drop = FALSE], y = data$y[i], sign = data$sign[i])

huller_fit <- function(data, ..., kernel = kernel_rbf(gamma = 1.5), weights = NULL, cache_mb = 256) {
  solver <- solver_huller(...)
  osvm(data$x, data$y, solver, kernel, scale = FALSE, weights = weights, cache_mb = cache_mb, verbose = FALSE)
}

# alpha: the points X_P and X_N as coefficients that sum to 1 within each class. A linear model has them in `state`.
huller_alpha <- function(fit, data) {
  if (fit$kernel$name == "linear") fit$coef <- as.matrix(fit$state[, , "alpha"])
  coef <- spread_coef(fit, data$x)
  ifelse(coef > 0, coef / sum(coef[coef > 0]), coef / sum(coef[coef < 0]))
}

slack_kernel <- function(fit, data, weights = rep(1, length(data$sign))) {
  ref_slack(ref_kernel(data$x, data$x, fit$kernel), fit$solver$params$C, weights)
}

expect_machine <- function(fit, data, want, tolerance = 1e-5) {
  K <- ref_kernel(data$x, data$x, fit$kernel)
  expect_close(decide(fit, data$x), as.vector(K %*% want$coef) + want$intercept, tolerance)
}

distances <- function(reach, alpha) apply(abs(reach - alpha), 2, max)

expect_reached <- function(fit, data, reach, weights = rep(1, length(data$sign))) {
  gap <- distances(reach, huller_alpha(fit, data))
  expect_lte(min(gap), 1e-5)
  K <- slack_kernel(fit, data, weights)
  expect_machine(fit, data, ref_huller_machine(reach[, which.min(gap)], K, data$sign), 1e-4)
}

huller_kernels <- list(
  rbf = kernel_rbf(gamma = 1.5), polynomial = kernel_polynomial(degree = 3, gamma = 0.5, coef0 = 1),
  linear = kernel_linear()
)

test_that("the Huller starts at the mean of the first few of each class", {
  # With start = 3 and three examples per class all are support vectors from the start, and none is drawn.
  data <- separable()
  data <- part(data, c(rbind(which(data$sign > 0)[1:3], which(data$sign < 0)[1:3])))
  alpha <- ref_huller_start(data$sign, 1:6, 3)
  expect_equal(alpha, rep(1 / 3, 6))
  for (kernel in huller_kernels) for (C in c(2, 0.1)) {
    fit <- huller_fit(data, C = C, start = 3, epochs = 1, shuffle = FALSE, kernel = kernel)
    K <- slack_kernel(fit, data)
    expect_reached(fit, data, ref_huller_reach(K, data$sign, 1:6, 3))
  }
})

test_that("a new example takes UPDATE, and then a support vector drawn", {
  for (kernel in huller_kernels) for (C in c(Inf, 2)) {
    data <- if (C == Inf && kernel$name != "rbf") two_gaussians() else separable()
    fit <- huller_fit(part(data, 1:12), C = C, start = 2, epochs = 1, shuffle = FALSE, kernel = kernel)
    K <- slack_kernel(fit, data)
    drawn <- NULL
    for (k in 13:(if (exhaustive()) 40 else 26)) {
      reach <- ref_huller_visit(huller_alpha(fit, data), K, data$sign, k)
      fit <- update(fit, data$x[k, , drop = FALSE], data$y[k])
      expect_reached(fit, data, reach)
      near <- which(distances(reach, huller_alpha(fit, data)) < 1e-4)
      if (length(near) == 1) drawn <- c(drawn, near / ncol(reach))
    }
    # The draws differ.
    if (length(drawn) > 10) expect_gt(diff(range(drawn)), 0.5)
  }
})

test_that("epochs, orders and weights give one of the models of Fig. 4", {
  data <- part(separable(), 1:7)
  w <- c(1, 0.5, 2, 1, 3, 1, 0.2)
  for (case in combinations(C = c(Inf, 5), start = 1:2, epochs = 1:2)) {
    C <- case$C
    start <- case$start
    epochs <- case$epochs
    fit <- huller_fit(data, C = C, start = start, epochs = epochs, shuffle = FALSE)
    expect_reached(fit, data, ref_huller_reach(slack_kernel(fit, data), data$sign, rep(1:7, epochs), start))

    fit <- huller_fit(data, C = C, start = start, epochs = epochs, shuffle = FALSE, weights = w)
    K <- slack_kernel(fit, data, w)
    expect_reached(fit, data, ref_huller_reach(K, data$sign, rep(1:7, epochs), start), w)

    set.seed(11)
    fit <- huller_fit(data, C = C, start = start, epochs = epochs)
    set.seed(11)
    order <- sample.int(7)
    expect_reached(fit, data, ref_huller_reach(slack_kernel(fit, data), data$sign, rep(order, epochs), start))
  }
})

# Kernels wide enough to converge in some epochs.
wide_kernels <- replace(huller_kernels, "rbf", list(kernel_rbf(gamma = 0.3)))

test_that("the epochs converge to the hard margin", {
  data <- two_gaussians(150)
  for (kernel in wide_kernels) {
    solver <- solver_smo(C = 1e6, tolerance = 1e-6)
    hard <- osvm(data$x, data$y, solver, kernel, scale = FALSE, verbose = FALSE)
    fit <- huller_fit(data, epochs = 40, kernel = kernel)
    expect_close(decide(fit, data$x), decide(hard, data$x), 1e-3)
    expect_true(fit$convergence$finished)
    # No example is within the margin, and support vectors are on it.
    margin <- data$sign * decide(fit, data$x)
    expect_gte(min(margin), 0.999)
    expect_lte(max(abs(margin[huller_alpha(fit, data) > 1e-3] - 1)), 1e-3)
    # So does the reference.
    K <- ref_kernel(data$x, data$x, kernel)
    set.seed(1)
    listed <- ref_huller(K, data$sign, rep(1:150, 10), function(count) sample.int(count, 1))
    expect_machine(hard, data, ref_huller_machine(listed, K, data$sign), 0.01)
  }
})

test_that("with finite C the epochs converge to the SVM with quadratic slack", {
  data <- two_gaussians(150, gap = 1.5)
  for (case in combinations(kernel = wide_kernels, w = list(rep(1, 150), rep(c(1, 0.25, 4), 50)), C = c(0.5, 5))) {
    kernel <- case$kernel
    w <- case$w
    C <- case$C
    expect_warning(fit <- huller_fit(data, C = C, epochs = 60, kernel = kernel, weights = w), NA)
    best <- ref_pairs(slack_kernel(fit, data, w), data$sign, Inf, tolerance = 1e-5)
    expect_machine(fit, data, best, 1e-3)
    # Quadratic slack: y f = 1 - coef / C.
    alpha <- huller_alpha(fit, data)
    held <- alpha > 1e-2 * max(alpha)
    expect_close((data$sign * decide(fit, data$x))[held], (1 - abs(best$coef) / (C * w))[held], 1e-3)
  }
})

test_that("the coefficients are those of two points", {
  many <- clouds(90, classes = 3)
  for (multiclass in c("ovr", "ovo")) for (scale in c(TRUE, FALSE)) {
    set.seed(2)
    solver <- solver_huller(C = 3)
    kernel <- kernel_rbf(gamma = 0.5)
    fit <- osvm(many$x, many$y, solver, kernel, multiclass = multiclass, scale = scale, verbose = FALSE)
    coef <- fit$coef
    up <- colSums(pmax(coef, 0))
    expect_close(-colSums(pmin(coef, 0)), up, 1e-6)
    expect_true(all(up > 0))
    # A coefficient has its example's sign, or is 0.
    class <- many$y[max.col(-squared_distances(fit$sv, many$x), "first")]
    for (m in 1:3) {
      seen <- fit$machines$negative[m] == 0 | as.integer(class) %in% unlist(fit$machines[m, ])
      expect_true(all(coef[!seen, m] == 0))
      expect_true(all(coef[, m] * ifelse(as.integer(class) == fit$machines$positive[m], 1, -1) >= 0))
    }
    # 2/D is the sum of the coefficients of either class; slack adds sum of coef^2 / C to D.
    K <- ref_kernel(ref_scale(fit$sv, fit$scaling), ref_scale(fit$sv, fit$scaling), fit$kernel)
    for (m in 1:3) {
      D <- sum(coef[, m] * (K %*% coef[, m])) + sum(coef[, m]^2) / 3
      expect_close(D, 2 * up[m], 1e-4)
    }
  }
})

test_that("each machine converges to the binary solution", {
  many <- clouds(90, classes = 3)
  many$x[, 1:2] <- many$x[, 1:2] + 2 * cbind(many$y == "c", many$y == "b")
  kernel <- kernel_rbf(gamma = 0.1)
  K <- ref_kernel(many$x, many$x, kernel)
  for (multiclass in c("ovr", "ovo")) {
    solver <- solver_huller(C = 10, epochs = 60)
    fit <- osvm(many$x, many$y, solver, kernel, multiclass = multiclass, scale = FALSE, verbose = FALSE)
    for (m in 1:3) {
      positive <- as.integer(many$y) == fit$machines$positive[m]
      seen <- which(fit$machines$negative[m] == 0 | positive | as.integer(many$y) == fit$machines$negative[m])
      best <- ref_pairs(ref_slack(K[seen, seen], 10), ifelse(positive, 1, -1)[seen], Inf, tolerance = 1e-5)
      expect_close(decide(fit, many$x)[, m], as.vector(K[, seen] %*% best$coef) + best$intercept, 1e-3)
    }
  }
})

# One epoch leaves the hard margin of a board far off, which is a warning. The last set is one where an example becomes
# a point on its own, and all others of its class leave at once.
test_that("chunks of any size give the model of one pass", {
  scattered <- two_gaussians(80, gap = 2, seed = 1)
  scattered$x <- scattered$x * c(1, 3, 1, 1)
  sets <- list(
    list(separable(80), kernel_rbf(gamma = 1.5), Inf), list(separable(80), kernel_rbf(gamma = 1.5), 2),
    list(clouds(80, classes = 3), kernel_rbf(gamma = 1.5), 2), list(scattered, kernel_linear(), 5)
  )
  for (set in sets) for (multiclass in c("ovr", "ovo")) {
    data <- set[[1]]
    solver <- solver_huller(C = set[[3]], epochs = 1, shuffle = FALSE)
    fits <- function(i) {
      set.seed(4)
      osvm(data$x[i, ], data$y[i], solver, set[[2]], multiclass = multiclass, scale = FALSE, verbose = FALSE)
    }
    whole <- muffle_not_separable(fits(1:80))
    for (size in some_of(c(1, 7, 60), if (multiclass == "ovr") 1 else 2)) {
      grown <- muffle_not_separable(fits(1:20))
      for (i in split(21:80, (0:59) %/% size)) {
        set.seed(size)
        grown <- muffle_not_separable(update(grown, data$x[i, , drop = FALSE], data$y[i]))
      }
      expect_close(decide(grown, data$x), decide(whole, data$x), 1e-4)
      expect_equal(grown$stats$steps, whole$stats$steps)
      expect_equal(grown$n_sv, whole$n_sv)
      expect_equal(grown$sv, whole$sv)
    }
  }
})

test_that("a model read back continues in the same way", {
  data <- separable()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  fit <- huller_fit(part(data, 1:30), C = 2)
  saveRDS(fit, file)
  set.seed(1)
  a <- update(fit, data$x[31:60, ], data$y[31:60])
  set.seed(1)
  b <- update(readRDS(file), data$x[31:60, ], data$y[31:60])
  expect_same_model(a, b)
})

test_that("another seed draws other support vectors", {
  data <- separable()
  fits <- function(seed) {
    set.seed(seed)
    huller_fit(data, C = 10, epochs = 1, shuffle = FALSE)
  }
  expect_same_model(fits(1), fits(1))
  expect_false(identical(fits(1)$coef, fits(2)$coef))
})

test_that("cache size and instruction set affect rounding alone", {
  data <- board(300)
  fits <- function(...) {
    set.seed(6)
    huller_fit(data, C = 2, ...)
  }
  large <- fits()
  for (mb in c(0.05, 1e-6)) expect_close(decide(fits(cache_mb = mb), data$x), decide(large, data$x), 1e-4)
  old <- options(onlinesvm.simd_level = 0)
  on.exit(options(old))
  expect_close(decide(fits(), data$x), decide(large, data$x), 1e-4)
})

test_that("classes that are not separable give a warning, unless there is slack", {
  data <- board(200)
  opposite <- list(x = rbind(data$x, data$x), y = factor(c(data$sign, -data$sign)))
  for (set in list(data, opposite)) {
    expect_warning(
      fit <- huller_fit(set, epochs = 50, kernel = kernel_linear()), class = "osvm_not_separable"
    )
    expect_true(all(is.finite(decide(fit, set$x))))
    expect_warning(more <- update(fit, set$x, set$y), class = "osvm_not_separable")
    expect_true(all(is.finite(decide(more, set$x))))
    expect_warning(huller_fit(set, C = 10, epochs = 50, kernel = kernel_linear()), NA)
  }
  # One machine that is not separable is enough.
  many <- clouds(90, classes = 3)
  expect_warning(
    osvm(many$x, many$y, solver_huller(epochs = 100), kernel_linear(), verbose = FALSE), class = "osvm_not_separable"
  )
  expect_warning(huller_fit(separable(), epochs = 50), NA)
})

test_that("a model without that warning does not depend on the order of columns", {
  quiet <- 0
  for (seed in 1:12) {
    set.seed(seed)
    y <- factor(letters[rep_len(1:2, 60)])
    x <- matrix(rnorm(180), 60) + c(0.7, 2, 4)[seed %% 3 + 1] * as.integer(y)
    for (kernel in list(kernel_linear(), kernel_rbf(gamma = 0.5), kernel_polynomial(degree = 2, gamma = 0.5))) {
      decide <- function(columns) {
        set.seed(1)
        fit <- osvm(x[, columns], y, solver_huller(epochs = 2), kernel, scale = FALSE)
        predict(fit, x[, columns], type = "decision")
      }
      either <- tryCatch(list(decide(1:3), decide(3:1)), osvm_not_separable = function(w) NULL)
      if (is.null(either)) next
      quiet <- quiet + 1
      expect_lt(max(abs(either[[1]] - either[[2]])) / max(1, abs(either[[1]])), 1e-4)
    }
  }
  expect_gt(quiet, 10)
})

test_that("an example of weight 0 is left out; with C = Inf other weights have no effect", {
  data <- separable()
  w <- rep(c(0, 1, 1), 20)
  fits <- function(C, weights = NULL) {
    set.seed(3)
    huller_fit(data, C = C, epochs = 60, weights = weights)
  }
  for (C in c(Inf, 2)) {
    fit <- fits(C, w)
    expect_true(all(huller_alpha(fit, data)[w == 0] == 0))
    rest <- part(data, w > 0)
    expect_machine(fit, rest, ref_pairs(slack_kernel(fit, rest), rest$sign, Inf), 0.01)
  }
  expect_identical(fits(Inf, rep(c(0.5, 2), 30))$coef, fits(Inf)$coef)
  expect_false(identical(fits(2, rep(c(0.5, 2), 30))$coef, fits(2)$coef))
})

test_that("kernel values are computed with support vectors alone", {
  data <- two_gaussians(3000, gap = 4)
  fit <- huller_fit(data, epochs = 1, kernel = kernel_linear())
  expect_lt(fit$n_sv, 30)
  expect_lt(fit$stats$kernel_evaluations, 3000 * 100)
})

test_that("the trace and the convergence table are those of the coefficients", {
  data <- board(200)
  fit <- huller_fit(data, C = 10, epochs = 4)
  expect_equal(fit$trace$epoch, 1:4)
  expect_equal(fit$trace$sv[4], fit$n_sv)
  expect_equal(fit$stats$steps, 800)
  expect_gt(fit$stats$updates, 0)
  expect_named(fit$convergence, c("iterations", "gap", "objective", "finished"))
  # |w|^2 / 2, where w has the slack as additional features.
  w2 <- sum(spread_coef(fit, data$x) * (slack_kernel(fit, data) %*% spread_coef(fit, data$x)))
  expect_equal(fit$convergence$objective, -w2 / 2, tolerance = 1e-5)
  # The range of y - f over the support vectors, slack being part of the kernel.
  coef <- spread_coef(fit, data$x)
  error <- (data$sign - as.vector(slack_kernel(fit, data) %*% coef))[coef != 0]
  expect_equal(fit$convergence$gap, diff(range(error)), tolerance = 1e-3)
  expect_true(fit$convergence$finished)
  expect_warning(fit <- huller_fit(data, epochs = 4), class = "osvm_not_separable")
  expect_false(fit$convergence$finished)
})

test_that("invalid parameters are refused", {
  expect_osvm_error(solver_huller(C = 0))
  expect_osvm_error(solver_huller(C = -Inf))
  expect_osvm_error(solver_huller(C = NaN))
  expect_osvm_error(solver_huller(C = "Inf"))
  expect_osvm_error(solver_huller(start = 0))
  expect_osvm_error(solver_huller(epochs = 1.5))
  expect_osvm_error(solver_huller(shuffle = NA))
  expect_error(solver_huller(C = NA), "positive number, or Inf", class = "osvm_error")
  expect_identical(solver_huller()$params, list(epochs = 2, C = Inf, start = 5, shuffle = TRUE))
  expect_identical(solver_huller(C = c(1, Inf))$params$C, c(1, Inf))
})
