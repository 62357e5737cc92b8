fit_once <- function(...) {
  set.seed(1)
  osvm(..., solver = solver_olsvm(), kernel = kernel_rbf(gamma = 0.5), verbose = FALSE)
}

mixed_frame <- function(n = 40) {
  data <- clouds(n)
  data.frame(
    size = data$x[, 1], count = seq_len(n), flag = data$x[, 2] > 0,
    colour = rep_len(c("red", "green", "blue"), n), grade = factor(rep_len(1:4, n), labels = c("a", "b", "c", "d")),
    y = data$y
  )
}

test_that("ordered labels come back ordered, from streams and after updates as well", {
  y <- factor(rep_len(c("low", "middle", "high"), 150), c("low", "middle", "high"), ordered = TRUE)
  x <- matrix(rnorm(300), 150) + as.integer(y) * 3
  expect_identical(class(predict(osvm(x, y, verbose = FALSE), x)), c("ordered", "factor"))
  tuned <- osvm_tune(x, y, solver_smo(C = 1:2), folds = 3)
  expect_s3_class(predict(tuned$fit, x), "ordered")
  run <- osvm_stream(source_matrix(x, y), solver_lasvm(), kernel_rbf(gamma = 0.5), chunk = 50, verbose = FALSE)
  expect_identical(levels(predict(run$fit, x)), levels(y))
  expect_s3_class(predict(run$fit, x), "ordered")
  live <- osvm_live(osvm(x, y, solver_lasvm(), kernel_rbf(gamma = 0.5), verbose = FALSE))
  update(live, x[1:3, ], y[1:3])
  expect_s3_class(predict(live, x), "ordered")
  expect_false(is.ordered(predict(osvm(x, factor(y, ordered = FALSE), verbose = FALSE), x)))
})

test_that("factors, characters and logicals become indicator columns", {
  frame <- mixed_frame()
  fit <- fit_once(frame[-6], frame$y)
  expect_identical(
    fit$feature_names,
    c("size", "count", "flag", "colourblue", "colourgreen", "colourred", paste0("grade", letters[1:4]))
  )
  expect_equal(fit$n_features, 10)
  by_hand <- cbind(
    frame$size, frame$count, frame$flag,
    outer(frame$colour, c("blue", "green", "red"), "==") + 0, outer(as.character(frame$grade), letters[1:4], "==") + 0
  )
  expect_identical(decide(fit, frame), decide(fit_once(by_hand, frame$y), by_hand))
})

test_that("the columns of new data are matched by name", {
  frame <- mixed_frame()
  fit <- fit_once(frame[-6], frame$y)
  shuffled <- cbind(extra = 1, frame[5:1])
  expect_identical(decide(fit, shuffled), decide(fit, frame))
  # A factor with its levels in another order, or only some of them, is the same factor.
  other <- frame
  other$grade <- factor(as.character(frame$grade), levels = c("d", "c", "b", "a"))
  expect_identical(decide(fit, other), decide(fit, frame))
  expect_identical(decide(fit, droplevels(frame[1:2, ])), decide(fit, frame)[1:2])
  other$colour <- factor(frame$colour)
  expect_identical(decide(fit, other), decide(fit, frame))
})

test_that("a data frame and a formula are the same data", {
  frame <- mixed_frame()
  a <- fit_once(frame[-6], frame$y)
  b <- fit_once(y ~ ., data = frame)
  expect_identical(decide(b, frame), decide(a, frame))
  c <- fit_once(y ~ size + log(count), data = frame)
  expect_identical(c$feature_names, c("size", "log(count)"))
  expect_length(predict(c, frame[1:3, c("size", "count")]), 3)
})

test_that("a formula finds its variables without data, too", {
  size <- clouds()$x[, 1]
  y <- clouds()$y
  fit <- fit_once(y ~ size)
  expect_length(predict(fit, data.frame(size = 1:2)), 2)
})

test_that("the model does not contain the formula's environment", {
  fit_here <- function() {
    large <- rnorm(1e5)
    frame <- mixed_frame()
    fit_once(y ~ ., data = frame)
  }
  expect_lt(length(serialize(fit_here(), NULL)), 1e5)
})

test_that("the error for data that does not fit names the column", {
  frame <- mixed_frame()
  fit <- fit_once(frame[-6], frame$y)
  new <- frame[1:3, -6]
  unseen <- transform(new, colour = "mauve")
  expect_snapshot(error = TRUE, {
    predict(fit, unseen)
    predict(fit, new[-1])
    predict(fit, transform(new, size = "big"))
    osvm(transform(new, size = complex(3)), frame$y[1:3])
    osvm(~ size, data = frame, loss = loss_hinge())
    osvm(y ~ nowhere, data = frame)
    osvm(y ~ 1, data = frame)
  })
})

test_that("the error for invalid data is one sentence", {
  data <- clouds(10)
  x <- data$x
  y <- data$y
  expect_snapshot(error = TRUE, {
    osvm(x[0, ], y[0])
    osvm(x, rep("a", 10))
    osvm(x, y[-1])
    osvm(replace(x, 13, Inf), y)
    osvm(matrix("a", 10, 2), y)
    osvm(list(1, 2), y)
    osvm(x, loss = loss_hinge())
    osvm(x, y, weights = 1:3)
    osvm(x, y, weights = rep(-1, 10))
    osvm(x, y, class_weights = c(a = 1, z = 2))
    osvm(x * 1e200, y, scale = FALSE)
  })
})

test_that("other Matrix classes give the same model", {
  set.seed(2)
  square <- matrix(rbinom(144, 3, 0.3), 12)
  square <- square + t(square)
  y <- rep(c("a", "b"), 6)
  sparse <- methods::as(methods::as(square + 0, "dMatrix"), "CsparseMatrix")
  base <- fit_once(square, y, scale = FALSE)
  same <- list(
    general = methods::as(sparse, "generalMatrix"),
    symmetric = Matrix::forceSymmetric(sparse),
    triplet = methods::as(sparse, "TsparseMatrix"),
    rows = methods::as(sparse, "RsparseMatrix"),
    dense = methods::as(square + 0, "dMatrix"),
    packed = Matrix::pack(Matrix::forceSymmetric(methods::as(square + 0, "dMatrix")))
  )
  for (x in same) {
    fit <- fit_once(x, y, scale = FALSE)
    expect_close(decide(fit, x), decide(base, square))
    expect_close(decide(base, x), decide(base, square))
  }
  pattern <- methods::as(methods::as(sparse, "nMatrix"), "generalMatrix")
  logical <- methods::as(methods::as(sparse, "lMatrix"), "generalMatrix")
  base <- fit_once((square != 0) + 0, y, scale = FALSE)
  for (x in list(pattern, logical)) {
    fit <- fit_once(x, y, scale = FALSE)
    expect_close(decide(fit, x), decide(base, (square != 0) + 0))
  }
  diagonal <- Matrix::Diagonal(12)
  base <- fit_once(diag(12), y, scale = FALSE)
  expect_close(decide(fit_once(diagonal, y, scale = FALSE), diagonal), decide(base, diag(12)))
})

test_that("a triplet matrix with repeated entries holds their sum", {
  i <- c(0L, 0L, 1L, 2L, 3L)
  j <- c(0L, 0L, 1L, 0L, 1L)
  x <- methods::new("dgTMatrix", i = i, j = j, x = c(1, 2, 1, 5, 4), Dim = c(4L, 2L))
  y <- c("a", "b", "a", "b")
  expect_close(decide(fit_once(x, y, scale = FALSE), x), decide(fit_once(as.matrix(x), y, scale = FALSE), as.matrix(x)))
})

test_that("dense data is centred and scaled, sparse data only scaled", {
  data <- sparse_clouds(empty = 0)
  dense <- fit_once(data$x, data$y)
  expect_equal(unname(dense$scaling$center), unname(colMeans(data$x)))
  expect_equal(unname(dense$scaling$scale), unname(apply(data$x, 2, sd)))
  sparse <- fit_once(data$s, data$y)
  expect_null(sparse$scaling$center)
  expect_equal(unname(sparse$scaling$scale), apply(data$x, 2, function(v) sqrt(mean(v[v != 0]^2))), ignore_attr = TRUE)
  expect_null(fit_once(data$x, data$y, scale = FALSE)$scaling)
})

test_that("support vectors are kept unscaled", {
  data <- clouds()
  fit <- fit_once(data$x, data$y)
  found <- apply(fit$sv, 1, function(s) min(colSums(abs(t(data$x) - s))))
  expect_identical(max(found), 0)
  expect_identical(fit$n_sv, nrow(fit$sv))
  expect_identical(colnames(fit$sv), colnames(data$x))
})

test_that("levels without examples get no machine", {
  data <- clouds()
  y <- factor(data$y, levels = c("never", "a", "b"))
  fit <- fit_once(data$x, y)
  expect_type(decide(fit, data$x), "double")
  expect_null(dim(decide(fit, data$x)))
  expect_true(all(predict(fit, data$x) %in% c("a", "b")))
})

test_that("support vectors are rows of the user's matrix: their type, their names", {
  set.seed(2)
  x <- matrix(sample.int(9L, 240, TRUE), 60, dimnames = list(paste0("r", 1:60), letters[1:4]))
  y <- rep(c("no", "yes"), 30)
  for (solver in list(solver_smo(), solver_lasvm(), solver_olsvm())) {
    fit <- osvm(x[1:40, ], y[1:40], solver, kernel_rbf(gamma = 0.1))
    expect_type(fit$sv, "integer")
    expect_identical(fit$sv, x[rownames(fit$sv), ])
    more <- update(fit, x[41:60, ], y[41:60])
    expect_identical(more$sv, x[rownames(more$sv), ])
    expect_type(update(fit, x[41:60, ] + 0.5, y[41:60])$sv, "double")
    flags <- osvm(x > 4L, y, solver, kernel_rbf(gamma = 0.1))
    expect_identical(flags$sv, x[rownames(flags$sv), ] > 4L)
  }
  sparse <- osvm(Matrix::Matrix(x * (x > 5), sparse = TRUE), y, solver_lasvm(), kernel_rbf(gamma = 0.1))
  expect_identical(as.matrix(sparse$sv), (x * (x > 5) + 0)[rownames(sparse$sv), ])
})

test_that("text of a length that no label has is refused: to sort it takes more than R has", {
  x <- matrix(seq_len(12), 12)
  begin <- strrep("a", 10000)
  y <- rep(paste0(begin, c("u", "v", "w")), 4)
  refused <- "`y` has a label of 10,001 bytes"
  expect_error(osvm(x, y), refused, class = "osvm_error")
  expect_error(osvm_tune(x, y, "pa", progress = FALSE), refused, class = "osvm_error")
  expect_error(osvm_stream(source_matrix(x, y), "pa", verbose = FALSE), refused, class = "osvm_error")
  expect_error(osvm_shards(list(list(x = x, y = y)), verbose = FALSE), refused, class = "osvm_error")
  source <- source_matrix(x, rep(c("u", "v"), 6))
  expect_error(osvm_stream(source, "pa", levels = y[1:3], verbose = FALSE), "`levels` has", class = "osvm_error")
  longest <- rep(paste0(substr(begin, 1, 9999), c("v", "u", "w")), 4)
  fit <- osvm(x, longest, "pa", verbose = FALSE)
  expect_identical(fit$levels, longest[c(2, 1, 3)])
  expect_lt(sum(nchar(capture.output(print(fit)))), 2000)
})
