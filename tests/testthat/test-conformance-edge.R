# Data at the limits of what is allowed: the answer is finite.

expect_usable <- function(fit, x) {
  f <- decide(fit, x)
  expect_true(all(is.finite(f)))
  expect_length(predict(fit, x), nrow(x))
}

each_solver("one row per class", function(name) {
  data <- list(x = rbind(c(0, 1, 2), c(3, 1, 0)), y = c("a", "b"))
  for (kernel in some_kernels(name)) for (scale in c(TRUE, FALSE)) {
    fit <- quick_fit(name, data, kernel = kernel, scale = scale)
    expect_usable(fit, data$x)
    expect_close(decide(fit, data$x), ref_decision(fit, data$x))
  }
  expect_usable(quick_fit(name, data, probability = TRUE), data$x)
})

each_solver("predicts a single row and no row at all", function(name) {
  data <- clouds(classes = 3)
  fit <- quick_fit(name, data)
  expect_equal(decide(fit, data$x[1, , drop = FALSE]), decide(fit, data$x)[1, , drop = FALSE])
  expect_length(predict(fit, data$x[0, ]), 0)
  expect_identical(dim(decide(fit, data$x[0, ])), c(0L, 3L))
})

each_solver("one column, a constant column, nothing but constants", function(name) {
  data <- clouds()
  sets <- list(
    one = data$x[, 1, drop = FALSE],
    constant = cbind(data$x, 7),
    large_constant = cbind(data$x, 1e8 + 0.1),
    nothing = matrix(5, 40, 2)
  )
  for (x in sets) {
    fit <- quick_fit(name, list(x = x, y = data$y))
    expect_usable(fit, x)
    sparse <- quick_fit(name, list(x = Matrix::Matrix(x, sparse = TRUE), y = data$y))
    expect_usable(sparse, x)
  }
  fit <- quick_fit(name, list(x = sets$constant, y = data$y))
  expect_close(decide(fit, sets$constant), decide(quick_fit(name, list(x = data$x, y = data$y)), data$x))
})

each_solver("sparse data with empty rows and columns", function(name) {
  data <- sparse_clouds()
  data$s[1:5, ] <- 0
  data$s[, 2] <- 0
  x <- Matrix::drop0(data$s)
  fit <- quick_fit(name, list(x = x, y = data$y), solver = soft_solver(name))
  expect_usable(fit, x)
  expect_close(decide(fit, x), ref_decision(fit, x))
})

each_solver("duplicate rows, also with opposite labels", function(name) {
  data <- clouds(20)
  twice <- list(x = rbind(data$x, data$x), y = rep(data$y, 2))
  opposite <- list(x = twice$x, y = factor(c("a", "b")[c(data$y, 3 - as.integer(data$y))]))
  same <- list(x = matrix(1, 20, 3), y = data$y)
  for (set in list(twice, opposite, same)) {
    for (kernel in some_kernels(name)) {
      fit <- quick_fit(name, set, kernel = kernel)
      expect_usable(fit, set$x)
      # Opposite labels may cancel to 0, but for rounding, which is small beside 1.
      expect_close(c(1, decide(fit, set$x)), c(1, ref_decision(fit, set$x)))
    }
  }
})

each_solver("huge and tiny values stay finite once scaled", function(name) {
  data <- clouds()
  usual <- decide(quick_fit(name, data), data$x)
  for (size in some_of(c(1e12, 1e200, 1e-200, 1e-300), c(2, 4))) {
    x <- data$x * size
    fit <- quick_fit(name, list(x = x, y = data$y))
    expect_usable(fit, x)
    expect_close(decide(fit, x), usual)
    mixed <- cbind(data$x, x[, 1])
    expect_usable(quick_fit(name, list(x = mixed, y = data$y)), mixed)
    sparse <- methods::as(methods::as(x, "dMatrix"), "CsparseMatrix")
    expect_usable(quick_fit(name, list(x = sparse, y = data$y)), sparse)
  }
})

# Kernel values of 1e24 and more leave no digit for a tolerance of 1e-3: solvers that iterate to a tolerance stop at
# their limit of iterations, after seconds. Unless exhaustive, it is lowered for kernels without a bound.
limited_solver <- function(name, kernel) {
  if (exhaustive() || !kernel$name %in% c("linear", "polynomial")) make_solver(name) else
    make_solver(name, max_iter = 1000, finish = FALSE)
}

muffle_unfinished <- function(code) {
  withCallingHandlers(code, osvm_unfinished = function(w) invokeRestart("muffleWarning"))
}

each_solver("huge and tiny values unscaled: finite, or a clear refusal beyond 1e150", function(name) {
  data <- clouds()
  for (kernel in some_kernels(name)) {
    fits <- function(x) {
      solver <- limited_solver(name, kernel)
      muffle_unfinished(quick_fit(name, list(x = x, y = data$y), solver = solver, kernel = kernel, scale = FALSE))
    }
    for (size in c(1e12, 1e-200)) expect_usable(fits(data$x * size), data$x * size)
    for (size in c(1e60, 1e200)) {
      expect_refused_or_finite(decide(fits(data$x * size), data$x * size), paste(kernel$name, size))
    }
  }
})

# A standard deviation below 1e-302 cannot be inverted safely: such a column is taken as constant.
each_solver("subnormal columns are constant, others scaled, and the model finite", function(name) {
  data <- clouds()
  x <- data$x
  sets <- list(
    one = cbind(x, x[, 1] * 1e-310), all = x * 1e-310, mixed = cbind(x[, 1] * 1e150, x[, 2] * 1e-150, x[, 3] * 1e-310)
  )
  for (x in sets) for (form in list(identity, function(x) methods::as(x, "CsparseMatrix"))) {
    fit <- quick_fit(name, list(x = form(x), y = data$y))
    expect_usable(fit, form(x))
    expect_true(all(is.finite(fit$coef)))
    expect_usable(update(fit, form(x), data$y), form(x))
    unscaled <- function() quick_fit(name, list(x = form(x), y = data$y), scale = FALSE)
    expect_refused_or_finite(decide(unscaled(), form(x)), "unscaled")
  }
  fit <- quick_fit(name, list(x = sets$one, y = data$y))
  expect_close(decide(fit, sets$one), decide(quick_fit(name, data), data$x))
})

each_solver("huge values at prediction and update time", function(name) {
  data <- clouds()
  kernels <- some_kernels(name)
  for (k in seq_along(kernels)) {
    kernel <- kernels[[k]]
    fit <- muffle_unfinished(quick_fit(name, data, solver = limited_solver(name, kernel), kernel = kernel))
    for (size in some_of(c(1e12, 1e60, 1e200, 1e-200), 1 + (k + 0:1) %% 4)) {
      x <- data$x * size
      label <- paste(kernel$name, size)
      expect_refused_or_finite(suppressWarnings(decide(fit, x), classes = "osvm_out_of_range"), label)
      grown <- function() suppressWarnings(muffle_unfinished(update(fit, x, data$y)), classes = "osvm_out_of_range")
      expect_refused_or_finite(decide(grown(), data$x), paste("update", label))
    }
  }
})

each_solver("a far outlier or offset costs no precision", function(name) {
  data <- clouds()
  data$x[1, ] <- 1e9
  fit <- quick_fit(name, data)
  # Scaled, all others are one point, whose decision value may be 0.
  expect_close(c(1, decide(fit, data$x)), c(1, ref_decision(fit, data$x)))
  shifted <- clouds()
  shifted$x <- shifted$x + 1e6
  fit <- quick_fit(name, shifted)
  expect_close(decide(fit, shifted$x), ref_decision(fit, shifted$x))
})

each_solver("weights of one have no effect", function(name) {
  data <- clouds(classes = 3)
  plain <- decide(quick_fit(name, data), data$x)
  expect_identical(decide(quick_fit(name, data, weights = rep(1, 40)), data$x), plain)
  expect_identical(decide(quick_fit(name, data, class_weights = c(a = 1, b = 1, c = 1)), data$x), plain)
})

each_solver("class weights are example weights, and multiply", function(name) {
  data <- clouds(classes = 3)
  per_class <- c(c = 0.5, a = 2, b = 1)
  w <- rep(c(0.5, 1, 3, 2), 10)
  solver <- soft_solver(name)
  by_class <- quick_fit(name, data, solver = solver, class_weights = per_class, weights = w)
  by_row <- quick_fit(name, data, solver = solver, weights = w * per_class[as.character(data$y)])
  expect_identical(decide(by_class, data$x), decide(by_row, data$x))
  expect_false(identical(decide(by_class, data$x), decide(quick_fit(name, data, solver = solver), data$x)))
})

each_solver("twice the weight is twice the C", function(name) {
  skip_if_not("C" %in% names(make_solver(name)$params), "no C")
  data <- clouds()
  heavy <- quick_fit(name, data, solver = make_solver(name, C = 0.7), weights = rep(2, 40))
  large <- quick_fit(name, data, solver = make_solver(name, C = 1.4))
  expect_close(decide(heavy, data$x), decide(large, data$x), 1e-6)
})

each_solver("the caller's model and data are not modified", function(name) {
  data <- clouds()
  for (x in list(data$x, sparse_clouds()$s)) {
    before <- serialize(x, NULL)
    fit <- quick_fit(name, list(x = x[1:30, ], y = data$y[1:30]))
    kept <- serialize(fit, NULL)
    predict(fit, x)
    decide(fit, x)
    update(fit, x[31:40, ], data$y[31:40])
    expect_identical(serialize(fit, NULL), kept)
    expect_identical(serialize(x, NULL), before)
  }
})

# Degree 20 stays finite, 60 overflows for the outlier alone, 100 for all rows.
each_solver("kernel values that overflow: an error, or a model that can be used", function(name) {
  if (solver_space(name) == "linear") skip("kernel solvers only")
  data <- clouds()
  data$x <- 100 * rbind(data$x, 1000)
  data$y <- data$y[c(1:40, 1)]
  for (degree in c(20, 60, 100)) {
    kernel <- kernel_polynomial(degree = degree, gamma = 1)
    # Warnings: a fit may be unfinished.
    fit <- suppressWarnings(tryCatch(quick_fit(name, data, kernel = kernel, scale = FALSE), osvm_error = identity))
    if (inherits(fit, "osvm_error")) {
      expect_match(conditionMessage(fit), "beyond all numbers")
    } else {
      expect_length(predict(fit, data$x), 41)
      expect_s3_class(suppressWarnings(update(fit, data$x[1:2, ], data$y[1:2])), "osvm")
    }
  }
})
