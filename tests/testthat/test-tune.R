test_that("a fold of the table is a fit of osvm()", {
  data <- clouds(70, classes = 3)
  specs <- list(
    olsvm = function(C) solver_olsvm(C, shuffle = FALSE), lasvm = function(C) solver_lasvm(C, shuffle = FALSE),
    smo = function(C) solver_smo(C, tolerance = 1e-6)
  )
  for (name in names(specs)) for (multiclass in c("ovr", "ovo")) {
    solver <- specs[[name]](c(0.5, 20))
    # The tuning shuffles once; the rows of a fold are in that order.
    if (!is.null(solver$params$shuffle)) solver$params$shuffle <- TRUE
    set.seed(3)
    tuned <- quick_tune(
      data$x, data$y, solver, kernel_rbf(gamma = c(0.1, 1)), folds = 3, scale = FALSE, multiclass = multiclass
    )
    expect_identical(tuned$results$C, c(0.5, 20, 0.5, 20))
    expect_identical(tuned$results$gamma, c(0.1, 0.1, 1, 1))
    for (point in 1:4) for (k in 1:3) {
      fold <- tuned$folds[[k]]
      set.seed(fold$seed)
      fit <- osvm(
        data$x[fold$train, ], data$y[fold$train], specs[[name]](tuned$results$C[point]),
        kernel_rbf(gamma = tuned$results$gamma[point]), scale = FALSE, multiclass = multiclass, verbose = FALSE
      )
      wrong <- predict(fit, data$x[fold$test, ]) != data$y[fold$test]
      expect_equal(mean(wrong), tuned$scores[point, k], info = paste(name, multiclass, point, k))
    }
    expect_equal(tuned$results$error, rowMeans(tuned$scores))
    expect_equal(tuned$results$se, apply(tuned$scores, 1, sd) / sqrt(3))
  }
})

test_that("every example is held out once in every repeat", {
  data <- clouds(50)
  tuned <- quick_tune(data$x, data$y, solver_olsvm(C = 1:2), kernel_rbf(gamma = 1), folds = 4, repeats = 3)
  expect_length(tuned$folds, 12)
  for (fold in tuned$folds) expect_setequal(c(fold$train, fold$test), 1:50)
  for (r in 1:3) expect_identical(sort(unlist(lapply(tuned$folds[1:4 + 4 * (r - 1)], `[[`, "test"))), 1:50)
  expect_identical(dim(tuned$scores), c(2L, 12L))
  expect_equal(tuned$results$se, apply(tuned$scores, 1, sd) / sqrt(12))
})

test_that("the seed determines the tuning, and random numbers are consumed", {
  data <- clouds(50)
  run <- function(seed) {
    set.seed(seed)
    quick_tune(data$x, data$y, solver_sgd(rate = c(0.01, 0.1)), refit = TRUE)
  }
  expect_same_tuning(run(1), run(1), tolerance = 0)
  expect_false(identical(run(1)$folds, run(2)$folds))
  set.seed(1)
  quick_tune(data$x, data$y, "smo")
  first <- runif(1)
  quick_tune(data$x, data$y, "smo")
  expect_false(runif(1) == first)
})

test_that("the tuning does not depend on the number of threads", {
  data <- clouds(60, classes = 3)
  runs <- lapply(1:2, function(threads) {
    set.seed(5)
    quick_tune(data$x, data$y, solver_olsvm(C = c(1, 10), epochs = 2), kernel_rbf(gamma = c(0.2, 1)), threads = threads)
  })
  expect_same_tuning(runs[[1]], runs[[2]], tolerance = 0)
})

test_that("the best grid point is learned from all examples", {
  data <- clouds(60)
  set.seed(2)
  tuned <- osvm_tune(data$x, data$y, solver_smo(C = c(0.1, 1, 10)), progress = FALSE)
  expect_identical(tuned$fit$solver$params$C, tuned$best$C)
  expect_identical(tuned$best, tuned$results[rownames(tuned$best), ])
  expect_identical(tuned$best$error, min(tuned$results$error))
  again <- eval(tuned$fit$call)
  expect_identical(decide(again, data$x), decide(tuned$fit, data$x))
  expect_identical(predict(tuned, data$x), predict(tuned$fit, data$x))
  expect_identical(predict(tuned, data$x, type = "decision"), decide(tuned$fit, data$x))
  expect_match(deparse1(tuned$fit$call), "osvm(x = data$x, y = data$y, solver = solver_smo(", fixed = TRUE)
  none <- quick_tune(data$x, data$y, solver_smo(C = c(0.1, 1, 10)))
  expect_null(none$fit)
  expect_snapshot(predict(none, data$x), error = TRUE)
})

test_that("ties go to the smaller standard error, then to fewer support vectors", {
  data <- clouds(40)
  tuned <- quick_tune(data$x, data$y, solver_smo(C = 1:4), kernel_rbf(gamma = 1))
  tuned$results$error <- c(0.1, 0.1, 0.1, 0.2)
  tuned$results$se <- c(0.02, 0.01, 0.01, 0)
  tuned$results$n_sv <- c(1, 9, 5, 1)
  ranked <- function(tuned) {
    tuned$best <- tuned$results[1, ]
    summary(tuned)$table$C
  }
  expect_identical(ranked(tuned), c(3L, 2L, 1L, 4L))
  tuned$maximize <- TRUE
  expect_identical(ranked(tuned), c(4L, 3L, 2L, 1L))
  tuned$results$failed <- c(0, 0, 0, 1)
  expect_identical(ranked(tuned), c(3L, 2L, 1L, 4L))
})

test_that("formula, data frame and matrix give the same tuning", {
  frame <- data.frame(clouds(60)$x, kind = factor(rep(c("u", "v", "w"), 20)))
  frame$y <- clouds(60)$y
  solver <- solver_olsvm(C = c(1, 10), epochs = 2)
  set.seed(1)
  by_formula <- osvm_tune(y ~ ., data = frame, solver = solver, progress = FALSE)
  set.seed(1)
  by_frame <- quick_tune(frame[1:4], frame$y, solver, refit = TRUE)
  expect_identical(by_formula$results$error, by_frame$results$error)
  expect_identical(predict(by_formula, frame), predict(by_frame, frame))
  expect_match(deparse1(by_formula$fit$call), "osvm(formula = y ~ ., data = frame, solver = ", fixed = TRUE)
  expect_match(deparse1(by_formula$call), "osvm_tune(formula = y ~ .", fixed = TRUE)
  expect_error(predict(by_formula, data.frame(x1 = 1)), class = "osvm_error")
})

test_that("a tuning can be saved, and contains no training data", {
  data <- clouds(300)
  tuned <- quick_tune(data$x, data$y, solver_smo(C = c(1, 10)), refit = TRUE)
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(tuned, file)
  back <- readRDS(file)
  expect_identical(back, tuned)
  expect_identical(predict(back, data$x), predict(tuned, data$x))
  kinds <- rapply(unclass(tuned[names(tuned) != "call"]), typeof, how = "unlist")
  expect_false(any(kinds %in% c("environment", "closure", "externalptr")))
  expect_lt(length(serialize(tuned[names(tuned) != "fit"], NULL)), 5 * 300 * 4 * 2 + 20000)
})

test_that("the folds of one tuning can be used in another", {
  data <- clouds(50)
  one <- quick_tune(data$x, data$y, solver_smo(C = c(1, 10)), folds = 3, repeats = 2)
  two <- quick_tune(data$x, data$y, solver_smo(C = c(1, 10)), folds = one$folds)
  expect_same_tuning(one, two, tolerance = 0)
  expect_snapshot(quick_tune(data$x[1:40, ], data$y[1:40], "smo", folds = one$folds), error = TRUE)
})

test_that("progress covers the whole tuning", {
  data <- clouds(40)
  solver <- solver_norma(epochs = c(1, 2), shuffle = c(TRUE, FALSE))
  was <- options(cli.progress_handlers_only = "logger", cli.progress_show_after = 0)
  on.exit(options(was))
  log <- capture.output(
    tuned <- quick_tune(data$x, data$y, solver, kernel_rbf(gamma = 1), repeats = 2, progress = TRUE)
  )
  expect_match(log[length(log)], "terminated (done)", fixed = TRUE)
  shown <- as.numeric(sub(".* ([0-9]+)/1000 .*", "\\1", log))
  expect_false(is.unsorted(shown))
  expect_gte(max(shown), 750) # the last of the four calls
  expect_lte(max(shown), 1000)
})

test_that("tuning works without .Random.seed", {
  data <- clouds(40)
  folds <- quick_tune(data$x, data$y, "smo", kernel_rbf(gamma = 1))$folds
  old <- get(".Random.seed", globalenv())
  on.exit(assign(".Random.seed", old, globalenv()))
  rm(".Random.seed", envir = globalenv())
  expect_no_error(quick_tune(data$x, data$y, "smo", kernel_rbf(gamma = 1), folds = folds))
})
