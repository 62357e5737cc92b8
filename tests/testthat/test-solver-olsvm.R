test_that("OL SVM is List 3b, with every parameter", {
  expect_follows_list(solver_olsvm)
})

test_that("regularised OL SVM is List 3a, with every parameter", {
  expect_follows_list(solver_olsvm, regularized = TRUE)
})

test_that("OL SVM is its list under every kernel", {
  expect_follows_kernels(solver_olsvm)
  expect_follows_kernels(solver_olsvm, regularized = TRUE)
})

test_that("OL SVM visits the examples in the order drawn", {
  expect_follows_shuffle(solver_olsvm)
  expect_follows_shuffle(solver_olsvm, regularized = TRUE)
})

test_that("OL SVM continues the step count in update()", {
  expect_follows_update(solver_olsvm)
  expect_follows_update(solver_olsvm, regularized = TRUE)
})

test_that("OL SVM learns from a stream of single examples", {
  expect_follows_stream(solver_olsvm)
  expect_follows_stream(solver_olsvm, regularized = TRUE)
})

test_that("OL SVM's machines are independent", {
  expect_follows_machines(solver_olsvm)
  expect_follows_machines(solver_olsvm, regularized = TRUE)
})

test_that("OL SVM stays exact over many steps", {
  expect_follows_long(solver_olsvm)
  expect_follows_long(solver_olsvm, regularized = TRUE)
  expect_follows_long(solver_olsvm, average = TRUE, bias = TRUE)
  expect_follows_long(solver_olsvm, outputs = "list")
})

test_that("OL SVM's trace is that of its list", {
  expect_honest_trace(solver_olsvm)
  expect_honest_trace(solver_olsvm, regularized = TRUE)
})

test_that("OL SVM computes no kernel value without a violation", {
  # Two distant points, each without violation after its first visit: later epochs need no kernel value.
  x <- rbind(c(0, 0), c(9, 9))
  evaluations <- function(epochs) {
    solver <- solver_olsvm(C = 5, epochs = epochs, bias = FALSE, shuffle = FALSE)
    fit <- osvm(x, c(-1, 1), solver, kernel_rbf(gamma = 1), scale = FALSE, verbose = FALSE)
    expect_equal(fit$stats$steps, 2 * epochs)
    expect_equal(fit$stats$updates, 2)
    fit$stats$kernel_evaluations
  }
  expect_equal(evaluations(400), evaluations(40))
})
