# Numerical edges, each with its expected outcome. A fit at an edge ends, has finite coefficients and predictions, and
# either reached its tolerance or says that it did not.

warnings_of <- function(code) {
  classes <- character()
  value <- withCallingHandlers(code, warning = function(w) {
    classes <<- c(classes, class(w)[1])
    invokeRestart("muffleWarning")
  })
  list(fit = value, warnings = classes)
}

edge_fit <- function(x, y, solver, kernel, ...) warnings_of(osvm(x, y, solver, kernel, ..., verbose = FALSE))

expect_sound <- function(out, x, case) {
  ended <- out$fit$convergence
  conditions <- list(
    all(is.finite(out$fit$coef)) && all(is.finite(out$fit$intercept)),
    all(is.finite(predict(out$fit, x, type = "decision"))),
    !any(!ended$finished, na.rm = TRUE) || length(out$warnings) > 0,
    any(!ended$finished, na.rm = TRUE) || !"osvm_unfinished" %in% out$warnings
  )
  facts <- c("coefficients are finite", "so are predictions", "it finished, or warned", "it warned with reason")
  do.call(expect_all, stats::setNames(conditions, paste(case, facts, sep = ": ")))
}

# Two overlapping classes of n / 2 rows each
pair_of_clouds <- function(n, seed = 7) {
  set.seed(seed)
  x <- matrix(stats::rnorm(2 * n), n)
  y <- factor(rep(c("a", "b"), length.out = n))
  x[, 1] <- x[, 1] + ifelse(y == "b", 1, -1)
  list(x = x, y = y)
}

soft_margins <- function(C) {
  list(solver_smo(C = C), solver_lasvm(C = C), solver_ramp(C = C), solver_cccp(C = C), solver_idsvm(C = C))
}

test_that("C from 1e-8 to 1e10: a model with support vectors, or a warning", {
  data <- pair_of_clouds(24)
  for (C in 10^c(-8, -5, 0, 5, 10)) {
    for (solver in soft_margins(C)) {
      out <- edge_fit(data$x, data$y, solver, kernel_rbf(gamma = 0.5))
      expect_sound(out, data$x, paste(solver$name, C))
      expect_gt(out$fit$n_sv, 0)
    }
  }
})

test_that("gamma from 1e-10 to 1e10: what is learned does not drown in rounding", {
  data <- pair_of_clouds(60)
  for (gamma in 10^c(-10, -5, 0, 5, 10)) {
    for (solver in soft_margins(1)) {
      expect_sound(edge_fit(data$x, data$y, solver, kernel_rbf(gamma = gamma)), data$x, paste(solver$name, gamma))
    }
  }
  # With C = 1 / gamma a flat Gaussian kernel is a linear one, whatever gamma.
  linear <- predict(osvm(data$x, data$y, solver_smo(C = 1), kernel_linear()), data$x)
  for (gamma in 10^c(-6, -10)) {
    flat <- osvm(data$x, data$y, solver_smo(C = 1 / (2 * gamma)), kernel_rbf(gamma = gamma))
    expect_gte(mean(predict(flat, data$x) == linear), 0.95)
  }
  # Every example for itself: all are predicted right.
  narrow <- osvm(data$x, data$y, solver_smo(C = 10), kernel_rbf(gamma = 1e10))
  expect_identical(predict(narrow, data$x), data$y)
})

test_that("a Gaussian kernel as flat as 1e-10 is learned as one of 1e-7 is, and as e1071 learns that", {
  skip_if_not_installed("e1071")
  for (seed in 1:3) {
    data <- pair_of_clouds(200, seed)
    data$x[, 1] <- data$x[, 1] * 0.75
    predicted <- lapply(c(1e-10, 1e-7), function(gamma) {
      predict(osvm(data$x, data$y, solver_smo(C = 1), kernel_rbf(gamma = gamma), scale = FALSE), data$x)
    })
    accuracy <- mean(predicted[[1]] == data$y)
    expect_gte(accuracy, 0.65)
    expect_gte(mean(predicted[[1]] == predicted[[2]]), 0.99)
    theirs <- function(gamma) stats::predict(e1071::svm(data$x, data$y, gamma = gamma, cost = 1, scale = FALSE), data$x)
    expect_lte(abs(mean(theirs(1e-7) == data$y) - accuracy), 0.011)
    # LIBSVM's kernel values are in single precision: at 1e-10 its own rounding shows, by some per cent either way.
    expect_gte(accuracy, mean(theirs(1e-10) == data$y) - 0.07)
  }
})

test_that("single precision is left where it would violate the tolerance", {
  extent <- list(largest = 3, norm = 18, far = FALSE, square = 2, spread = 2)
  wants <- function(solver, kernel) needs_doubles(list(solver = solver, kernel = kernel, extent = extent))
  expect_false(wants(solver_smo(C = 1e3), kernel_rbf(gamma = 1)))
  expect_true(wants(solver_smo(C = 1e6), kernel_rbf(gamma = 1)))
  expect_true(wants(solver_lasvm(C = 1e3), kernel_polynomial(degree = 10, gamma = 1, coef0 = 1)))
  expect_false(wants(solver_olsvm(C = 1e6), kernel_rbf(gamma = 1)))
  expect_false(wants(solver_olsvm(), kernel_rbf(gamma = 1e-3)))
  expect_true(wants(solver_olsvm(), kernel_rbf(gamma = 1e-6)))
})

test_that("the objective of a large C is that of the coefficients", {
  data <- pair_of_clouds(60)
  fit <- osvm(data$x, data$y, solver_smo(C = 1e6), kernel_rbf(gamma = 0.5), scale = FALSE)
  a <- fit$coef[, 1]
  K <- ref_kernel(fit$sv, fit$sv, fit$kernel)
  expect_equal(fit$convergence$objective, sum(a * (K %*% a)) / 2 - sum(abs(a)), tolerance = 1e-5)
})

test_that("ramp loss learns with a small C and a large k(x, x)", {
  data <- pair_of_clouds(60)
  for (make in list(solver_ramp, solver_cccp)) {
    tiny <- osvm(data$x, data$y, make(C = 1e-7), kernel_rbf(gamma = 0.5))
    expect_equal(tiny$n_sv, 60)
    expect_gte(mean(predict(tiny, data$x) == data$y), 0.7)
    large <- osvm(1e4 * data$x, data$y, make(C = 1e-9), kernel_linear(), scale = FALSE)
    expect_gt(large$n_sv, 0)
    expect_gte(mean(predict(large, 1e4 * data$x) == data$y), 0.7)
    free <- edge_fit(1e4 * data$x, data$y, make(C = 1), kernel_linear(), scale = FALSE)
    expect_sound(free, 1e4 * data$x, large$solver$name)
    expect_gt(free$fit$n_sv, 0)
  }
})

test_that("a tolerance below rounding ends, and the warning says why", {
  data <- pair_of_clouds(80)
  for (solver in list(
    solver_smo(C = 1e6, tolerance = 1e-15), solver_ramp(C = 1e4, tolerance = 1e-15, min_gain = 1e-300),
    solver_cccp(C = 1e4, tolerance = 1e-15, min_gain = 1e-300)
  )) {
    expect_warning(
      fit <- osvm(data$x, data$y, solver, kernel_rbf(gamma = 1)), "rounding", class = "osvm_unfinished"
    )
    expect_false(fit$convergence$finished)
    expect_lt(fit$convergence$gap, 1e-6)
  }
})

test_that("random pairs end though no change is below the tolerance", {
  data <- pair_of_clouds(80)
  solver <- solver_smo(C = 100, tolerance = 1e-300, selection = "random")
  out <- edge_fit(data$x, data$y, solver, kernel_rbf(gamma = 1))
  expect_lt(out$fit$convergence$iterations, solver$params$max_iter)
  expect_sound(out, data$x, "random pairs")
})

test_that("raw features of degree 10: no claim that they are solved", {
  data <- pair_of_clouds(40)
  kernel <- kernel_polynomial(degree = 10, gamma = 1, coef0 = 1)
  for (solver in soft_margins(1)) {
    if (solver$name == "smo") solver$params$max_iter <- 1e5
    if (solver$name == "lasvm") solver$params$finish <- FALSE
    out <- edge_fit(100 * data$x, data$y, solver, kernel, scale = FALSE)
    expect_sound(out, 100 * data$x, solver$name)
  }
  cubic <- kernel_polynomial(degree = 3, gamma = 1, coef0 = 1)
  expect_warning(
    fit <- osvm(100 * data$x, data$y, solver_idsvm(), cubic, scale = FALSE), "singular", class = "osvm_unfinished"
  )
  # The gap is that of the coefficients.
  K <- ref_kernel(fit$sv, fit$sv, cubic)
  g <- kept_sides(fit) - as.vector(K %*% fit$coef[, 1]) - fit$scalars["bias", 1]
  expect_equal(max(abs(g - fit$state[, 1, "gradient"])), 0, tolerance = 1e-3 * max(abs(g)))
})

test_that("duplicates with opposite labels: decision values 0, or the majority", {
  x <- matrix(rep(1:3, each = 8), ncol = 1)
  y <- factor(rep(c("a", "b"), 12))
  for (name in all_solvers$name[all_solvers$space != "linear"]) {
    out <- edge_fit(x, y, name, kernel_rbf(gamma = 1), scale = FALSE)
    expect_true(all(is.finite(predict(out$fit, x, type = "decision"))), info = name)
  }
  for (solver in soft_margins(1)) {
    out <- edge_fit(x, y, solver, kernel_rbf(gamma = 1), scale = FALSE)
    expect_sound(out, x, solver$name)
    if (!solver$name %in% c("lasvm")) expect_lte(max(abs(predict(out$fit, x, type = "decision"))), 1.001)
  }
})

test_that("features of 1e150 and 1e-150 are those of 1 once scaled", {
  data <- pair_of_clouds(40)
  # Powers of two change no digit.
  for (unit in 2^c(498, -498)) {
    for (solver in list(solver_smo(), solver_olsvm(epochs = 2, shuffle = FALSE))) {
      here <- predict(osvm(unit * data$x, data$y, solver, kernel_rbf(gamma = 1)), unit * data$x, type = "decision")
      there <- predict(osvm(data$x, data$y, solver, kernel_rbf(gamma = 1)), data$x, type = "decision")
      expect_equal(here, there, tolerance = 1e-6)
    }
  }
  expect_error(osvm(1e200 * data$x, data$y, scale = FALSE), "1e150", class = "osvm_error")
})

test_that("many classes of three rows: each is predicted", {
  classes <- if (exhaustive()) 1000 else 60
  set.seed(3)
  center <- matrix(stats::runif(2 * classes, -1, 1) * 10 * classes, classes)
  y <- factor(rep(seq_len(classes), 3))
  x <- center[y, ] + matrix(stats::rnorm(6 * classes), ncol = 2)
  fit <- osvm(x, y, solver_perceptron(epochs = 2), kernel_rbf(gamma = 0.1), scale = FALSE)
  expect_gte(mean(predict(fit, x) == y), 0.9)
})

test_that("weights of 0 for all examples are an error", {
  data <- pair_of_clouds(10)
  for (name in all_solvers$name) {
    expect_error(osvm(data$x, data$y, name, kernel_linear(), weights = rep(0, 10)), "weights", class = "osvm_error")
  }
})

# In bytes; 0 where the system does not say.
free_memory <- function() {
  line <- if (file.exists("/proc/meminfo")) grep("^MemAvailable:", readLines("/proc/meminfo"), value = TRUE)
  if (length(line) == 1) 1024 * as.numeric(gsub("[^0-9]", "", line)) else 0
}

test_that("a matrix of more than 2^31 elements is read to its end", {
  skip_if_not(exhaustive())
  skip_if_not(free_memory() > 13e9, "13 GB of free memory: left out")
  n <- 2^20 + 1
  d <- 2048L
  small <- matrix(stats::rnorm(20 * d), 20)
  fit <- osvm(small, factor(rep_len(c("a", "b"), 20)), solver_pegasos(epochs = 2), kernel_linear(), scale = FALSE)
  x <- matrix(0L, n, d)
  x[n, c(1, d)] <- c(-3L, 5L)
  f <- predict(fit, x, type = "decision")
  expect_equal(range(f[-n]), rep(fit$intercept, 2))
  expect_equal(f[n], fit$intercept + sum(c(-3, 5) * fit$coef[c(1, d), 1]))
})

test_that("heavy edges", {
  skip_if_not(exhaustive())
  # One positive in 100,000: it is a support vector of a weighted machine, and predicted.
  n <- 1e5
  x <- matrix(seq_len(n) / n, ncol = 1)
  y <- factor(c("b", rep("a", n - 1)))
  fit <- osvm(x, y, solver_lasvm(C = 1), kernel_rbf(gamma = 1e3), class_weights = "balanced", scale = FALSE)
  expect_identical(as.character(predict(fit, x[1, , drop = FALSE])), "b")
  expect_gte(mean(predict(fit, x[-(1:5000), , drop = FALSE]) == "a"), 0.99)
  # 100,000 identical rows, half of each class. Ramp loss, IDSVM and NORMA, whose examples are not folded, take n^2
  # steps; test-duplicates.R has those that fold them.
  x <- matrix(1, n, 2)
  y <- factor(rep(c("a", "b"), length.out = n))
  few <- list(solver_lasvm(finish = FALSE), solver_huller(), solver_pegasos(epochs = 1), solver_sgd(epochs = 1))
  for (solver in few) {
    kernel <- if (solver_space(solver$name) == "linear") kernel_linear() else kernel_rbf(gamma = 1)
    out <- edge_fit(x, y, solver, kernel, scale = FALSE)
    expect_true(all(is.finite(predict(out$fit, x[1:2, ], type = "decision"))), info = solver$name)
  }
  # LASVM's finish has a limit, and says so.
  data <- pair_of_clouds(200)
  expect_warning(
    osvm(1000 * data$x, data$y, solver_lasvm(C = 1e3), kernel_linear(), scale = FALSE),
    "stopped before", class = "osvm_unfinished"
  )
})
