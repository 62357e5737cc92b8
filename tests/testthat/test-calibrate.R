# The map of update(probability = TRUE) is fitted to decision values of its examples by the model before it. Those of a
# linear model are an affine function of x, so that there are examples for any outputs.

# Examples with these outputs, of classes that depend on them, and what update() makes of them.
calibrated <- function(n, classes, multiclass = "ovr", change = identity, weight = sample(1:3, n, replace = TRUE)) {
  set.seed(1)
  machines <- if (classes == 2) 1 else if (multiclass == "ovr") classes else choose(classes, 2)
  start <- clouds(4 * max(classes, machines), d = machines, classes = min(classes, 26))
  if (classes > 26) start$y <- factor(rep_len(seq_len(classes), 4 * classes))
  fit <- osvm(start$x, start$y, solver_pa(epochs = 1), kernel_linear(), scale = FALSE, multiclass = multiclass)
  class <- rep_len(seq_len(classes), n)
  signs <- simplify2array(machine_labels(factor(class), multiclass))
  if (classes == 2) signs <- signs[, 2, drop = FALSE]
  f <- change(matrix(rnorm(n * machines), n) + 0.8 * signs - 0.3)
  x <- (f - rep(fit$intercept, each = n)) %*% solve(fit$coef)
  map <- function(rows = seq_len(n), weights = weight[rows]) {
    y <- fit$levels[class[rows]]
    suppressWarnings(update(fit, x[rows, , drop = FALSE], y, weights = weights, probability = TRUE)$probability)
  }
  f <- as.matrix(suppressWarnings(decide(fit, x)))
  list(f = f, class = class, weight = weight, map = map, probability = map())
}

numbers_of <- function(map) map[c("sigmoids", "slope", "shift", "power")]

# Platt's sigmoid of each class, their logarithms.
own_sigmoids <- function(data, scale = 1) {
  vapply(seq_len(ncol(data$f)), function(k) platt(data$f[, k] / scale, data$class == k, data$weight), numeric(2))
}
logarithms <- function(f, sigmoids) {
  log(plogis(f * rep(sigmoids[1, ], each = nrow(f)) + rep(sigmoids[2, ], each = nrow(f))))
}

# Minus the log-likelihood of the softmax of z.
plain_loss <- function(z, class, weight) {
  sum(weight * (log(rowSums(exp(z))) - z[cbind(seq_along(class), class)]))
}

test_that("two classes: the maximum of Platt's likelihood", {
  for (scale in c(1e-6, 1, 1e6)) {
    data <- calibrated(60, 2, change = function(f) scale * f)
    best <- platt(data$f / scale, data$class == 2, data$weight)
    expect_equal(c(data$probability$slope * scale, data$probability$shift), best, tolerance = 1e-4)
  }
})

test_that("weights count examples", {
  for (case in list(list(2, "ovr"), list(3, "ovr"), list(4, "ovo"))) {
    data <- calibrated(50, case[[1]], case[[2]])
    repeated <- data$map(rep(1:50, data$weight), NULL)
    # The scale on which slopes are searched is a median over rows.
    expect_equal(numbers_of(data$probability), numbers_of(repeated), tolerance = 0.02)
    left_out <- data$map(weights = as.numeric(1:50 > 10))
    expect_equal(numbers_of(left_out), numbers_of(data$map(11:50, NULL)))
  }
})

# The multiple of the outputs with the largest likelihood of smoothed targets, of a fine grid.
best_multiple <- function(f, class, weight) {
  doubt <- 1 / (sum(weight) + 2)
  loss <- function(s) {
    z <- s * f
    q <- z - log(rowSums(exp(z)))
    -sum(weight * ((1 - doubt) * q[cbind(seq_along(class), class)] + doubt * rowMeans(q)))
  }
  grid <- exp(seq(-4, 4, by = 0.01))
  grid[which.min(vapply(grid, loss, 0))]
}

test_that("one-vs-rest: the maximum of the penalised likelihood", {
  for (scale in c(1e-6, 1, 1e6)) {
    data <- calibrated(80, 3, change = function(f) scale * f)
    sigmoids <- own_sigmoids(data, scale)
    expect_equal(data$probability$sigmoids * c(scale, 1), sigmoids, tolerance = 1e-3)
    f <- logarithms(data$f / scale, sigmoids)
    multiple <- best_multiple(f, data$class, data$weight)
    loss <- function(par) {
      a <- matrix(par[1:9], 3)
      z <- multiple * f %*% a + rep(par[10:12], each = 80)
      plain_loss(z, data$class, data$weight) + 3 / 2 * sum((a - diag(3))^2) + sum(par[10:12]^2) / 2
    }
    at <- c(data$probability$slope / multiple, data$probability$shift)
    best <- optim(c(diag(3), 0, 0, 0), loss, method = "BFGS", control = list(maxit = 500, reltol = 1e-14))
    expect_lt(loss(at) - best$value, 1e-4 * best$value)
    expect_equal(at, best$par, tolerance = 0.02)
    expect_identical(dim(data$probability$slope), c(3L, 3L))
  }
})

test_that("very many classes: a multiple of the logarithms of the sigmoids", {
  data <- calibrated(1300, 200, weight = rep(1, 1300))
  sigmoids <- data$probability$sigmoids
  expect_length(data$probability$slope, 200)
  expect_length(unique(data$probability$slope), 1)
  multiple <- best_multiple(logarithms(data$f, sigmoids), data$class, data$weight)
  expect_equal(data$probability$slope[1], multiple, tolerance = 0.02)
  expect_identical(data$probability$shift, numeric(200))
})

test_that("probabilities of more than 50 unequal classes do not make the class worse", {
  set.seed(3)
  classes <- 60
  n <- 2400
  class <- sample(classes, 2 * n, TRUE, (1:classes)^-0.7)
  centre <- matrix(rnorm(classes * 8), classes)
  x <- centre[class, ] + rnorm(length(class) * 8) * 0.6
  y <- factor(class)
  train <- seq_len(n)
  spec <- list(solver_smo(C = 2), kernel_rbf(gamma = 0.1))
  plain <- osvm(x[train, ], y[train], spec[[1]], spec[[2]], verbose = FALSE)
  likely <- osvm(x[train, ], y[train], spec[[1]], spec[[2]], probability = TRUE, verbose = FALSE)
  right <- function(fit) mean(predict(fit, x[-train, ]) == y[-train])
  expect_identical(plain$multiclass, "ovr")
  expect_gt(right(likely), right(plain) - 0.01)
  p <- predict(likely, x[-train, ], "prob")
  loss <- -mean(log(p[cbind(seq_len(n), match(y[-train], colnames(p)))]))
  f <- predict(plain, x[-train, ], "decision")
  truth <- match(y[-train], plain$levels)
  by_slope <- vapply(exp(seq(0, 3, by = 0.25)), function(s) plain_loss(s * f, truth, rep(1 / n, n)), 0)
  expect_lt(loss, 0.95 * min(by_slope)) # which is chosen on the test rows
})

test_that("outputs without information give the frequencies of the classes", {
  for (case in list(list(2, "ovr"), list(3, "ovr"), list(3, "ovo"))) for (value in c(0, 3)) {
    data <- calibrated(90, case[[1]], case[[2]], change = function(f) 0 * f + value)
    used <- sort(c(which(data$class > 1), which(data$class == 1)[c(TRUE, FALSE)]))
    map <- data$map(used, NULL)
    expect_true(all(is.finite(unlist(map))))
    if (case[[2]] == "ovo") next
    f <- if (case[[1]] == 2) data$f else logarithms(data$f, map$sigmoids)
    z <- f[1, , drop = FALSE] %*% map$slope + map$shift
    p <- if (case[[1]] == 2) plogis(c(-z, z)) else drop(exp(z) / sum(exp(z)))
    expect_lt(max(abs(p - tabulate(data$class[used]) / length(used))), 0.06)
  }
})

test_that("outputs against the labels, or very large, give a finite map", {
  for (case in list(list(2, "ovr"), list(3, "ovr"), list(3, "ovo"))) for (factor in c(-5, 1e30)) {
    data <- calibrated(60, case[[1]], case[[2]], change = function(f) factor * f)
    expect_true(all(is.finite(unlist(data$probability))))
    if (case[[1]] == 2 && factor < 0) {
      expect_gt(data$probability$slope, 0) # the least there is: probabilities rank as outputs do
      expect_lt(data$probability$slope, 1e-6)
    }
  }
})

test_that("maps of several repeats are averaged", {
  data <- clouds(60)
  seen <- list()
  record <- function(truth, predicted, decision) {
    seen[[length(seen) + 1]] <<- list(f = decision, own = truth == "b")
    0
  }
  run <- function(...) quick_tune(data$x, data$y, solver_smo(C = 2), kernel_rbf(gamma = 0.5), ...)
  folds <- run(metric = record, folds = 3, repeats = 2)$folds
  tuned <- run(metric = "logloss", folds = folds, refit = TRUE)
  of <- function(folds, what) unlist(lapply(seen[folds], `[[`, what))
  maps <- vapply(list(1:3, 4:6), function(k) platt(of(k, "f"), of(k, "own"), rep(1, 60)), numeric(2))
  expect_equal(unlist(tuned$fit$probability[1:2], use.names = FALSE), rowMeans(maps), tolerance = 1e-4)
})

test_that("pairs of more than 50 classes are learned by a linear kernel", {
  set.seed(4)
  class <- rep(1:60, each = 6)
  x <- matrix(rnorm(60 * 4), 60)[class, ] + rnorm(360 * 4) / 3
  expect_identical(osvm(x, factor(class), kernel = "linear", verbose = FALSE)$multiclass, "ovo")
  expect_identical(osvm(x, factor(class), solver_smo(C = 2), kernel_rbf(gamma = 1), verbose = FALSE)$multiclass, "ovr")
})
