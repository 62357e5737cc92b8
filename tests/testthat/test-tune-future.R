test_that("without a plan no worker is used", {
  skip_if_not_installed("future")
  loadNamespace("future")
  expect_identical(onlinesvm:::future_workers(), 0)
})

test_that("bundles separate paths, and folds where there are few of them", {
  skip_if_not_installed("future")
  bundle <- function(number, workers = 4) {
    local_internal("best_bundles", function(workers, work, cost, most) min(number, most))
    onlinesvm:::bundle_points(task, plan, workers)
  }
  grid <- expand.grid(C = 1:3, gamma = 1:2)
  specs <- onlinesvm:::point_specs
  data <- clouds(60)
  prepared <- onlinesvm:::prepare_fit(data$x, data$y, solver = solver_smo(), kernel = kernel_rbf(gamma = 1))
  task <- list(
    x = data$x, labels = prepared$labels, model = prepared$model, weight = prepared$examples$weight, points = grid,
    solvers = specs(solver_smo(), grid, "solver"), kernels = specs(kernel_rbf(gamma = 1), grid, "kernel")
  )
  set.seed(1)
  plan <- lapply(onlinesvm:::make_plan(prepared$labels, 4, 2, NULL), function(round) c(round, core_seed = 1))
  runs <- function(bundles) {
    out <- do.call(rbind, lapply(unlist(bundles, recursive = FALSE), function(call) {
      expand.grid(point = call$points, round = call$round, fold = call$folds)
    }))
    out <- out[do.call(order, out), ]
    unname(as.matrix(out))
  }
  all <- unname(as.matrix(expand.grid(fold = 1:4, round = 1:2, point = 1:6)[3:1]))
  for (number in c(1, 2, 3, 4, 7, 16, 100)) {
    bundles <- bundle(number)
    expect_lte(length(bundles), min(number, 16))
    expect_identical(runs(bundles), all)
    points <- lapply(unlist(bundles, recursive = FALSE), `[[`, "points")
    # Every call has all C of its kernels.
    expect_true(all(vapply(points, function(points) all(tabulate((points - 1) %/% 3 + 1, 2) %in% c(0, 3)), NA)))
  }
  expect_length(bundle(1)[[1]], 2)
  expect_length(bundle(100), 16)
})
