# Seconds differ between runs, kernel evaluations with the row cache, and the solver's line with
# the defaults.
mask <- function(lines) {
  lines <- sub("^( *(seconds|kernels) +)[0-9.e,-]+", "\\1<number>", lines)
  sub("^( *solver +[a-z]+)\\(.*", "\\1(...)", lines)
}

printed <- function(..., classes = 2) {
  data <- clouds(30, classes = classes)
  set.seed(1)
  osvm(data$x, data$y, ..., verbose = FALSE)
}

test_that("the printed model", {
  skip_if_shifted()
  expect_snapshot(transform = mask, {
    printed(solver_olsvm(C = 3, epochs = 2, bias = TRUE), kernel_rbf(gamma = 0.5))
    printed(solver_norma(C = 1, epochs = 1, bias = TRUE, average = TRUE), kernel_linear(), scale = FALSE)
    printed(solver_pegaz(C = 1, epochs = 1, bias = TRUE), kernel_polynomial(2), classes = 3, multiclass = "ovo")
  })
})

test_that("the printed summary", {
  skip_if_shifted()
  expect_snapshot(transform = mask, {
    summary(printed(solver_olsvm(C = 3, epochs = 2, bias = TRUE), kernel_rbf(gamma = 0.5)))
    summary(printed(solver_olsvm(C = 3, epochs = 8, bias = TRUE, regularized = TRUE), kernel_linear(), classes = 3))
  })
  s <- summary(printed())
  expect_s3_class(s, "summary.osvm")
  expect_identical(capture.output(out <- print(s))[1], capture.output(print(printed()))[1])
  expect_identical(out, s)
})

test_that("specs print their parameters", {
  expect_snapshot({
    solver_olsvm(C = c(1, 10), epochs = 5, bias = TRUE)
    solver_norma(C = 1, epochs = 2, bias = FALSE)
    kernel_rbf()
    kernel_rbf(sigma = c(1, 2))
    kernel_polynomial(degree = 2, gamma = 0.1)
    kernel_linear()
    format(kernel_sigmoid(gamma = 0.1))
  })
  expect_match(format(solver_pegaz(C = 3.5)), "pegaz(C = 3.5", fixed = TRUE)
})

test_that("printing returns its argument", {
  fit <- printed()
  capture.output(out <- withVisible(print(fit)))
  expect_false(out$visible)
  expect_identical(out$value, fit)
})

test_that("training is silent by default", {
  expect_silent(printed(solver_olsvm(epochs = 2)))
})

test_that("print() leaves to summary() what a user does not ask of a fit", {
  lines <- paste(capture.output(print(printed("smo", classes = 3))), collapse = "\n")
  expect_match(lines, "learned +30 examples\n")
  expect_match(lines, "ended +tolerance reached\\b(?!,)", perl = TRUE)
  expect_no_match(lines, "steps|updates|gap|objective|seconds|loss")
  full <- paste(capture.output(print(summary(printed("smo", classes = 3)))), collapse = "\n")
  for (word in c("steps", "updates", "gap", "seconds")) expect_match(full, word)
  expect_no_match(paste(capture.output(print(printed("ramp", classes = 3))), collapse = "\n"), "objective")
})

test_that("a summary prints the ten binary classifiers with the most support vectors", {
  data <- clouds(120, classes = 6)
  s <- summary(osvm(data$x, data$y, verbose = FALSE))
  expect_identical(nrow(s$support), 15L)
  lines <- capture.output(print(s))
  at <- grep("Support vectors, the ten of 15 binary classifiers", lines)
  expect_length(at, 1)
  most <- s$support[order(-s$support$positive - s$support$negative), ]
  expect_identical(length(lines) - at, 11L)
  expect_match(lines[at + 2], most$machine[1], fixed = TRUE)
})
