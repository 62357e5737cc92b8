# The search of a default fit.

curved <- function(n, noise = 0.1, seed = 1) {
  set.seed(seed)
  x <- matrix(rnorm(n * 6), n, dimnames = list(NULL, letters[1:6]))
  list(x = x, y = sin(2 * x[, 1]) * 2 + x[, 2] * x[, 3] + rnorm(n, sd = noise))
}

test_that("features that say nothing lose their weight, and little noise takes a small epsilon", {
  data <- curved(400, noise = 0.02)
  new <- curved(2000, noise = 0, seed = 2)
  fit <- osvm(data$x, data$y, verbose = FALSE)
  plain <- osvm(data$x, data$y, effort = 0, verbose = FALSE)
  error <- function(fit) sqrt(mean((predict(fit, new$x) - new$y)^2))
  expect_lt(error(fit), 0.7 * error(plain))
  weight <- fit$transform$weight
  expect_lt(max(weight[4:6]), min(weight[1:3]) / 2)
  expect_equal(fit$loss, loss_epsilon(0.01))
  expect_output(print(fit), "weighted by relevance")
})

test_that("skewed columns are ranked, noisy trends are linear", {
  set.seed(3)
  u <- matrix(rnorm(800), 400)
  skewed <- list(x = exp(3 * u), y = factor(u[, 1]^2 + u[, 2]^2 > 1.4))
  fit <- osvm(skewed$x, skewed$y, verbose = FALSE)
  expect_identical(fit$transform$kind, "rank")
  x <- matrix(rnorm(60 * 80), 60)
  trend <- osvm(x, drop(x %*% rep_len(c(1, -1), 80)) + rnorm(60), verbose = FALSE)
  expect_identical(trend$kernel$name, "linear")
})

test_that("the table has what was compared, and the model is the row that was taken", {
  data <- curved(200)
  fit <- osvm(data$x, data$y, verbose = FALSE)
  taken <- fit$choice[fit$choice$taken, ]
  expect_identical(nrow(taken), 1L)
  expect_identical(taken$kernel, fit$kernel$name)
  expect_equal(taken$C, fit$solver$params$C)
  expect_equal(taken$gamma, fit$kernel$params$gamma)
  expect_setequal(fit$choice$kernel, c("rbf", "laplacian", "linear"))
  expect_setequal(fit$choice$scale, c("TRUE", "rank"))
  expect_output(print(fit), paste("from", nrow(fit$choice), "settings by cross-validation, error"))
  # The same features learned by hand
  again <- osvm(data$x, data$y, fit$solver, fit$kernel, scale = fit$scaling, loss = fit$loss, verbose = FALSE)
  expect_equal(predict(again, data$x), predict(fit, data$x), tolerance = 1e-6)
})

test_that("an error in the table is that of machines which have not learned the rows, nor their weights", {
  set.seed(1)
  x <- matrix(rnorm(120 * 80), 120)
  fit <- osvm(x, factor(rep(1:2, 60)), verbose = FALSE)
  weighted <- fit$choice[fit$choice$weights > 0, ]
  expect_gt(nrow(weighted), 0)
  expect_gt(mean(weighted$error), 0.4) # weights by all rows would find labels that are not there
})

test_that("what is given is not searched", {
  data <- curved(150)
  of <- function(...) osvm(data$x, data$y, ..., verbose = FALSE)
  expect_null(of(solver_smo())$choice)
  fit <- of(kernel = kernel_rbf(gamma = 0.1))
  expect_identical(c(fit$transform$kind, fit$kernel$name), c("scaling", "rbf"))
  expect_equal(fit$kernel$params$gamma, 0.1)
  expect_identical(unique(of(kernel = "laplacian")$choice$kernel), "laplacian")
  expect_identical(of(scale = "robust")$transform$kind, "robust")
  expect_null(of(scale = TRUE)$transform$weight)
  expect_identical(unique(of(loss = loss_huber())$choice$loss), format(loss_huber()))
  expect_error(of(effort = -1), "`effort` must be")
})

test_that("the choice depends on neither seed nor threads", {
  data <- clouds(150, classes = 3)
  fits <- lapply(1:2, function(i) {
    set.seed(i)
    osvm(data$x, data$y, threads = i, verbose = FALSE)
  })
  expect_identical(without_timings(fits[[1]])$choice, without_timings(fits[[2]])$choice)
  expect_identical(predict(fits[[1]], data$x, type = "decision"), predict(fits[[2]], data$x, type = "decision"))
})

test_that("several columns of numbers, many classes, sparse data and a formula are searched", {
  data <- curved(150)
  both <- osvm(data$x, cbind(u = data$y, v = data$x[, 4]^2), verbose = FALSE)
  expect_gt(nrow(both$choice), 50)
  expect_identical(dim(predict(both, data$x)), c(150L, 2L))
  many <- clouds(400, classes = 9)
  error <- function(fit) mean(predict(fit, many$x) != many$y)
  searched <- osvm(many$x, many$y, verbose = FALSE)
  expect_lt(error(searched), error(osvm(many$x, many$y, effort = 0, verbose = FALSE)) + 0.1)
  sparse <- osvm(Matrix::Matrix(round(abs(data$x)), sparse = TRUE), data$y, verbose = FALSE)
  expect_setequal(sparse$choice$kernel, c("rbf", "laplacian", "linear"))
  expect_identical(unique(sparse$choice$weights), 0)
  fit <- osvm(Species ~ ., iris, probability = TRUE, verbose = FALSE)
  expect_gt(mean(predict(fit, iris) == iris$Species), 0.93)
})

test_that("whatever was chosen goes on learning, is saved, compressed and drawn", {
  data <- curved(200)
  for (kernel in c("rbf", "laplacian")) {
    fit <- osvm(data$x[1:150, ], data$y[1:150], kernel = kernel, verbose = FALSE)
    file <- tempfile(fileext = ".rds")
    saveRDS(fit, file)
    more <- update(readRDS(file), data$x[151:200, ], data$y[151:200])
    expect_identical(more$n_seen, 200)
    expect_lt(compress(fit, 60)$n_sv, 61)
    expect_s3_class(osvm_shapley(fit, data$x[1:3, ]), "osvm_shapley")
    expect_equal(unname(fit$sv), unname(data$x[fit$index, ]))
  }
})

test_that("a longer search goes on weighting features, while that lowers the error", {
  data <- curved(300)
  fit <- osvm(data$x, data$y, verbose = FALSE)
  longer <- osvm(data$x, data$y, effort = 4, verbose = FALSE)
  expect_identical(sum(longer$choice$taken), 1L)
  expect_gte(max(longer$choice$weights), max(fit$choice$weights))
  expect_lte(longer$choice$error[longer$choice$taken], fit$choice$error[fit$choice$taken])
})

test_that("an interrupt leaves the best so far, the end of the time too", {
  data <- curved(300)
  calls <- 0
  run <- in_package("run_grids")
  local_internal("run_grids", function(...) {
    calls <<- calls + 1
    if (calls == 3) in_package("signal_interrupt")()
    run(...)
  })
  expect_warning(fit <- osvm(data$x, data$y, verbose = FALSE), "choice of settings was interrupted")
  expect_true(any(fit$choice$taken))
  expect_true(fit$convergence$finished)
})

test_that("probabilities and scores are fitted to the outputs of the search, by machines that have not learned them", {
  data <- curved(300)
  y <- factor(data$y > 0)
  outputs <- 0
  run <- in_package("cross_outputs")
  local_internal("cross_outputs", function(...) {
    outputs <<- outputs + 1
    run(...)
  })
  fit <- osvm(data$x, y, probability = TRUE, conformal = TRUE, verbose = FALSE)
  expect_identical(outputs, 0)
  expect_null(fit$held)
  new <- curved(2000, seed = 2)
  p <- predict(fit, new$x, type = "prob")[, 2]
  truth <- new$y > 0
  expect_lt(-mean(log(ifelse(truth, p, 1 - p))), 0.35)
  sets <- predict(fit, new$x, type = "set", level = 0.9)
  expect_equal(mean(ifelse(truth, sets[, 2], sets[, 1])), 0.9, tolerance = 0.04)
  # Of more rows than are compared: by cross-validation
  osvm(data$x, y, probability = TRUE, verbose = FALSE, effort = 0)
  expect_identical(outputs, 1)
})

test_that("osvm_tune() without a grid is the search, and returns its table", {
  data <- curved(120)
  y <- factor(data$y > 0)
  tuned <- osvm_tune(data$x, y, progress = FALSE)
  fit <- osvm(data$x, y, verbose = FALSE)
  expect_equal(tuned$fit$coef, fit$coef)
  expect_equal(tuned$fit$choice, fit$choice)
  expect_identical(tuned$best, tuned$results[fit$choice$taken, ], ignore_attr = "row.names")
  expect_equal(tuned$results$error, fit$choice$error)
  expect_identical(summary(tuned)$table[1, ], tuned$best)
  # Errors of folds
  expect_equal(rowMeans(tuned$scores), tuned$results$error)
  expect_equal(tuned$results$se, apply(tuned$scores, 1, sd) / sqrt(5))
  expect_gt(min(tuned$results$n_sv[tuned$results$kernel != "linear"]), 0)
  expect_gt(tuned$stats$kernel_evaluations, 0)
  rows <- sort(unlist(lapply(unclass(tuned$folds), `[[`, "test")))
  expect_identical(rows, seq_len(120))
  expect_output(print(tuned), "search over kinds of SVM")
  expect_no_error(draw(tuned))
  file <- tempfile(fileext = ".rds")
  saveRDS(tuned, file)
  expect_identical(predict(readRDS(file), data$x), predict(fit, data$x))
  expect_identical(eval(tuned$fit$call)$coef, fit$coef)
  numbers <- osvm_tune(y ~ ., data.frame(data$x, y = data$y), folds = 4, progress = FALSE, loss = loss_quantile(0.7))
  expect_identical(ncol(numbers$scores), 4L)
  expect_identical(numbers$fit$loss, loss_quantile(0.7))
  expect_null(osvm_tune(data$x, y, refit = FALSE, progress = FALSE)$fit)
  words <- Matrix::Matrix(matrix(rpois(60 * 8, rep(c(2, 0.2, 0.2), each = 60)), 60), sparse = TRUE)
  kind <- factor(rep(1:3, 20))
  of_words <- osvm_tune(words, kind, progress = FALSE) # linear kernels learn one against the rest
  expect_identical(of_words$results$error, osvm(words, kind, verbose = FALSE)$choice$error)
  # What the search does not serve is a grid.
  expect_identical(nrow(osvm_tune(data$x, y, metric = "kappa", progress = FALSE, refit = FALSE)$results), 25L)
  expect_identical(nrow(osvm_tune(data$x, y, effort = 0, progress = FALSE, refit = FALSE)$results), 25L)
  expect_osvm_error(osvm_tune(data$x, y, folds = 1))
  expect_osvm_error(osvm_tune(data$x, y, effort = -1))
})

test_that("osvm_tune(cells = ) without a grid is the search on a sample, and the model of cells", {
  data <- curved(360)
  y <- cut(data$y, 3, labels = c("a", "b", "c"))
  cells <- list(size = 120, overlap = TRUE)
  seeded <- function(seed, code) {
    set.seed(seed)
    code
  }
  same <- function(tuned, fit) {
    expect_s3_class(tuned, c("osvm_search", "osvm_tuning"), exact = TRUE)
    expect_s3_class(tuned$fit, c("osvm_cells", "osvm"), exact = TRUE)
    expect_identical(tuned$fit$cells$nodes, fit$cells$nodes)
    table <- function(fit) fit$cells$table[names(fit$cells$table) != "seconds"]
    expect_identical(table(tuned$fit), table(fit))
    expect_identical(tuned$fit$choice, fit$choice)
    expect_identical(predict(tuned$fit, data$x), predict(fit, data$x))
  }
  tuned <- seeded(1, osvm_tune(data$x, y, cells = cells, progress = FALSE))
  fit <- seeded(1, osvm(data$x, y, cells = cells, verbose = FALSE))
  same(tuned, fit)
  expect_identical(seeded(1, eval(tuned$fit$call))$choice, fit$choice)
  expect_equal(rowMeans(tuned$scores), tuned$results$error)
  expect_equal(tuned$results$se, apply(tuned$scores, 1, sd) / sqrt(5))
  expect_gt(length(unique(tuned$results$kernel)), 1)
  expect_identical(tuned$best$criterion, min(tuned$results$criterion))
  expect_identical(tuned$best$kernel, fit$kernel$name)
  held <- unlist(lapply(unclass(tuned$folds), `[[`, "test"))
  expect_identical(sort(held), seq_len(360))
  balance <- vapply(unclass(tuned$folds), function(fold) tabulate(y[fold$test], 3), integer(3))
  expect_lte(max(apply(balance, 1, function(count) diff(range(count)))), 1) # rows of x: stratified
  expect_output(print(tuned), "search over kinds of SVM")
  expect_no_error(draw(tuned))
  if (requireNamespace("generics", quietly = TRUE)) {
    expect_setequal(generics::tidy(tuned)$kernel, tuned$results$kernel)
  }
  file <- tempfile(fileext = ".rds")
  saveRDS(tuned, file)
  expect_identical(predict(readRDS(file), data$x), predict(fit, data$x))
  expect_null(osvm_tune(data$x, y, cells = 120, refit = FALSE, progress = FALSE)$fit)

  frame <- data.frame(data$x, y = data$y)
  numbers <- seeded(2, osvm_tune(y ~ ., frame, cells = 120, kernel = "laplacian", folds = 4, progress = FALSE))
  expect_identical(ncol(numbers$scores), 4L)
  expect_identical(unique(numbers$results$kernel), "laplacian")
  local_internal("trial_samples", c(50, 200)) # of more rows
  sampled <- seeded(2, osvm_tune(data$x, data$y, cells = 120, effort = 0.5, progress = FALSE))
  same(sampled, seeded(2, osvm(data$x, data$y, cells = 120, effort = 0.5, verbose = FALSE)))
  expect_identical(unique(sampled$results$rows), 200)
  held <- unlist(lapply(unclass(sampled$folds), `[[`, "test"))
  expect_identical(sort(held), sort(order(data$y)[round(seq(1, 360, length.out = 200))]))
  # What the search does not serve is a grid in each cell.
  kinds <- list(
    osvm_tune(data$x, y, "smo", cells = 120, progress = FALSE, refit = FALSE),
    osvm_tune(data$x, y, cells = 120, metric = "kappa", progress = FALSE, refit = FALSE),
    osvm_tune(data$x, y, cells = 120, effort = 0, progress = FALSE, refit = FALSE)
  )
  for (grid in kinds) {
    expect_s3_class(grid, "osvm_tuning", exact = TRUE)
    expect_identical(nrow(grid$results), 25L)
  }
})

test_that("one against the rest is compared on some of many classes", {
  set.seed(1)
  class <- rep(1:14, length.out = 420)
  x <- 8 * cbind(class %% 4, class %/% 4) + rnorm(840)
  for (effort in 0:1) {
    fit <- osvm(x, factor(class), multiclass = "ovr", effort = effort, verbose = FALSE)
    expect_lt(min(fit$choice$error, na.rm = TRUE), 0.2)
  }
})

test_that("grids side by side keep their outputs whenever R collects garbage", {
  data <- curved(40)
  found <- function() osvm(data$x[, 1:2], data$y, kernel = "rbf", verbose = FALSE)[c("coef", "choice")]
  want <- found()
  run <- in_package("run_grids")
  first <- TRUE
  local_internal("run_grids", function(...) {
    gctorture(first) # slow
    on.exit(gctorture(FALSE))
    first <<- FALSE
    run(...)
  })
  expect_identical(found(), want)
})
