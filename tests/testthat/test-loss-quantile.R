# Several quantiles at once.

spread <- function(n, seed = 1) {
  set.seed(seed)
  x <- matrix(rnorm(3 * n), n)
  list(x = x, y = 3 + x[, 1] + exp(x[, 2] / 2) * rnorm(n))
}
tau <- c(0.05, 0.5, 0.95)
kernel <- kernel_rbf(gamma = 0.2)

test_that("each quantile is learned as alone, and predictions do not cross", {
  d <- spread(150)
  new <- spread(80, seed = 2)$x * 1.5
  learned <- strsplit(losses()$solvers[losses()$name == "quantile"], ", ")[[1]]
  for (name in intersect(learned, solvers()$name[solvers()$space != "linear"])) {
    solver <- constructor("solver", name)()
    fit_of <- function(tau) {
      set.seed(3)
      suppressWarnings(osvm(d$x, d$y, solver, kernel, loss = loss_quantile(tau), verbose = FALSE))
    }
    fit <- fit_of(tau)
    alone <- lapply(tau, fit_of)
    f <- predict(fit, new, "decision")
    expect_close(unname(f), unname(sapply(alone, predict, new, "decision")), 1e-9)
    p <- predict(fit, new)
    expect_identical(colnames(p), c("0.05", "0.5", "0.95"))
    expect_identical(unname(p), unname(t(apply(f, 1, sort))))
  }
  linear <- osvm(d$x, d$y, solver_dcd(), kernel_linear(), loss = loss_quantile(tau))
  one <- osvm(d$x, d$y, solver_dcd(), kernel_linear(), loss = loss_quantile(0.95))
  expect_close(predict(linear, new, "decision")[, 3], predict(one, new, "decision"), 0.005) # orders are drawn
  expect_identical(loss_quantile(c(0.9, 0.1, 0.9)), loss_quantile(c(0.1, 0.9)))
})

test_that("each quantile has its share of new rows below it", {
  d <- spread(1000)
  new <- spread(4000, seed = 2)
  fit <- osvm(d$x, d$y, solver_smo(C = 2), kernel_rbf(gamma = 0.1), loss = loss_quantile(tau), verbose = FALSE)
  expect_lt(max(abs(colMeans(new$y < predict(fit, new$x)) - tau)), 0.025)
})

test_that("models of several quantiles are updated, stored, tuned, live and of low rank", {
  d <- spread(200)
  fit <- osvm(d$x[1:100, ], d$y[1:100], solver_olsvm(epochs = 1), kernel, loss = loss_quantile(tau), verbose = FALSE)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), d$x), predict(fit, d$x))
  live <- osvm_live(fit)
  set.seed(5)
  update(live, d$x[101:200, ], d$y[101:200])
  set.seed(5)
  more <- update(fit, d$x[101:200, ], d$y[101:200])
  expect_identical(predict(live, d$x), predict(more, d$x))
  exact <- osvm(d$x, d$y, solver_idsvm(), kernel, loss = loss_quantile(tau), scale = FALSE)
  less <- osvm(d$x[-(1:9), ], d$y[-(1:9)], solver_idsvm(), kernel, loss = loss_quantile(tau), scale = FALSE)
  expect_close(predict(forget(exact, 1:9), d$x), predict(less, d$x), 1e-6)
  for (kernel in list(kernel_nystrom(kernel, rank = 30), kernel_linear())) {
    fit <- osvm(d$x, d$y, kernel = kernel, loss = loss_quantile(tau), verbose = FALSE)
    expect_identical(dim(predict(fit, d$x)), c(200L, 3L))
  }
  tuned <- osvm_tune(d$x, d$y, solver_smo(C = c(0.1, 10)), kernel_rbf(gamma = 0.2), loss = loss_quantile(tau),
    metric = "pinball", precision = NULL, progress = FALSE)
  expect_identical(tuned$parameters, "C")
  each <- vapply(tuned$folds, function(fold) {
    fit <- osvm(d$x[fold$train, ], d$y[fold$train], solver_smo(C = 10), kernel_rbf(gamma = 0.2),
      loss = loss_quantile(tau))
    left <- d$y[fold$test] - suppressWarnings(predict(fit, d$x[fold$test, ]))
    level <- rep(tau, each = nrow(left))
    mean(ifelse(left > 0, level * left, (level - 1) * left))
  }, 0)
  expect_equal(tuned$results$pinball[tuned$results$C == 10], mean(each), tolerance = 0.01)
})

test_that("several quantiles of a formula have residuals and are printed", {
  d <- spread(60)
  data <- data.frame(y = d$y, d$x)
  fit <- osvm(y ~ ., data, loss = loss_quantile(tau))
  expect_close(residuals(fit), data$y - predict(fit, data), 1e-12)
  expect_output(print(fit), "quantile(tau = c(0.05, 0.5, 0.95))", fixed = TRUE)
  expect_error(osvm(d$x, cbind(d$y, d$y), loss = loss_quantile(tau)), "one column", class = "osvm_error")
  expect_error(loss_quantile(c(0.5, 1)), "between 0 and 1", class = "osvm_error")
  damaged <- fit
  damaged$loss$core$values <- c(0.1, 0.9)
  damaged$loss$params$tau <- c(0.1, 0.9)
  expect_error(update(damaged, data), class = "osvm_error")
})

test_that("cells learn several quantiles, each as alone, and go on", {
  d <- spread(1500)
  new <- spread(2000, seed = 2)
  in_cells <- function(tau) {
    set.seed(3)
    osvm(d$x, d$y, solver_smo(C = 1), kernel, loss = loss_quantile(tau), cells = 400, verbose = FALSE)
  }
  fit <- in_cells(tau)
  expect_close(predict(fit, new$x, "decision")[, 3], predict(in_cells(0.95), new$x, "decision"), 1e-9)
  p <- predict(fit, new$x)
  expect_identical(colnames(p), c("0.05", "0.5", "0.95"))
  expect_false(is.unsorted(p[1, ]) || any(p[, 1] > p[, 2] | p[, 2] > p[, 3]))
  expect_lt(max(abs(colMeans(new$y < p) - tau)), 0.05)
  more <- update(fit, new$x[1:200, ], new$y[1:200])
  expect_identical(more$n_seen, 1700)
  chosen <- osvm(d$x, d$y, loss = loss_quantile(tau), cells = 400, verbose = FALSE)
  expect_lt(max(abs(colMeans(new$y < predict(chosen, new$x)) - tau)), 0.05)
})

test_that("a cell of few different numbers predicts the quantiles of these", {
  set.seed(4)
  x <- rbind(matrix(rnorm(200), 100), matrix(rnorm(200, 50), 100))
  y <- c(rnorm(100), rep(c(0, 10), c(60, 40)))
  fit <- osvm(x, y, solver_smo(), kernel, loss = loss_quantile(c(0.5, 0.9)), cells = 100, verbose = FALSE)
  expect_equal(unname(predict(fit, matrix(50, 1, 2))[1, ]), c(0, 10))
})

test_that("streams predict several quantiles, by rows and by chunks, and have the mean of their pinball losses", {
  d <- spread(1200)
  d$y[7] <- NA
  quantiles <- loss_quantile(c(0.1, 0.5, 0.9))
  for (evaluate in c("rows", "chunks")) {
    run <- osvm_stream(
      source_matrix(d$x, d$y), solver_olsvm(C = 1, epochs = 1, shuffle = FALSE), kernel, loss = quantiles, chunk = 100,
      keep = "predictions", evaluate = evaluate, verbose = FALSE
    )
    kept <- run$predictions
    expect_named(kept, c("row", "label", "predicted", "0.1", "0.5", "0.9"))
    expect_identical(kept$predicted, kept[["0.5"]])
    known <- which(!is.na(kept[["0.1"]]) & !is.na(kept$label))
    expect_gt(length(known), 1000)
    left <- kept$label[known] - as.matrix(kept[known, 4:6])
    level <- rep(c(0.1, 0.5, 0.9), each = length(known))
    expect_equal(utils::tail(run$metrics$pinball, 1), mean(ifelse(left > 0, level * left, (level - 1) * left)))
    expect_identical(colnames(predict(run$fit, d$x[1:2, ])), c("0.1", "0.5", "0.9"))
    expect_lt(max(abs(colMeans(left[known > 600, ] < 0) - c(0.1, 0.5, 0.9))), 0.12)
  }
  again <- osvm_stream(source_matrix(d$x, d$y), fit = run$fit, chunk = 400, verbose = FALSE)
  expect_true(all(is.finite(again$metrics$pinball)))
})
