# Grid points that share kernel values, epochs and warm starts give the numbers of separate fits.

# Every call of a tuning is answered both ways.
expect_as_separate <- function(..., tolerance = 1e-5, label = "") {
  seen <- 0
  local_internal("call_tune", function(data, labels, kernels, solvers, points, control) {
    fast <- .Call(onlinesvm:::ffi_tune, data, labels, kernels, solvers, points, control)
    slow <- reference_tune(data, labels, kernels, solvers, points, control)
    expect_true(is.list(fast), info = label)
    expect_identical(length(fast$outputs), length(slow$outputs), info = label)
    gap <- max(abs(c(fast$outputs) - c(slow$outputs)))
    expect_lte(gap / max(abs(slow$outputs)), tolerance, label = paste("the gap of", label))
    # A coefficient that is zero but for rounding counts or not.
    extra <- max(abs(fast$counts["support", ] - slow$counts["support", ]))
    expect_lte(extra, 2, label = paste("the difference in support vectors of", label))
    expect_identical(c(fast$state), c(slow$state), info = label)
    seen <<- seen + 1
    fast
  })
  tuned <- suppressWarnings(quick_tune(...), classes = "osvm_unfinished")
  expect_gt(seen, 0)
  invisible(tuned)
}

# Solvers that stop at a tolerance stop below that of the comparison.
strict_solver <- function(name, ...) {
  solver <- soft_solver(name, ...)
  if (!is.null(solver$params$tolerance)) solver$params$tolerance <- 1e-8
  solver
}

tuned_parameter <- function(solver) {
  intersect(c("C", "lambda", "rate", "epochs"), names(solver$params))[1]
}

each_solver("a tuning gives the outputs of separate fits", function(name) {
  solver <- strict_solver(name)
  parameter <- tuned_parameter(solver)
  solver$params[[parameter]] <- list(
    C = c(0.3, 2, 20), lambda = c(1e-3, 1e-1), rate = c(0.01, 0.1), epochs = c(1, 4)
  )[[parameter]]
  for (case in combinations(classes = 2:3, form = c("x", "s"), kernel = solver_kernels(name))) {
    data <- sparse_clouds(60, classes = case$classes)
    kernel <- case$kernel
    if (!is.null(kernel$params$gamma)) kernel$params$gamma <- kernel$params$gamma * c(0.5, 1)
    label <- paste(name, kernel$name, case$form, case$classes)
    expect_as_separate(data[[case$form]], data$y, solver, kernel, folds = 3, label = label)
  }
})

each_solver("a tuning one against one with weights gives the outputs of separate fits", function(name) {
  data <- clouds(60, classes = 3)
  solver <- strict_solver(name)
  weights <- rep(c(1, 0.5, 2), 20)
  expect_as_separate(
    data$x, data$y, solver, main_kernel(name), multiclass = "ovo", folds = 3, weights = weights,
    class_weights = c(a = 2), label = name
  )
})

each_solver("numbers of epochs give the outputs of separate fits", function(name) {
  solver <- strict_solver(name)
  if (is.null(solver$params$epochs)) {
    succeed() # has none
    return()
  }
  data <- clouds(60)
  solver$params$epochs <- c(4L, 1L, 2L)
  expect_as_separate(data$x, data$y, solver, main_kernel(name), folds = 3, label = name)
  for (ending in intersect(c("finish", "batch"), names(solver$params))) {
    solver$params[[ending]] <- list(finish = FALSE, batch = 1L)[[ending]]
    expect_as_separate(data$x, data$y, solver, main_kernel(name), folds = 3, label = paste(name, ending))
    solver$params[[ending]] <- list(finish = TRUE, batch = 7L)[[ending]]
    expect_as_separate(data$x, data$y, solver, main_kernel(name), folds = 3, label = paste(name, ending))
  }
})

test_that("of several numbers of epochs only the largest is run", {
  data <- clouds(200)
  work <- function(solver) {
    set.seed(1)
    quick_tune(data$x, data$y, solver, kernel_rbf(gamma = 1))$stats$kernel_evaluations
  }
  expect_identical(work(solver_perceptron(epochs = c(1, 2, 5))), work(solver_perceptron(epochs = 5)))
  expect_gt(work(solver_perceptron(epochs = 6)), work(solver_perceptron(epochs = 1)))
})

test_that("a cache too small for the kernel matrix does not change the outputs", {
  data <- clouds(200)
  for (solver in list(solver_olsvm(C = c(1, 10), epochs = 3), solver_smo(C = c(1, 10), tolerance = 1e-8))) {
    expect_as_separate(data$x, data$y, solver, kernel_rbf(gamma = c(0.1, 1)), folds = 3, cache_mb = 0.05)
  }
})

test_that("different precision, order and norms are different calls", {
  data <- clouds(40)
  tuned <- expect_as_separate(
    data$x, data$y, solver_pegasos(unit_norm = c(TRUE, FALSE), shuffle = c(TRUE, FALSE)), kernel_linear(), folds = 3
  )
  expect_identical(nrow(tuned$results), 4L)
  tuned <- expect_as_separate(
    data$x, data$y, solver_smo(tolerance = c(1e-3, 1e-8)), kernel_rbf(gamma = 0.5), folds = 3, tolerance = 0.05
  )
  expect_false(anyNA(tuned$results$error))
})

test_that("calls are split where outputs exceed the limit, and kernels kept together", {
  chunk <- onlinesvm:::chunk_points
  expect_identical(chunk(c(1, 1, 2, 2, 3, 3), 4), c(1, 1, 1, 1, 2, 2))
  expect_identical(chunk(c(1, 2, 1, 2), 2), c(1, 2, 1, 2))
  expect_identical(chunk(rep(1, 5), 2), c(1, 1, 2, 2, 3))
  expect_identical(chunk(1:3, 1), c(1, 2, 3))
  data <- clouds(40)
  solver <- solver_olsvm(C = c(1, 10, 100), epochs = 2)
  kernel <- kernel_rbf(gamma = c(0.1, 1))
  set.seed(1)
  whole <- quick_tune(data$x, data$y, solver, kernel, repeats = 2)
  split_calls <- onlinesvm:::split_calls
  count <- 0
  local_internal("split_calls", function(task, plan) {
    calls <- split_calls(task, plan, most = 8 * 40 * 2)
    count <<- length(calls)
    calls
  })
  set.seed(1)
  parts <- quick_tune(data$x, data$y, solver, kernel, repeats = 2)
  expect_identical(count, 8L)
  expect_same_tuning(parts, whole, tolerance = 0)
})
