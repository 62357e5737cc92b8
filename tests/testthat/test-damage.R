# Invalid input, for one solver; test-conformance-damage.R has a shorter list for every solver. The result is an
# osvm_error, before anything is computed.

test_that("unusable data is refused", {
  data <- clouds()
  fits <- function(x = data$x, y = data$y, ...) quick_fit("olsvm", list(x = x, y = y), na.action = na.fail, ...)
  expect_osvm_error(fits(data$x[0, ], data$y[0]))
  expect_osvm_error(fits(data$x[, 0]))
  expect_osvm_error(fits(y = rep("a", 40)))
  expect_osvm_error(fits(y = factor(rep("a", 40), levels = c("a", "b"))))
  expect_osvm_error(fits(y = data$y[-1]))
  expect_osvm_error(fits(y = replace(data$y, 3, NA)))
  expect_osvm_error(fits(y = NULL))
  expect_osvm_error(fits(y = as.list(data$y)))
  expect_osvm_error(fits(y = rep_len(c("a", rawToChar(as.raw(255))), 40)))
  expect_osvm_error(fits(y = matrix("a", 40, 2)))
  for (bad in c(NA, NaN, Inf, -Inf)) {
    expect_osvm_error(fits(replace(data$x, 5, bad)))
    sparse <- sparse_clouds()$s
    sparse@x[2] <- bad
    expect_osvm_error(fits(sparse))
    expect_osvm_error(fits(as.data.frame(replace(data$x, 5, bad))))
    expect_osvm_error(fits(y = replace(as.integer(data$y) + 0, 3, bad)))
    expect_osvm_error(fits(weights = replace(rep(1, 40), 3, bad)))
    expect_osvm_error(fits(class_weights = c(a = 1, b = bad)))
  }
  expect_osvm_error(fits(array(0, c(40, 2, 2))))
  expect_osvm_error(fits(matrix("a", 40, 2)))
  expect_osvm_error(fits(matrix(1i, 40, 2)))
  expect_osvm_error(fits(matrix(as.raw(1), 40, 2)))
  expect_osvm_error(fits(matrix(list(1), 40, 2)))
  expect_osvm_error(fits(list(1, 2)))
  expect_osvm_error(fits(NULL))
  expect_osvm_error(fits(mean))
  expect_osvm_error(fits("a"))
})

test_that("unusable arguments are refused", {
  fits <- function(...) quick_fit("olsvm", clouds(), ...)
  expect_osvm_error(fits(weights = rep(1, 39)))
  expect_osvm_error(fits(weights = rep(-1, 40)))
  expect_osvm_error(fits(weights = rep("1", 40)))
  expect_osvm_error(fits(class_weights = c(1, 1, 1)))
  expect_osvm_error(fits(class_weights = c(a = 1, z = 1)))
  expect_osvm_error(fits(class_weights = c(a = 1, b = -1)))
  expect_osvm_error(fits(scale = NA))
  expect_osvm_error(fits(scale = "yes"))
  expect_osvm_error(fits(multiclass = "all"))
  expect_osvm_error(fits(probability = NA))
  expect_osvm_error(fits(cache_mb = -1))
  expect_osvm_error(fits(cache_mb = NA))
  expect_osvm_error(fits(threads = 0))
  expect_osvm_error(fits(threads = "two"))
  expect_osvm_error(fits(solver = 1))
  expect_osvm_error(fits(kernel = mean))
  expect_osvm_error(fits(epochs = 3))
})

test_that("unusable new data is refused", {
  data <- clouds()
  fit <- quick_fit("olsvm", data)
  for (x in list(
    data$x[, 1:2], unname(cbind(data$x, 1)), unname(data$x[1, ]), replace(data$x, 5, Inf),
    matrix("a", 4, 3), matrix(1i, 4, 3), list(1, 2, 3), NULL, "a", mean, sparse_clouds()$s[, 1:2]
  )) {
    expect_osvm_error(predict(fit, x))
    expect_osvm_error(update(fit, x, rep("a", max(1, NROW(x)))))
  }
  expect_osvm_error(predict(fit))
  expect_osvm_error(predict(fit, data$x, type = "odds"))
  expect_osvm_error(predict(fit, data$x, type = "prob"))
  expect_osvm_error(predict(fit, data$x, threads = -1))
  expect_osvm_error(update(fit, data$x, data$y[-1]))
  expect_osvm_error(update(fit, data$x, rep("new", 40)))
  expect_osvm_error(update(fit, data$x, data$y, weights = 1:3))
  expect_osvm_error(update(fit, data$x))
})

test_that("a damaged sparse matrix is refused", {
  data <- sparse_clouds()
  fit <- quick_fit("olsvm", list(x = data$s, y = data$y))
  damaged <- damaged_sparse()
  for (what in names(damaged)) {
    x <- damaged[[what]]
    expect_error(quick_fit("olsvm", list(x = x, y = data$y)), class = "osvm_error", info = what)
    expect_error(predict(fit, x), class = "osvm_error", info = what)
    expect_error(update(fit, x, data$y), class = "osvm_error", info = what)
  }
})

test_that("a damaged model is refused, or the damage has no effect", {
  data <- clouds(12, classes = 3)
  fit <- quick_fit("olsvm", data, probability = TRUE)
  swaps <- list(NULL, "x", NA_real_, numeric())
  expect_identical(unnoticed_damage(fit, data, function(k) some_of(swaps, 1 + (k + 0:1) %% 4)), character())
  sparse <- sparse_clouds(12)
  fit <- quick_fit("olsvm", list(x = sparse$s, y = sparse$y), solver = solver_olsvm(average = TRUE))
  expect_identical(unnoticed_damage(fit, sparse, function(k) swaps[1 + k %% 4]), character())
})

test_that("a model with wrong shapes or numbers is refused", {
  data <- clouds(classes = 3)
  fit <- quick_fit("olsvm", data)
  spoil <- function(field, change) {
    fit[[field]] <- change(fit[[field]])
    fit
  }
  broken <- list(
    spoil("coef", function(v) v[-1, , drop = FALSE]),
    spoil("coef", function(v) v[, -1, drop = FALSE]),
    spoil("coef", function(v) replace(v, 1, NA)),
    spoil("coef", function(v) replace(v, 1, Inf)),
    spoil("coef", function(v) `storage.mode<-`(v, "character")),
    spoil("intercept", function(v) v[-1]),
    spoil("intercept", function(v) replace(v, 1, NaN)),
    spoil("levels", function(v) v[-1]),
    spoil("levels", function(v) NULL),
    spoil("n_features", function(v) v + 1L),
    spoil("kernel", function(v) NULL),
    spoil("kernel", function(v) `[[<-`(v, "name", "bogus")),
    spoil("scaling", function(v) lapply(v, `[`, -1)),
    spoil("scaling", function(v) lapply(v, function(s) s * NA)),
    spoil("sv", function(v) NULL),
    spoil("sv", function(v) v[-1, , drop = FALSE]),
    spoil("sv", function(v) v[, -1, drop = FALSE]),
    spoil("sv", function(v) replace(v, 1, NA)),
    spoil("sv", function(v) `storage.mode<-`(v, "character")),
    spoil("sv", function(v) damaged_sparse()$i_large)
  )
  for (i in seq_along(broken)) {
    expect_error(predict(broken[[i]], data$x), class = "osvm_error", info = paste("predict", i))
    expect_error(update(broken[[i]], data$x, data$y), class = "osvm_error", info = paste("update", i))
  }
  expect_osvm_error(predict(structure(list(), class = class(fit)), data$x))
  expect_osvm_error(predict(structure(1, class = class(fit)), data$x))
  expect_osvm_error(update(structure(list(), class = class(fit)), data$x, data$y))
})

# ---- found by the fuzzer ----

test_that("damaged data frames are refused", {
  frame <- data.frame(a = c(1, 2, 3, 4), b = factor(c("u", "v", "u", "v")))
  y <- c("p", "q", "p", "q")
  fit <- osvm(frame, y, verbose = FALSE)
  change <- function(code) {
    x <- frame
    eval(substitute(code))
    x
  }
  damaged <- list(
    change(attr(x, "row.names") <- 1:3), change(attr(x, "row.names") <- strrep("a", 10)),
    change(attr(x, "row.names") <- stdin()), change(attr(x, "row.names") <- c(1:4, 1:4)),
    change(names(x) <- NULL), change(attr(x$b, "levels") <- NULL), change(attr(x$b, "levels") <- quote(a)),
    change(attr(x$b, "levels") <- numeric_version("1.2")), change(attr(x$b, "levels") <- array(0, c(2, 2, 2)))
  )
  for (x in damaged) {
    expect_error(osvm(x, y), "damaged data frame", class = "osvm_error")
    expect_error(osvm_tune(x, y, folds = 2), "damaged data frame", class = "osvm_error")
    expect_error(predict(fit, x), "damaged data frame", class = "osvm_error")
    expect_error(query(fit, x), "damaged data frame", class = "osvm_error")
  }
  frame$b <- NULL
  frame$c <- methods::as(c(1, 0, 2, 0), "sparseVector")
  expect_error(osvm(frame, y), "class", class = "osvm_error")
  frame$c <- structure(rep("1.2", 4), class = "numeric_version")
  expect_error(osvm(frame, y), "class", class = "osvm_error")
  expect_error(osvm(data.frame(a = NA_character_, b = 1:4), y), "at least one row", class = "osvm_error")
  frame$c <- matrix("a", 4, 2)
  expect_error(osvm(frame, y), "plain vector", class = "osvm_error")
  frame$c <- array(0, c(4, 2, 2))
  expect_error(osvm(frame, y), "array", class = "osvm_error")
})

test_that("arguments of generators, plots and na.action that do not fit are refused", {
  for (make in list(chessboard, two_normals, unequal_normals)) {
    for (n in list(2^53, 1e308, Inf, 2^31)) expect_error(make(n), "1e8", class = "osvm_error")
  }
  x <- matrix(c(1, 2, 3, 4, 2, 1, 4, 3), 4)
  y <- factor(c("p", "q", "p", "q"))
  expect_error(osvm(x, y, na.action = ""), "na.action", class = "osvm_error")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  active <- osvm_active(x[1:2, ], y[1:2], verbose = FALSE)
  expect_identical(plot(active), active)
  for (name in list(numeric_version("1.2"), letters, list(1, 2), NA_character_)) {
    expect_error(plot(active, name = name), "name", class = "osvm_error")
  }
  fit <- osvm(x, y, verbose = FALSE)
  expect_error(plot(fit, grid = 2^31), "grid", class = "osvm_error")
  expect_error(plot(fit, features = ~1), "features", class = "osvm_error")
  expect_error(plot(fit, features = list(1, 2)), "features", class = "osvm_error")
  expect_error(plot(fit, x, structure(y, levels = 1i)), "factor", class = "osvm_error")
  expect_error(plot(fit, x * NaN), "missing", class = "osvm_error")
  far <- matrix(2e9L + c(1L, 7L, 3L, 9L, 2L, 8L, 5L, 4L), 4)
  expect_silent(plot(osvm(far, y, verbose = FALSE), grid = 5))
})

test_that("damaged tunings, specs, leave-one-out errors and active models are refused", {
  x <- matrix(c(1, 2, 3, 4, 2, 1, 4, 3), 4)
  y <- factor(c("p", "q", "p", "q"))
  tuned <- osvm_tune(x, y, grid = list(C = 1), folds = 2, progress = FALSE)
  for (part in c("solver", "kernel")) {
    for (junk in list(1, letters, quote(a))) {
      tuned[[part]] <- junk
      expect_error(print(tuned), "damaged", class = "osvm_error")
      expect_error(summary(tuned), "damaged", class = "osvm_error")
    }
  }
  spec <- solver_perceptron()
  spec$params <- spec$params[0]
  expect_identical(format(spec), "perceptron")
  left <- loo(osvm(x, y, solver_idsvm(), kernel_rbf(gamma = 1), verbose = FALSE))
  attr(left$class, "levels") <- "-INF"
  expect_error(print(left), "damaged", class = "osvm_error")
  frame <- data.frame(a = 1:4, b = 1:4)
  frame$b <- methods::as(1:4, "sparseVector")
  expect_error(osvm_stream(source_matrix(frame, y), "pa", verbose = FALSE), "class", class = "osvm_error")
  run <- osvm_stream(source_matrix(x, y), "pa", verbose = FALSE)
  run$metrics <- run$metrics[0]
  expect_error(nobs(run), "damaged", class = "osvm_error")
  active <- osvm_active(x, y, verbose = FALSE)
  stats <- curve <- active
  stats$stats$seconds <- list(1)
  expect_error(print(stats), "damaged", class = "osvm_error")
  attr(curve$curve, "row.names") <- 1:9
  expect_error(print(curve), "damaged", class = "osvm_error")
  for (part in c("seen", "asked", "accuracy")) {
    curve <- active
    curve$curve[[part]][1] <- Inf
    expect_error(plot(curve), "damaged", class = "osvm_error")
  }
  sparse <- methods::as(x, "CsparseMatrix")
  fit <- osvm(sparse, y, verbose = FALSE)
  attr(fit$sv, "Dim") <- list(dim(fit$sv))
  expect_error(loo(fit), "damaged", class = "osvm_error")
  attr(sparse, "x") <- function(...) NULL
  expect_error(osvm(sparse, y), "x", class = "osvm_error")
})

test_that("what is damaged inside a tuning, a source or a curve is refused where it is used", {
  x <- matrix(c(1, 2, 3, 4, 2, 1, 4, 3), 4, dimnames = list(NULL, c("a", "b")))
  y <- factor(c("p", "q", "p", "q"))
  tuned <- osvm_tune(x, y, grid = list(C = 1), folds = 2, progress = FALSE)
  rows <- methods::as(x, "CsparseMatrix")[, c("b", "a")]
  rows@i <- -rows@i
  expect_error(osvm_roc(tuned, rows, y), "cannot be used", class = "osvm_error")
  tuned$fit$n_seen <- c(4, 4)
  expect_error(fitted(tuned, x), "damaged", class = "osvm_error")
  source <- source_matrix(x, y)
  source$x <- c(source$x)
  expect_error(osvm_tune(source), "source is damaged", class = "osvm_error")
  expect_error(osvm_tune(source_matrix(x)), "source has no labels", class = "osvm_error")
  curve <- osvm_roc(c(1, 2, 3, 4), y)
  names(curve$summary) <- NA
  expect_output(print(curve), "AUC NA")
})

test_that("counts, variables, labels, events and names that are damaged are refused or do no harm", {
  x <- matrix(c(1, 2, 3, 4, 2, 1, 4, 3), 4)
  y <- factor(c("p", "q", "p", "q"))
  frame <- data.frame(a = 1:8, b = rep(c(TRUE, FALSE), 4))
  fit <- osvm(frame, rep(y, 2), probability = TRUE, verbose = FALSE)
  named <- counts <- type <- fit
  names(named$n_seen) <- NA
  if (requireNamespace("generics", quietly = TRUE)) expect_equal(generics::glance(named)$nobs, 8, ignore_attr = TRUE)
  counts$n_seen <- c(8, 8)
  expect_error(predict(counts, frame, type = "prob"), "damaged", class = "osvm_error")
  type$encoding$variables$b$type <- NA_character_
  expect_error(plot(type), "damaged", class = "osvm_error")
  source <- source_matrix(x, y)
  source$y <- methods::as(1:3, "sparseVector")
  expect_error(osvm_tune(source), "source is damaged", class = "osvm_error")
  rownames(x) <- c("a", NA, "c", "d")
  expect_s3_class(osvm_roc(osvm(x, y, verbose = FALSE), x, y), "osvm_curve")
  twice <- stats::setNames(data.frame(1:4, y, 4:1), c("y", "y", "b"))
  expect_error(osvm(y ~ ., twice), "more than once", class = "osvm_error")
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  osvm_stream(source_matrix(unname(x), y), "pa", checkpoint = file, verbose = FALSE)
  state <- readRDS(file)
  state$events <- list(1, 2)
  saveRDS(state, file)
  expect_error(osvm_stream(resume = file, verbose = FALSE), "damaged", class = "osvm_error")
})

test_that("slots of another type are refused before Matrix reads them", {
  data <- clouds(40)
  x <- methods::as(data$x, "CsparseMatrix")
  colnames(x) <- letters[1:3]
  kernel <- kernel_function(function(a, b) as.matrix(Matrix::tcrossprod(a, b)))
  fit <- osvm(x, data$y, solver_smo(), kernel)
  plain <- osvm(x, data$y, "pa", kernel_linear())
  for (slot in c("Dim", "p", "i", "x")) {
    for (value in list(c(1.5, 2), "a", list(1), quote(a), mean)) {
      bad <- x
      attr(bad, slot) <- value
      expect_error(osvm(bad, data$y, solver_smo(), kernel), class = "osvm_error")
      expect_error(predict(fit, bad), class = "osvm_error")
      expect_error(update(fit, bad, data$y), class = "osvm_error")
      expect_error(predict(plain, bad, missing_columns = "zero"), class = "osvm_error")
    }
  }
})

test_that("a column that is an expression is refused", {
  data <- clouds(20)
  frame <- structure(list(a = data$x[, 1], e = rep(expression(a), 20)), class = "data.frame", row.names = 1:20)
  expect_error(osvm(frame, data$y), "`e` is of class", class = "osvm_error")
  expect_error(osvm_stream(source_matrix(frame, data$y), "pa", chunk = 5, verbose = FALSE), class = "osvm_error")
})

test_that("what a model says was estimated are names", {
  data <- clouds(20)
  fit <- osvm(data$x, data$y, "pa")
  for (value in list(methods::as(1:3, "sparseVector"), quote(a), mean, expression(1), list(1))) {
    fit$estimated <- value
    expect_error(print(fit), "`estimated`", class = "osvm_error")
    expect_error(predict(fit, data$x), "`estimated`", class = "osvm_error")
  }
})

test_that("what follows from a spec is found out anew where it is not what the constructor made", {
  data <- clouds(20)
  specs <- list(solver_smo(), solver_norma(), kernel_rbf(), kernel_polynomial(), kernel_nystrom(rank = 5))
  junk <- list(quote(a), mean, new.env(), list(1), "a", NULL, c(a = "scale"), methods::as(1:3, "sparseVector"))
  for (spec in specs) {
    kind <- if (inherits(spec, "osvm_solver")) "solver" else "kernel"
    fit <- function(spec) {
      set.seed(1)
      do.call(osvm, c(list(data$x, data$y), stats::setNames(list(spec), kind)))
    }
    whole <- suppressWarnings(fit(spec))$coef
    for (part in c("roles", "core", "traits")) {
      for (value in junk) {
        bad <- spec
        bad[part] <- list(value)
        expect_identical(suppressWarnings(fit(bad))$coef, whole)
        expect_type(tryCatch(format(bad), osvm_error = conditionMessage), "character")
      }
    }
  }
})

test_that("damaged factors, names, slots and numbers are refused by all that read them", {
  x <- matrix(c(1, 2, 3, 4, 2, 1, 4, 3), 4)
  y <- factor(c("p", "q", "p", "q"))
  twice <- few <- y
  attr(twice, "levels") <- c("p", "p")
  attr(few, "levels") <- "p"
  for (bad in list(twice, few)) {
    expect_error(osvm_active(x, bad), "`label` is a damaged factor", class = "osvm_error")
    expect_error(osvm_active(x, function(i) bad[i]), "must return one label", class = "osvm_error")
    expect_error(osvm_active(x, function(i) y[i], levels = bad), "different classes", class = "osvm_error")
    expect_error(osvm_active(x, y, test = list(x = x, y = bad)), "must have a label", class = "osvm_error")
    data <- data.frame(a = 1:4, b = 4:1, y)
    data$b <- bad
    expect_error(osvm(y ~ ., data), "`data` is a damaged data frame", class = "osvm_error")
    expect_error(osvm_learning_curve(y ~ ., data), "`data` is a damaged data frame", class = "osvm_error")
    expect_identical(osvm(y ~ a, data, solver = "pa")$n_features, 1L)
  }
  sparse <- methods::as(x, "RsparseMatrix")
  fit <- osvm(sparse, y, solver = "lasvm", verbose = FALSE)
  own <- osvm(x, y, solver_smo(), kernel_function(function(a, b) tcrossprod(a, b)), verbose = FALSE)
  attr(sparse, "Dim") <- NULL
  for (use in list(predict, query, function(fit, x) update(fit, x, y))) {
    expect_error(use(fit, sparse), "slot Dim must hold two counts", class = "osvm_error")
    expect_error(use(own, sparse), "slot Dim must hold two counts", class = "osvm_error")
  }
  expect_error(osvm_learning_curve(fit, x, twice), "damaged factor", class = "osvm_error")
})

test_that("missing names of columns are empty names", {
  x <- matrix(c(1, 2, 3, 4, 2, 1, 4, 3, 5, 1, 2, 3), 4)
  y <- factor(c("p", "q", "p", "q"))
  colnames(x) <- c("a", "b", NA)
  fit <- osvm(x, y, "smo", verbose = FALSE)
  expect_identical(fit$feature_names, c("a", "b", ""))
  expect_length(predict(fit, x), 4)
  if (requireNamespace("caret", quietly = TRUE)) expect_setequal(rownames(caret::varImp(fit)), c("a", "b", ""))
  source <- source_matrix(x, y)
  colnames(x)[2] <- colnames(source$x)[2] <- NA
  expect_error(osvm_learning_curve(fit, x, y), "2 columns without a name", class = "osvm_error")
  expect_error(osvm_tune(source, grid = list(C = 1), folds = 2), "2 columns without a name", class = "osvm_error")
})
