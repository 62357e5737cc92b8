# The feature map of a low-rank kernel: `transform$map`, a list of
#   kernel     the kernel it approximates, with all parameters set
#   seed       of the random numbers that it is made from, so that a grid of kernels draws the same ones
#   landmarks  Nystrom: rows that the core was given or their centres, scaled, those first whose features add most
#   columns, sparse  Fourier: the number of columns that the directions are of, and whether rows are sparse
# What follows from it, the Cholesky factor of the landmarks' kernel matrix or the directions, is computed when it is
# needed and remembered. The core maps rows while it packs them.

is_fourier <- function(map) is.null(map$landmarks)

map_width <- function(map) if (is_fourier(map)) role_value(map$kernel, "rank") else nrow(map$landmarks)

# The transform with the map of this kernel, if it is a low-rank one; x: rows as the core is given them.
fit_features <- function(transform, kernel, x) {
  if (!is_low_rank(kernel) || identical(transform$map$kernel$params, kernel$params)) {
    return(transform)
  }
  seed <- transform$map$seed
  if (is.null(seed)) seed <- sample.int(.Machine$integer.max, 1)
  map <- list(kernel = kernel, seed = seed)
  if (length(role_name(kernel, "landmarks")) == 0) {
    map[c("columns", "sparse")] <- list(ncol(x), is_sparse(x))
  } else {
    map$landmarks <- with_seed(seed, choose_landmarks(kernel, x, transform))
  }
  transform$map <- map
  transform
}

# ---- what the core is given ----

# A pointer to the map in the core.
open_map <- function(map) {
  parts <- if (is_fourier(map)) fourier_directions(map) else list(x = map$landmarks, root = inverse_root(map))
  parts$kernel <- (if (is_fourier(map)) kernel_linear() else base_kernel(map$kernel))$core
  core_result(.Call(ffi_map_open, parts), "The feature map")
}

# Of the Cholesky factor of the landmarks' kernel matrix: a row per feature.
inverse_root <- function(map) {
  kernels <- landmark_kernels(base_kernel(map$kernel), map$landmarks)
  factor <- tryCatch(chol(kernels), error = function(e) need(FALSE, "its landmarks do not fit its kernel"))
  t(backsolve(factor, diag(nrow(kernels))))
}

# In turns: w / (2 pi), of which the entries of w have variance 2 gamma, and phases from 0 to 1.
fourier_directions <- function(map) {
  features <- map_width(map)
  gamma <- role_value(map$kernel, "scale")
  with_seed(map$seed, list(
    phase = stats::runif(features),
    x = matrix(stats::rnorm(features * map$columns, sd = sqrt(2 * gamma) / (2 * pi)), features), by_column = map$sparse
  ))
}

# The features of all rows must fit into the memory where they are needed at once: solvers of weights compute them as
# they visit the rows, unless they collect visits for a step.
check_room <- function(model, n, at_once = keeps_examples(model)) {
  if (is.null(model$transform$map)) {
    return(invisible())
  }
  at_once <- at_once || !model$solver$traits$dual && !model$solver$traits$nested
  needed <- n * map_width(model$transform$map) * (if (needs_doubles(model)) 8 else 4) / 2^20
  if (at_once && needed > max(model$control$cache_mb, spare_mb(model$control))) {
    abort(c(
      "{.arg cache_mb} must be at least {ceiling(needed)}, for the features of all {big(n)} rows.",
      i = "Fewer rows need less, and fits by {.code {format(default_solver('many_rows'))}} need no more than there is."
    ))
  }
}

# Features of rows as the core was given them.
mapped_rows <- function(transform, x) {
  core_result(.Call(ffi_map_rows, core_data(x, transform), list(level = simd_level(), threads = 1)), "The feature map")
}

# The weights of a linear machine from its support vectors; features are computed for some of them at a time.
primal_weights <- function(transform, sv, coef) {
  if (is.null(transform$map)) {
    return(as.matrix(Matrix::crossprod(packed_rows(transform, sv), coef)))
  }
  weights <- matrix(0, map_width(transform$map), ncol(coef))
  for (rows in slices(nrow(sv), 1000)) {
    weights <- weights + crossprod(mapped_rows(transform, sv[rows, , drop = FALSE]), coef[rows, , drop = FALSE])
  }
  weights
}

# ---- sensitivity to features ----

# The model as an expansion over its landmarks, which are scaled.
as_expansion <- function(object) {
  map <- object$transform$map
  object$coef <- crossprod(inverse_root(map), object$coef)
  object$kernel <- base_kernel(map$kernel)
  object$sv <- map$landmarks
  object$transform <- list(kind = "none")
  object
}

# A model of random features keeps no rows: the slopes are those at random points within the range of the data, normal
# ones if it is scaled. `added`: derivatives of what is beside the machines, a row per feature.
fourier_gradients <- function(object, added = 0, points = 200) {
  map <- object$transform$map
  d <- object$n_features
  scaling <- object$transform$scaling
  at <- with_seed(map$seed, if (is.null(scaling$center)) {
    scale <- if (is.null(scaling)) 1 else scaling$scale
    low <- object$range$low / scale
    matrix(low + stats::runif(points * d) * (object$range$high / scale - low), points, byrow = TRUE)
  } else {
    matrix(stats::rnorm(points * d), points)
  })
  random <- fourier_directions(map)
  sines <- sin(2 * pi * (tcrossprod(at, random$x) + rep(random$phase, each = points)))
  factor <- -2 * pi * sqrt(2 / nrow(random$x))
  added <- matrix(added, d, ncol(object$coef))
  vapply(seq_len(ncol(object$coef)), function(m) {
    slopes <- factor * (sines * rep(object$coef[, m], each = points)) %*% random$x
    sqrt(colMeans((slopes + rep(added[, m], each = points))^2))
  }, numeric(d))
}

# ---- checks ----

check_features <- function(model) {
  map <- model$transform$map
  need(is.null(map) == !is_low_rank(model$kernel), "its feature map is missing, or not of its kernel")
  if (is.null(map)) {
    return(invisible())
  }
  same <- is.list(map) && is.list(map$kernel) && all(vapply(c("name", "params"), function(part) {
    identical(map$kernel[[part]], model$kernel[[part]])
  }, NA))
  need(same && is_one_number(map$seed), "its feature map does not fit its kernel")
  if (length(role_name(model$kernel, "landmarks")) == 0) {
    sound <- identical(list(map$columns, map$sparse), list(as.integer(model$n_features), model$sparse))
    need(is_fourier(map) && sound, "its feature map is damaged")
  } else {
    z <- map$landmarks
    known <- if (model$sparse) is_sparse(z) && sound_dimnames(z) else !isS4(z) && is.matrix(z) && is.double(z)
    shape <- if (known) .Call(ffi_shape, list(x = z))
    values <- if (!known || !model$sparse) z else z@x
    need(known && is.numeric(shape) && shape[1] > 0 && shape[2] == model$n_features &&
      all_finite(values, length(values)), "its landmarks are damaged")
  }
}
