# One run against a fit per number of epochs.

# Decision values after each epoch of one run, and those of a fit with that number of epochs.
expect_path <- function(spec, kernel, data, ..., epochs = spec$params$epochs) {
  x <- if (is.null(data$s)) data$x else data$s
  set.seed(2)
  long <- muffle_not_separable(fit_path(x, data$y, FALSE, solver = spec, kernel = kernel, ..., verbose = FALSE))
  along <- path_decisions(long, x, seq_len(epochs))
  for (e in seq_len(epochs)) {
    spec$params$epochs <- e
    set.seed(2)
    fit <- muffle_not_separable(osvm(x, data$y, spec, kernel, ..., verbose = FALSE))
    expect_null(fit$path)
    expect_close(along[[e]], decide(fit, x), 1e-9)
  }
}

test_that("after e epochs a run is at the model of a fit with e epochs", {
  specs <- nested_solvers(3)
  expect_gt(length(specs), 6)
  for (name in names(specs)) for (case in combinations(classes = 2:3, kernel = solver_kernels(name))) {
    if (!exhaustive() && case$classes == 3 && case$kernel$name != main_kernel(name)$name) next
    expect_path(specs[[name]], case$kernel, clouds(60, classes = case$classes))
  }
})

test_that("the same holds for sparse data, weights, one against one, averages and selection", {
  data <- sparse_clouds(45, classes = 3)
  weights <- rep(c(0, 1, 3), 15)
  for (name in names(specs <- nested_solvers(3))) {
    expect_path(specs[[name]], main_kernel(name), data, multiclass = "ovo", weights = weights)
  }
  for (make in list(solver_norma, solver_pegaz, solver_olsvm)) {
    expect_path(make(epochs = 3, average = TRUE, outputs = "list"), kernel_rbf(gamma = 0.5), clouds(40))
  }
  selecting <- solver_lasvm(epochs = 3, finish = FALSE, selection = "margin")
  expect_path(selecting, kernel_rbf(gamma = 0.5), clouds(80))
})

test_that("a run that continues a model, or ends with a final step, has no path", {
  data <- clouds(40)
  for (solver in list(solver_lasvm(epochs = 2), solver_pegasos(batch = 5), solver_smo())) {
    expect_false(solver_traits(solver)$nested)
  }
  fit <- fit_path(data$x, data$y, FALSE, solver = solver_olsvm(epochs = 2), verbose = FALSE)
  expect_false(is.null(fit$path))
  expect_null(update(fit, data$x, data$y)$path)
})
