# Seconds differ from run to run, kernel evaluations with the way they are organised.
no_clock <- function(lines) sub("^( *(seconds|kernels) +)[0-9.e,-]+", "\\1<number>", lines)

printed <- function(..., classes = 2) {
  data <- clouds(30, classes = classes)
  set.seed(1)
  osvm(data$x, data$y, ..., verbose = FALSE)
}

test_that("a model prints on a handful of lines", {
  expect_snapshot(transform = no_clock, {
    printed(solver_olsvm(C = 10, epochs = 2), kernel_rbf(gamma = 0.5))
    printed(solver_norma(C = 1, epochs = 1, average = TRUE), kernel_linear(), scale = FALSE)
    printed(solver_pegaz(C = 1, epochs = 1), kernel_polynomial(degree = 2), classes = 3, multiclass = "ovo")
  })
})

test_that("a summary says more", {
  expect_snapshot(transform = no_clock, {
    summary(printed(solver_olsvm(C = 10, epochs = 2), kernel_rbf(gamma = 0.5)))
    summary(printed(solver_olsvm(C = 10, epochs = 8, regularized = TRUE), kernel_linear(), classes = 3))
  })
  s <- summary(printed())
  expect_s3_class(s, "summary.osvm")
  expect_identical(capture.output(out <- print(s))[1], capture.output(print(printed()))[1])
  expect_identical(out, s)
})

test_that("specs print their parameters", {
  expect_snapshot({
    solver_olsvm(C = c(1, 10))
    solver_norma(C = 1, epochs = 2)
    kernel_rbf()
    kernel_rbf(sigma = c(1, 2))
    kernel_polynomial(degree = 2, gamma = 0.1)
    kernel_linear()
    format(solver_pegaz(C = 3, epochs = 1))
    format(kernel_sigmoid(gamma = 0.1))
  })
})

test_that("printing returns its argument", {
  fit <- printed()
  capture.output(out <- withVisible(print(fit)))
  expect_false(out$visible)
  expect_identical(out$value, fit)
})

test_that("training is silent unless asked", {
  expect_silent(printed(solver_olsvm(epochs = 2)))
})
