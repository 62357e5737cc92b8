# Columns of every kind: skewed, normal, an indicator, many zeros, two values, rounded, constant.
skewed_data <- function(n = 600, seed = 1) {
  set.seed(seed)
  x <- cbind(
    a = exp(2 * rnorm(n)), b = rnorm(n), c = rbinom(n, 1, 0.3), d = ifelse(runif(n) < 0.6, 0, rexp(n)),
    e = sample(1:2, n, TRUE), f = round(rnorm(n), 1), g = 5
  )
  y <- factor(ifelse(log(x[, "a"]) * x[, "b"] + x[, "c"] + 0.3 * rnorm(n) > 0.2, "p", "q"))
  list(x = x, y = y, new = x[seq_len(n %/% 4), ] * runif(n %/% 4, 0.8, 1.25), number = log(x[, "a"]) + x[, "b"])
}

# The definitions, column by column.
unit_scaled <- function(v, reference = v) {
  if (all(reference %in% 0:1)) return(v)
  spread <- if (sd(reference) > 0) sd(reference) else 1
  (v - mean(reference)) / spread
}

rank_scores <- function(v) {
  if (length(unique(v)) < 3) return(unit_scaled(v))
  unit_scaled(qnorm((rank(v) - 1 / 2) / length(v)))
}

robust_values <- function(v, training = v) {
  if (length(unique(training)) < 3) return(unit_scaled(v, training))
  q <- quantile(training, c(0.25, 0.5, 0.75), names = FALSE)
  z <- (v - q[2]) / if (q[3] > q[1]) q[3] - q[1] else diff(range(training)) / 2
  z / sqrt(1 + (z / 3)^2)
}

kernels <- list(kernel_rbf(gamma = 0.2), kernel_laplacian(gamma = 0.3), kernel_linear())
fit_scaled <- function(x, y, scale, kernel = kernels[[1]], solver = solver_smo(C = 2, tolerance = 1e-6), ...) {
  set.seed(1)
  osvm(x, y, solver, kernel, scale = scale, ..., verbose = FALSE)
}

test_that("robust scaling is its formula", {
  data <- skewed_data()
  by_hand <- function(x) vapply(colnames(x), function(j) robust_values(x[, j], data$x[, j]), numeric(nrow(x)))
  for (kernel in kernels) {
    fit <- fit_scaled(data$x, data$y, "robust", kernel)
    plain <- fit_scaled(by_hand(data$x), data$y, FALSE, kernel)
    known <- suppressWarnings(predict(fit, data$new, type = "decision"), classes = "osvm_out_of_range")
    expect_equal(known, suppressWarnings(predict(plain, by_hand(data$new), type = "decision")), tolerance = 1e-3)
  }
})

test_that("rank scaling has the normal scores of ranks", {
  data <- skewed_data()
  scores <- apply(data$x, 2, rank_scores)
  fit <- fit_scaled(data$x, data$y, "rank", kernel_linear())
  # The linear machine of one feature alone shows what the core makes of it.
  single <- replace(fit$coef, TRUE, 0)
  for (j in seq_len(ncol(scores))) {
    shown <- fit
    shown$coef <- replace(single, j, 1)
    shown$intercept <- 0
    seen <- unname(predict(shown, data$x, type = "decision"))
    expect_lt(max(abs(seen - scores[, j])), 0.03)
    if (j %in% c(1:2, 4, 6)) expect_equal(c(mean(seen), sd(seen)), c(0, 1), tolerance = 1e-9)
  }
  knots <- diff(fit$scaling$warp$start)
  expect_true(all(knots <= 256))
  expect_identical(knots[c(3, 5, 7)], integer(3))
  expect_identical(knots[6], length(unique(data$x[, "f"]))) # few values are all kept
})

test_that("values beyond the training data count as the outermost, and between them the order stays", {
  data <- skewed_data()
  fit <- fit_scaled(data$x, data$number, "rank", kernel_linear())
  shown <- fit
  shown$coef <- replace(fit$coef, TRUE, c(1, 0, 0, 0, 0, 0, 0))
  at <- data$x[c(1, 1, 1, 1), ]
  at[, "a"] <- c(range(data$x[, "a"]), -10, 10 * max(data$x[, "a"]))
  seen <- suppressWarnings(predict(shown, at, type = "decision"))
  expect_equal(seen[3:4], seen[1:2])
  many <- data$x[rep(1, 1000), ]
  many[, "a"] <- seq(0, max(data$x[, "a"]), length.out = 1000)
  expect_false(is.unsorted(predict(shown, many, type = "decision")))
})

test_that("what is not monotone in the units of the columns does not depend on them with ranks", {
  data <- skewed_data()
  other <- data$x
  other[, "a"] <- log(other[, "a"])
  other[, "b"] <- other[, "b"]^3
  expect_equal(
    predict(fit_scaled(data$x, data$y, "rank"), data$x, type = "decision"),
    predict(fit_scaled(other, data$y, "rank"), other, type = "decision"), tolerance = 0.05
  )
})

test_that("support vectors are rows of the user, and models go through all that others do", {
  data <- skewed_data()
  first <- 1:400
  for (scale in c("rank", "robust")) {
    fit <- fit_scaled(data$x[first, ], data$y[first], scale, probability = TRUE)
    expect_identical(unname(fit$sv), unname(data$x[fit$index, ]))
    expect_identical(fit$transform$kind, scale)
    expect_output(print(fit), if (scale == "rank") "normal scores" else "quartiles")
    file <- tempfile()
    saveRDS(fit, file)
    expect_identical(predict(readRDS(file), data$x, type = "prob"), predict(fit, data$x, type = "prob"))
    one <- data$x[7, , drop = FALSE]
    expect_equal(
      predict(fit, one, type = "decision"), predict(fit, data$x, type = "decision")[7],
      tolerance = 1e-5, ignore_attr = TRUE
    )
    sparse <- methods::as(data$x, "CsparseMatrix")
    expect_equal(predict(fit, sparse, type = "decision"), predict(fit, data$x, type = "decision"))
    frame <- as.data.frame(data$x)
    expect_equal(
      predict(fit_scaled(frame[first, ], data$y[first], scale), frame, type = "decision"),
      predict(fit_scaled(data$x[first, ], data$y[first], scale), data$x, type = "decision"), ignore_attr = TRUE
    )
    again <- fit_scaled(data$x[first, ], data$y[first], fit$scaling)
    expect_identical(again$transform$kind, scale)
    expect_identical(again$coef, fit$coef)
    small <- suppressWarnings(compress(fit, 40))
    expect_lte(small$n_sv, 40)
    expect_gt(mean(predict(small, data$x) == predict(fit, data$x)), 0.85)
  }
})

test_that("chunks, live models and one pass agree", {
  data <- skewed_data()
  rows <- split(seq_len(nrow(data$x)), rep(1:6, each = 100))
  solvers <- list(
    solver_olsvm(C = 5, epochs = 1, shuffle = FALSE), solver_olsvm(C = 5, epochs = 1, shuffle = FALSE, budget = 20),
    solver_pa(epochs = 1, shuffle = FALSE)
  )
  for (scale in c("rank", "robust")) for (solver in solvers) {
    start <- fit_scaled(data$x[1:100, ], data$y[1:100], scale, solver = solver)
    fit <- start
    live <- osvm_live(start)
    for (at in rows[-1]) {
      fit <- update(fit, data$x[at, ], data$y[at])
      live <- update(live, data$x[at, ], data$y[at])
    }
    whole <- fit_scaled(data$x, data$y, start$scaling, solver = solver)
    expected <- predict(whole, data$x, type = "decision")
    expect_equal(predict(fit, data$x, type = "decision"), expected, tolerance = 1e-6)
    expect_equal(predict(live, data$x, type = "decision"), expected, tolerance = 1e-6)
    if (any(fit$merged)) {
      limits <- apply(data$x, 2, range)
      expect_true(all(t(fit$sv) >= limits[1, ] - 1e-5 & t(fit$sv) <= limits[2, ] + 1e-5))
    }
  }
})

test_that("a solver that forgets has the model of the other rows", {
  data <- skewed_data(80)
  fit <- fit_scaled(data$x, data$y, "rank", solver = solver_idsvm(C = 1))
  other <- fit_scaled(data$x[-(1:5), ], data$y[-(1:5)], fit$scaling, solver = solver_idsvm(C = 1))
  expect_equal(
    predict(forget(fit, 1:5), data$x, type = "decision"), predict(other, data$x, type = "decision"), tolerance = 1e-6
  )
})

test_that("linear solvers, low rank, cells, tunings, streams and novelty take them", {
  data <- skewed_data()
  right <- function(fit) mean(predict(fit, data$x) == data$y)
  for (scale in c("rank", "robust")) {
    expect_gt(right(fit_scaled(data$x, data$y, scale, kernel_linear(), solver_dcd())), 0.6)
    for (solver in list(solver_pegasos(unit_norm = TRUE), solver_perceptron())) {
      fit <- fit_scaled(data$x, data$y, scale, kernel_linear(), solver)
      live <- predict(osvm_live(fit), data$x, type = "decision")
      expect_equal(live, predict(fit, data$x, type = "decision"), tolerance = 1e-6)
    }
    linear <- fit_scaled(data$x, data$y, scale, kernel_linear(), solver_idsvm(C = 0.1))
    expect_equal(predict(osvm_live(linear), data$x, type = "decision"), predict(linear, data$x, type = "decision"))
    expect_gt(right(fit_scaled(data$x, data$y, scale, kernel_nystrom(kernel_rbf(), 100), NULL)), 0.85)
    expect_gt(right(fit_scaled(data$x, data$y, scale, kernel_fourier(300), NULL)), 0.75)
    cells <- fit_scaled(data$x, data$y, scale, NULL, NULL, cells = 200)
    expect_gt(right(cells), 0.85)
    sparse <- methods::as(data$x, "CsparseMatrix")
    expect_identical(predict(cells, sparse), predict(cells, data$x))
    set.seed(1)
    tuned <- osvm_tune(data$x, data$y, solver_smo(C = c(1, 10)), kernels[[2]], scale = scale, progress = FALSE)
    expect_lt(min(tuned$results$error), 0.2)
    expect_identical(tuned$fit$transform$kind, scale)
    novel <- osvm(data$x, loss = loss_novelty(nu = 0.1), scale = scale, verbose = FALSE)
    expect_gt(mean(predict(novel, data$x)), 0.8)
    stream <- osvm_stream(source_matrix(data$x, data$y), solver_pa(), kernel_rbf(), scale = scale, verbose = FALSE)
    expect_identical(stream$fit$transform$kind, scale)
  }
})

test_that("sensitivities, pictures and coefficients are in units that make sense", {
  data <- skewed_data()
  fit <- fit_scaled(data$x[, 1:2], data$y, "rank")
  expect_setequal(osvm_importance(fit, method = "gradient")$variable, c("a", "b"))
  linear <- fit_scaled(data$x[, 1:2], data$y, "rank", kernel_linear(), solver_dcd())
  units <- plot_center(linear, NULL)
  expect_equal(unname(units), unname(apply(data$x[, 1:2], 2, median)), tolerance = 0.1)
  picture <- tempfile(fileext = ".png")
  grDevices::png(picture)
  plot(fit)
  plot(linear)
  grDevices::dev.off()
  expect_snapshot(error = TRUE, coef(linear))
})

test_that("what is not possible is said in a sentence", {
  data <- skewed_data(60)
  sparse <- methods::as(data$x, "CsparseMatrix")
  scaling <- fit_scaled(data$x, data$y, "rank")$scaling
  expect_snapshot(error = TRUE, {
    osvm(sparse, data$y, scale = "rank")
    osvm(sparse, data$y, scale = "robust")
    osvm(data$x[, 1:3], data$y, scale = scaling)
    osvm(data$x, data$y, scale = replace(scaling, "warp", list(1)))
    osvm_shards(list(data[c("x", "y")]), scale = "rank")
  })
  fit <- fit_scaled(data$x, data$y, "rank")
  fit$transform$scaling$warp$start[3] <- 1e6L
  fit$scaling <- fit$transform$scaling
  expect_error(predict(fit, data$x), class = "osvm_error")
})
