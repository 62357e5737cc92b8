# What users of regression and classification software expect of any, see STANDARDS.md.

test_that("noise at the scale of rounding changes nothing that matters", {
  for (seed in 1:3) {
    set.seed(seed)
    data <- clouds(150)
    noisy <- data$x * (1 + .Machine$double.eps * matrix(sample(-1:1, length(data$x), TRUE), nrow(data$x)))
    for (solver in list(solver_smo(), solver_lasvm(), solver_idsvm())) {
      fit <- function(x) osvm(x, data$y, solver, kernel_rbf(gamma = 0.5), verbose = FALSE)
      f <- predict(fit(data$x), data$x, type = "decision")
      expect_lt(max(abs(predict(fit(noisy), data$x, type = "decision") - f)), 0.01)
    }
  }
})

test_that("the coefficients of a line are found, the better the more rows there are, by every batch solver", {
  truth <- c(2, -1, 0.5)
  error <- function(n, solver, seed) {
    set.seed(seed)
    x <- matrix(rnorm(3 * n), n)
    y <- drop(x %*% truth) + 3 + rnorm(n, sd = 0.2)
    fit <- osvm(x, y, solver, kernel_linear(), loss = loss_epsilon(epsilon = 0), scale = FALSE, verbose = FALSE)
    line <- predict(fit, rbind(diag(3), 0))
    max(abs(c(line[1:3] - line[4] - truth, line[4] - 3)))
  }
  for (solver in list(solver_smo(C = 1), solver_dcd(C = 1))) {
    few <- vapply(1:5, function(seed) error(50, solver, seed), 1)
    many <- vapply(1:5, function(seed) error(2000, solver, seed), 1)
    expect_lt(max(many), 0.05)
    expect_lt(mean(many), mean(few))
  }
})

test_that("an exact relation is learned exactly, up to the tolerance of the loss", {
  x <- matrix(seq(-1, 1, length.out = 60), 60, 2) # and its columns are collinear
  y <- 3 * x[, 1] - 1
  fit <- osvm(x, y, solver_smo(C = 100), kernel_linear(), loss = loss_epsilon(epsilon = 0.01), verbose = FALSE)
  expect_lt(max(abs(residuals(fit))), 0.011 * sd(y))
})

test_that("tables of every class are the same table", {
  frame <- data.frame(a = rnorm(60), b = gl(3, 20), y = rnorm(60))
  predictions <- function(data) predict(osvm(y ~ a + b, data, solver_smo(C = 1), kernel_rbf(gamma = 0.5)), data)
  expected <- predictions(frame)
  expect_identical(predictions(transform(frame, a = I(a))), expected)
  for (class in c("tibble::as_tibble", "data.table::as.data.table")) {
    parts <- strsplit(class, "::")[[1]]
    if (!nzchar(system.file(package = parts[1]))) next
    expect_equal(predictions(getExportedValue(parts[1], parts[2])(frame)), expected, ignore_attr = TRUE)
  }
})
