waves <- function(n = 200, seed = 1) {
  set.seed(seed)
  x <- matrix(rnorm(3 * n), n, dimnames = list(NULL, c("a", "b", "c")))
  list(x = x, y = 50 + 9 * (sin(2 * x[, 1]) + x[, 2]^2) + rnorm(n))
}
exact <- function(C = 2, ...) solver_smo(C = C, tolerance = 1e-6, ...)

test_that("epsilon-insensitive loss has e1071's solution", {
  skip_if_not_installed("e1071")
  d <- waves()
  for (epsilon in c(0, 0.1, 0.5)) {
    fit <- osvm(d$x, d$y, exact(), kernel_rbf(gamma = 0.2), loss = loss_epsilon(epsilon))
    other <- e1071::svm(d$x, d$y, gamma = 0.2, cost = 2, epsilon = epsilon, tolerance = 1e-6)
    expect_equal(predict(fit, d$x), unname(predict(other, d$x)), tolerance = 1e-5)
    if (epsilon > 0) expect_equal(fit$n_sv, other$tot.nSV)
  }
  expect_equal(predict(fit, d$x, type = "decision"), predict(fit, d$x))
})

test_that("novelty has e1071's decision values, and nu bounds the share outside", {
  skip_if_not_installed("e1071")
  d <- waves()
  for (nu in c(0.05, 0.3, 0.9)) {
    fit <- osvm(d$x, solver = exact(), kernel = kernel_rbf(gamma = 0.2), loss = loss_novelty(nu))
    other <- e1071::svm(d$x, type = "one-classification", gamma = 0.2, nu = nu, tolerance = 1e-6)
    values <- attr(predict(other, d$x, decision.values = TRUE), "decision.values")[, 1]
    expect_equal(predict(fit, d$x, type = "decision"), unname(values), tolerance = 1e-4)
    inside <- predict(fit, d$x, threshold = 0)
    expect_type(inside, "logical")
    expect_lte(mean(!inside), nu)
    expect_gte(fit$n_sv, floor(nu * 200))
  }
  expect_false(any(predict(fit, d$x + 100) |> suppressWarnings()))
})

test_that("a share nu of new rows is novel", {
  set.seed(6)
  kinds <- list(
    normal = function(n) matrix(rnorm(10 * n), n), heavy = function(n) matrix(rt(4 * n, 4), n),
    clusters = function(n) matrix(rep_len(c(-4, 0, 4), n), n, 3) + rnorm(3 * n)
  )
  for (draw in kinds) for (n in c(200, 1000)) {
    shares <- vapply(1:4, function(k) {
      fit <- osvm(draw(n), loss = loss_novelty(0.05), verbose = FALSE)
      mean(!predict(fit, draw(3000)))
    }, 0)
    expect_lt(abs(mean(shares) - 0.05), if (n == 200) 0.03 else 0.015)
  }
})

test_that("the boundary of novelty goes with its model", {
  d <- waves(300)
  fit <- osvm(d$x[1:200, ], loss = loss_novelty(0.1), verbose = FALSE)
  f <- decide(fit, d$x)
  boundary <- fit$boundary * fit$n_seen
  expect_lt(boundary, 0)
  expect_identical(predict(fit, d$x), unname(f) >= boundary)
  expect_identical(predict(strip(fit), d$x), predict(fit, d$x))
  more <- update(fit, d$x[201:300, ])
  expect_identical(predict(more, d$x), unname(decide(more, d$x)) >= 1.5 * boundary) # values grow with the rows
  tuned <- osvm_tune(d$x, solver = solver_smo(), kernel = kernel_rbf(gamma = c(0.2, 1)), loss = loss_novelty(0.1),
    progress = FALSE)
  same <- osvm(d$x, tuned$fit$solver, tuned$fit$kernel, y = NULL, loss = loss_novelty(0.1))
  expect_equal(tuned$fit$boundary, same$boundary)
  expect_null(osvm(d$x, solver = solver_idsvm(), kernel = kernel_rbf(gamma = 1), loss = loss_novelty(0.1))$boundary)
  alone <- function(rows, weights = NULL) {
    fit <- osvm(d$x[rows, ], solver = solver_smo(), kernel = kernel_rbf(gamma = 1), loss = loss_novelty(),
      scale = FALSE, weights = weights)
    fit$boundary * fit$n_seen
  }
  expect_equal(alone(1:200, rep(c(1, 0), c(150, 50))), alone(1:150), tolerance = 0.02)
})

test_that("quantiles leave their share of the examples below", {
  d <- waves(600)
  below <- vapply(c(0.1, 0.5, 0.9), function(tau) {
    fit <- osvm(d$x, d$y, solver_smo(C = 5), kernel_rbf(gamma = 0.2), loss = loss_quantile(tau))
    mean(d$y < predict(fit, d$x))
  }, 0)
  expect_equal(below, c(0.1, 0.5, 0.9), tolerance = 0.05)
})

test_that("labels decide the loss where none is given", {
  d <- waves(60)
  expect_equal(osvm(d$x, d$y)$loss, loss_epsilon())
  expect_equal(osvm(d$x, rep(1:3, 20))$loss, loss_hinge())
  expect_equal(osvm(d$x, factor(round(d$y)))$loss, loss_hinge())
  expect_message(fit <- osvm(d$x), "belongs to")
  expect_equal(fit$loss, loss_novelty())
  counts <- osvm(d$x, rep(1:3, 20), loss = loss_epsilon())
  expect_type(predict(counts, d$x), "double")
  expect_no_message(osvm(~ a + b, as.data.frame(d$x), loss = loss_novelty()))
})

test_that("the unit of the numbers makes no difference, unless nothing is scaled", {
  d <- waves(100)
  fit <- function(y, ...) predict(osvm(d$x, y, exact(), kernel_rbf(gamma = 0.2), ...), d$x)
  expect_equal(fit(1000 * d$y + 7), 1000 * fit(d$y) + 7, tolerance = 1e-6)
  centred <- d$y / 10 - mean(d$y / 10)
  larger <- fit(1000 * centred, scale = FALSE)
  expect_false(isTRUE(all.equal(larger, 1000 * fit(centred, scale = FALSE), tolerance = 1e-2)))
  constant <- osvm(d$x, rep(4.5, 100), loss = loss_epsilon())
  expect_equal(predict(constant, d$x), rep(4.5, 100))
})

test_that("formulas, data frames, sparse data and weights learn numbers and novelty", {
  d <- waves(120)
  frame <- data.frame(d$x, y = d$y)
  plain <- osvm(d$x, d$y, exact(), kernel_rbf(gamma = 0.2))
  expect_equal(predict(osvm(y ~ ., frame, exact(), kernel_rbf(gamma = 0.2)), frame), predict(plain, d$x))
  expect_equal(predict(osvm(frame[1:3], d$y, exact(), kernel_rbf(gamma = 0.2)), frame), predict(plain, d$x))
  usual <- osvm(~ a + b, frame, solver = exact(), loss = loss_novelty())
  expect_equal(predict(usual, frame), predict(osvm(d$x[, 1:2], solver = exact(), loss = loss_novelty()), d$x[, 1:2]))
  file <- tempfile(fileext = ".rds")
  saveRDS(usual, file)
  expect_equal(usual, readRDS(file))
  sparse <- methods::as(d$x, "CsparseMatrix")
  same <- function(x) predict(osvm(x, d$y, exact(), kernel_rbf(gamma = 0.2), scale = list(scale = rep(1, 3))), x)
  expect_equal(same(sparse), same(d$x), tolerance = 1e-5)
  # A weight of two is the example twice
  twice <- c(seq_len(120), 1:40)
  weighed <- osvm(d$x, d$y, exact(), kernel_rbf(gamma = 0.2), weights = rep(c(2, 1), c(40, 80)), scale = FALSE)
  repeated <- osvm(d$x[twice, ], d$y[twice], exact(), kernel_rbf(gamma = 0.2), scale = FALSE)
  expect_equal(predict(weighed, d$x), predict(repeated, d$x), tolerance = 1e-4)
})

test_that("updates go on with the scaling of the first fit", {
  d <- waves(300)
  all <- solvers()
  for (name in all$name[grepl("epsilon", all$losses)]) {
    solver <- get(paste0("solver_", name))()
    kernel <- if (all$space[all$name == name] == "linear") kernel_linear() else kernel_rbf(gamma = 0.2)
    set.seed(3)
    fit <- osvm(d$x[1:200, ], d$y[1:200], solver, kernel)
    before <- fit$label
    more <- update(fit, d$x[201:300, ], d$y[201:300])
    expect_identical(more$label[c("center", "scale")], before[c("center", "scale")])
    expect_equal(more$label$range, range(d$y))
    expect_equal(more$n_seen, 300)
    expect_true(all(is.finite(predict(more, d$x))))
  }
})

test_that("what does not fit together is said", {
  d <- waves(60)
  fit <- osvm(d$x, d$y)
  expect_snapshot(error = TRUE, {
    osvm(d$x, d$y, solver_huller())
    osvm(d$x, d$y, loss = loss_hinge())
    osvm(d$x, d$y, loss = loss_novelty())
    osvm(d$x, iris$Species[1:60], loss = loss_epsilon())
    osvm(d$x, d$y, class_weights = "balanced")
    osvm(d$x, d$y, probability = TRUE)
    osvm(d$x, d$y, loss = "squares")
    osvm(d$x, d$y, loss = loss_epsilon(c(0.1, 0.2)))
    osvm(d$x, loss = loss_hinge())
    loss_quantile(1)
    loss_epsilon(-1)
    loss_novelty(0)
    update(fit, d$x, rep("a", 60))
    update(fit, d$x, c(NA, d$y[-1]), na.action = na.fail)
    predict(fit, d$x, type = "prob")
  })
})

test_that("losses and their models are printed", {
  d <- waves(60)
  expect_snapshot({
    loss_epsilon()
    loss_quantile(c(0.1, 0.9))
    format(loss_novelty(0.2))
  })
  expect_output(print(osvm(d$x, d$y)), "numbers from .* scaled by")
  expect_output(print(osvm(d$x, loss = loss_novelty())), "TRUE for what belongs")
})

test_that("tunings of numbers have the errors of separate fits", {
  d <- waves(90)
  tuned <- osvm_tune(d$x, d$y, solver_smo(C = c(1, 10)), kernel_rbf(gamma = 0.2), loss = loss_epsilon(c(0.05, 0.3)),
    metric = "mae", scale = FALSE, precision = NULL)
  expect_identical(tuned$parameters, c("C", "epsilon"))
  expect_equal(nrow(tuned$results), 4)
  for (point in 1:4) {
    at <- tuned$results[point, ]
    errors <- vapply(tuned$folds, function(fold) {
      fit <- osvm(d$x[fold$train, ], d$y[fold$train], solver_smo(C = at$C), kernel_rbf(gamma = 0.2),
        loss = loss_epsilon(at$epsilon), scale = FALSE)
      left <- d$y[fold$test] - suppressWarnings(predict(fit, d$x[fold$test, ]))
      c(mean(abs(left)), sqrt(mean(left^2)))
    }, c(0, 0))
    expect_equal(c(at$mae, at$error), rowMeans(errors), tolerance = 1e-2)
  }
  best <- tuned$results[which.min(tuned$results$mae), ]
  expect_equal(c(tuned$fit$solver$params$C, tuned$fit$loss$params$epsilon), c(best$C, best$epsilon))
  expect_output(print(tuned), "epsilon(epsilon = c(0.05, 0.3))", fixed = TRUE)
  again <- eval(tuned$fit$call)
  expect_equal(predict(again, d$x), predict(tuned$fit, d$x))
})

test_that("quantiles, novelty and comparisons are tuned", {
  d <- waves(90)
  quantile <- osvm_tune(d$x, d$y, "smo", kernel_rbf(gamma = 0.2), loss = loss_quantile(0.8), metric = "pinball")
  expect_true(all(quantile$results$pinball > 0))
  novelty <- osvm_tune(d$x, kernel = kernel_rbf(gamma = c(0.1, 1)), loss = loss_novelty(c(0.1, 0.3)))
  expect_identical(novelty$parameters, c("gamma", "nu"))
  expect_true(all(novelty$results$error >= 0 & novelty$results$error <= 1))
  expect_identical(novelty$fit$outcome, "novelty")
  costs <- list(C = c(1, 5))
  compared <- osvm_compare(d$x, d$y, list("smo", "pa"), kernel_rbf(gamma = 0.2), grid = costs, metric = "rsq")
  expect_true(all(compared$table$best_rsq > 0.3))
  expect_error(osvm_tune(d$x), "is missing")
  expect_error(osvm_tune(d$x, d$y, metric = "auc"), "rmse")
})

test_that("curves of novelty have the share outside", {
  d <- waves(150)
  kernel <- kernel_rbf(gamma = 0.2)
  nus <- osvm_validation_curve(d$x, solver = solver_smo(), kernel = kernel, loss = loss_novelty(c(0.1, 0.5)), folds = 3)
  expect_true(all(nus$data$value[nus$data$set == "training"] < 0.1))
  sizes <- osvm_learning_curve(d$x, solver = solver_smo(), kernel = kernel, loss = loss_novelty(0.2), folds = 3)
  expect_true(all(is.finite(sizes$data$value)))
})

test_that("learning and validation curves of numbers", {
  d <- waves(120)
  curve <- osvm_learning_curve(d$x, d$y, solver_smo(C = 10), kernel_rbf(gamma = 0.2), metric = "mae", folds = 3)
  held <- curve$data$value[curve$data$set == "hold-out"]
  expect_lt(held[length(held)], held[1])
  varied <- osvm_validation_curve(d$x, d$y, "smo", kernel_rbf(gamma = 0.2), loss = loss_epsilon(c(0.01, 2)), folds = 3)
  expect_equal(varied$data$value_of, rep(c(0.01, 2), 2))
  expect_lt(varied$data$value[1], varied$data$value[2])
})

test_that("the threshold of novelty does not depend on the order of rows, nor on the way to them", {
  set.seed(26)
  x <- abs(matrix(rnorm(120), 40))
  decide <- function(fit) predict(fit, x, type = "decision")
  # nu n is whole: no coefficient need be between its bounds, all are at one, or one is between
  for (nu in c(0.2, 0.5, 1, 0.33)) {
    fit <- function(solver, rows = 1:40) {
      osvm(x[rows, ], solver = solver, kernel = kernel_linear(), loss = loss_novelty(nu), scale = FALSE)
    }
    exact <- decide(fit(solver_idsvm()))
    for (k in 1:4) {
      rows <- sample(40)
      expect_equal(decide(fit(solver_idsvm(), rows)), exact, tolerance = 1e-6)
      expect_equal(decide(fit(solver_smo(tolerance = 1e-6), rows)), exact, tolerance = 1e-4)
    }
    live <- osvm_live(fit(solver_idsvm(), 1:2))
    grown <- fit(solver_idsvm(), 1:2)
    for (i in 3:40) {
      update(live, x[i, , drop = FALSE])
      grown <- update(grown, x[i, , drop = FALSE])
    }
    expect_equal(decide(live), exact, tolerance = 1e-6)
    expect_equal(decide(snapshot(live)), exact, tolerance = 1e-6)
    expect_equal(decide(grown), exact, tolerance = 1e-6)
  }
})

test_that("data around the origin are not separated from it, with a warning", {
  set.seed(1)
  x <- matrix(rnorm(200), 100)
  for (solver in list(solver_smo(), solver_idsvm())) {
    fit <- function(...) osvm(..., solver = solver, loss = loss_novelty(0.2))
    expect_warning(none <- fit(x, kernel = kernel_linear()), "all sides of the origin", class = "osvm_not_separable")
    expect_lt(max(abs(predict(none, x, type = "decision"))), 1e-2)
    expect_no_warning(fit(x, kernel = kernel_rbf()))
    expect_no_warning(fit(x + 5, kernel = kernel_linear(), scale = FALSE))
  }
})
