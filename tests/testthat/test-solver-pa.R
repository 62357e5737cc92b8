variants <- c("PA-I", "PA", "PA-II")

test_that("Passive-Aggressive is its rule under every kernel, in every variant", {
  for (variant in variants) for (C in c(0.2, 2)) expect_follows_mistakes(solver_pa, variant = variant, C = C)
})

test_that("Passive-Aggressive visits the examples in the order drawn, and update() continues", {
  for (variant in variants) expect_follows_visits(solver_pa, variant = variant, C = 0.5)
})

test_that("Passive-Aggressive reports its losses", {
  for (variant in variants) {
    expect_mistakes_traced(solver_pa, 1, variant = variant, C = 0.5)
  }
})

test_that("a step is the nearest function that corrects the example", {
  # One example of each class; the second is the last one seen.
  data <- list(x = rbind(c(1, 2), c(2, -1.5)), y = c("a", "b"))
  last <- function(variant, bias = FALSE, C = 1e-2, kernel = kernel_polynomial(2, gamma = 1, coef0 = 1)) {
    solver <- solver_pa(C = C, variant = variant, epochs = 1, bias = bias, shuffle = FALSE)
    osvm(data$x, data$y, solver, kernel, scale = FALSE, verbose = FALSE)
  }
  for (bias in c(FALSE, TRUE)) expect_close(decide(last("PA", bias), data$x)[2], 1)
  # A C that does not bound the step gives PA; a small one is the step of PA-I, and PA-II's slack.
  expect_close(last("PA-I", C = 1e6)$coef, last("PA")$coef)
  expect_close(last("PA-II", C = 1e9)$coef, last("PA")$coef)
  expect_close(abs(last("PA-I", C = 1e-4)$coef), rep(1e-4, 2))
  soft <- last("PA-II", C = 0.02)
  loss <- 1 - decide(soft, data$x)[2]
  expect_close(soft$coef[2], 2 * 0.02 * loss)
})

test_that("PA does not depend on C, and leaves out examples of weight 0", {
  data <- clouds()
  pa <- function(C, ...) quick_fit("pa", data, solver = solver_pa(C = C, variant = "PA"), ...)
  expect_identical(decide(pa(1e-3), data$x), decide(pa(1e3), data$x))
  expect_identical(decide(pa(1), data$x), decide(pa(1, weights = rep(c(0.1, 7), 20)), data$x))
  for (variant in variants) {
    solver <- solver_pa(variant = variant, shuffle = FALSE)
    seen <- rep(c(1, 0, 1, 1), 10) == 1
    weighted <- quick_fit("pa", data, solver = solver, weights = as.numeric(seen), scale = FALSE)
    alone <- quick_fit("pa", rows(data, seen), solver = solver, scale = FALSE)
    expect_close(decide(weighted, data$x), decide(alone, data$x))
  }
})

test_that("an example that no step can correct is skipped", {
  x <- rbind(c(0, 0), c(1, 0), c(0, 0), c(-1, 0))
  y <- c("b", "b", "a", "a")
  for (variant in variants) {
    solver <- solver_pa(C = 1, variant = variant, bias = FALSE, shuffle = FALSE, epochs = 2)
    fit <- osvm(x, y, solver, kernel_linear(), scale = FALSE, verbose = FALSE)
    alone <- osvm(x[c(2, 4), ], y[c(2, 4)], solver, kernel_linear(), scale = FALSE, verbose = FALSE)
    expect_identical(fit$coef, alone$coef)
    expect_true(all(is.finite(fit$coef)))
  }
  # k(x, x) < 0 for all examples: no step is taken.
  never <- osvm(
    x / 100, y, solver_pa(variant = "PA", bias = FALSE), kernel_sigmoid(gamma = 1, coef0 = -1),
    scale = FALSE, verbose = FALSE
  )
  expect_equal(never$n_sv, 0)
  expect_identical(decide(never, x), numeric(4))
})

test_that("Passive-Aggressive follows concept drift", {
  set.seed(2)
  x <- matrix(rnorm(800), ncol = 2)
  y <- x[, 1] > x[, 2]
  fit <- osvm(x[1:200, ], y[1:200], solver_pa(epochs = 1), kernel_linear(), verbose = FALSE)
  fit <- update(fit, x[201:400, ], !y[201:400])
  expect_gt(mean(predict(fit, x) != y), 0.9)
})

test_that("invalid parameters are refused", {
  expect_error(solver_pa(C = 0), "C", class = "osvm_error")
  expect_error(solver_pa(variant = "PA-III"), "PA-II", class = "osvm_error")
  expect_error(solver_pa(epochs = 1.5), "epochs", class = "osvm_error")
  data <- clouds()
  expect_error(osvm(data$x, data$y, solver_pa(variant = c("PA", "PA-I"))), "variant", class = "osvm_error")
})
