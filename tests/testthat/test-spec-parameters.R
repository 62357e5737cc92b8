test_that("every parameter of every spec is described, and its bounds are those of its check", {
  for (kind in c("solver", "kernel")) for (name in setdiff(spec_names(kind), given_kernels)) {
    make <- constructor(kind, name)
    described <- spec_parameters(kind, name)
    expect_identical(names(described), names(make()$params))
    accepts <- function(parameter, value) {
      !inherits(tryCatch(do.call(make, stats::setNames(list(value), parameter)), error = identity), "error")
    }
    for (parameter in names(described)) {
      about <- described[[parameter]]
      values <- switch(about$type,
        flag = c(TRUE, FALSE), choice = about$levels,
        whole = c(max(about$lower, 1), min(about$upper, 1e6)), real = c(min(1, about$upper), 0.25, 1e-3)
      )
      for (value in values) expect_true(accepts(parameter, value), info = paste(name, parameter, value))
      if (about$type %in% c("whole", "real")) {
        if (is.finite(about$lower)) expect_false(accepts(parameter, about$lower - 1))
        if (is.finite(about$upper)) expect_false(accepts(parameter, about$upper * 10))
        expect_identical(accepts(parameter, 0.5), about$type == "real")
      }
    }
  }
})

test_that("parameters of the same name are merged", {
  all <- all_parameters("solver")
  expect_setequal(all$lambda$of, "pegasos")
  expect_true(all(c("smo", "olsvm") %in% all$C$of))
  expect_identical(all$start$type, "real")
  expect_setequal(all$selection$levels, c("second_order", "random", "gradient", "margin"))
  declared <- unlist(lapply(all_solvers$name, function(name) names(make_solver(name)$params)))
  expect_identical(sort(names(all)), sort(unique(declared)))
})
