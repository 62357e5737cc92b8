# Outputs of machines, and classes that depend on them.
random_outputs <- function(n, classes, multiclass, seed = 1) {
  set.seed(seed)
  machines <- make_machines(classes, multiclass)
  class <- sample(classes, n, replace = TRUE)
  sign <- outer(class, machines$positive, `==`) - outer(class, machines$negative, `==`)
  if (classes > 2 && multiclass == "ovr") sign <- 2 * outer(class, machines$positive, `==`) - 1
  f <- matrix(rnorm(n * nrow(machines)), n) + 0.8 * sign - 0.3
  model <- list(
    outcome = "classes", levels = letters[seq_len(classes)], machines = machines, multiclass = multiclass,
    class_weights = rep(1, classes)
  )
  list(f = f, class = class, model = model, weight = sample(1:3, n, replace = TRUE))
}

# Minus the log-likelihood of the softmax of z.
plain_loss <- function(z, class, weight) {
  sum(weight * (log(rowSums(exp(z))) - z[cbind(seq_along(class), class)]))
}

test_that("two classes: the maximum of Platt's likelihood", {
  for (scale in c(1e-8, 1, 1e12)) {
    data <- random_outputs(60, 2, "ovr")
    f <- scale * data$f
    map <- fit_map(data$model, f, data$class, data$weight)
    positive <- data$class == 2
    n <- c(sum(data$weight[!positive]), sum(data$weight[positive]))
    target <- ifelse(positive, (n[2] + 1) / (n[2] + 2), 1 / (n[1] + 2))
    loss <- function(par) {
      p <- 1 / (1 + exp(-(par[1] * data$f + par[2])))
      -sum(data$weight * (target * log(p) + (1 - target) * log(1 - p)))
    }
    best <- optim(c(1, 0), loss, method = "BFGS", control = list(reltol = 1e-14))
    expect_equal(map$slope * scale, best$par[1], tolerance = 1e-4)
    expect_equal(map$shift, best$par[2], tolerance = 1e-4)
  }
})

test_that("weights count examples", {
  for (case in list(list(2, "ovr"), list(3, "ovr"), list(4, "ovo"))) {
    data <- random_outputs(50, case[[1]], case[[2]])
    twice <- rep(seq_along(data$class), data$weight)
    weighted <- fit_map(data$model, data$f, data$class, data$weight)
    repeated <- fit_map(data$model, data$f[twice, , drop = FALSE], data$class[twice])
    # The scale on which slopes are searched is a median over rows.
    expect_equal(weighted, repeated, tolerance = 0.02)
    left_out <- fit_map(data$model, data$f, data$class, as.numeric(seq_along(data$class) > 10))
    expect_equal(left_out, fit_map(data$model, data$f[-(1:10), , drop = FALSE], data$class[-(1:10)]))
  }
})

test_that("one-vs-rest: the maximum of the penalised likelihood", {
  data <- random_outputs(80, 3, "ovr")
  map <- fit_map(data$model, data$f, data$class, data$weight)
  multiple <- fit_slope(data$f, data$class, data$weight)
  loss <- function(par) {
    a <- matrix(par[1:9], 3)
    z <- multiple * data$f %*% a + rep(par[10:12], each = 80)
    plain_loss(z, data$class, data$weight) + 3 / 2 * sum((a - diag(3))^2) + sum(par[10:12]^2) / 2
  }
  at <- c(map$slope / multiple, map$shift)
  best <- optim(c(diag(3), 0, 0, 0), loss, method = "BFGS", control = list(maxit = 500, reltol = 1e-14))
  expect_lt(loss(at) - best$value, 1e-5 * best$value)
  expect_equal(at, best$par, tolerance = 0.01)
  expect_identical(dim(map$slope), c(3L, 3L))
})

test_that("the slope is the best of a fine grid", {
  data <- random_outputs(80, 4, "ovr")
  for (scale in c(1e-6, 1, 1e9)) {
    slope <- fit_slope(scale * data$f, data$class, data$weight)
    doubt <- 1 / (sum(data$weight) + 2)
    loss <- function(s) {
      z <- s * data$f
      q <- log(exp(z) / rowSums(exp(z)))
      -sum(data$weight * ((1 - doubt) * q[cbind(1:80, data$class)] + doubt * rowMeans(q)))
    }
    grid <- exp(seq(-4, 4, by = 0.01))
    best <- grid[which.min(vapply(grid, loss, 0))]
    expect_lt(abs(log(slope * scale / best)), 0.02)
  }
})

test_that("many classes: a multiple of the outputs, and shifts", {
  expect_identical(many_classes, 50)
  data <- random_outputs(300, 51, "ovr")
  map <- fit_map(data$model, data$f, data$class)
  expect_length(map$slope, 51)
  expect_length(unique(map$slope), 1)
  expect_length(map$shift, 51)
  data$model$levels <- as.character(1:51)
  expect_equal(rowSums(probabilities(data$model, data$f, map)), rep(1, 300))
})

test_that("outputs without information give the frequencies of the classes", {
  for (case in list(list(2, "ovr"), list(3, "ovr"), list(3, "ovo"))) for (value in c(0, 1e-310, -1e-310, 3)) {
    data <- random_outputs(90, case[[1]], case[[2]])
    data$f[] <- value
    map <- fit_map(data$model, data$f, data$class)
    expect_true(all(is.finite(unlist(map))))
    p <- map_outputs(data$model, data$f, map)
    frequency <- tabulate(data$class, case[[1]]) / 90
    if (case[[2]] == "ovr") expect_lt(max(abs(p[1, ] - frequency)), 0.06)
    expect_true(all(is.finite(p)))
  }
})

test_that("outputs against the labels, of one class or not finite give a finite map", {
  for (case in list(list(2, "ovr"), list(3, "ovr"), list(3, "ovo"))) {
    data <- random_outputs(60, case[[1]], case[[2]])
    finite_map <- function(f, class) {
      map <- fit_map(data$model, f, class)
      expect_true(all(is.finite(unlist(map))))
      p <- probabilities(data$model, f[is.finite(rowSums(f)), , drop = FALSE], map)
      expect_true(all(is.finite(p)))
      map
    }
    against <- finite_map(-5 * data$f, data$class)
    if (case[[1]] == 2) expect_identical(against$slope, 0)
    finite_map(data$f, rep(1L, 60))
    finite_map(1e300 * data$f, data$class)
    broken <- data$f
    broken[c(3, 50)] <- c(Inf, NaN)
    without <- fit_map(data$model, data$f[-c(3, 50), , drop = FALSE], data$class[-c(3, 50)])
    expect_equal(finite_map(broken, data$class), without)
    identity <- finite_map(replace(data$f, TRUE, NA), data$class)
    expect_identical(identity$power, 1)
    expect_true(all(identity$shift == 0))
  }
})

test_that("maps of several repeats are averaged", {
  maps <- list(list(slope = diag(2), shift = c(0, 1), power = 1), list(slope = 3 * diag(2), shift = c(2, 3), power = 2))
  expect_identical(mean_map(maps), list(slope = 2 * diag(2), shift = c(1, 2), power = 1.5))
})
