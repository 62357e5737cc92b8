# Plain-R references: the lists as printed, over a Gram matrix in double precision.
# `steps` is the sequence of examples visited: epochs, a shuffled order and later
# updates make it longer, rep(order, epochs), c(first, second), ...

# The last few kernel matrices are kept: most tests ask for the same one many times.
ref_kernel <- local({
  known <- list()
  function(x, z, kernel) {
    asked <- list(as.matrix(x), as.matrix(z), kernel$name, kernel$params)
    for (k in known) if (identical(k$asked, asked)) return(k$K)
    K <- compute_kernel(asked[[1]], asked[[2]], kernel)
    known <<- c(list(list(asked = asked, K = K)), utils::head(known, 7))
    K
  }
})

compute_kernel <- function(x, z, kernel) {
  p <- kernel$params
  switch(kernel$name,
    linear = x %*% t(z),
    polynomial = (p$gamma * x %*% t(z) + p$coef0)^p$degree,
    sigmoid = tanh(p$gamma * x %*% t(z) + p$coef0),
    rbf = exp(-p$gamma * squared_distances(x, z)),
    kernel_values(kernel, plain_base(x, z, kernel_info(kernel$name)$base))
  )
}

# The base values of a kernel whose formula stands in its own test.
plain_base <- function(x, z, base) {
  switch(base, dots = x %*% t(z), squared = squared_distances(x, z), absolute = absolute_differences(x, z))
}

absolute_differences <- function(x, z) {
  Reduce(`+`, lapply(seq_len(ncol(x)), function(f) abs(outer(x[, f], z[, f], "-"))))
}

# Feature by feature, or of many features by products, centred against cancellation.
squared_distances <- function(x, z) {
  if (ncol(x) <= 20) {
    return(Reduce(`+`, lapply(seq_len(ncol(x)), function(f) outer(x[, f], z[, f], "-")^2)))
  }
  x <- sweep(x, 2, colMeans(z))
  z <- sweep(z, 2, colMeans(z))
  pmax(outer(rowSums(x^2), rowSums(z^2), "+") - 2 * tcrossprod(x, z), 0)
}

# One step of each list: state in, state out. `w` is the example's weight; `margin` is what the list compares with 1.
ref_rules <- list(
  norma = function(s, K, y, i, eta, C, w, bias) { # List 1
    s$margin <- y[i] * (sum(s$a * K[, i]) + s$b)
    hit <- s$margin <= 1
    a <- (1 - eta / C) * s$a
    a[i] <- if (hit) w * eta * y[i] else s$a[i]
    s$a <- a
    s$b <- s$b + if (hit && bias) w * eta * y[i] else 0
    s
  },
  pegaz = function(s, K, y, i, eta, C, w, bias) { # List 2
    if (is.null(s$beta)) s <- list(beta = s$a, beta0 = 0)
    s$margin <- y[i] * eta * (sum(s$beta * K[, i]) + s$beta0)
    hit <- s$margin <= 1
    if (hit) s$beta[i] <- s$beta[i] + w * y[i]
    if (hit && bias) s$beta0 <- s$beta0 + w * y[i]
    s$a <- eta * s$beta
    s$b <- eta * s$beta0
    s
  },
  olsvm = function(s, K, y, i, eta, C, w, bias) { # List 3b
    if (is.null(s$o)) s$o <- numeric(length(y))
    s$margin <- y[i] * s$o[i]
    if (s$margin < 1) {
      s$o <- s$o + w * eta * y[i] * (K[, i] + bias)
      s$a[i] <- s$a[i] + w * eta * y[i]
      s$b <- s$b + if (bias) w * eta * y[i] else 0
    }
    s
  },
  olsvm_regularized = function(s, K, y, i, eta, C, w, bias) { # List 3a
    if (is.null(s$o)) s$o <- numeric(length(y))
    s$margin <- y[i] * s$o[i]
    a <- s$a[i]
    if (s$margin < 1) {
      s$o <- s$o + eta * (w * y[i] - a / C) * K[, i] + if (bias) w * eta * y[i] else 0
      s$a[i] <- (1 - eta / C) * a + w * eta * y[i]
      s$b <- s$b + if (bias) w * eta * y[i] else 0
    } else if (s$margin > 1) {
      s$o <- s$o - (eta * a / C) * K[, i]
      s$a[i] <- (1 - eta / C) * a
    }
    s
  }
)

ref_run <- function(rule, K, y, steps, C, bias = FALSE, average = FALSE, weights = rep(1, length(y))) {
  s <- list(a = numeric(length(y)), b = 0)
  sum_a <- s$a
  sum_b <- 0
  margins <- numeric(length(steps))
  for (t in seq_along(steps)) {
    i <- steps[t]
    s <- ref_rules[[rule]](s, K, y, i, C * sqrt(2 / t), C, weights[i], bias)
    sum_a <- sum_a + s$a
    sum_b <- sum_b + s$b
    margins[t] <- s$margin
  }
  if (average) {
    s <- list(a = sum_a / length(steps), b = sum_b / length(steps))
  }
  list(coef = s$a, intercept = s$b, margins = margins, steps = steps)
}

# A reference whose violations do not depend on rounding: examples that have a margin within `gap` of `bound` at some
# step are left out, and the reference is run again without them, until there are none. (A margin equal to the bound is
# that of a function that is exactly 0.) `run(data)` gives margins and steps. Few examples are lost.
without_ties <- function(data, run, bound = 1, gap = 1e-4) {
  repeat {
    ref <- run(data)
    near <- abs(ref$margins - bound) < gap * max(1, abs(ref$margins)) & ref$margins != bound
    if (!any(near)) {
      return(list(data = data, ref = ref))
    }
    data <- examples(data, -unique(ref$steps[near]))
  }
}

# All parts of data by example: x, y, sign, weights, ...
examples <- function(data, i) lapply(data, function(v) if (is.null(dim(v))) v[i] else v[i, , drop = FALSE])

# The list of a solver spec, run on x (already scaled) and labels in -1, +1.
ref_train <- function(solver, kernel, x, y, steps = rep(seq_along(y), solver$params$epochs),
                      weights = rep(1, length(y)), K = ref_kernel(x, x, kernel)) {
  p <- solver$params
  rule <- if (isTRUE(p$regularized)) "olsvm_regularized" else solver$name
  ref_run(rule, K, y, steps, p$C, p$bias, p$average, weights)
}

ref_scale <- function(x, scaling) {
  x <- as.matrix(x)
  if (!is.null(scaling$center)) x <- sweep(x, 2, scaling$center, "-")
  if (!is.null(scaling$scale)) x <- sweep(x, 2, scaling$scale, "/")
  x
}

# The decision values from the model's public fields alone.
ref_decision <- function(fit, x) {
  x <- ref_scale(x, fit$scaling)
  coef <- as.matrix(fit$coef)
  map <- fit$transform$map
  linear <- is.null(fit$sv) || fit$kernel$name == "linear"
  features <- if (!is.null(map)) {
    ref_features(map, x)
  } else if (linear) {
    x
  } else {
    ref_kernel(x, ref_scale(fit$sv, fit$scaling), fit$kernel)
  }
  values <- sweep(features %*% coef, 2, fit$intercept, "+")
  if (ncol(values) == 1) as.vector(values) else unname(values)
}

# The features of a low-rank kernel: of landmarks, L^-1 k(x) with L L' their kernel matrix; of random directions w, with
# variance 2 gamma, and phases u in turns, sqrt(2 / m) cos(w.x + 2 pi u).
ref_features <- function(map, x) {
  if (map$kernel$name == "nystrom") {
    base <- base_kernel(map$kernel)
    landmarks <- as.matrix(map$landmarks)
    return(ref_kernel(x, landmarks, base) %*% solve(chol(ref_kernel(landmarks, landmarks, base))))
  }
  m <- map$kernel$params$features
  old <- .Random.seed
  on.exit(assign(".Random.seed", old, globalenv()))
  set.seed(map$seed, "Mersenne-Twister", "Inversion", "Rejection")
  phase <- 2 * pi * runif(m)
  directions <- matrix(rnorm(m * ncol(x)), m) * sqrt(2 * map$kernel$params$gamma)
  sqrt(2 / m) * cos(x %*% t(directions) + rep(phase, each = nrow(x)))
}

# The model's coefficients by training row (zero where a row is no support vector).
# Rows are matched by the smallest distance in the first features: training rows must differ from each other.
spread_coef <- function(fit, x) {
  coef <- matrix(0, nrow(x), ncol(as.matrix(fit$coef)))
  few <- function(x) as.matrix(x[, seq_len(min(ncol(x), 20)), drop = FALSE])
  rows <- max.col(-squared_distances(few(fit$sv), few(x)), "first")
  stopifnot(!anyDuplicated(rows))
  coef[rows, ] <- as.matrix(fit$coef)
  if (ncol(coef) == 1) as.vector(coef) else coef
}

# Finite, as long as `want`, and equal up to `tolerance` of its largest value: float32
# kernels round, and a decision value near zero is a difference of large ones. One
# expectation: three of testthat's would take longer than what is tested.
expect_close <- function(got, want, tolerance = 1e-5) {
  what <- paste(deparse(substitute(got), nlines = 1), collapse = "")
  got <- as.vector(got)
  want <- as.vector(want)
  comparable <- length(got) == length(want) && all(is.finite(got))
  gap <- if (comparable) max(abs(got - want), 0) / max(abs(want), .Machine$double.xmin) else Inf
  testthat::expect(isTRUE(gap <= tolerance), sprintf(
    "%s differs by %g of the largest value, more than %g (lengths %d and %d, %d not finite).",
    what, gap, tolerance, length(got), length(want), sum(!is.finite(got))
  ))
  invisible(gap)
}

# Conditions by name, all of which must hold: one expectation for loops of hundreds.
expect_all <- function(...) {
  conditions <- list(...)
  broken <- names(conditions)[!vapply(conditions, function(ok) isTRUE(all(ok)), NA)]
  testthat::expect(length(broken) == 0, paste("It does not hold that", paste(broken, collapse = "; nor that ")))
}
