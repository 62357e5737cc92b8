# Rows with missing values: left out of fits, NA in predictions.

holes <- function(n = 60, classes = 3) {
  data <- clouds(n, classes = classes)
  data$x[4, 1] <- NA
  data$x[9, 2] <- NaN
  data$y[17] <- NA
  data$weights <- rep_len(c(1, 0.5, 2), n)
  data$weights[23] <- NA
  data$gone <- c(4, 9, 17, 23)
  data$frame <- data.frame(data$x, y = data$y, w = data$weights)
  data
}

one_fit <- function(..., solver = solver_olsvm(epochs = 2), kernel = kernel_rbf(gamma = 0.5)) {
  set.seed(1)
  osvm(..., solver = solver, kernel = kernel, verbose = FALSE)
}

forms <- list(
  matrix = function(x) x, sparse = function(x) methods::as(x, "CsparseMatrix"), frame = function(x) as.data.frame(x)
)

test_that("rows with missing values are left out, with labels and weights", {
  data <- holes()
  for (form in forms) {
    x <- form(data$x)
    expect_message(
      fit <- one_fit(x, data$y, weights = data$weights), "4 rows with missing values were left out",
      class = "osvm_message"
    )
    less <- one_fit(x[-data$gone, ], data$y[-data$gone], weights = data$weights[-data$gone])
    expect_identical(decide(fit, x[-data$gone, ]), decide(less, x[-data$gone, ]))
    expect_equal(as.vector(fit$na.action), data$gone)
    expect_s3_class(fit$na.action, "omit")
    expect_equal(fit$n_seen, 56)
    expect_null(less$na.action)
    expect_null(strip(fit)$na.action)
  }
  expect_message(fit <- one_fit(y ~ x1 + x2 + x3, data = data$frame, weights = w), "4 rows")
  less <- one_fit(y ~ x1 + x2 + x3, data = data$frame[-data$gone, ], weights = w)
  expect_identical(decide(fit, data$frame[1:3, ]), decide(less, data$frame[1:3, ]))
  expect_identical(fit$na.action, stats::lm(as.integer(y) ~ x1 + x2 + x3, data$frame, weights = w)$na.action)
  expect_output(print(fit), "4 rows left out")
})

test_that("other actions", {
  data <- holes()
  expect_s3_class(suppressMessages(one_fit(data$x, data$y, na.action = na.exclude))$na.action, "exclude")
  expect_s3_class(suppressMessages(one_fit(data$x, data$y, na.action = "na.omit"))$na.action, "omit")
  all_but_ten <- function(frame) structure(frame[-(1:10), , drop = FALSE], na.action = c(1:10, 17L))
  expect_equal(suppressMessages(one_fit(data$x, data$y, na.action = all_but_ten))$n_seen, 49)
  expect_snapshot(error = TRUE, {
    osvm(data$x, data$y, na.action = na.fail)
    osvm(unname(data$x)[10:20, ], data$y[10:20], na.action = na.pass)
    osvm(y ~ x1, data$frame, na.action = na.fail)
    osvm(data$x[18:30, ], data$y[18:30], weights = data$weights[18:30], na.action = NULL)
    osvm(data$x, data$y, na.action = "nothing")
    osvm(data$x, data$y, na.action = 3)
    osvm(data$x * NA, data$y)
  })
  missing <- "Row 4 has a missing value"
  expect_error(osvm(data$frame[1:3], data$y, na.action = NULL), missing, class = "osvm_error")
  expect_error(osvm(y ~ x1, data$frame, na.action = NULL), missing, class = "osvm_error")
})

test_that("a subset selects rows, labels and weights, and may name columns", {
  data <- clouds(60)
  frame <- data.frame(data$x, g = rep(c("u", "v", "w"), 20), y = data$y, w = 1:60)
  rows <- frame$x2 > -0.5 & frame$g != "w"
  less <- one_fit(frame[rows, 1:4], frame$y[rows], weights = frame$w[rows])
  same <- list(
    one_fit(frame[1:4], frame$y, weights = frame$w, subset = x2 > -0.5 & g != "w"),
    one_fit(frame[1:4], frame$y, weights = frame$w, subset = which(rows)),
    one_fit(frame[1:4], frame$y, weights = frame$w, subset = ifelse(rows, TRUE, NA)),
    one_fit(y ~ x1 + x2 + x3 + g, frame, weights = w, subset = x2 > -0.5 & g != "w"),
    one_fit(y ~ x1 + x2 + x3 + g, frame, weights = w, subset = -which(!rows))
  )
  for (fit in same) {
    expect_identical(decide(fit, frame[rows, 1:4]), decide(less, frame[rows, 1:4]))
    # A level outside the subset is unknown.
    expect_error(predict(fit, frame[3, 1:4]), "absent", class = "osvm_error")
  }
  expect_equal(do.call(osvm, list(y ~ x1, frame, subset = 1:20, verbose = FALSE))$n_seen, 20)
  for (bad in list(TRUE, 1:70, c(-1, 1), "a", NA_real_)) {
    expect_error(osvm(y ~ x1, frame, subset = bad), "subset", class = "osvm_error")
  }
})

test_that("a formula's transformations make missing values, too", {
  data <- clouds(60)
  frame <- data.frame(data$x, y = data$y)
  negative <- which(frame$x2 < 0)
  expect_message(fit <- suppressWarnings(one_fit(y ~ x1 + log(x2), data = frame)), "left out")
  expect_equal(as.vector(fit$na.action), negative)
  expect_identical(which(is.na(suppressWarnings(predict(fit, frame)))), negative)
})

test_that("tuning leaves the same rows out, of folds as well", {
  data <- holes(classes = 2)
  fold <- rep_len(1:4, 60)
  tune <- function(...) {
    set.seed(3)
    osvm_tune(..., solver = solver_smo(C = c(1, 10)), kernel = kernel_rbf(gamma = 0.5), progress = FALSE)
  }
  left <- -data$gone
  less <- tune(data$x[left, ], data$y[left], foldid = fold[left], weights = data$weights[left])
  data$frame$fold <- fold
  expect_message(a <- tune(data$x, data$y, foldid = fold, weights = data$weights), "4 rows")
  expect_message(b <- tune(data$frame[1:3], data$y, foldid = fold, weights = data$weights), "4 rows")
  expect_message(c <- tune(y ~ x1 + x2 + x3, data$frame, foldid = fold, weights = w), "4 rows")
  for (tuned in list(a, b, c)) {
    expect_equal(tuned$scores, less$scores)
    new <- if (is.null(tuned$fit$encoding)) data$x[1:3, ] else data$frame[1:3, 1:3]
    expect_identical(decide(tuned$fit, new), decide(less$fit, data$x[1:3, ]))
    expect_equal(as.vector(tuned$fit$na.action), data$gone)
  }
  compare <- function(...) {
    set.seed(3)
    osvm_compare(..., solvers = list(solver_smo(C = c(1, 10))), kernel = kernel_rbf(gamma = 0.5), refit = TRUE)
  }
  expect_message(a <- compare(data$x, data$y, foldid = fold, weights = data$weights), "4 rows")
  expect_message(b <- compare(y ~ x1 + x2 + x3, data$frame, foldid = fold, weights = w, subset = fold > 0), "4 rows")
  for (both in list(a, b)) {
    expect_equal(both$tunings[[1]]$scores, less$scores)
    expect_equal(both$tunings[[1]]$fit$n_seen, 56)
  }
})

test_that("rows with missing values are predicted as NA of the right type", {
  for (classes in 2:3) for (multiclass in c("ovr", "ovo")) for (form in forms) {
    data <- clouds(60, classes = classes)
    fit <- one_fit(form(data$x), data$y, probability = TRUE, multiclass = multiclass)
    x <- data$x
    x[c(2, 5), 3] <- NA
    for (type in c("class", "decision", "prob")) {
      whole <- as.matrix(predict(fit, form(data$x), type = type))
      some <- predict(fit, form(x), type = type)
      expect_identical(typeof(some), typeof(predict(fit, form(data$x), type = type)))
      expect_true(all(is.na(as.matrix(some)[c(2, 5), ])))
      expect_identical(as.matrix(some)[-c(2, 5), ], whole[-c(2, 5), ])
      expect_true(all(is.na(predict(fit, form(x[c(2, 5), , drop = FALSE]), type = type))))
    }
  }
  for (y in list(as.integer(data$y), as.character(data$y), data$y == "a", as.numeric(data$y))) {
    fit <- one_fit(data$x, y)
    expect_identical(predict(fit, x)[-c(2, 5)], predict(fit, data$x)[-c(2, 5)])
    expect_identical(predict(fit, x)[2], y[NA_integer_])
  }
  rownames(x) <- paste0("r", 1:60)
  fit <- one_fit(data$x, data$y == "a")
  expect_identical(names(predict(fit, x, type = "decision")), rownames(x))
})

test_that("new levels are an error or NA", {
  frame <- data.frame(size = 1:12 + 0, colour = rep(c("red", "green"), 6), y = rep(c("a", "b", "b"), 4))
  new <- data.frame(size = c(1, NA, 3), colour = factor(c("mauve", "red", "green")))
  fits <- list(one_fit(frame[1:2], frame$y), one_fit(y ~ ., data = frame), one_fit(y ~ size * colour, data = frame))
  for (fit in fits) {
    expect_error(predict(fit, new), "mauve", class = "osvm_error")
    expect_error(predict(fit, new, new_levels = "none"), "new_levels", class = "osvm_error")
    expect_identical(is.na(predict(fit, new, new_levels = "NA")), c(TRUE, TRUE, FALSE))
    expect_identical(decide(fit, new[3, ]), predict(fit, new, type = "decision", new_levels = "NA")[3])
  }
})

test_that("update() leaves rows out, query() does not select them", {
  data <- holes(classes = 2)
  first <- 30:60
  for (form in forms) {
    x <- form(data$x)
    fit <- one_fit(x[first, ], data$y[first], solver = solver_idsvm())
    expect_message(more <- update(fit, x[1:29, ], data$y[1:29], weights = data$weights[1:29]), "4 rows")
    left <- setdiff(1:29, data$gone)
    less <- update(fit, x[left, ], data$y[left], weights = data$weights[left])
    expect_identical(decide(more, x[left, ]), decide(less, x[left, ]))
    expect_equal(more$n_seen, 31 + 25)
    expect_error(update(fit, x[1:29, ], data$y[1:29], na.action = na.fail), "missing value", class = "osvm_error")
    nothing <- quote(suppressMessages(update(fit, x[4, , drop = FALSE], data$y[4])))
    expect_error(eval(nothing), "without missing", class = "osvm_error")
    complete <- setdiff(1:29, c(4, 9))
    expect_identical(query(fit, x[1:29, ], "all"), complete)
    expect_setequal(query(fit, x[1:29, ], "margin", n = 99), complete)
    expect_setequal(query(fit, x[1:29, ], "greedy", h = 1), complete)
    expect_identical(query(fit, x[c(4, 9), ], "ramp"), integer())
    expect_identical(query(fit, x[1:29, ], "ramp"), complete[query(fit, x[complete, ], "ramp")])
  }
  fit <- one_fit(y ~ x1 + x2 + x3, data = data$frame[first, ])
  expect_message(more <- update(fit, data$frame[1:29, ]), "3 rows")
  expect_equal(more$n_seen, 31 + 26)
})

test_that("infinite values are errors as before", {
  data <- clouds()
  fit <- one_fit(data$x, data$y)
  wrong <- replace(data$x, 7, Inf)
  for (call in list(
    quote(osvm(wrong, data$y)), quote(predict(fit, wrong)), quote(update(fit, wrong, data$y)), quote(query(fit, wrong)),
    quote(osvm(data$x, replace(as.integer(data$y), 3, Inf)))
  )) expect_error(eval(call), "infinite", class = "osvm_error")
})

test_that("a damaged sparse matrix with missing values is refused", {
  data <- sparse_clouds()
  data$s@x[3] <- NA
  data$s@i[5] <- 10000L
  expect_osvm_error(osvm(data$s, data$y))
  fit <- one_fit(sparse_clouds()$s, data$y)
  expect_osvm_error(predict(fit, data$s))
})

test_that("plot() and the sub-models of caret leave rows out", {
  data <- holes(classes = 2)
  x <- data$x[, 1:2]
  fit <- suppressMessages(one_fit(x, data$y))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_no_error(plot(fit, x, data$y))
  path <- fit_path(x[-data$gone, ], data$y[-data$gone], TRUE, solver = solver_olsvm(epochs = 3))
  for (type in c("class", "prob")) {
    for (p in path_predictions(path, x[1:5, ], c(3, 1), type)) expect_equal(which(is.na(as.matrix(p)[, 1])), 4)
  }
})

test_that("an infinite value is named by row and column, whatever is missing elsewhere", {
  data <- clouds(30)
  fit <- osvm(data$x, data$y, verbose = FALSE)
  wrong <- data$x
  wrong[17, 2] <- -Inf
  for (gone in list(NULL, 3)) {
    wrong[gone, 1] <- NA
    for (x in list(wrong, Matrix::Matrix(wrong, sparse = TRUE), data.frame(wrong, colour = "red"))) {
      expect_error(osvm(x, data$y), "Row 17 has an infinite value in column `x2` of `x`", class = "osvm_error")
    }
    expect_error(osvm(y ~ ., data.frame(wrong, y = data$y)), "Row 17 .*column `x2`", class = "osvm_error")
    expect_error(predict(fit, wrong), "Row 17 .*column `x2` of `newdata`", class = "osvm_error")
    expect_error(update(fit, wrong, data$y), "Row 17 .*column `x2`", class = "osvm_error")
  }
  expect_error(osvm(unname(wrong), data$y), "Row 17 .*column 2 of `x`", class = "osvm_error")
})
