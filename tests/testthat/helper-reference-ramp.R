# OnlineSVM^R in plain R, line by line: Algorithm 1 with (13), (14), (15), Algorithm 2, over a full kernel matrix; and
# the conditions on any ramp-loss model. `cap` is C times the examples' weights.

ref_ramp_start <- function(K, y, cap, solver) {
  p <- solver$params
  list(
    K = K, y = y, cap = cap, tolerance = p$tolerance, min_gain = p$min_gain,
    keep = if (is.null(p$keep)) Inf else p$keep,
    a = numeric(length(y)), g = rep(1, length(y)), I = integer(), V = integer(), objectives = numeric()
  )
}

# (14) for all of `i`, and its gain, (13)
ref_ramp_best <- function(s, i) {
  k <- diag(s$K)[i]
  to <- ifelse(k > 0, pmin(pmax(s$a[i] + s$g[i] / k, 0), s$cap[i]), ifelse(s$g[i] > 0, s$cap[i], 0))
  list(to = to, gain = k * (s$a[i]^2 - to^2) / 2 + (s$g[i] + k * s$a[i]) * (to - s$a[i]))
}

# (15)
ref_ramp_set <- function(s, i, a) {
  s$g <- s$g - s$y * s$y[i] * (a - s$a[i]) * s$K[, i]
  s$a[i] <- a
  s
}

# The violation of (3)
ref_ramp_violation <- function(a, g, cap) ifelse(a <= 0, pmax(g, 0), ifelse(a >= cap, pmax(-g, 0), abs(g)))

# Lines 10 to 15
ref_ramp_cccp <- function(s) {
  repeat {
    i <- s$V[ref_ramp_violation(s$a, s$g, s$cap)[s$V] > s$tolerance]
    best <- ref_ramp_best(s, i)
    if (length(i) == 0 || max(best$gain) <= s$min_gain) {
      return(s)
    }
    s <- ref_ramp_set(s, i[which.max(best$gain)], best$to[which.max(best$gain)])
  }
}

# Lines 9 to 27; the objective at the end of every round is kept.
ref_ramp_rounds <- function(s) {
  s$objectives <- numeric()
  repeat {
    s <- ref_ramp_cccp(s)
    s$objectives <- c(s$objectives, ref_ramp_objective(s$a, s$g, s$cap, s$K, s$y, s$I))
    before <- s$V
    s$V <- s$I[s$g[s$I] <= 2]
    for (i in setdiff(before, s$V)) s <- ref_ramp_set(s, i, 0)
    if (setequal(before, s$V)) {
      return(s)
    }
  }
}

ref_ramp_learn <- function(s, i) {
  s$I <- c(s$I, i)
  if (s$g[i] <= 2) s$V <- c(s$V, i)
  if (s$g[i] >= 0 && s$g[i] <= 2) {
    s <- ref_ramp_set(s, i, ref_ramp_best(s, i)$to)
    s <- ref_ramp_rounds(s)
  }
  spare <- s$I[s$a[s$I] == 0]
  drop <- spare[order(-abs(1 - s$g[spare]))][seq_len(max(0, length(spare) - s$keep))]
  s$I <- setdiff(s$I, drop)
  s$V <- setdiff(s$V, drop)
  s
}

ref_ramp_forget <- function(s, i) {
  s <- ref_ramp_set(s, i, 0)
  s$I <- setdiff(s$I, i)
  s$V <- setdiff(s$V, i)
  ref_ramp_rounds(s)
}

# (7) over the examples of I
ref_ramp_objective <- function(a, g, cap, K, y, I = seq_along(y)) {
  sum((a * y) * (K %*% (a * y))) / 2 + sum((cap * pmin(pmax(g, 0), 2))[I])
}

# Offline: the hinge-loss machine of the first examples, then rounds over all.
ref_cccp <- function(K, y, cap, solver) {
  s <- ref_ramp_start(K, y, cap, solver)
  s$I <- s$V <- seq_len(ceiling(solver$params$start * length(y)))
  s <- ref_ramp_cccp(s)
  s$I <- seq_along(y)
  s$V <- c(s$V, s$I[-s$V][s$g[-s$V] <= 2])
  ref_ramp_rounds(s)
}

# ---- of a model, from its public fields and a kernel matrix in doubles ----

# The side of each kept example in a machine; it is not part of all of them.
kept_sides <- function(fit, machine = 1) ifelse(fit$target == fit$machines$positive[machine], 1, -1)

ramp_state <- function(fit, machine = 1) {
  rows <- fit$state[, machine, "cost"] != 0
  x <- ref_scale(fit$sv, fit$scaling)[rows, , drop = FALSE]
  cap <- fit$state[rows, machine, "cost"]
  y <- kept_sides(fit, machine)[rows]
  a <- y * fit$state[rows, machine, "coef"]
  K <- ref_kernel(x, x, fit$kernel)
  g <- 1 - y * as.vector(K %*% (y * a))
  list(a = a, g = g, y = y, cap = cap, K = K, stored = y * fit$state[rows, machine, "gradient"])
}

# The rounding of single precision; solvers with a tolerance below 1e-5 use double precision.
ramp_slack <- function(fit, s) if (fit$solver$params$tolerance < 1e-5) 1e-9 else 1e-6 * (1 + sum(s$a) * max(abs(s$K)))

# (3) on V to the tolerance, or no step with enough gain; no coefficient outside V.
expect_stationary <- function(fit, machine = 1) {
  s <- ramp_state(fit, machine)
  slack <- ramp_slack(fit, s)
  p <- fit$solver$params
  best <- ref_ramp_best(list(K = s$K, a = s$a, g = s$g, cap = s$cap), seq_along(s$a))$gain
  worth <- ref_ramp_violation(s$a, s$g, s$cap) > p$tolerance + slack & best > p$min_gain + slack * pmax(s$cap, 1)
  expect_all(
    "0 <= a <= C" = s$a >= 0 & s$a <= s$cap,
    "the gradient kept is that of the coefficients" = abs(s$g - s$stored) <= slack,
    "no coefficient outside V" = s$a[s$g > 2 + slack] == 0,
    "no step left that gains" = !(worth & s$g <= 2 - slack),
    "finished" = fit$convergence$finished[machine]
  )
}

# (7) of any function f on the examples a model keeps
ramp_objective <- function(fit, of = fit) {
  s <- ramp_state(of)
  norm <- sum((s$a * s$y) * (s$K %*% (s$a * s$y)))
  kept <- ramp_state(fit)
  f <- decide(of, fit$sv)
  norm / 2 + sum(kept$cap * pmin(pmax(1 - kept$y * f, 0), 2))
}

# ---- the incremental machine ----

# The largest violation of the conditions on bias, coefficients and sets, and error of the gradients kept.
idsvm_gap <- function(fit, machine = 1) {
  rows <- fit$state[, machine, "cost"] != 0
  x <- ref_scale(fit$sv, fit$scaling)[rows, , drop = FALSE]
  b <- fit$state[rows, machine, "coef"]
  C <- fit$state[rows, machine, "cost"]
  y <- kept_sides(fit, machine)[rows]
  e <- y - as.vector(ref_kernel(x, x, fit$kernel) %*% b) - fit$scalars["bias", machine]
  set <- fit$state[rows, machine, "set"]
  wrong <- ifelse(set == 1, abs(e), ifelse(set == 2, pmax(-y * e, 0), pmax(y * e, 0)))
  placed <- all(set %in% 1:3) && all((y * b)[set == 2] == C[set == 2]) && all(b[set == 3] == 0)
  sum <- if (fit$solver$params$bias) abs(sum(b)) / fit$solver$params$C else 0
  if (!placed || any(y * b < 0 | y * b > C)) Inf else max(wrong, sum, abs(e - fit$state[rows, machine, "gradient"]))
}

expect_exact <- function(fit, tolerance = 1e-8) {
  machines <- seq_len(nrow(fit$machines))
  sizes <- colSums(matrix(fit$state[, , "cost"] != 0, ncol = length(machines)))
  expect_all(
    "finished" = fit$convergence$finished,
    "the conditions hold" = vapply(machines, function(m) idsvm_gap(fit, m), 0) <= tolerance,
    "the sets hold all examples" = rowSums(fit$sets) == sizes
  )
}

id_fit <- function(data, ..., kernel = kernel_rbf(gamma = 1.5), weights = NULL, scale = FALSE) {
  osvm(data$x, data$y, solver_idsvm(...), kernel, scale = scale, weights = weights, verbose = FALSE)
}

smo_solution <- function(fit, data, weights = NULL) {
  solver <- solver_smo(C = fit$solver$params$C, tolerance = 1e-10)
  osvm(data$x, data$y, solver, fit$kernel, scale = FALSE, weights = weights, verbose = FALSE)
}
