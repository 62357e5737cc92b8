# Plain-R references of the Huller, of LASVM and of the optimum both converge to, over a kernel matrix; all products are
# recomputed at every step.

# ---- The Huller ----
# The points X_P and X_N are their coefficients alpha, which sum to 1 within each class.

# Quadratic slack is a kernel: K + 1/C_i on the diagonal. A weight multiplies C.
ref_slack <- function(K, C, weights = rep(1, nrow(K))) K + diag(1 / (C * weights), nrow(K))

# The average of the first few examples of each class, in the order of visits.
ref_huller_start <- function(y, order, start) {
  alpha <- numeric(length(y))
  for (class in c(-1, 1)) {
    few <- utils::head(order[y[order] == class], start)
    alpha[few] <- 1 / length(few)
  }
  alpha
}

# UPDATE(k), Fig. 3: X moves along the line to x_k, as near to the other class's point Z as (6) allows.
ref_huller_update <- function(alpha, K, y, k) {
  dot <- function(a, b) sum(a * (K %*% b))
  own <- y == y[k]
  X <- alpha * own
  Z <- alpha * !own
  x_k <- replace(numeric(length(y)), k, 1)
  length2 <- dot(X - x_k, X - x_k)
  if (length2 <= 1e-12 * (dot(X, X) + K[k, k])) {
    return(alpha)
  }
  unbounded <- dot(X - Z, X - x_k) / length2 # (4), (5)
  lowest <- -alpha[k] / (1 - alpha[k])
  lambda <- min(1, max(lowest, unbounded)) # (6)
  alpha[own] <- (1 - lambda) * alpha[own]
  alpha[k] <- if (lambda == lowest) 0 else alpha[k] + lambda
  alpha
}

# Fig. 4 over a sequence of visits. draw(count): the rank, 1 .. count, of the support vector to offer after an example
# that was none.
ref_huller <- function(K, y, steps, draw, start = 5) {
  alpha <- ref_huller_start(y, unique(steps), start)
  for (k in steps) {
    draws <- alpha[k] == 0
    alpha <- ref_huller_update(alpha, K, y, k)
    if (draws) alpha <- ref_huller_update(alpha, K, y, which(alpha != 0)[draw(sum(alpha != 0))])
  }
  alpha
}

# One visit: a column of alpha for each support vector that may be drawn.
ref_huller_visit <- function(alpha, K, y, k) {
  draws <- alpha[k] == 0
  alpha <- ref_huller_update(alpha, K, y, k)
  if (!draws) {
    return(as.matrix(alpha))
  }
  vapply(which(alpha != 0), function(r) ref_huller_update(alpha, K, y, r), alpha)
}

# All states that a sequence of visits can lead to. Most draws change nothing, so the columns stay few.
ref_huller_reach <- function(K, y, steps, start = 5) {
  reach <- as.matrix(ref_huller_start(y, unique(steps), start))
  for (k in steps) {
    reach <- do.call(cbind, lapply(seq_len(ncol(reach)), function(s) ref_huller_visit(reach[, s], K, y, k)))
    reach <- reach[, !duplicated(t(round(reach, 9))), drop = FALSE]
  }
  reach
}

# (3), scaled to margins of -1 and +1.
ref_huller_machine <- function(alpha, K, y) {
  dot <- function(a, b) sum(a * (K %*% b))
  P <- alpha * (y > 0)
  N <- alpha * (y < 0)
  D <- dot(P - N, P - N)
  list(coef = 2 * y * alpha / D, intercept = (dot(N, N) - dot(P, P)) / D)
}

# ---- LASVM and the batch solution, in signed coefficients b ----

# The dual: e = y - K b (minus y times the gradient), and the examples of `inside` with the largest e in I_up (i) and
# the smallest in I_low (j). A step makes two of them equal, so rounding chooses among several: i and j have all that
# are within rounding.
ref_dual <- function(K, y, C) {
  low <- pmin(0, y * C)
  high <- pmax(0, y * C)
  errors <- function(b) y - as.vector(K %*% b)
  extremes <- function(b, inside = rep(TRUE, length(y))) {
    up <- ifelse(inside & b < high, errors(b), -Inf)
    down <- ifelse(inside & b > low, errors(b), Inf)
    close <- function(off) order(off)[seq_len(sum(is.finite(off) & off <= 1e-5 * max(1, abs(errors(b)))))]
    list(i = close(max(up) - up), j = close(down - min(down)), highest = max(up), lowest = min(down))
  }
  # b_i increases and b_j decreases until e_i = e_j or a bound is reached, often both at once.
  step <- function(b, i, j) {
    t <- diff(errors(b)[c(j, i)]) / max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)
    t <- min(t, high[i] - b[i], b[j] - low[j])
    rest <- c(high[i] - b[i], b[j] - low[j]) - t
    stopped <- rest <= 1e-12 * max(abs(b), t)
    b[i] <- if (stopped[1]) high[i] else b[i] + t
    b[j] <- if (stopped[2]) low[j] else b[j] - t
    b
  }
  list(errors = errors, extremes = extremes, step = step, K = K)
}

# Pairs until none violates by more than `tolerance`: the batch solution. C = Inf is the hard margin.
ref_pairs <- function(K, y, C, tolerance = 1e-8) {
  dual <- ref_dual(K, y, C)
  b <- numeric(length(y))
  repeat {
    at <- dual$extremes(b)
    if (at$highest - at$lowest <= tolerance) break
    b <- dual$step(b, at$i[1], at$j[1])
  }
  list(coef = b, intercept = (at$highest + at$lowest) / 2, objective = -sum(b * (dual$errors(b) + y)) / 2)
}

# One visit: a list of the states it may lead to, each b and S (`inside`).
ref_lasvm_visit <- function(dual, y, state, k, tolerance = 1e-3) {
  b <- state$b
  inside <- state$inside
  at <- dual$extremes(b, inside)
  after <- list(b)
  # PROCESS. There is no pair before the second class appears; until then five examples join S.
  gap <- if (y[k] > 0) dual$errors(b)[k] - at$lowest else at$highest - dual$errors(b)[k]
  if (!inside[k] && gap > tolerance) {
    inside[k] <- TRUE
    after <- if (y[k] > 0) lapply(at$j, dual$step, b = b, i = k) else lapply(at$i, dual$step, b = b, j = k)
  } else if (gap == -Inf && sum(inside) < 5) {
    inside[k] <- TRUE
  }
  # REPROCESS
  after <- lapply(after, function(b) {
    at <- dual$extremes(b, inside)
    if (!(at$highest - at$lowest > tolerance)) {
      return(list(b))
    }
    pairs <- expand.grid(i = at$i, j = at$j)
    Map(function(i, j) dual$step(b, i, j), pairs$i, pairs$j)
  })
  lapply(do.call(c, after), function(b) {
    at <- dual$extremes(b, inside)
    e <- dual$errors(b)
    idle <- b == 0 & ifelse(y < 0, e >= at$highest, e <= at$lowest)
    list(b = b, inside = inside & !(idle & is.finite(at$highest - at$lowest)))
  })
}

# All states that a sequence of visits can lead to.
ref_lasvm_reach <- function(dual, y, steps, tolerance = 1e-3) {
  states <- list(list(b = numeric(length(y)), inside = logical(length(y))))
  for (k in steps) {
    states <- do.call(c, lapply(states, ref_lasvm_visit, dual = dual, y = y, k = k, tolerance = tolerance))
    states <- states[!duplicated(lapply(states, function(s) c(round(s$b, 9), s$inside)))]
  }
  states
}
