# Objectives and conditions of losses in plain R.

numbers_problem <- function(n, seed = 7) {
  set.seed(seed)
  x <- matrix(rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "c")))
  list(x = x, y = sin(2 * x[, 1]) + x[, 2] + rnorm(n) / 3)
}

# The problem of a linear machine whose intercept is the weight of a constant; `loss`: of the outputs
linear_objective <- function(w, x, loss, C) sum(w^2) / 2 + C * sum(loss(drop(cbind(x, 1) %*% w)))

weights_of <- function(fit) c(fit$coef, fit$intercept)

linear_optimum <- function(x, y, loss, C, ...) {
  osvm(x, y, solver_dcd(C = C, tolerance = 1e-8, max_iter = 1e6), kernel_linear(), loss = loss, scale = FALSE,
    verbose = FALSE, ...)
}

# No weights that optim() finds have a lower objective, nor those of these types of LIBLINEAR: the reported one is that.
expect_least <- function(fit, x, loss, C, types = NULL, y = NULL, epsilon = 0) {
  value <- function(w) linear_objective(w, x, loss, C)
  found <- value(weights_of(fit))
  expect_close(-fit$convergence$objective, found, 1e-6)
  searched <- stats::optim(weights_of(fit), value, method = "BFGS", control = list(maxit = 1000, reltol = 1e-14))$value
  expect_lte(found, searched * (1 + 1e-6))
  for (type in if (nzchar(system.file(package = "LiblineaR"))) types) {
    theirs <- LiblineaR::LiblineaR(x, y, type = type, cost = C, epsilon = 1e-8, svr_eps = epsilon, bias = 1)
    w <- drop(theirs$W)
    if (type < 10 && theirs$ClassNames[1] < 0) w <- -w
    expect_close(found, value(w), 1e-4)
  }
}

exact_solvers <- function(C) {
  list(solver_smo(C = C, tolerance = 1e-8), solver_lasvm(C = C, tolerance = 1e-8), solver_idsvm(C = C))
}

# With SMO, LASVM and IDSVM: a_i is C times minus the derivative of the loss at f(x_i), `slope`, where there is one, and
# coefficients sum to 0.
expect_dual_optimum <- function(x, y, target, loss, slope, C = 2) {
  kernel <- kernel_rbf(gamma = 0.3)
  for (solver in exact_solvers(C)) {
    fit <- osvm(x, y, solver, kernel, loss = loss, scale = FALSE, verbose = FALSE)
    f <- predict(fit, x, type = "decision")
    expect_close(spread_coef(fit, x), C * slope(f), 1e-6)
    expect_lt(abs(sum(fit$coef)), 1e-6)
  }
}
