tunings_to_draw <- function() {
  data <- clouds(40)
  run <- function(...) quick_tune(data$x, data$y, ..., folds = 3)
  list(
    none = run(solver_smo(C = 7), kernel_rbf(gamma = 7)),
    one = run(solver_smo(C = 10^(0:3)), kernel_rbf(gamma = 1)),
    choice = run("lasvm", kernel_rbf(gamma = 1), grid = data.frame(selection = c("random", "gradient", "margin"))),
    infinite = run(solver_huller(C = c(1, 10, Inf)), kernel_rbf(gamma = 1)),
    two = run(solver_smo(C = 10^(0:3)), kernel_rbf(sigma = c(1, 3))),
    scattered = run("smo", grid = data.frame(C = c(1, 10, 100), gamma = c(1, 0.1, 0.3))),
    three = run(solver_olsvm(C = c(1, 10), epochs = c(1, 3)), kernel_rbf(gamma = c(0.1, 1))),
    auc = run(solver_smo(C = c(1, 10)), kernel_rbf(gamma = c(0.1, 1)), metric = "auc")
  )
}

test_that("plot() of every kind of tuning", {
  tunings <- suppressWarnings(tunings_to_draw())
  for (tuned in tunings) {
    for (what in list(NULL, "error", "seconds", "n_sv")) expect_no_error(draw(tuned, what = what))
    expect_no_error(draw(tuned, type = "curve", main = "Mine"))
  }
  expect_no_error(draw(tunings$auc, what = "auc"))
  drawn_as <- function(tuned, type) identical(drawing(plot(tuned)), drawing(plot(tuned, type = type)))
  expect_true(drawn_as(tunings$two, "heat"))
  expect_true(drawn_as(tunings$three, "curve"))
  expect_true(drawn_as(tunings$one, "curve"))
  expect_snapshot(error = TRUE, {
    plot(tunings$three, type = "heat")
    plot(tunings$two, what = "auc")
    plot(tunings$two, type = "pie")
  })
})

test_that("autoplot() of every kind of tuning", {
  skip_if_not_installed("ggplot2")
  tunings <- suppressWarnings(tunings_to_draw())
  file <- tempfile(fileext = ".pdf")
  pdf(file)
  on.exit({
    dev.off()
    unlink(file)
  })
  for (tuned in tunings) for (what in list(NULL, "seconds")) for (type in c("auto", "curve")) {
    plot <- ggplot2::autoplot(tuned, what = what, type = type)
    expect_s3_class(plot, "ggplot")
    expect_no_error(print(plot))
  }
  both <- osvm_compare(tunings$one, tunings$two)
  expect_no_error(print(ggplot2::autoplot(both)))
  expect_no_error(print(ggplot2::autoplot(both, "seconds")))
})

test_that("grid points are ordered in groups", {
  skip_if_not_installed("ggplot2")
  tuned <- suppressWarnings(tunings_to_draw())$two
  tuned$results <- tuned$results[c(8, 1, 5, 3, 2, 7, 6, 4), ]
  data <- ggplot2::autoplot(osvm_compare(list(a = tuned, b = tuned)))$data
  data <- data[data$line == "a", ]
  expect_equal(data$y, 100 * tuned$results$error[order(tuned$results$sigma, tuned$results$C)])
  expect_identical(sum(data$best), 1L)
})

test_that("different grids share the groups of the kernel they have in common", {
  skip_if_not_installed("ggplot2")
  data <- clouds(60)
  run <- function(...) quick_tune(data$x, data$y, ..., folds = 3)
  kernel <- kernel_rbf(gamma = c(0.1, 1, 10))
  tunings <- list(
    olsvm = run(solver_olsvm(C = c(1, 10, 100, 1000)), kernel),
    perceptron = run(solver_perceptron(epochs = 1:2), kernel)
  )
  drawn <- ggplot2::autoplot(osvm_compare(tunings))
  expect_identical(drawn$labels$x, "C or epochs within each gamma")
  expect_match(drawn$labels$subtitle, "gamma = 0.1, 1, 10", fixed = TRUE)
  expect_equal(drawn$data$x, c(1:12, 1.5, 3.5, 5.5, 7.5, 9.5, 11.5))
  expect_silent(draw(osvm_compare(tunings)))
  tunings$perceptron <- run(solver_perceptron(epochs = 1:2), kernel_rbf(gamma = c(1, 2)))
  drawn <- ggplot2::autoplot(osvm_compare(tunings))
  expect_identical(drawn$labels$x, "Grid point")
  expect_equal(drawn$data$x, c(1:12, 1:4))
})
