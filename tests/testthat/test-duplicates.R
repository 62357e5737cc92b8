# Rows drawn from a few different ones, some with both labels and with weights.
repeated_rows <- function(n, distinct = 30, seed = 5) {
  set.seed(seed)
  points <- matrix(stats::rnorm(2 * distinct), distinct)
  of <- sample.int(distinct, n, TRUE)
  list(
    x = points[of, ], y = factor(ifelse(stats::runif(n) < stats::plogis(3 * points[of, 1]), "b", "a")),
    weights = rep_len(c(1, 0.5), n)
  )
}

# The same fit with every example for itself.
unfolded <- function(code) {
  local_internal("fold_examples", function(model, examples, rows, ...) list(examples = examples, rows = rows))
  code
}

fit_repeated <- function(data, solver, ...) {
  set.seed(1)
  suppressWarnings(osvm(data$x, data$y, solver, kernel_rbf(gamma = 0.5), scale = FALSE, weights = data$weights, ...))
}

repeats_of <- function(name) solver_traits(get(paste0("solver_", name))())$repeats
kernel_solvers <- all_solvers$name[all_solvers$space != "linear"]

test_that("every solver says what equal examples are to it", {
  repeats <- vapply(kernel_solvers, repeats_of, "")
  expect_true(all(repeats %in% c("apart", "visited", "weighed")))
  numbered <- all_solvers$name[all_solvers$forgets]
  expect_true(all(repeats[intersect(numbered, kernel_solvers)] == "apart"))
  expect_identical(unname(repeats[c("smo", "cccp", "lasvm", "olsvm", "norma")]),
    c("weighed", "weighed", "weighed", "visited", "apart"))
})

test_that("visits to one example are those to its copies: the same model", {
  data <- repeated_rows(1200)
  for (name in Filter(function(name) repeats_of(name) == "visited", kernel_solvers)) {
    folded <- fit_repeated(data, name)
    plain <- unfolded(fit_repeated(data, name))
    expect_lte(folded$n_sv, 4 * 30)
    expect_gt(plain$n_sv, folded$n_sv)
    expect_equal(folded$n_seen, 1200)
    expect_equal(folded$stats$steps, plain$stats$steps, info = name)
    # Of a rule that ends exactly at the margin (PA), rounding decides whether a copy is updated again.
    expect_equal(folded$stats$updates, plain$stats$updates, tolerance = 0.01, info = name)
    expect_equal(predict(folded, data$x, type = "decision"), predict(plain, data$x, type = "decision"),
      tolerance = 1e-3, info = name)
  }
})

test_that("the sum of the weights has the optimum of the copies", {
  data <- repeated_rows(1200)
  for (solver in list(solver_smo(tolerance = 1e-6), solver_lasvm(tolerance = 1e-6))) {
    folded <- fit_repeated(data, solver)
    plain <- unfolded(fit_repeated(data, solver))
    expect_lte(folded$n_sv, 2 * 30)
    expect_equal(folded$n_seen, 1200)
    expect_equal(folded$convergence$objective, plain$convergence$objective, tolerance = 1e-7)
    expect_equal(predict(folded, data$x, type = "decision"), predict(plain, data$x, type = "decision"),
      tolerance = 1e-4)
  }
  # Further training knows the weights.
  set.seed(1)
  grown <- update(fit_repeated(data, solver_smo(tolerance = 1e-6)), data$x[1:3, ], data$y[1:3])
  again <- lapply(data, function(part) if (is.matrix(part)) part[c(1:1200, 1:3), ] else part[c(1:1200, 1:3)])
  again$weights[1201:1203] <- 1
  whole <- unfolded(fit_repeated(again, solver_smo(tolerance = 1e-6)))
  expect_equal(grown$convergence$objective, whole$convergence$objective, tolerance = 1e-3)
})

test_that("ramp loss on copies: a stationary point with their accuracy", {
  data <- repeated_rows(1200)
  folded <- fit_repeated(data, "cccp")
  plain <- unfolded(fit_repeated(data, "cccp"))
  expect_lte(folded$n_sv, 2 * 30)
  expect_true(folded$convergence$finished)
  expect_equal(mean(predict(folded, data$x) == data$y), mean(predict(plain, data$x) == data$y), tolerance = 0.02)
})

test_that("sparse and integer rows are folded as dense ones", {
  data <- repeated_rows(1200)
  data$x <- round(2 * data$x)
  dense <- fit_repeated(data, "olsvm")
  whole <- data
  storage.mode(whole$x) <- "integer"
  expect_equal(fit_repeated(whole, "olsvm")$coef, dense$coef)
  data$x <- methods::as(data$x, "CsparseMatrix")
  sparse <- fit_repeated(data, "olsvm")
  expect_equal(sparse$n_sv, dense$n_sv)
  expect_equal(sparse$coef, dense$coef, tolerance = 1e-4)
})

test_that("different rows, few rows and weights of a linear kernel stay as they are", {
  fit <- function(data, kernel) {
    set.seed(1)
    osvm(data$x, data$y, solver_olsvm(epochs = 2), kernel, scale = FALSE)
  }
  same <- function(data, kernel = kernel_rbf(gamma = 1)) {
    force(data)
    expect_same_model(fit(data, kernel), unfolded(fit(data, kernel)))
  }
  set.seed(2)
  same(list(x = matrix(stats::rnorm(2400), 1200), y = rep_len(c("a", "b"), 1200)))
  same(repeated_rows(999, 10))
  same(repeated_rows(1200, 10), kernel_linear())
  # One row more and half of them repeats: a support vector stands for all of its copies.
  expect_lte(fit(repeated_rows(1000, 10), kernel_rbf(gamma = 1))$n_sv, 20)
  expect_gt(fit(repeated_rows(999, 10), kernel_rbf(gamma = 1))$n_sv, 20)
})

test_that("100,000 identical rows end in seconds", {
  x <- matrix(1, 1e5, 2)
  y <- factor(rep_len(c("a", "b", "b"), 1e5))
  for (name in Filter(function(name) repeats_of(name) != "apart", kernel_solvers)) {
    fit <- suppressWarnings(osvm(x, y, name, kernel_rbf(gamma = 1)))
    expect_lte(fit$n_sv, 2)
    expect_equal(fit$n_seen, 1e5)
    # The majority, where the rule has a loss of all examples and not of the latest ones.
    if (repeats_of(name) == "weighed") expect_identical(as.character(predict(fit, x[1, , drop = FALSE])), "b")
  }
})
