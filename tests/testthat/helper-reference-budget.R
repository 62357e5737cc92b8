# Plain-R references of budgets: an expansion is a list of vectors `z` (a matrix), coefficients `a` and bias `b`; each
# maintenance is a function of it that gives up one vector. One machine, double precision.

ref_give_up <- list(
  remove = function(e, kernel) {
    drop_vector(e, which.min(e$a^2 * diag(ref_kernel(e$z, e$z, kernel))))
  },
  # min over h of |a_s phi(x_s) + a_t phi(x_t) - c phi(z)|^2, z = h x_s + (1 - h) x_t, by a fine grid and a line search
  merge = function(e, kernel) {
    s <- which.min(abs(e$a))
    k <- ref_kernel(e$z, e$z[s, , drop = FALSE], kernel)[, 1]
    left <- function(t, h) {
      c <- e$a[s] * k[t]^((1 - h)^2) + e$a[t] * k[t]^(h^2)
      e$a[s]^2 + e$a[t]^2 + 2 * e$a[s] * e$a[t] * k[t] - c^2
    }
    best <- lapply(setdiff(seq_along(e$a), s), function(t) {
      grid <- seq(0, 0.5, length.out = 101)
      near <- grid[which.min(left(t, grid))]
      found <- optimize(function(h) left(t, h), c(max(0, near - 0.005), min(0.5, near + 0.005)), tol = 1e-10)
      if (left(t, 0) <= found$objective) list(t = t, h = 0, loss = left(t, 0)) else
        list(t = t, h = found$minimum, loss = found$objective)
    })
    best <- best[[which.min(vapply(best, `[[`, 0, "loss"))]]
    t <- best$t
    h <- best$h
    e$a[t] <- e$a[s] * k[t]^((1 - h)^2) + e$a[t] * k[t]^(h^2)
    e$z[t, ] <- h * e$z[s, ] + (1 - h) * e$z[t, ]
    drop_vector(e, s)
  },
  # The distance of phi(x_i) from the span of the others, by least squares
  project = function(e, kernel) {
    K <- ref_kernel(e$z, e$z, kernel)
    n <- length(e$a)
    shares <- lapply(seq_len(n), function(i) solve(K[-i, -i, drop = FALSE], K[-i, i]))
    cost <- vapply(seq_len(n), function(i) e$a[i]^2 * (K[i, i] - sum(K[-i, i] * shares[[i]])), 0)
    i <- which.min(cost)
    e$a[-i] <- e$a[-i] + e$a[i] * shares[[i]]
    drop_vector(e, i)
  }
)

# The last vector takes its place.
drop_vector <- function(e, i) {
  last <- length(e$a)
  e$z[i, ] <- e$z[last, ]
  e$a[i] <- e$a[last]
  list(z = e$z[-last, , drop = FALSE], a = e$a[-last], b = e$b)
}

ref_outputs <- function(e, x, kernel) drop(ref_kernel(x, e$z, kernel) %*% e$a) + e$b

# What one step multiplies all coefficients by, and the coefficient of this example, whose weight is w
ref_steps <- list(
  olsvm = function(t, margin, C, w) list(shrink = 1, push = if (margin < 1) w * C * sqrt(2 / t) else 0),
  pegaz = function(t, margin, C, w) list(shrink = 1, push = if (margin <= 1) w * C * sqrt(2 / t) else 0),
  pa = function(t, margin, C, w) list(shrink = 1, push = if (margin < 1) min(w * C, 1 - margin) else 0),
  perceptron = function(t, margin, C, w) list(shrink = 1, push = if (margin <= 0) w else 0),
  norma = function(t, margin, C, w) list(shrink = 1 - sqrt(2 / t), push = if (margin <= 1) w * C * sqrt(2 / t) else 0)
)

# One pass in the given order, without a bias. Pegaz multiplies by sqrt((t - 1) / t) before it looks; no example is met
# twice, so that NORMA's rule for an example with a coefficient does not matter.
ref_bounded <- function(name, x, y, weights, kernel, budget, maintenance, C = 1) {
  e <- list(z = x[0, , drop = FALSE], a = numeric(), b = 0)
  for (t in seq_along(y)) {
    if (name == "pegaz" && t > 1) e$a <- e$a * sqrt((t - 1) / t)
    margin <- y[t] * (if (length(e$a) > 0) ref_outputs(e, x[t, , drop = FALSE], kernel) else 0)
    step <- ref_steps[[name]](t, margin, C, weights[t])
    e$a <- e$a * step$shrink
    if (step$push != 0) {
      e$z <- rbind(e$z, x[t, , drop = FALSE])
      e$a <- c(e$a, step$push * y[t])
    }
    if (length(e$a) > budget) e <- ref_give_up[[maintenance]](e, kernel)
  }
  e
}
