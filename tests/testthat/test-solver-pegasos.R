# Algorithm 1 in mini-batches: the margins of a batch are those of the weights before the
# step. An average counts step t t times. The bias is the weight of a constant 1. `chunks`: the steps of a fit and of
# updates, each of which ends a batch.
ref_pegasos <- function(x, y, p, chunks = list(rep(seq_along(y), p$epochs)), weights = rep(1, length(y))) {
  if (p$unit_norm) x <- x / sqrt(rowSums(x^2))
  x <- cbind(as.numeric(p$bias), x)
  w <- total <- numeric(ncol(x))
  t <- 0
  batches <- lapply(chunks, function(steps) split(steps, ceiling(seq_along(steps) / p$batch)))
  for (B in unlist(batches, recursive = FALSE)) {
    t <- t + 1
    hit <- B[y[B] * (x[B, , drop = FALSE] %*% w) < 1]
    w <- (1 - 1 / t) * w + colSums(weights[hit] * y[hit] * x[hit, , drop = FALSE]) / (p$lambda * t * length(B))
    if (p$project && sum(w^2) > 1 / p$lambda) w <- w / sqrt(p$lambda * sum(w^2))
    total <- total + t * w
  }
  if (p$average) total / (t * (t + 1) / 2) else w
}

expect_pegasos <- function(x, y, sign, ..., weights = NULL) {
  solver <- solver_pegasos(..., shuffle = FALSE)
  fit <- osvm(x, y, solver, scale = FALSE, weights = weights, verbose = FALSE)
  w <- ref_pegasos(as.matrix(x), sign, solver$params, weights = if (is.null(weights)) rep(1, length(sign)) else weights)
  expect_close(c(fit$intercept, fit$coef), w)
  fit
}

test_that("Pegasos is Algorithm 1, with every parameter, dense and sparse", {
  data <- board()
  sparse <- methods::as(data$x, "CsparseMatrix")
  w <- rep(c(1, 0.5, 2), 20)
  for (project in c(TRUE, FALSE)) for (average in c(TRUE, FALSE)) for (bias in c(TRUE, FALSE)) {
    for (batch in c(1, 7)) for (x in list(data$x, sparse)) for (weights in list(NULL, w)) {
      expect_pegasos(
        x, data$y, data$sign, lambda = 0.02, epochs = 3, project = project, average = average,
        bias = bias, batch = batch, weights = weights
      )
    }
  }
})

test_that("batches of any size, over epochs and in chunks, are those of Algorithm 1 to the last digits", {
  local_doubles()
  data <- board()
  w <- rep(c(1, 0.5, 2), 20)
  cases <- expand.grid(batch = c(1, 2, 7, 10, 60, 70, 1000), epochs = c(1, 5), project = c(TRUE, FALSE), cut = c(4, 60))
  cases <- rbind(cases, list(1, 200, TRUE, 60)) # thousands of projections; the norm is updated, not recomputed
  for (k in seq_len(nrow(cases))) {
    case <- cases[k, ]
    lambda <- if (case$epochs == 1) 0.1 else if (case$epochs == 5) 0.01 else 0.5
    solver <- solver_pegasos(
      lambda, case$epochs, case$project, average = k %% 2 == 0, batch = case$batch, unit_norm = k %% 3 == 0,
      bias = k %% 5 > 0, shuffle = FALSE
    )
    chunks <- Filter(length, split(1:60, 1:60 > case$cut))
    fit <- osvm(data$x[chunks[[1]], ], data$y[chunks[[1]]], solver, scale = FALSE, weights = w[chunks[[1]]])
    for (rows in chunks[-1]) fit <- suppressWarnings(update(fit, data$x[rows, ], data$y[rows], weights = w[rows]))
    want <- ref_pegasos(data$x, data$sign, solver$params, lapply(chunks, rep, case$epochs), w)
    expect_close(c(fit$intercept, fit$coef), want, 1e-9)
  }
})

test_that("examples of norm 1 are used in training and prediction", {
  data <- board()
  sparse <- methods::as(data$x, "CsparseMatrix")
  for (x in list(data$x, sparse)) {
    fit <- expect_pegasos(x, data$y, data$sign, lambda = 0.1, unit_norm = TRUE)
    unit <- data$x / sqrt(rowSums(data$x^2))
    expect_close(decide(fit, x), as.vector(unit %*% fit$coef + fit$intercept))
    expect_identical(decide(fit, 0 * x), rep(fit$intercept, 60))
  }
})

test_that("chunks that hold whole batches give the model of one pass", {
  data <- board()
  for (batch in c(1, 5)) for (average in c(TRUE, FALSE)) {
    solver <- solver_pegasos(epochs = 1, batch = batch, average = average, shuffle = FALSE)
    whole <- osvm(data$x, data$y, solver, scale = FALSE, verbose = FALSE)
    parts <- osvm(data$x[1:20, ], data$y[1:20], solver, scale = FALSE, verbose = FALSE)
    for (rows in split(21:60, rep(1:8, each = 5))) parts <- update(parts, data$x[rows, ], data$y[rows])
    expect_close(parts$coef, whole$coef)
  }
})

test_that("coef() is in the units of the data", {
  set.seed(2)
  x <- cbind(a = rnorm(200, 100, 20), b = rnorm(200) / 50)
  y <- x[, "a"] - 100 + 1000 * x[, "b"] > 0
  fit <- osvm(x, y, solver_pegasos(), verbose = FALSE)
  w <- coef(fit)
  expect_named(w, c("(Intercept)", "a", "b"))
  expect_equal(as.vector(cbind(1, x) %*% w), decide(fit, x), tolerance = 1e-6)
  expect_gt(mean(predict(fit, x) == y), 0.95)
})

test_that("the norm is correct after many steps", {
  set.seed(3)
  x <- matrix(rnorm(3000), ncol = 3)
  y <- ifelse(x[, 1] + rnorm(1000) > 0, 1, -1)
  for (average in c(TRUE, FALSE)) {
    expect_pegasos(x, y, y, lambda = 1, epochs = 5, average = average)
  }
})

test_that("invalid parameters are refused", {
  expect_error(solver_pegasos(lambda = 0), "lambda", class = "osvm_error")
  expect_error(solver_pegasos(batch = 0.5), "batch", class = "osvm_error")
  expect_error(osvm(matrix(1:4, 2), 1:2, solver_pegasos(), kernel_rbf()), "kernel_linear", class = "osvm_error")
})
