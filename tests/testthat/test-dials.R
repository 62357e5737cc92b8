test_that("a name that is no parameter is refused", {
  expect_error(osvm_dials("nonsense"), "must be a parameter", class = "osvm_error")
  expect_error(osvm_dials(), "must be a parameter", class = "osvm_error")
  expect_error(osvm_dials(1:2), "must be a parameter", class = "osvm_error")
})

skip_if_not_installed("dials")

test_that("every parameter of every solver and kernel has one for dials, whose values the spec takes", {
  for (name in all_solvers$name) for (parameter in names(make_solver(name)$params)) {
    made <- osvm_dials(parameter)
    expect_s3_class(made, "param")
    if (parameter %in% c("start", "selection")) next # bounds and choices differ between solvers
    values <- dials::value_seq(made, 3)
    for (value in values) {
      spec <- do.call(make_solver, c(name, stats::setNames(list(value), parameter)))
      expect_identical(spec$params[[parameter]], value, info = paste(name, parameter))
    }
  }
  expect_identical(osvm_dials("solver")$values, all_solvers$name)
  expect_s3_class(kernel_rbf(gamma = dials::value_seq(osvm_dials("gamma"), 4)), "osvm_kernel")
})

test_that("so have those of losses", {
  for (name in c("epsilon", "quantile", "novelty")) {
    loss <- get(paste0("loss_", name))
    parameter <- names(loss()$params)
    for (value in dials::value_seq(osvm_dials(parameter), 3)) expect_identical(loss(value)$params[[1]], value)
  }
  expect_identical(osvm_dials("margin")$range, osvm_dials("epsilon")$range)
  expect_error(osvm_dials("tau", c(0.1, 1)), "range", class = "osvm_error")
})

test_that("ranges and values can be set, in the units of the parameter", {
  expect_equal(dials::range_get(osvm_dials("C", c(0.1, 100))), list(lower = 0.1, upper = 100))
  expect_identical(dials::range_get(osvm_dials("epochs", c(2, 8))), list(lower = 2L, upper = 8L))
  expect_identical(osvm_dials("solver", values = c("pa", "smo"))$values, c("pa", "smo"))
  expect_error(osvm_dials("C", c(0, 1)), "range", class = "osvm_error")
  expect_error(osvm_dials("C", c(2, 1)), "range", class = "osvm_error")
  expect_error(osvm_dials("C", values = 1), "range", class = "osvm_error")
  expect_error(osvm_dials("solver", c(0, 1)), "values", class = "osvm_error")
  expect_error(osvm_dials("solver", values = "none"), "values", class = "osvm_error")
})
