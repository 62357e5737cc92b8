tune_folds <- function(y, ...) {
  set.seed(1)
  x <- matrix(rnorm(2 * length(y)), ncol = 2) + as.integer(factor(y))
  quick_tune(x, y, solver_smo(C = 1), kernel_rbf(gamma = 1), ...)
}

test_that("folds are stratified", {
  y <- rep(c("a", "b", "c"), c(23, 51, 8))
  tuned <- tune_folds(y, folds = 4)
  shares <- sapply(tuned$folds, function(fold) table(factor(y[fold$test], unique(y))))
  expect_true(all(apply(shares, 1, function(n) diff(range(n))) <= 1))
  expect_lte(diff(range(colSums(shares))), 1)
})

test_that("folds can be given", {
  y <- rep(c("a", "b"), 15)
  id <- rep(c("north", "south", "east"), each = 10)
  tuned <- tune_folds(y, foldid = id)
  expect_length(tuned$folds, 3)
  for (fold in tuned$folds) expect_length(unique(id[fold$test]), 1)
  expect_identical(tuned$folds[[1]]$test, 21:30)
})

test_that("a class may have fewer examples than there are folds", {
  y <- rep(c("a", "b", "c"), c(20, 20, 2))
  tuned <- tune_folds(y, folds = 5)
  expect_false(anyNA(tuned$scores))
  expect_length(tune_folds(rep(1:2, 6), folds = 12)$folds, 12)
})

test_that("folds that cannot be used are refused", {
  skip_if_shifted()
  y <- rep(c("a", "b"), c(11, 1))
  both <- rep(c("a", "b"), 6)
  expect_snapshot(error = TRUE, {
    tune_folds(y, folds = 3)
    tune_folds(both, folds = 13)
    tune_folds(both, folds = 1)
    tune_folds(both, folds = 2.5)
    tune_folds(both, repeats = 0)
    tune_folds(both, foldid = 1:5)
    tune_folds(both, foldid = c(NA, rep(1:2, 5), 1))
    tune_folds(both, foldid = rep(1, 12))
    tune_folds(both, foldid = rep(1:2, 6))
  })
})
