test_that("NORMA is List 1, with every parameter", {
  expect_follows_list(solver_norma)
})

test_that("NORMA is List 1 under every kernel", {
  expect_follows_kernels(solver_norma)
})

test_that("NORMA visits the examples in the order drawn", {
  expect_follows_shuffle(solver_norma)
})

test_that("NORMA continues the step count in update()", {
  expect_follows_update(solver_norma)
})

test_that("NORMA learns from a stream of single examples", {
  expect_follows_stream(solver_norma)
})

test_that("NORMA's machines are independent", {
  expect_follows_machines(solver_norma)
})

test_that("NORMA stays exact over many steps", {
  expect_follows_long(solver_norma)
  expect_follows_long(solver_norma, average = TRUE, bias = TRUE)
  expect_follows_long(solver_norma, outputs = "list")
})

test_that("NORMA's trace is that of List 1", {
  expect_honest_trace(solver_norma)
})

test_that("NORMA is List 1 where 1 - eta/C is negative or zero, too", {
  # Two steps by hand: eta = C sqrt(2), then eta = C, which sets all other coefficients to 0.
  x <- rbind(c(0, 0), c(5, 5))
  solver <- solver_norma(C = 2, epochs = 1, bias = FALSE, shuffle = FALSE)
  fit <- osvm(x, c(-1, 1), solver, kernel_rbf(gamma = 1), scale = FALSE, verbose = FALSE)
  expect_close(spread_coef(fit, x), c(0, 2))
  expect_equal(fit$n_sv, 1)

  # Two epochs more, where 1 - eta/C is between 0 and 1.
  solver <- solver_norma(C = 2, epochs = 3, bias = FALSE, shuffle = FALSE)
  fit <- osvm(x, c(-1, 1), solver, kernel_rbf(gamma = 1), scale = FALSE, verbose = FALSE)
  ref <- ref_train(solver, kernel_rbf(gamma = 1), x, c(-1, 1))
  expect_close(spread_coef(fit, x), ref$coef)
})
