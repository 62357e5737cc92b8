lasvm_fit <- function(data, ..., kernel = kernel_rbf(gamma = 1.5), weights = NULL, cache_mb = 256) {
  solver <- solver_lasvm(...)
  osvm(data$x, data$y, solver, kernel, scale = FALSE, weights = weights, cache_mb = cache_mb, verbose = FALSE)
}

# Which examples are in S, and their signed coefficients; a linear model has these in `state`.
lasvm_state <- function(fit, data) {
  if (fit$kernel$name == "linear") fit$coef <- as.matrix(fit$state[, , "coef"])
  rows <- max.col(-squared_distances(fit$sv, data$x), "first")
  list(b = spread_coef(fit, data$x), inside = seq_along(data$y) %in% rows)
}

part <- function(data, i) list(x = data$x[i, , drop = FALSE], y = data$y[i], sign = data$sign[i])

# One of the states, number for number.
expect_among <- function(fit, data, states, dual) {
  got <- lasvm_state(fit, data)
  gap <- vapply(states, function(s) max(abs(s$b - got$b)) + !identical(s$inside, got$inside), 0)
  near <- states[[which.min(gap)]]
  expect_identical(got$inside, near$inside)
  expect_close(got$b, near$b)
  at <- dual$extremes(near$b, near$inside)
  # Kernel values are single precision.
  slack <- 1e-5 + 1e-7 * sum(abs(near$b)) * max(abs(dual$K))
  expect_lte(abs(fit$intercept - (at$highest + at$lowest) / 2), slack)
}

lasvm_kernels <- list(
  rbf = kernel_rbf(gamma = 1.5), polynomial = kernel_polynomial(degree = 3, gamma = 0.5, coef0 = 1),
  linear = kernel_linear()
)

test_that("a new example takes the steps PROCESS and REPROCESS", {
  data <- part(board(), seq_len(n <- if (exhaustive()) 35 else 24))
  for (kernel in lasvm_kernels) for (C in c(0.3, 20)) {
    w <- if (C == 20) rep(1, n) else seq_len(n) %% 3 + 0.5
    dual <- ref_dual(ref_kernel(data$x, data$x, kernel), data$sign, C * w)
    fit <- lasvm_fit(part(data, 1:3), C = C, finish = FALSE, shuffle = FALSE, kernel = kernel, weights = w[1:3])
    for (k in 4:n) {
      states <- ref_lasvm_visit(dual, data$sign, lasvm_state(fit, data), k)
      fit <- update(fit, data$x[k, , drop = FALSE], data$y[k], weights = w[k])
      expect_among(fit, data, states, dual)
    }
  }
})

test_that("epochs, orders and tolerances give one of the models of the list", {
  data <- part(board(), 1:8)
  for (case in combinations(kernel = lasvm_kernels[c("rbf", "linear")], epochs = 1:2, tolerance = c(1e-3, 0.3))) {
    kernel <- case$kernel
    epochs <- case$epochs
    tolerance <- case$tolerance
    dual <- ref_dual(ref_kernel(data$x, data$x, kernel), data$sign, 1)
    for (shuffle in c(FALSE, TRUE)) {
      set.seed(11)
      fit <- lasvm_fit(
        data, epochs = epochs, finish = FALSE, tolerance = tolerance, shuffle = shuffle, kernel = kernel
      )
      set.seed(11)
      order <- if (shuffle) sample.int(8) else 1:8
      expect_among(fit, data, ref_lasvm_reach(dual, data$sign, rep(order, epochs), tolerance), dual)
    }
  }
})

test_that("the first five join S before the other class appears", {
  data <- board()
  for (order in list(order(data$sign), order(-data$sign))) {
    sorted <- part(data, order)
    other <- which(sorted$sign != sorted$sign[1])
    few <- part(sorted, c(1:8, other[1:3]))
    dual <- ref_dual(ref_kernel(few$x, few$x, kernel_rbf(gamma = 1.5)), few$sign, 1)
    fit <- lasvm_fit(few, finish = FALSE, shuffle = FALSE)
    expect_among(fit, few, ref_lasvm_reach(dual, few$sign, 1:11), dual)
    expect_true(all(lasvm_state(fit, few)$b[6:8] == 0))
  }
})

test_that("finish solves the examples that were kept", {
  data <- board(200)
  for (case in combinations(kernel = lasvm_kernels, C = c(0.02, 1, 30), tolerance = c(1e-2, 1e-4))) {
    kernel <- case$kernel
    C <- case$C
    tolerance <- case$tolerance
    fit <- lasvm_fit(data, C = C, tolerance = tolerance, kernel = kernel)
    batch <- osvm(data$x, data$y, solver_smo(C = C), kernel, scale = FALSE, verbose = FALSE)
    best <- batch$convergence$objective
    b <- lasvm_state(fit, data)$b
    K <- ref_kernel(data$x, data$x, kernel)
    kept <- b != 0
    slack <- 1e-5 + 1e-7 * sum(abs(b)) * max(abs(K))
    expect_true(all(b * data$sign >= 0 & abs(b) <= C))
    expect_lte(abs(sum(b)), 1e-8 * sum(abs(b)))
    at <- ref_dual(K, data$sign, C)$extremes(b, kept)
    expect_lte(at$highest - at$lowest, tolerance + slack)
    expect_lte(abs(fit$intercept - (at$highest + at$lowest) / 2), slack)
    expect_true(fit$convergence$finished)
    # Fewer examples have a better optimum.
    objective <- -sum(b * (2 * data$sign - as.vector(K %*% b))) / 2
    expect_gte(objective, best - 1e-3 * abs(best))
    expect_equal(fit$convergence$objective, objective, tolerance = 1e-4)
  }
})

test_that("several epochs converge to the batch solution", {
  data <- board(200)
  for (kernel in lasvm_kernels) for (C in c(0.1, 1, 30)) {
    best <- osvm(data$x, data$y, solver_smo(C = C, tolerance = 1e-5), kernel, scale = FALSE, verbose = FALSE)
    fit <- lasvm_fit(data, C = C, epochs = 10, tolerance = 1e-4, kernel = kernel)
    expect_close(decide(fit, data$x), decide(best, data$x), 0.01)
    expect_equal(fit$convergence$objective, best$convergence$objective, tolerance = 1e-3)
  }
})

test_that("one pass and finish is nearly as accurate as SMO", {
  set.seed(7)
  data <- chessboard(1500)
  new <- chessboard(1500)
  kernel <- kernel_rbf(sigma = 0.5)
  right <- function(solver) {
    set.seed(1)
    mean(predict(osvm(data$x, data$y, solver, kernel, verbose = FALSE), new$x) == new$y)
  }
  expect_gte(right(solver_lasvm(C = 10)), right(solver_smo(C = 10)) - 0.01)
})

test_that("chunks give the model of one pass, without finish", {
  binary <- board()
  many <- clouds(60, classes = 3)
  for (case in combinations(data = list(binary, many), C = c(0.3, 10), multiclass = c("ovr", "ovo"))) {
    data <- case$data
    multiclass <- case$multiclass
    solver <- solver_lasvm(C = case$C, finish = FALSE, shuffle = FALSE)
    fits <- function(i) {
      osvm(
        data$x[i, ], data$y[i], solver, kernel_rbf(gamma = 0.8), multiclass = multiclass, scale = FALSE, verbose = FALSE
      )
    }
    whole <- fits(1:60)
    for (size in c(1, 13)) {
      grown <- fits(1:8)
      for (i in split(9:60, (0:51) %/% size)) grown <- update(grown, data$x[i, , drop = FALSE], data$y[i])
      expect_close(decide(grown, data$x), decide(whole, data$x))
      expect_equal(grown$stats$steps, whole$stats$steps)
      expect_equal(grown$n_sv, whole$n_sv)
    }
  }
})

test_that("update() starts from the solution", {
  data <- board(300)
  C <- 5
  best <- osvm(data$x, data$y, solver_smo(C = C), kernel_rbf(gamma = 1.5), scale = FALSE, verbose = FALSE)
  fit <- lasvm_fit(part(data, 1:150), C = C, epochs = 10)
  grown <- update(fit, data$x[151:300, ], data$y[151:300])
  expect_true(grown$convergence$finished)
  expect_lt(grown$convergence$objective, fit$convergence$objective)
  expect_equal(grown$convergence$objective, best$convergence$objective, tolerance = 0.05)
})

test_that("each machine is the binary machine of its classes", {
  many <- clouds(10, classes = 3)
  kernel <- kernel_rbf(gamma = 0.4)
  K <- ref_kernel(many$x, many$x, kernel)
  for (multiclass in c("ovr", "ovo")) {
    solver <- solver_lasvm(C = 2, finish = FALSE, shuffle = FALSE)
    fit <- osvm(many$x, many$y, solver, kernel, multiclass = multiclass, scale = FALSE, verbose = FALSE)
    coef <- spread_coef(fit, many$x)
    for (m in 1:3) {
      positive <- as.integer(many$y) == fit$machines$positive[m]
      seen <- which(fit$machines$negative[m] == 0 | positive | as.integer(many$y) == fit$machines$negative[m])
      y <- ifelse(positive, 1, -1)[seen]
      states <- ref_lasvm_reach(ref_dual(K[seen, seen], y, 2), y, seq_along(seen))
      expect_lte(min(vapply(states, function(s) max(abs(s$b - coef[seen, m])), 0)), 1e-5)
      expect_true(all(coef[-seen, m] == 0))
    }
  }
})

test_that("weights are bounds, and a weight of 0 leaves an example out", {
  data <- board()
  w <- rep(c(1, 0, 3, 0.2), 15)
  fit <- lasvm_fit(data, C = 0.5, weights = w, epochs = 5)
  b <- lasvm_state(fit, data)$b
  expect_true(all(abs(b) <= 0.5 * w))
  expect_gt(max(abs(b)), 0.5)
  K <- ref_kernel(data$x, data$x, fit$kernel)
  best <- ref_pairs(K[w > 0, w > 0], data$sign[w > 0], 0.5 * w[w > 0], 1e-4)
  expect_close(decide(fit, data$x), as.vector(K[, w > 0] %*% best$coef) + best$intercept, 0.01)
})

test_that("cache size and instruction set affect rounding alone", {
  data <- board(300)
  fits <- function(...) lasvm_fit(data, C = 10, epochs = 2, tolerance = 1e-5, shuffle = FALSE, ...)
  large <- fits()
  for (mb in c(0.05, 1e-6)) expect_close(decide(fits(cache_mb = mb), data$x), decide(large, data$x), 1e-3)
  old <- options(onlinesvm.simd_level = 0)
  on.exit(options(old))
  expect_close(decide(fits(), data$x), decide(large, data$x), 1e-3)
})

test_that("gradient selection reaches the optimum, margin selection comes near it", {
  set.seed(8)
  data <- chessboard(1000, noise = 0.02)
  new <- chessboard(2000)
  kernel <- kernel_rbf(sigma = 0.5)
  fits <- function(selection, ..., seed = 1) {
    set.seed(seed)
    osvm(data$x, data$y, solver_lasvm(C = 10, selection = selection, ...), kernel, verbose = FALSE)
  }
  right <- function(fit) mean(predict(fit, new$x) == new$y)
  best <- osvm(data$x, data$y, solver_smo(C = 10), kernel, verbose = FALSE)
  # Of the optimum, over ten draws: gradient 2e-7 to 6e-4, random 2e-4 to 0.03, margin 2e-3 to 0.03.
  slack <- c(random = 0.1, gradient = 0.005, margin = 0.1)
  for (selection in names(slack)) {
    fit <- fits(selection)
    expect_lte(fit$convergence$objective, (1 - slack[[selection]]) * best$convergence$objective)
    expect_gte(fit$convergence$objective, best$convergence$objective * (1 + 1e-3))
    expect_gte(right(fit), right(best) - 0.1)
    expect_equal(fit$stats$steps, 1000)
    expect_true(fit$convergence$finished)
    expect_same_model(fit, fits(selection))
    expect_false(identical(fits(selection, finish = FALSE, seed = 2)$coef, fits(selection, finish = FALSE)$coef))
  }
})

test_that("the best candidate is visited first", {
  # Not more than 50 new examples: all of them are candidates.
  data <- board(40)
  K <- ref_kernel(data$x, data$x, kernel_rbf(gamma = 1.5))
  dual <- ref_dual(K, data$sign, 3)
  for (selection in c("gradient", "margin")) {
    walk <- function(state, left) {
      if (length(left) == 0) {
        return(list(state))
      }
      at <- dual$extremes(state$b, state$inside)
      f <- as.vector(K %*% state$b) + (at$highest + at$lowest) / 2
      value <- if (selection == "margin") abs(f) else data$sign * f
      k <- left[which.min(value[left])]
      do.call(c, lapply(ref_lasvm_visit(dual, data$sign, state, k), walk, setdiff(left, k)))
    }
    fit <- lasvm_fit(part(data, 1:30), C = 3, selection = selection, finish = FALSE)
    states <- walk(lasvm_state(fit, data), 31:40)
    more <- update(fit, data$x[31:40, ], data$y[31:40])
    expect_among(more, data, states, dual)
    expect_false(identical(more$coef, fit$coef))
  }
})

test_that("candidates outside the margin have no effect, misclassified ones have", {
  data <- board(400)
  for (selection in c("gradient", "margin")) {
    fit <- lasvm_fit(part(data, 1:200), C = 3, selection = selection)
    f <- decide(fit, data$x)
    new <- seq_along(f) > 200
    far <- which(new & data$sign * f > 1.01)[1:30]
    same <- update(fit, data$x[far, ], data$y[far])
    expect_equal(same$stats$steps, fit$stats$steps + 30)
    expect_close(decide(same, data$x), f)
    expect_equal(same$n_seen, 230)
    # A mislabelled example far from the boundary
    wrong <- which.min(ifelse(new, data$sign * f, 0))
    rest <- c(far[abs(f[far]) < abs(f[wrong])], wrong)
    more <- update(fit, data$x[rest, ], data$y[rest])
    expect_lt(data$sign[wrong] * f[wrong], -1)
    expect_gt(max(abs(decide(more, data$x) - f)), 0.1)
  }
})

test_that("the trace and the convergence table are those of the coefficients", {
  data <- board()
  fit <- lasvm_fit(data, epochs = 3, finish = FALSE)
  expect_equal(fit$trace$epoch, 1:3)
  expect_equal(fit$stats$steps, 180)
  expect_equal(fit$trace$sv[3], nrow(fit$sv))
  expect_named(fit$convergence, c("iterations", "gap", "objective", "finished"))
  K <- ref_kernel(data$x, data$x, fit$kernel)
  state <- lasvm_state(fit, data)
  expect_identical(fit$convergence[c("gap", "finished")], data.frame(gap = NA_real_, finished = NA))
  objective <- -sum(state$b * (2 * data$sign - as.vector(K %*% state$b))) / 2
  expect_equal(fit$convergence$objective, objective, tolerance = 1e-5)
})

# One pass discards examples that the optimum needs: the finish takes them back.
test_that("a finish reaches the optimum of all examples", {
  for (case in combinations(C = c(0.1, 1, 30), gamma = c(0.05, 1), classes = 2:3, multiclass = c("ovr", "ovo"))) {
    data <- clouds(200, classes = case$classes)
    fit <- function(solver) {
      osvm(data$x, data$y, solver, kernel_rbf(case$gamma), multiclass = case$multiclass, verbose = FALSE)
    }
    on_line <- fit(solver_lasvm(case$C))
    exact <- fit(solver_smo(case$C))
    expect_true(all(on_line$convergence$finished))
    expect_lte(max(on_line$convergence$gap), 1e-3)
    # The dual is at most gap * sum(alpha) above its minimum.
    allowed <- 1e-3 * colSums(abs(exact$coef)) + 1e-5 * abs(exact$convergence$objective)
    expect_true(all(abs(on_line$convergence$objective - exact$convergence$objective) <= allowed))
  }
})

test_that("invalid parameters are refused", {
  expect_osvm_error(solver_lasvm(C = 0))
  expect_osvm_error(solver_lasvm(C = Inf))
  expect_osvm_error(solver_lasvm(tolerance = 0))
  expect_osvm_error(solver_lasvm(epochs = 0))
  expect_osvm_error(solver_lasvm(selection = "worst"))
  expect_osvm_error(solver_lasvm(finish = "yes"))
  expect_osvm_error(solver_lasvm(shuffle = NA))
})

test_that("numbers and quantiles: a finish is SMO's solution, one pass is near", {
  set.seed(5)
  x <- matrix(rnorm(600), 300)
  y <- sin(2 * x[, 1]) + rnorm(300) / 4
  for (loss in list(loss_epsilon(0.2), loss_quantile(0.3))) {
    learn <- function(solver) osvm(x, y, solver, kernel_rbf(gamma = 0.5), loss = loss, verbose = FALSE)
    best <- predict(learn(solver_smo(tolerance = 1e-6)), x)
    for (selection in c("random", "gradient", "margin")) {
      fit <- learn(solver_lasvm(tolerance = 1e-6, selection = selection))
      expect_true(fit$convergence$finished)
      expect_lt(max(abs(predict(fit, x) - best)), 1e-4)
    }
    pass <- predict(learn(solver_lasvm(finish = FALSE, epochs = 2)), x)
    expect_gt(stats::cor(pass, best), 0.98)
  }
})
