# ALMA_2(alpha; B = 1 / alpha, C), Gentile (2001), over a kernel matrix; the norm of f is computed anew. `margins`: what
# is compared with 0.
ref_alma <- function(solver, kernel, x, y, steps, weights = rep(1, length(y))) {
  p <- solver$params
  K <- ref_kernel(x, x, kernel)
  a <- sum_a <- numeric(length(y))
  k <- 1
  margins <- numeric(length(steps))
  for (t in seq_along(steps)) {
    i <- steps[t]
    size <- sqrt(K[i, i])
    margins[t] <- y[i] * sum(a * K[, i]) / size - (1 - p$alpha) / (p$alpha * sqrt(k))
    if (margins[t] <= 0 && weights[i] > 0) {
      a[i] <- a[i] + weights[i] * p$C / sqrt(k) * y[i] / size
      a <- a / max(1, sqrt(sum(a * (K %*% a))))
      k <- k + 1
    }
    sum_a <- sum_a + a
  }
  coef <- if (p$average) sum_a / length(steps) else a
  list(
    coef = coef, intercept = 0, margins = margins, steps = steps, corrections = k - 1, square = sum(a * (K %*% a))
  )
}

alma_without_ties <- function(data, solver, kernel, steps = function(n) rep(seq_len(n), solver$params$epochs),
                              weighted = FALSE) {
  without_ties(data, bound = 0, run = function(data) {
    n <- length(data$y)
    ref_alma(solver, kernel, data$x, data$sign, steps(n), if (weighted) data$weights else rep(1, n))
  })
}

expect_scalars <- function(fit, ref) {
  expect_equal(unname(fit$scalars["corrections", 1]), ref$corrections)
  expect_equal(unname(fit$scalars["square", 1]), ref$square, tolerance = 1e-4)
}

test_that("ALMA is its rule, with every parameter and kernel", {
  kernels <- list(kernel_rbf(gamma = 1.5), kernel_linear(), kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1))
  for (case in combinations(kernel = kernels, alpha = c(0.3, 1), average = c(FALSE, TRUE), weighted = c(FALSE, TRUE))) {
    solver <- solver_alma(alpha = case$alpha, C = 1.2, epochs = 3, shuffle = FALSE, average = case$average)
    found <- alma_without_ties(board(), solver, case$kernel, weighted = case$weighted)
    fit <- fit_unscaled(found$data, solver, case$kernel, case$weighted)
    expect_list(fit, found$data, found$ref)
    expect_scalars(fit, found$ref)
  }
})

test_that("ALMA visits the examples in the order drawn", {
  solver <- solver_alma(epochs = 2)
  found <- alma_without_ties(board(), solver, kernel_rbf(gamma = 0.8), function(n) {
    set.seed(11)
    rep(sample.int(n), 2)
  })
  set.seed(11)
  expect_list(fit_unscaled(found$data, solver, kernel_rbf(gamma = 0.8)), found$data, found$ref)
})

test_that("the count of corrections and the norm survive update() and saveRDS()", {
  kernel <- kernel_rbf(gamma = 0.8)
  for (average in c(FALSE, TRUE)) {
    solver <- solver_alma(alpha = 0.5, epochs = 3, shuffle = FALSE, average = average)
    found <- alma_without_ties(board(), solver, kernel, function(n) c(rep(1:30, 3), rep(31:n, 3)))
    rest <- examples(found$data, -(1:30))
    file <- tempfile(fileext = ".rds")
    saveRDS(fit_unscaled(examples(found$data, 1:30), solver, kernel), file)
    fit <- update(readRDS(file), rest$x, rest$y)
    unlink(file)
    expect_list(fit, found$data, found$ref)
    expect_scalars(fit, found$ref)
  }
})

test_that("the norm is at most 1, and separable data gets the share 1 - alpha of the largest margin", {
  set.seed(2)
  sign <- rep(c(-1, 1), 40)
  x <- matrix(rnorm(160), 80) + 4 * sign
  x <- x / sqrt(rowSums(x^2)) # ALMA's margin is that of normalised examples
  solver <- solver_alma(alpha = 0.3, epochs = 300, shuffle = FALSE)
  fit <- osvm(x, sign, solver, kernel_linear(), scale = FALSE, verbose = FALSE)
  expect_lte(sum(fit$coef^2), 1 + 1e-6)
  # In the plane the direction of the largest margin is found on a fine grid.
  angles <- seq(0, 2 * pi, length.out = 20001)
  largest <- max(apply(sign * x %*% rbind(cos(angles), sin(angles)), 2, min))
  expect_gte(min(sign * decide(fit, x)) / sqrt(sum(fit$coef^2)), (1 - 0.3) * largest)
})

test_that("invalid parameters are refused", {
  expect_osvm_error(solver_alma(alpha = 0))
  expect_osvm_error(solver_alma(alpha = 1.1))
  expect_osvm_error(solver_alma(C = 0))
})
