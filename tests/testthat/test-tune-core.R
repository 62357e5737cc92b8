# Grid points that share kernel values, epochs and warm starts give the numbers of separate fits.

# Hold-out decision values of every grid point and fold against a fit of the training fold. The metric returns the
# number of its call, by which `scores` says where its decision values belong.
expect_as_separate <- function(x, y, solver, kernel, ..., weights = NULL, tolerance = 1e-5, label = "") {
  seen <- list()
  record <- function(truth, predicted, decision) {
    seen[[length(seen) + 1]] <<- as.matrix(decision)
    length(seen)
  }
  if (is_drawing(solver)) solver$params$shuffle <- FALSE
  scale <- scale_of(x)
  tuned <- suppressWarnings(
    quick_tune(x, y, solver, kernel, ..., weights = weights, scale = scale, folds = 3, metric = record),
    classes = "osvm_unfinished"
  )
  fits <- lapply(seq_len(nrow(tuned$results)), function(point) {
    lapply(tuned$folds, function(fold) {
      visits <- if (isFALSE(tuned$results$shuffle[point])) sort(fold$train) else fold$train
      set.seed(fold$seed)
      suppressWarnings(osvm(
        x[visits, ], y[visits], at_point(solver, tuned, point, shuffle = FALSE), at_point(kernel, tuned, point), ...,
        weights = weights[visits], scale = scale, verbose = FALSE
      ), classes = "osvm_unfinished")
    })
  })
  n_sv <- vapply(fits, function(folds) mean(vapply(folds, function(fit) as.numeric(fit$n_sv), 0)), 0)
  # A coefficient that is zero but for rounding counts or not.
  extra <- max(abs(tuned$results$n_sv - n_sv))
  expect_lte(extra, 2, label = paste("the difference in support vectors of", label))
  stopped <- vapply(fits, function(folds) sum(vapply(folds, is_unfinished, NA)), 0L)
  counted <- tuned$results$unfinished
  expect_equal(if (is.null(counted)) 0 * stopped else counted, stopped, info = label)
  apart <- mapply(function(point, k) {
    f <- as.matrix(decide(fits[[point]][[k]], x[tuned$folds[[k]]$test, ]))
    c(max(abs(seen[[tuned$scores[point, k]]] - f)), max(abs(f)))
  }, row(tuned$scores), col(tuned$scores))
  expect_lte(max(apart[1, ]) / max(apart[2, ]), tolerance, label = paste("the gap of", label))
  invisible(tuned)
}

is_unfinished <- function(fit) isFALSE(all(fit$convergence$finished))

# The scaling of all examples, which all folds have.
scale_of <- function(x) osvm(x, rep_len(c("a", "b"), nrow(x)), solver_pegasos(epochs = 1), verbose = FALSE)$scaling

# SGD draws a new order in every epoch.
is_drawing <- function(solver) solver$name == "sgd"

# The spec with the values of a grid point.
at_point <- function(spec, tuned, point, ...) {
  values <- c(list(...), as.list(tuned$results[point, ]))
  values <- values[intersect(names(values), names(spec$params))]
  spec$params[names(values)] <- values
  spec
}

# Solvers that stop at a tolerance stop below that of the comparison.
strict_solver <- function(name, ...) {
  solver <- soft_solver(name, ...)
  if (!is.null(solver$params$tolerance)) solver$params$tolerance <- 1e-8
  if (!is.null(solver$params$max_iter)) solver$params$max_iter <- 1e7
  solver
}

tuned_parameter <- function(solver) {
  intersect(c("C", "lambda", "rate", "epochs"), names(solver$params))[1]
}

each_solver("a tuning gives the outputs of separate fits", function(name) {
  solver <- strict_solver(name)
  parameter <- tuned_parameter(solver)
  solver$params[[parameter]] <- list(
    C = c(0.3, 20), lambda = c(1e-3, 1e-1), rate = c(0.01, 0.1), epochs = c(1, 4)
  )[[parameter]]
  # Fits of low rank draw a map each: test-kernel-nystrom.R.
  kernels <- Filter(function(kernel) !kernel$name %in% c("nystrom", "fourier"), solver_kernels(name))
  for (case in combinations(classes = 2:3, form = c("x", "s"), kernel = kernels)) {
    data <- sparse_clouds(60, classes = case$classes)
    kernel <- case$kernel
    if (!is.null(kernel$params$gamma)) kernel$params$gamma <- kernel$params$gamma * c(0.5, 1)
    label <- paste(name, kernel$name, case$form, case$classes)
    expect_as_separate(data[[case$form]], data$y, solver, kernel, label = label)
  }
})

each_solver("a tuning one against one with weights gives the outputs of separate fits", function(name) {
  data <- clouds(60, classes = 3)
  solver <- strict_solver(name)
  weights <- rep(c(1, 0.5, 2), 20)
  expect_as_separate(
    data$x, data$y, solver, main_kernel(name), multiclass = "ovo", weights = weights,
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
  expect_as_separate(data$x, data$y, solver, main_kernel(name), label = name)
  for (ending in intersect(c("finish", "batch"), names(solver$params))) {
    solver$params[[ending]] <- list(finish = FALSE, batch = 1L)[[ending]]
    expect_as_separate(data$x, data$y, solver, main_kernel(name), label = paste(name, ending))
    solver$params[[ending]] <- list(finish = TRUE, batch = 7L)[[ending]]
    expect_as_separate(data$x, data$y, solver, main_kernel(name), label = paste(name, ending))
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
    expect_as_separate(data$x, data$y, solver, kernel_rbf(gamma = c(0.1, 1)), cache_mb = 0.05)
  }
})

test_that("different precision, order and norms are different calls", {
  data <- clouds(40)
  tuned <- expect_as_separate(
    data$x, data$y, solver_pegasos(unit_norm = c(TRUE, FALSE), shuffle = c(TRUE, FALSE)), kernel_linear()
  )
  expect_identical(nrow(tuned$results), 4L)
  tuned <- expect_as_separate(
    data$x, data$y, solver_smo(tolerance = c(1e-3, 1e-8)), kernel_rbf(gamma = 0.5), tolerance = 0.05
  )
  expect_false(anyNA(tuned$results$error))
})

test_that("a grid whose hold-out outputs exceed the limit has the numbers of a smaller one", {
  skip_if_not(exhaustive(), "a part of make test-all")
  set.seed(1)
  x <- matrix(rnorm(1000), 500)
  y <- factor(rep_len(1:180, 500))
  run <- function(epochs, folds) {
    quick_tune(x, y, solver_perceptron(epochs = epochs), kernel_linear(), folds = folds, multiclass = "ovr")
  }
  few <- run(c(1, 60, 100), 2)
  many <- run(1:100, few$folds)
  expect_gt(8 * 500 * 180 * 100, 64e6)
  expect_identical(many$scores[c(1, 60, 100), ], few$scores)
})

test_that("grid points are solved as precisely as their comparison needs", {
  set.seed(3)
  x <- matrix(rnorm(400), 100)
  y <- factor(x[, 1] * x[, 2] + rnorm(100) / 2 > 0)
  tune <- function(solver = solver_smo(C = 10), y = get("y", parent.frame()), ...) {
    set.seed(4)
    quick_tune(x, y, solver, kernel_rbf(gamma = 1), folds = 3, ...)
  }
  same <- function(a, b) expect_identical(a$scores, b$scores)
  numbers <- function(...) tune(y = 10 * x[, 1], metric = "rmse", ...)
  coarse <- tune(refit = TRUE)
  expect_identical(coarse$precision, 0.1)
  expect_identical(coarse$fit$solver$params$tolerance, 1e-3)
  expect_output(print(coarse), "folds .*3, with tolerance = 0.1")
  same(tune(metric = "logloss"), tune(solver_smo(C = 10, tolerance = 0.1), metric = "logloss"))
  expect_null(tune(precision = NULL)$precision)
  same(tune(precision = NULL, metric = "logloss"), tune(solver_smo(C = 10, tolerance = 1e-3), metric = "logloss"))
  # A tolerance that is given is kept, and other solvers have their own.
  expect_null(tune(solver_smo(C = 10, tolerance = 1e-3))$precision)
  expect_null(tune(grid = data.frame(tolerance = c(1e-3, 1e-2)))$precision)
  expect_null(tune(precision = 1e-4)$precision)
  for (solver in c("lasvm", "olsvm")) expect_null(tune(solver)$precision)
  # Numbers: in standard deviations
  expect_equal(numbers(scale = FALSE)$precision, 0.1 * sd(10 * x[, 1]))
  expect_equal(numbers()$precision, 0.1, tolerance = 0.02)
  same(numbers(scale = FALSE), numbers(solver_smo(C = 10, tolerance = 0.1 * sd(10 * x[, 1])), scale = FALSE))
  for (bad in list(0, -1, "a", NA, 1:2)) expect_error(tune(precision = bad), "`precision` must be one positive number")
})
