# Damaged tunings, comparisons, folds and specs, and odd arguments: an osvm_error.

small_tuning <- function() {
  data <- clouds(24)
  set.seed(1)
  quick_tune(data$x, data$y, solver_smo(C = c(1, 10)), kernel_rbf(gamma = c(0.1, 1)), folds = 2)
}

test_that("each damaged field of a tuning is refused wherever it is read", {
  tuned <- small_tuning()
  read <- c(
    "results", "metric", "maximize", "parameters", "solver", "kernel", "levels", "n", "folds", "points", "interrupted",
    "stats", "errors"
  )
  for (field in read) for (value in list(NULL, new.env(), quote(stop("evaluated")), list(1))) {
    broken <- tuned
    broken[[field]] <- value
    expect_osvm_error(print(broken))
    expect_osvm_error(summary(broken))
    expect_osvm_error(plot(broken))
    expect_osvm_error(osvm_compare(list(broken)))
  }
  broken <- tuned
  broken$best$C <- "a"
  expect_osvm_error(print(broken))
  broken <- tuned
  broken$fit <- 1
  expect_osvm_error(predict(broken, clouds()$x))
  expect_osvm_error(print(structure(list(tuning = 1), class = "summary.osvm_tuning")))
})

test_that("a damaged comparison is refused", {
  compared <- osvm_compare(list(a = small_tuning(), b = small_tuning()))
  for (change in list(
    function(x) replace(x, "tunings", list(NULL)), function(x) replace(x, "table", list(1)),
    function(x) replace(x, "tunings", list(c(x$tunings, x$tunings))), function(x) {
      x$tunings$a <- 1
      x
    }, function(x) {
      x$table$seconds <- "a"
      x
    }
  )) {
    expect_osvm_error(print(change(compared)))
    expect_osvm_error(plot(change(compared)))
  }
  expect_output(print(compared), "2 solvers")
})

test_that("damaged folds and specs are refused", {
  folds <- small_tuning()$folds
  data <- clouds(24)
  broken <- folds
  broken[[1]]$test <- "a"
  expect_osvm_error(print(broken))
  expect_osvm_error(quick_tune(data$x, data$y, "smo", folds = broken))
  for (spec in list(solver_smo(C = 1:2), kernel_rbf(gamma = 1:2))) {
    expect_output(print(spec))
    for (name in list(NULL, 1, c("a", "b"), "unknown")) {
      spec$name <- name
      expect_osvm_error(print(spec))
      expect_osvm_error(format(spec))
    }
  }
})

test_that("odd values are refused in one sentence", {
  data <- clouds(24)
  tunes <- function(...) quick_tune(data$x, data$y, "smo", ...)
  for (grid in list(list(C = new.env()), pairlist(a = 1), list(C = list(1, 2)), list(C = mean), structure(list(),
    class = "data.frame"))) {
    expect_osvm_error(tunes(grid = grid))
  }
  expect_osvm_error(tunes(repeats = 1e308))
  for (value in list(new.env(), mean, quote(a), structure(1:3, class = "factor"), factor("a"))) {
    expect_osvm_error(solver_smo(C = value))
    expect_osvm_error(solver_smo(selection = value))
    expect_osvm_error(print(small_tuning(), n = value))
  }
  expect_osvm_error(print(structure(list(error = 0, class = 1), class = "osvm_loo")))
})

test_that("damaged factors and matrices of other classes are refused", {
  data <- clouds(24)
  for (levels in list(c("a", "a"), 1:2, "a", NULL)) {
    y <- data$y
    attr(y, "levels") <- levels
    expect_osvm_error(osvm(data$x, y))
  }
  fit <- quick_fit("smo", data)
  for (x in list(sparse_clouds()$s, methods::as(sparse_clouds()$s, "TsparseMatrix"))) {
    for (slot in c("Dim", "Dimnames")) for (value in list(integer(), "a", list(1, 2))) {
      broken <- x
      attr(broken, slot) <- value
      expect_osvm_error(osvm(broken, data$y))
      expect_osvm_error(predict(fit, broken))
      expect_osvm_error(plot(fit, broken))
    }
  }
})

test_that("Matrix is not given a damaged matrix to convert", {
  data <- sparse_clouds()
  fit <- quick_fit("smo", data)
  triplets <- methods::as(data$s, "TsparseMatrix")
  attr(triplets, "i")[1] <- 1000000L
  dense <- Matrix::Matrix(data$x, sparse = FALSE)
  attr(dense, "x") <- numeric()
  for (broken in list(triplets, dense)) expect_osvm_error(predict(fit, broken))
})

test_that("more rows than Matrix can select are refused before anything is allocated", {
  big <- methods::new("dgCMatrix", p = integer(4), i = integer(), x = numeric(), Dim = c(.Machine$integer.max, 3L))
  data <- sparse_clouds()
  fit <- quick_fit("smo", list(x = data$s, y = data$y))
  expect_osvm_error(osvm(big, data$y))
  expect_osvm_error(predict(fit, big))
  expect_osvm_error(update(fit, big, data$y))
  expect_osvm_error(osvm_active(big, function(i) i))
  expect_osvm_error(plot(fit, big))
})

test_that("a model far from zero can be drawn", {
  data <- clouds(24, d = 2)
  data$x <- data$x + 1e6
  expect_silent(draw(quick_fit("smo", data)))
})
