bounding <- all_solvers$name[all_solvers$budgets]

bounded <- function(name, ..., budget = 10) make_solver(name, budget = budget, ...)

test_that("some solvers declare budgets", {
  expect_setequal(bounding, c("norma", "pegaz", "olsvm", "pa", "perceptron"))
  expect_identical(solver_olsvm()$params$budget, Inf)
  expect_match(format(solver_olsvm(budget = 5)), "budget = 5", fixed = TRUE)
  expect_no_match(format(solver_olsvm()), "budget", fixed = TRUE)
})

test_that("solvers with a budget follow their references", {
  local_doubles()
  data <- clouds(90, d = 2)
  kernel <- kernel_rbf(gamma = 0.4)
  sign <- ifelse(data$y == levels(data$y)[2], 1, -1)
  weights <- runif(90, 0.5, 1.5) # without them many coefficients would be equal, and rounding would choose among them
  for (name in bounding) {
    for (maintenance in eval(formals(solver_olsvm)$maintenance)) {
      solver <- one_pass(name, budget = 8, maintenance = maintenance, C = 1, bias = FALSE, average = FALSE)
      fit <- quick_fit(name, data, solver = solver, kernel = kernel, scale = FALSE, weights = weights)
      want <- ref_bounded(name, data$x, sign, weights, kernel, 8, maintenance)
      got <- predict(fit, data$x, type = "decision")
      # Of two pairs that cost the same but for the table's 1 %, another may be merged.
      tolerance <- if (maintenance == "merge") 0.05 else 1e-6
      expect_lte(fit$n_sv, 8)
      f <- ref_outputs(want, data$x, kernel)
      expect_equal(as.vector(got), f, tolerance = tolerance, info = paste(name, maintenance))
    }
  }
})

test_that("a budget that is not reached changes nothing", {
  local_doubles()
  data <- clouds(60)
  for (name in bounding) {
    free <- quick_fit(name, data, solver = make_solver(name, epochs = 2))
    fit <- quick_fit(name, data, solver = bounded(name, epochs = 2, budget = 60))
    expect_equal(predict(fit, data$x, type = "decision"), predict(free, data$x, type = "decision"), tolerance = 1e-8)
    expect_false(any(fit$merged))
  }
})

test_that("dense, sparse, many classes, averages: within the budget, near each other", {
  local_doubles()
  data <- sparse_clouds(120, d = 4, classes = 3)
  for (name in bounding) {
    for (maintenance in eval(formals(solver_olsvm)$maintenance)) {
      solver <- bounded(name, maintenance = maintenance, epochs = 2, average = TRUE)
      sparse <- quick_fit(name, list(x = data$s, y = data$y), solver = solver, scale = FALSE)
      dense <- quick_fit(name, data, solver = solver, scale = FALSE)
      expect_lte(sparse$n_sv, 10)
      expect_s4_class(sparse$sv, "dgCMatrix")
      f <- predict(dense, data$x, type = "decision")
      expect_equal(predict(sparse, data$s, type = "decision"), f, tolerance = 1e-6, info = paste(name, maintenance))
    }
  }
})

test_that("chunks, live models and saved models go on as one pass does", {
  local_doubles()
  data <- clouds(90, classes = 3)
  weights <- runif(90, 0.5, 1.5)
  for (name in bounding) {
    for (maintenance in eval(formals(solver_olsvm)$maintenance)) {
      solver <- one_pass(name, budget = 12, maintenance = maintenance)
      whole <- quick_fit(name, data, solver = solver, scale = FALSE, weights = weights)
      start <- list(x = data$x[1:40, ], y = data$y[1:40])
      fit <- quick_fit(name, start, solver = solver, scale = FALSE, weights = weights[1:40])
      live <- osvm_live(fit)
      for (rows in list(41, 42:60, 61:90)) {
        file <- tempfile()
        saveRDS(fit, file)
        fit <- update(readRDS(file), data$x[rows, , drop = FALSE], data$y[rows], weights = weights[rows])
        update(live, data$x[rows, , drop = FALSE], data$y[rows], weights = weights[rows])
        expect_lte(fit$n_sv, 12)
      }
      f <- predict(whole, data$x, type = "decision")
      expect_equal(predict(fit, data$x, type = "decision"), f, tolerance = 1e-5, info = paste(name, maintenance))
      taken <- snapshot(live)
      expect_identical(taken$coef, fit$coef)
      expect_identical(taken$sv, fit$sv)
      expect_identical(taken$merged, fit$merged)
    }
  }
})

test_that("streams, probabilities, tuning and threads", {
  board <- chessboard(600)
  solver <- solver_olsvm(budget = 40, epochs = 1)
  stream <- osvm_stream(source_matrix(board$x, board$y), solver, kernel_rbf(sigma = 0.4), chunk = 100, verbose = FALSE)
  expect_lte(stream$fit$n_sv, 40)
  set.seed(1)
  fit <- osvm(board$x, board$y, solver, kernel_rbf(sigma = 0.4), probability = TRUE, verbose = FALSE)
  expect_equal(rowSums(predict(fit, board$x, type = "prob")), rep(1, 600))
  grid <- solver_olsvm(budget = c(10, 40, Inf), epochs = 1)
  tuned <- lapply(1:2, function(threads) {
    set.seed(2)
    osvm_tune(board$x, board$y, grid, kernel_rbf(sigma = 0.4), folds = 3, threads = threads, progress = FALSE)
  })
  expect_identical(tuned[[1]]$results$error, tuned[[2]]$results$error)
  results <- tuned[[1]]$results
  expect_true(all(results$n_sv[is.finite(results$budget)] <= results$budget[is.finite(results$budget)]))
})

test_that("merged vectors are marked, printed and drawn", {
  set.seed(1)
  board <- chessboard(400)
  fit <- osvm(board$x, board$y, solver_olsvm(budget = 30), kernel_rbf(sigma = 0.4), verbose = FALSE)
  expect_identical(length(fit$merged), nrow(fit$sv))
  merged <- !duplicated(rbind(board$x, fit$sv))[-(1:400)]
  expect_identical(as.vector(merged), fit$merged)
  expect_output(print(fit), paste0("30 support vectors, ", sum(fit$merged), " of them merged"), fixed = TRUE)
  expect_identical(strip(fit)$merged, fit$merged)
  drawn <- tempfile(fileext = ".pdf")
  pdf(drawn)
  expect_silent(plot(fit, board$x, board$y))
  dev.off()
  fit$merged <- fit$merged[-1]
  expect_error(predict(fit, board$x), "merged", class = "osvm_error")
})

test_that("a linear kernel needs no budget", {
  data <- clouds(50)
  for (name in bounding) {
    free <- quick_fit(name, data, kernel = kernel_linear())
    fit <- quick_fit(name, data, solver = bounded(name), kernel = kernel_linear())
    expect_identical(fit$coef, free$coef)
  }
})

test_that("mistakes are sentences", {
  data <- clouds(50)
  expect_error(solver_olsvm(budget = 0), "budget", class = "osvm_error")
  expect_error(solver_olsvm(budget = 2.5), "budget", class = "osvm_error")
  expect_error(solver_olsvm(maintenance = "forget"), "maintenance", class = "osvm_error")
  expect_error(osvm(data$x, data$y, solver_pa(budget = 9), kernel_polynomial(2)), "maintenance", class = "osvm_error")
  expect_error(osvm_tune(data$x, data$y, solver_pa(budget = 9), "polynomial"), "maintenance", class = "osvm_error")
  large <- solver_pa(budget = 1e5, maintenance = "project")
  expect_error(osvm(data$x, data$y, large, kernel_rbf()), "cache_mb", class = "osvm_error")
  fit <- osvm(data$x, data$y, solver_pa(budget = 9, maintenance = "remove"), kernel_polynomial(2), verbose = FALSE)
  expect_lte(fit$n_sv, 9)
})
