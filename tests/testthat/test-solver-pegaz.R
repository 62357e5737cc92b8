test_that("Pegaz is List 2, with every parameter", {
  expect_follows_list(solver_pegaz)
})

test_that("Pegaz is List 2 under every kernel", {
  expect_follows_kernels(solver_pegaz)
})

test_that("Pegaz visits the examples in the order drawn", {
  expect_follows_shuffle(solver_pegaz)
})

test_that("Pegaz continues the step count in update()", {
  expect_follows_update(solver_pegaz)
})

test_that("Pegaz learns from a stream of single examples", {
  expect_follows_stream(solver_pegaz)
})

test_that("Pegaz's machines are independent", {
  expect_follows_machines(solver_pegaz)
})

test_that("Pegaz stays exact over many steps", {
  expect_follows_long(solver_pegaz)
  expect_follows_long(solver_pegaz, average = TRUE, bias = TRUE)
  expect_follows_long(solver_pegaz, outputs = "list")
})

test_that("Pegaz's trace is that of List 2", {
  expect_honest_trace(solver_pegaz)
})
