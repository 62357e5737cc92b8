lowrank_fit <- function(data, kernel, solver = solver_dcd(), ..., seed = 1) {
  set.seed(seed)
  osvm(data$x, data$y, solver, kernel, ..., verbose = FALSE)
}

test_that("with every row as a landmark the machine is that of the kernel", {
  data <- clouds(60, d = 4, classes = 3)
  new <- clouds(30, d = 4, seed = 2)$x
  for (kernel in list(kernel_rbf(gamma = 0.4), kernel_laplacian(gamma = 0.3), kernel_polynomial(2, 0.5, coef0 = 1))) {
    solver <- solver_smo(C = 2, tolerance = 1e-6)
    exact <- lowrank_fit(data, kernel, solver)
    expect_close(decide(lowrank_fit(data, kernel_nystrom(kernel, rank = 60), solver), new), decide(exact, new), 2e-3)
  }
})

test_that("features are those of the landmarks, in any form of the data", {
  data <- sparse_clouds(80)
  whole <- matrix(as.integer(round(3 * data$x)), 80)
  for (x in list(data$x, data$s, whole)) for (landmarks in c("random", "kmeans")) {
    fit <- lowrank_fit(list(x = x, y = data$y), kernel_nystrom(rank = 20, landmarks = landmarks, gamma = 0.5))
    expect_close(decide(fit, x), ref_decision(fit, x))
    landmarks <- fit$transform$map$landmarks
    expect_lte(nrow(landmarks), 20)
    expect_equal(dim(fit$coef), c(nrow(landmarks), 1))
    expect_identical(is(landmarks, "dgCMatrix"), is(x, "dgCMatrix"))
  }
})

test_that("sparse and dense rows of the same numbers have the same features up to rounding", {
  data <- sparse_clouds(80)
  for (kernel in list(kernel_nystrom(rank = 20, gamma = 0.5), kernel_fourier(gamma = 0.5, features = 20))) {
    dense <- lowrank_fit(list(x = data$x, y = data$y), kernel, scale = FALSE)
    sparse <- lowrank_fit(list(x = data$s, y = data$y), kernel, scale = FALSE)
    expect_close(mapped_rows(sparse$transform, data$s), mapped_rows(dense$transform, data$x), 1e-10)
    expect_close(decide(sparse, data$s), decide(dense, data$x), 1e-3)
  }
})

test_that("by default costs and widths are compared on 2,000 rows, at a rank of 500 at most", {
  board <- chessboard(12000)
  compared <- NULL
  inside <- in_package("holdout_outputs")
  local_internal("holdout_outputs", function(model, examples, fold, solvers, kernels, ...) {
    compared <<- rbind(compared, c(kernels$specs[[1]]$params$rank, sum(fold > 0)))
    inside(model, examples, fold, solvers, kernels, ...)
  })
  usual <- osvm(board$x, board$y, solver_dcd(), kernel_nystrom(rank = 5))
  for (rank in c(600, 601)) {
    fit <- osvm(board$x, board$y, kernel = kernel_nystrom(rank = rank), verbose = FALSE)
    expected <- if (rank == 600) c(0.5, 0.2, 1) else c(1, 0.5, 2)
    expect_equal(fit$choice$gamma[1:3], usual$kernel$params$gamma * expected)
    expect_equal(fit$kernel$params$rank, rank)
    expect_identical(fit$solver$params$tolerance, 0.01)
  }
  expect_true(all(compared[, 1] == 500))
  expect_true(all(compared[, 2] %in% c(667, 1333)))
  expect_identical(usual$solver$params$tolerance, 1e-4)
})

test_that("rows that repeat are one landmark", {
  x <- rbind(diag(3), diag(3), diag(3))
  fit <- lowrank_fit(list(x = x, y = rep(1:3, 3)), kernel_nystrom(rank = 9, gamma = 1), scale = FALSE)
  expect_equal(nrow(fit$transform$map$landmarks), 3)
  expect_identical(as.numeric(predict(fit, diag(3))), c(1, 2, 3))
})

test_that("a clustering has centres nearer to the rows than rows are", {
  set.seed(1)
  x <- matrix(rnorm(4000), 2000)
  near <- function(z) mean(apply(base_values("squared", x, z), 1, min))
  z <- x[1:20, ]
  expect_lt(near(cluster_centers(x, z)), 0.9 * near(z))
  sparse <- cluster_centers(methods::as(x, "CsparseMatrix"), methods::as(z, "CsparseMatrix"))
  expect_equal(as.matrix(sparse), cluster_centers(x, z), ignore_attr = TRUE)
})

test_that("rows whose features exceed the memory are mapped as they are visited, with the same numbers", {
  data <- clouds(5000, d = 3)
  kernels <- list(kernel_nystrom(rank = 40, gamma = 0.5), kernel_fourier(gamma = 0.5, features = 40))
  solvers <- list(
    solver_pegasos(epochs = 2), solver_pa(epochs = 1), solver_perceptron(epochs = 3, shuffle = FALSE),
    solver_sgd(epochs = 2), solver_olsvm(epochs = 2)
  )
  for (kernel in kernels) {
    for (solver in solvers) {
      all <- lowrank_fit(data, kernel, solver)
      some <- lowrank_fit(data, kernel, solver, cache_mb = 0.2)
      expect_identical(some$coef, all$coef)
    }
    all <- lowrank_fit(data, kernel, solver_dcd(tolerance = 1e-5))
    some <- lowrank_fit(data, kernel, solver_dcd(tolerance = 1e-5), cache_mb = 0.2)
    expect_true(some$convergence$finished)
    expect_close(some$convergence$objective, all$convergence$objective, 2e-5)
    expect_identical(lowrank_fit(data, kernel, solver_dcd(), cache_mb = 0.2, threads = 2)$coef,
      lowrank_fit(data, kernel, solver_dcd(), cache_mb = 0.2, threads = 1)$coef)
  }
  expect_error(lowrank_fit(data, kernels[[1]], solver_smo(), cache_mb = 0.2), "cache_mb.*at least 1.*5,000 rows")
  expect_error(lowrank_fit(data, kernels[[1]], solver_pegasos(batch = 10), cache_mb = 0.2), "cache_mb")
  expect_error(lowrank_fit(data, kernels[[1]], cache_mb = 0.2, probability = TRUE), "cache_mb")
})

test_that("the memory that is free changes no number, and a bound that is given holds", {
  data <- clouds(5000, d = 3)
  kernel <- kernel_nystrom(rank = 40, gamma = 0.5)
  bounded <- lowrank_fit(data, kernel, solver_dcd(), cache_mb = 0.2)
  expect_identical(spare_mb(bounded$control), 0)
  local_internal("default_cache_mb", 0.2)
  for (mb in c(0, 0.3, 0.6, 100)) {
    local_internal("free_mb", eval(bquote(function(...) .(4 * mb))))
    spared <- lowrank_fit(data, kernel, solver_dcd())
    expect_identical(spare_mb(spared$control), mb)
    expect_identical(spared$coef, bounded$coef)
  }
  expect_s3_class(lowrank_fit(data, kernel, solver_pegasos(batch = 10)), "osvm") # needs all features at once
})

test_that("chunks, live models and files go on with the same map", {
  data <- clouds(200, d = 3)
  rest <- 61:200
  for (kernel in list(kernel_nystrom(rank = 30), kernel_fourier(features = 50))) {
    solver <- solver_pa(epochs = 1, shuffle = FALSE)
    first <- lowrank_fit(rows(data, 1:60), kernel, solver)
    whole <- update(first, data$x[rest, ], data$y[rest])
    file <- tempfile(fileext = ".rds")
    saveRDS(first, file)
    cache$maps <- NULL # as in another process
    chunks <- readRDS(file)
    expect_identical(decide(chunks, data$x), decide(first, data$x))
    for (part in list(61:75, 76, 77:200)) chunks <- update(chunks, data$x[part, , drop = FALSE], data$y[part])
    expect_identical(chunks$coef, whole$coef)
    live <- osvm_live(first)
    update(live, data$x[rest, ], data$y[rest])
    expect_identical(decide(live, data$x), decide(whole, data$x))
    expect_identical(snapshot(live)$transform$map, first$transform$map)
    expect_lt(length(serialize(first, NULL)), 30000) # landmarks, or a seed
  }
})

test_that("support vectors of the solvers that keep them are rows of the data", {
  data <- clouds(80, d = 3)
  for (solver in list(solver_smo(), solver_lasvm(), solver_idsvm())) {
    fit <- lowrank_fit(data, kernel_nystrom(rank = 30), solver)
    expect_equal(ncol(fit$sv), 3)
    expect_equal(fit$sv, data$x[fit$index, ], ignore_attr = TRUE)
    live <- osvm_live(lowrank_fit(rows(data, 1:40), kernel_nystrom(rank = 30), solver_lasvm(finish = FALSE)))
    update(live, data$x[41:80, ], data$y[41:80])
    expect_close(decide(live, data$x), decide(snapshot(live), data$x), 1e-3)
  }
})

test_that("a tuning maps once per kernel, and its errors are those of fits", {
  data <- clouds(90, d = 3)
  set.seed(1)
  tuned <- osvm_tune(
    data$x, data$y, solver_dcd(C = c(0.1, 1, 10)), kernel_nystrom(kernel_rbf(sigma = c(0.5, 2)), rank = c(5, 30)),
    folds = 3, progress = FALSE
  )
  expect_equal(nrow(tuned$results), 12)
  expect_setequal(names(tuned$best), c(names(tuned$results)))
  expect_true(all(c("C", "rank", "sigma") %in% names(tuned$results)))
  expect_equal(nrow(tuned$fit$transform$map$landmarks), min(tuned$best$rank, 30))
  by_degree <- osvm_tune(
    data$x, data$y, solver_dcd(), kernel_nystrom("polynomial", rank = 20),
    grid = list(degree = 1:2, rank = c(5, 20)), folds = 3, progress = FALSE
  )
  expect_equal(nrow(by_degree$results), 4)
  # The same landmarks, whatever the kernel: those of a smaller rank are the first of a larger one.
  landmarks <- function(rank) lowrank_fit(data, kernel_nystrom(rank = rank, gamma = 1))$transform$map$landmarks
  z <- lapply(c(5, 30), landmarks)
  expect_true(all(apply(z[[1]], 1, function(row) any(colSums(t(z[[2]]) != row) == 0))))
})

test_that("hold-out errors are those of separate fits with the same landmarks", {
  data <- clouds(90, d = 3)
  local_internal("choose_landmarks", function(kernel, x, transform) unname(data$x[1:12, ]))
  fold <- rep(1:3, 30)
  solver <- solver_dcd(C = 2, tolerance = 1e-6)
  for (gamma in c(0.2, 1)) {
    kernel <- kernel_nystrom(gamma = gamma)
    tuned <- osvm_tune(data$x, data$y, solver, kernel, foldid = fold, scale = FALSE, progress = FALSE, refit = FALSE)
    errors <- vapply(1:3, function(k) {
      fit <- lowrank_fit(rows(data, fold != k), kernel, solver, scale = FALSE)
      mean(predict(fit, data$x[fold == k, ]) != data$y[fold == k])
    }, 0)
    expect_equal(tuned$results$error, mean(errors))
  }
})

test_that("numbers, quantiles, novelty, weights and probabilities are learned", {
  set.seed(3)
  x <- matrix(runif(1200, -2, 2), 400)
  y <- sin(2 * x[, 1]) + x[, 2]^2 + rnorm(400) / 10
  kernel <- kernel_nystrom(rank = 80)
  expect_gt(cor(predict(osvm(x, y, kernel = kernel, verbose = FALSE), x), y), 0.97)
  high <- osvm(x, y, solver_dcd(C = 10), kernel, loss = loss_quantile(0.9), verbose = FALSE)
  expect_lt(abs(mean(y < predict(high, x)) - 0.9), 0.04)
  expect_message(novel <- osvm(x, kernel = kernel, verbose = FALSE), "novelty")
  expect_lt(abs(mean(predict(novel, x)) - 0.9), 0.08)
  expect_false(any(predict(novel, matrix(40, 1, 3))))
  class <- y > 1
  fit <- osvm(x, class, kernel = kernel, weights = ifelse(class, 1, 0.001), probability = TRUE, verbose = FALSE)
  expect_gt(mean(predict(fit, x, type = "decision") > 0), mean(class))
  expect_true(all(predict(fit, x, type = "prob") >= 0))
})

test_that("streams and shards take the map of the first chunk, or of rows of all shards", {
  data <- clouds(400, d = 3)
  set.seed(1)
  run <- osvm_stream(
    source_matrix(data$x, data$y), solver_pa(epochs = 1), kernel_nystrom(rank = 40), chunk = 100, verbose = FALSE
  )
  expect_lt(mean(predict(run$fit, data$x) != data$y), 0.3)
  scaled <- osvm_stream(
    source_matrix(data$x, data$y), solver_pa(epochs = 1), kernel_fourier(), chunk = 100, scale = "running",
    verbose = FALSE
  )
  expect_lt(mean(predict(scaled$fit, data$x) != data$y), 0.3)
  shards <- list(rows(data, 1:200), rows(data, 201:400))
  fit <- osvm_shards(shards, kernel = kernel_nystrom(rank = 350, gamma = 20), verbose = FALSE)
  expect_gt(nrow(fit$transform$map$landmarks), 300)
  expect_lt(mean(predict(fit, data$x) != data$y), 0.3)
})

test_that("the model says what it is", {
  data <- clouds(60, d = 2)
  fit <- lowrank_fit(data, kernel_nystrom(rank = 20))
  expect_output(print(fit), "mapped to 20 landmarks")
  expect_output(print(kernel_nystrom("polynomial", degree = 2)), "rank +500")
  expect_named(coef(fit), c("(Intercept)", paste0("phi", 1:20)))
  pdf(NULL)
  on.exit(dev.off())
  expect_silent(plot(fit))
  expect_true(all(osvm_importance(fit)$importance > 0))
  expect_identical(format(kernel_nystrom(kernel_rbf(2), 10)), format(kernel_nystrom(rank = 10, gamma = 2)))
  expect_match(paste(estimated_parts(TRUE, kernel_nystrom()), collapse = " "), "kernel width feature map")
})

test_that("what cannot be is said in a sentence", {
  expect_error(kernel_nystrom(kernel_fourier()), "to be approximated")
  expect_error(kernel_nystrom("fourier"), "to be approximated")
  expect_error(kernel_nystrom("rbf", degree = 2), "no argument")
  expect_error(kernel_nystrom(gamma = 1, sigma = 1), "not both")
  expect_error(kernel_nystrom(rank = 0), "rank.*whole number")
  expect_error(kernel_nystrom(landmarks = "best"), "landmarks.*random")
  data <- clouds(40)
  expect_error(lowrank_fit(data, kernel_nystrom(rank = c(5, 10))), "rank.*grid")
  expect_error(lowrank_fit(data, kernel_nystrom(), cells = 50), "cells.*left out")
  huge <- kernel_nystrom(kernel_polynomial(100, 1e4), rank = 5)
  expect_error(lowrank_fit(data, huge, scale = FALSE), "beyond all numbers: scale")
  fit <- lowrank_fit(data, kernel_nystrom(rank = 10))
  for (damage in list(
    function(map) NULL, function(map) replace(map, "landmarks", list(map$landmarks[, 1:2])),
    function(map) replace(map, "landmarks", list(map$landmarks * NA)), function(map) replace(map, "seed", list("a")),
    function(map) replace(map, "kernel", list(kernel_rbf()))
  )) {
    bad <- fit
    bad$transform["map"] <- list(damage(fit$transform$map))
    expect_error(predict(bad, data$x), "damaged")
  }
  for (base in list(character(), "unknown", 1)) {
    bad <- fit
    bad$kernel$params["kernel"] <- list(base)
    expect_error(predict(bad, data$x), "damaged", class = "osvm_error")
  }
})

test_that("Ctrl-C keeps what was learned while rows are mapped as they are needed", {
  out <- interrupted(function(ready) {
    board <- onlinesvm::chessboard(40000)
    solver <- onlinesvm::solver_dcd(C = 1000, tolerance = 1e-12)
    ready()
    onlinesvm::osvm(board$x, board$y, solver, onlinesvm::kernel_nystrom(rank = 200, gamma = 20), cache_mb = 4)
  }, function(fit) list(finite = all(is.finite(fit$coef)), seen = fit$n_seen), wait = 3)
  expect_true("osvm_interrupted" %in% out$class)
  expect_true(out$rest$finite)
})
