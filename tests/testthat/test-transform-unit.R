# Rows of norm 1, whose columns have a weight by their rarity.

counts <- function(n = 90, words = 40, seed = 1) {
  set.seed(seed)
  class <- rep(1:3, length.out = n)
  rate <- matrix(0.15, 3, words)
  for (k in 1:3) rate[k, 8 * k + 1:6] <- 0.6
  x <- matrix(rpois(n * words, rate[class, ] * rgamma(n, 2, 1)), n, dimnames = list(NULL, paste0("w", seq_len(words))))
  list(x = x, s = Matrix::Matrix(x, sparse = TRUE), y = factor(c("a", "b", "c")[class]))
}

plain_unit <- function(x, training) {
  present <- pmax(colSums(training != 0), 1)
  size <- sqrt(colSums(training^2) / present)
  z <- sweep(x, 2, (1 + log(nrow(training) / present)) / ifelse(size > 0, size, 1), "*")
  norm <- sqrt(rowSums(z^2))
  z / ifelse(norm > 0, norm, 1)
}

test_that("a model is that of the rows divided by hand, dense and sparse, of every kernel", {
  data <- counts()
  new <- rbind(counts(30, seed = 2)$x, 0)
  by_hand <- plain_unit(data$x, data$x)
  for (kernel in list(kernel_linear(), kernel_rbf(gamma = 1), kernel_laplacian(gamma = 0.3))) {
    want <- osvm(by_hand, data$y, solver_smo(C = 2), kernel, scale = FALSE, multiclass = "ovo", verbose = FALSE)
    for (x in list(data$x, data$s)) {
      fit <- osvm(x, data$y, solver_smo(C = 2), kernel, scale = "unit", multiclass = "ovo", verbose = FALSE)
      got <- predict(fit, if (is.matrix(x)) new else Matrix::Matrix(new, sparse = TRUE), type = "decision")
      expect_close(unname(got), unname(predict(want, plain_unit(new, data$x), type = "decision")), 1e-4)
      expect_equal(unname(as.matrix(fit$sv)), unname(data$x[fit$index, ]))
      expect_output(print(fit), "rows of norm 1")
      one <- predict(fit, new[3, , drop = FALSE], type = "decision")
      expect_close(unname(one), unname(got[3, , drop = FALSE]), 1e-5)
    }
  }
})

test_that("the length of a text does not count", {
  data <- counts()
  fit <- osvm(data$s, data$y, kernel = "linear", scale = "unit", verbose = FALSE)
  expect_close(predict(fit, 7 * data$s, type = "decision"), predict(fit, data$s, type = "decision"), 1e-5)
})

test_that("it goes on learning, is live, mapped, saved and explained", {
  data <- counts(120)
  for (x in list(data$x, data$s)) for (kernel in list(kernel_linear(), kernel_rbf(gamma = 1))) {
    fit <- osvm(x[1:80, ], data$y[1:80], solver_lasvm(), kernel, scale = "unit", verbose = FALSE)
    set.seed(2)
    more <- update(fit, x[81:120, ], data$y[81:120])
    live <- osvm_live(fit)
    expect_equal(predict(live, x, type = "decision"), predict(fit, x, type = "decision"), tolerance = 1e-5)
    set.seed(2)
    live <- update(live, x[81:120, ], data$y[81:120])
    expect_equal(predict(live, x, type = "decision"), predict(more, x, type = "decision"), tolerance = 1e-5)
    why <- osvm_shapley(fit, x[1:4, ])
    expect_close(unname(why$decision), unname(predict(fit, x[1:4, ], type = "decision")), 1e-4)
    again <- osvm(x[1:80, ], data$y[1:80], solver_lasvm(), kernel, scale = fit$scaling, verbose = FALSE)
    expect_identical(again$transform$kind, "unit")
    expect_s3_class(unserialize(serialize(fit, NULL)), "osvm")
  }
  mapped <- osvm(data$x, data$y, kernel = kernel_nystrom(gamma = 1, rank = 100), scale = "unit", verbose = FALSE)
  exact <- osvm(
    plain_unit(data$x, data$x), data$y, solver_smo(C = mapped$solver$params$C), kernel_rbf(gamma = 1),
    scale = FALSE, verbose = FALSE
  )
  expect_gt(mean(predict(mapped, data$x) == predict(exact, plain_unit(data$x, data$x))), 0.95)
})

test_that("vectors of norm 1 are removed, not merged", {
  data <- counts()
  fit <- osvm(data$s, data$y, "smo", kernel_rbf(gamma = 1), scale = "unit", verbose = FALSE)
  small <- compress(fit, fit$n_sv %/% 2)
  expect_true(all(small$index %in% fit$index))
  expect_error(
    osvm(data$s, data$y, solver_olsvm(budget = 9), kernel_rbf(gamma = 1), scale = "unit"), "cannot be merged"
  )
})

test_that("of sparse data a linear kernel is one against the rest, and rows of norm 1 are among the candidates", {
  data <- counts(150)
  expect_identical(osvm(data$s, data$y, kernel = "linear", verbose = FALSE)$multiclass, "ovr")
  expect_identical(osvm(data$x, data$y, kernel = "linear", verbose = FALSE)$multiclass, "ovo")
  expect_identical(osvm(data$s, data$y, kernel = "linear", multiclass = "ovo", verbose = FALSE)$multiclass, "ovo")
  expect_identical(osvm(data$s, data$y, kernel = "rbf", verbose = FALSE)$multiclass, "ovo")
  fit <- osvm(data$s, data$y, verbose = FALSE)
  expect_setequal(fit$choice$scale, c("TRUE", "unit"))
  expect_identical(fit$multiclass, if (fit$kernel$name == "linear") "ovr" else "ovo")
  new <- counts(600, seed = 3)
  expect_gt(mean(predict(fit, new$s) == new$y), 0.8)
  expect_identical(unique(osvm(data$s, data$y, scale = TRUE, verbose = FALSE)$choice$scale), "given")
})
