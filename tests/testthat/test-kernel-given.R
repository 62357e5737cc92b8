# kernel_matrix() and kernel_function() against the same kernel of features.

gaussian <- function(x, z) {
  exp(-0.5 * pmax(outer(rowSums(x^2), rowSums(z^2), "+") - 2 * tcrossprod(x, z), 0))
}

by_features <- kernel_rbf(gamma = 0.5)
by_function <- kernel_function(gaussian)

given_data <- function(n = 60, ...) {
  data <- clouds(n, ...)
  data$x <- unname(data$x)
  data$K <- gaussian(data$x, data$x)
  data
}

same_decisions <- function(fit, other, x, z, tolerance = 1e-6) {
  expect_close(unname(decide(other, z)), unname(decide(fit, x)), tolerance)
}

# ---- every solver ----

# Those that end by a tolerance end where rounding does not decide.
exact_solver <- function(name) soft_solver(name, tolerance = 1e-9, min_gain = 1e-12)

kernel_solvers <- function(loss) {
  learns <- vapply(strsplit(all_solvers$losses, ", "), function(losses) loss %in% losses, NA)
  intersect(tested_solvers(), all_solvers$name[all_solvers$space != "linear" & learns])
}

for (name in kernel_solvers("hinge")) {
  test_that(paste0(name, ": kernel values of one's own give the model of their kernel"), {
    local_doubles()
    for (classes in 2:3) {
      data <- given_data(classes = classes)
      old <- 1:45
      new <- 46:60
      fit <- function(x, kernel) {
        set.seed(2)
        muffle_not_separable(osvm(x, data$y[old], exact_solver(name), kernel, scale = FALSE, verbose = FALSE))
      }
      features <- fit(data$x[old, ], by_features)
      given <- fit(data$K[old, old], kernel_matrix())
      computed <- fit(data$x[old, ], by_function)
      same_decisions(features, given, data$x[new, ], data$K[new, old])
      same_decisions(features, computed, data$x[new, ], data$x[new, ])
      expect_equal(given$index, features$index)
      more <- function(fit, x) {
        set.seed(3)
        muffle_not_separable(update(fit, x, data$y[new]))
      }
      features <- more(features, data$x[new, ])
      given <- more(given, data$K[new, ])
      computed <- more(computed, data$x[new, ])
      same_decisions(features, given, data$x, data$K)
      same_decisions(features, computed, data$x, data$x)
      expect_equal(given$n_sv, features$n_sv)
      again <- unserialize(serialize(given, NULL))
      expect_identical(decide(again, data$K), decide(given, data$K))
      expect_identical(unname(decide(strip(computed), data$x)), unname(decide(computed, data$x)))
      expect_close(decide(strip(given), data$K), decide(given, data$K), 1e-12)
    }
  })
}

for (loss in c("epsilon", "quantile", "novelty")) for (name in kernel_solvers(loss)) {
  test_that(paste0(name, ", ", loss, ": kernel values of one's own give the model of their kernel"), {
    local_doubles()
    data <- given_data()
    y <- if (loss != "novelty") data$x[, 1]^2 + data$x[, 2]
    fit <- function(x, kernel) {
      set.seed(2)
      osvm(x, y, exact_solver(name), kernel, scale = FALSE, loss = loss, verbose = FALSE)
    }
    features <- fit(data$x, by_features)
    same_decisions(features, fit(data$K, kernel_matrix()), data$x, data$K)
    same_decisions(features, fit(data$x, by_function), data$x, data$x)
  })
}

test_that("a budget is kept by projection and removal, and merging is refused", {
  local_doubles()
  data <- given_data()
  fit <- function(x, kernel, maintenance) {
    set.seed(1)
    solver <- solver_olsvm(C = 10, budget = 12, maintenance = maintenance)
    osvm(x, data$y, solver, kernel, scale = FALSE, verbose = FALSE)
  }
  for (maintenance in c("project", "remove")) {
    given <- fit(data$K, kernel_matrix(), maintenance)
    expect_equal(given$n_sv, 12)
    same_decisions(fit(data$x, by_features, maintenance), given, data$x, data$K)
  }
  expect_error(fit(data$K, kernel_matrix(), "merge"), "must be \"project\" or \"remove\"", class = "osvm_error")
})

# ---- what models do ----

test_that("folds of a tuning are parts of the kernel matrix", {
  local_doubles()
  data <- given_data(90, classes = 3)
  for (solver in list(solver_smo(C = 10^(-1:1), tolerance = 1e-8), solver_olsvm(C = c(1, 10), epochs = c(1, 3)))) {
    tune <- function(x, kernel) {
      set.seed(1)
      quick_tune(x, data$y, solver, kernel, folds = 3, scale = FALSE, metric = "logloss", refit = TRUE)
    }
    features <- tune(data$x, by_features)
    for (given in list(tune(data$K, kernel_matrix()), tune(data$x, by_function))) {
      expect_equal(given$results$error, features$results$error)
      expect_equal(given$results$logloss, features$results$logloss, tolerance = 1e-6)
      x <- if (given$fit$kernel$name == "matrix") data$K else data$x
      expect_close(predict(given, x, type = "prob"), predict(features, data$x, type = "prob"), 1e-6)
    }
    expect_equal(given$fit$call$kernel, quote(kernel_function(f)))
  }
})

test_that("probabilities, of fits and of updates, are those of the kernel", {
  local_doubles()
  data <- given_data(80)
  old <- 1:50
  fit <- function(x, kernel) {
    set.seed(4)
    osvm(x, data$y[old], solver_smo(tolerance = 1e-9), kernel, scale = FALSE, probability = TRUE, verbose = FALSE)
  }
  features <- fit(data$x[old, ], by_features)
  given <- fit(data$K[old, old], kernel_matrix())
  computed <- fit(data$x[old, ], by_function)
  p <- predict(features, data$x, type = "prob")
  expect_close(predict(given, data$K[, old], type = "prob"), p, 1e-6)
  expect_close(predict(computed, data$x, type = "prob"), p, 1e-6)
  features <- update(features, data$x[-old, ], data$y[-old], probability = TRUE)
  p <- predict(features, data$x, type = "prob")
  given <- update(given, data$K[-old, ], data$y[-old], probability = TRUE)
  expect_close(predict(given, data$K, type = "prob"), p, 1e-6)
  computed <- update(computed, data$x[-old, ], data$y[-old], probability = TRUE)
  expect_close(predict(computed, data$x, type = "prob"), p, 1e-6)
})

test_that("examples can be forgotten and left out", {
  for (classes in 2:3) {
    data <- given_data(classes = classes)
    fits <- list(
      osvm(data$x, data$y, solver_idsvm(C = 1), by_features, scale = FALSE),
      osvm(data$K, data$y, solver_idsvm(C = 1), kernel_matrix()),
      osvm(data$x, data$y, solver_idsvm(C = 1), by_function)
    )
    left <- lapply(fits, loo)
    fits <- lapply(fits, forget, 7:20)
    for (k in 2:3) {
      expect_close(left[[k]]$decision, left[[1]]$decision, 1e-9)
      same_decisions(fits[[1]], fits[[k]], data$x, if (k == 2) data$K else data$x, 1e-9)
      expect_equal(fits[[k]]$id, fits[[1]]$id)
    }
  }
})

test_that("rows without a label or weight are left out of the columns, too", {
  data <- given_data()
  y <- replace(data$y, c(3, 20), NA)
  weights <- replace(rep(1, 60), 8, NA)
  gone <- c(3, 8, 20)
  expect_message(fit <- osvm(data$K, y, solver_smo(tolerance = 1e-9), kernel_matrix(), weights = weights), "3 rows")
  less <- osvm(data$K[-gone, -gone], data$y[-gone], solver_smo(tolerance = 1e-9), kernel_matrix())
  expect_close(decide(fit, data$K), decide(less, data$K[, -gone]), 1e-9)
  expect_message(more <- update(fit, cbind(data$K, data$K[, 1:4])[1:4, ], replace(data$y[1:4], 2, NA)), "1 row")
  expect_equal(more$n_seen, 60)
  data$K[5, fit$index] <- NA
  expect_equal(which(is.na(decide(fit, data$K))), 5)
})

test_that("columns go by name where all have names, and a message says what was taken", {
  data <- given_data()
  K <- data$K
  dimnames(K) <- rep(list(paste0("r", 1:60)), 2)
  old <- 1:40
  fit <- osvm(K[old, old], data$y[old], solver_smo(), kernel_matrix())
  expected <- decide(fit, K[, old])
  expect_equal(names(expected), rownames(K))
  expect_equal(unname(expected), unname(decide(fit, unname(K[, old]))))
  expect_silent(expect_identical(decide(fit, K[, rev(old)]), expected))
  support <- paste0("r", fit$index)
  expect_message(some <- decide(fit, K[, support]), "by name")
  expect_identical(some, expected)
  new <- 41:60
  whole <- update(fit, K[new, ], data$y[new])
  expect_message(part <- update(fit, K[new, c(paste0("r", new), support)], data$y[new]), "by name")
  expect_identical(decide(part, K), decide(whole, K))
  expect_identical(part$given$names, paste0("r", part$index))
  plain <- update(fit, unname(K[new, ]), data$y[new])
  expect_identical(unname(decide(plain, unname(K))), unname(decide(whole, K)))
  expect_snapshot(error = TRUE, {
    decide(fit, K[, support[-1]])
    decide(fit, unname(K[, support]))
    update(fit, K[new, setdiff(colnames(K), "r50")], data$y[new])
    update(plain, unname(K[1:2, ]), data$y[1:2])
  })
})

test_that("other classes of matrices are taken", {
  data <- given_data()
  expected <- osvm(data$K, data$y, solver_smo(), kernel_matrix())
  packed <- methods::as(Matrix::Matrix(data$K), "unpackedMatrix")
  fit <- osvm(packed, data$y, solver_smo(), "matrix")
  expect_identical(decide(fit, packed), decide(expected, data$K))
  whole <- matrix(as.integer(tcrossprod(round(10 * data$x))), 60)
  expect_identical(
    decide(osvm(whole, data$y, solver_smo(), kernel_matrix()), whole),
    decide(osvm(whole + 0, data$y, solver_smo(), kernel_matrix()), whole + 0)
  )
  skip_if_not_installed("kernlab")
  theirs <- kernlab::kernelMatrix(kernlab::rbfdot(0.5), data$x)
  fit <- osvm(theirs, data$y, solver_smo(), kernel_matrix())
  same_decisions(expected, fit, data$K, theirs, 0.01)
})

# ---- kernel functions ----

# Words have letters in common.
letters_in_common <- function(x, z) {
  has <- function(word) as.numeric(letters %in% strsplit(word, "")[[1]])
  crossprod(vapply(x, has, numeric(26)), vapply(z, has, numeric(26)))
}

test_that("examples may be texts, lists, data frames and rows of a model matrix", {
  words <- c("apple", "pear", "melon", "lemon", "dog", "fox", "ox", "frog")
  y <- rep(c("fruit", "animal"), each = 4)
  kernel <- kernel_function(letters_in_common)
  fit <- osvm(words, y, solver_smo(), kernel)
  K <- letters_in_common(words, words)
  expect_equal(decide(fit, words), unname(decide(osvm(K, y, solver_smo(), kernel_matrix()), K)))
  expect_equal(fit$given$examples, words[fit$index])
  expect_equal(is.na(predict(fit, c("plum", NA))), c(FALSE, TRUE))
  expect_equal(predict(osvm(as.list(words), y, solver_smo(), kernel), as.list(words)), predict(fit, words))
  expect_message(fit <- osvm(replace(words, 2, NA), y, solver_smo(), kernel), "1 row")
  expect_equal(update(fit, "plum", "fruit")$n_seen, 8)

  of_frames <- function(x, z) {
    exp(-abs(outer(x$Sepal.Length, z$Sepal.Length, "-"))) * (1 + outer(x$Species, z$Species, "=="))
  }
  fit <- osvm(iris[c(1, 5)], iris$Petal.Width, kernel = kernel_function(of_frames), subset = Sepal.Length < 7)
  expect_equal(fit$n_seen, sum(iris$Sepal.Length < 7))
  expect_gt(cor(predict(fit, iris), iris$Petal.Width), 0.95)
  expect_s3_class(osvm_tune(iris[c(1, 5)], iris$Petal.Width, kernel = kernel_function(of_frames))$fit, "osvm")

  by_formula <- osvm(Species ~ Petal.Length + Petal.Width, iris, solver = solver_smo(), kernel = by_function)
  x <- as.matrix(iris[3:4])
  expect_equal(unname(decide(by_formula, iris)), unname(decide(osvm(x, iris$Species, solver_smo(), by_function), x)))
  expect_equal(update(by_formula, iris[1:3, ])$n_seen, 153)
  expect_equal(is.na(predict(by_formula, replace(iris[1:2, ], "Petal.Width", c(NA, 1)))), c(TRUE, FALSE))
})

test_that("a function is called for blocks, of one triangle, and its results are checked", {
  data <- given_data()
  local_internal("block_values", 1000)
  sizes <- list()
  counting <- function(x, z) {
    sizes[[length(sizes) + 1]] <<- c(nrow(x), nrow(z))
    gaussian(x, z)
  }
  fit <- osvm(data$x, data$y, solver_smo(), kernel_function(counting))
  expect_equal(sizes, list(c(16, 16), c(16, 32), c(16, 48), c(12, 60)))
  expect_equal(decide(fit, data$x), decide(osvm(data$K, data$y, solver_smo(), kernel_matrix()), data$K))
  sizes <- list()
  decide(fit, data$x)
  expect_true(all(vapply(sizes, function(size) prod(size) <= 1000 && size[2] == fit$n_sv, NA)))
})

test_that("errors and interrupts of a function are its own", {
  data <- given_data()
  raised <- tryCatch(
    osvm(data$x, data$y, kernel = kernel_function(function(x, z) stop("of mine"))), error = function(e) e
  )
  expect_equal(conditionMessage(raised), "of mine")
  expect_equal(conditionCall(raised), quote(f(x, z)))
  interrupted <- tryCatch(
    osvm(data$x, data$y, kernel = kernel_function(function(x, z) press_ctrl_c())), interrupt = function(c) "stopped"
  )
  expect_equal(interrupted, "stopped")
})

test_that("the values of a function are part of the memory for kernel values", {
  data <- given_data()
  expect_s3_class(osvm(data$x, data$y, kernel = by_function, cache_mb = 1.1 * 8 * 60^2 / 2^20), "osvm")
  fit <- osvm(data$x[1:40, ], data$y[1:40], kernel = by_function, cache_mb = 8 * 50^2 / 2^20)
  expect_error(update(fit, data$x[41:60, ], data$y[41:60]), "at least 1 for the kernel values", class = "osvm_error")
})

# ---- what is refused ----

test_that("errors name what is wrong", {
  data <- given_data()
  K <- data$K
  y <- data$y
  fit <- osvm(K, y, solver_smo(), kernel_matrix())
  computed <- osvm(data$x, y, solver_smo(), by_function)
  expect_snapshot(error = TRUE, {
    osvm(data$x, y, kernel = kernel_matrix())
    osvm(K + upper.tri(K), y, kernel = kernel_matrix())
    osvm(replace(K, 2, NA), y, kernel = kernel_matrix())
    osvm(letters, y[1:26], kernel = kernel_matrix())
    osvm(`dimnames<-`(K, list(1:60, 60:1)), y, kernel = kernel_matrix())
    osvm(y ~ K, kernel = kernel_matrix())
    osvm(K, y, kernel = kernel_matrix(), scale = list(scale = 2))
    osvm(K, y, solver_sgd(), kernel_matrix())
    kernel_matrix(K)
    kernel_function("gaussian")
    osvm(data$x, y, kernel = gaussian)
    osvm(data$x, y, kernel = "function")
    osvm(data$x, y, kernel = kernel_function(function(x, z) 1))
    osvm(data$x, y, kernel = kernel_function(function(x, z) x))
    osvm(data$x, y, kernel = kernel_function(function(x, z) NA * gaussian(x, z)))
    osvm(data$x, y, kernel = kernel_function(function(x, z) outer(x[, 1], 2 * z[, 1], "-")))
    osvm(NULL, y, kernel = by_function)
    osvm(data$x, y, kernel = by_function, cache_mb = 0.01)
    update(computed, data$x[, 1:2], y)
    predict(computed, data$x[1, ])
    plot(fit)
    compress(fit, 3)
    osvm_live(fit)
    osvm_live(kernel = kernel_matrix())
    osvm_stream(source_matrix(data$x, y), kernel = by_function)
    osvm_active(K, function(i) y[i], kernel = kernel_matrix())
    osvm_shards(list(source_matrix(data$x, y)), kernel = kernel_matrix())
    osvm_learning_curve(fit, K, y)
    osvm(K, y, kernel = kernel_matrix(), cells = 50)
    model.matrix(fit, K)
  })
  scaled <- Filter(function(name) "unit_norm" %in% names(make_solver(name)$params), all_solvers$name)
  for (name in setdiff(scaled, all_solvers$name[all_solvers$space == "linear"])) {
    solver <- make_solver(name, unit_norm = TRUE)
    expect_error(osvm(K, y, solver, kernel_matrix()), "must be FALSE with", class = "osvm_error")
  }
})

test_that("a kernel that is not positive semi-definite gives a warning, not an error", {
  data <- given_data()
  distance <- as.matrix(dist(data$x))
  expect_warning(osvm(-distance, data$y, solver_smo(), kernel_matrix()), class = "osvm_indefinite")
  expect_warning(
    osvm(data$x, data$y, solver_smo(), kernel_function(function(x, z) tanh(tcrossprod(x, z) - 1))),
    class = "osvm_indefinite"
  )
  expect_silent(osvm(tcrossprod(data$x), data$y, solver_smo(), kernel_matrix(), verbose = FALSE))
})

within_part <- function(fit, part, value) {
  fit$given[part] <- list(value)
  fit
}

test_that("a damaged model is an error, and the core is never given numbers beyond its matrix", {
  data <- given_data()
  fit <- osvm(data$K, data$y, solver_idsvm(C = 1), kernel_matrix())
  damage <- list(
    function(fit) within_part(fit, "values", fit$given$values[-1, ]), function(fit) within_part(fit, "values", NULL),
    function(fit) within_part(fit, "values", fit$given$values * NA), function(fit) within_part(fit, "column", 1e9),
    function(fit) within_part(fit, "rows", "a"), function(fit) within_part(fit, "names", 1:3),
    function(fit) replace(fit, "given", list(NULL)), function(fit) replace(fit, "sv", list(fit$sv + 1))
  )
  for (damaged in damage) expect_osvm_error(forget(damaged(fit), 1))
  computed <- osvm(data$x, data$y, solver_idsvm(C = 1), by_function)
  for (examples in list(NULL, 1:3, data$x[1:3, ])) {
    expect_osvm_error(forget(within_part(computed, "examples", examples), 1))
  }
  features <- osvm(data$x, data$y, solver_idsvm(C = 1), by_features)
  features$given <- fit$given
  expect_osvm_error(predict(features, data$x))
  request <- core_request(unclass(fit), no_examples(fit), integer())
  request$kernel$values <- diag(3)
  expect_match(.Call(ffi_live_update, open_core(unclass(fit), request), request, 0L, NULL), "not among the rows")
})

test_that("models, kernels and tunings are printed", {
  words <- c("apple", "pear", "melon", "lemon", "dog", "fox", "ox", "frog")
  y <- rep(c("fruit", "animal"), each = 4)
  K <- letters_in_common(words, words)
  expect_snapshot({
    kernel_matrix()
    kernel_function(letters_in_common)
    osvm(words, y, solver_smo(), kernel_function(letters_in_common))
    osvm(K, y, solver_smo(), kernel_matrix())
  })
  expect_output(print(summary(osvm(words, y, solver_smo(), kernel_function(letters_in_common)))), "kept in the model")
})

# ---- a width per feature ----

test_that("a scaling of one's own is a width per feature", {
  data <- given_data()
  width <- c(0.5, 2, 4)
  fit <- osvm(data$x, data$y, solver_smo(tolerance = 1e-9), kernel_rbf(sigma = 1), scale = list(scale = width))
  differences <- lapply(1:3, function(f) outer(data$x[, f], data$x[, f], "-")^2 / (2 * width[f]^2))
  K <- exp(-Reduce(`+`, differences))
  same_decisions(osvm(K, data$y, solver_smo(tolerance = 1e-9), kernel_matrix()), fit, K, data$x)
})

test_that("kernels of kernlab are taken", {
  skip_if_not_installed("kernlab")
  data <- clouds(60)
  taken <- function(theirs, ours) {
    expect_message(fit <- osvm(data$x, data$y, solver_smo(C = 2), theirs, verbose = FALSE), "of kernlab is taken as")
    expect_identical(fit$kernel, ours)
  }
  taken(kernlab::rbfdot(sigma = 0.3), kernel_rbf(gamma = 0.3))
  taken(kernlab::vanilladot(), kernel_linear())
  taken(kernlab::polydot(degree = 2, scale = 0.5, offset = 1), kernel_polynomial(degree = 2, gamma = 0.5, coef0 = 1))
  taken(kernlab::tanhdot(scale = 0.1, offset = 1), kernel_sigmoid(gamma = 0.1, coef0 = 1))
  laplace <- kernlab::laplacedot(sigma = 0.4)
  fit <- suppressMessages(osvm(data$x, data$y, solver_smo(C = 2), laplace, verbose = FALSE))
  K <- kernlab::kernelMatrix(laplace, data$x)@.Data
  own <- osvm(K, data$y, solver_smo(C = 2), kernel_matrix(), verbose = FALSE)
  expect_close(decide(fit, data$x), decide(own, K), 1e-6)
})

test_that("kernel values that are nearly symmetric are made so, with a message", {
  set.seed(2)
  x <- matrix(rnorm(120), 60)
  y <- rep(c("a", "b"), 30)
  K <- exp(-as.matrix(dist(x)))
  off <- K + 0.05 * upper.tri(K)
  expect_message(fit <- osvm(off, y, solver_smo(C = 1), kernel_matrix(), verbose = FALSE), "not symmetric")
  mean <- osvm((off + t(off)) / 2, y, solver_smo(C = 1), kernel_matrix(), verbose = FALSE)
  expect_equal(fit$coef, mean$coef)
  expect_error(osvm(K + 0.5 * upper.tri(K), y, kernel = kernel_matrix()), "must be symmetric", class = "osvm_error")
  skewed <- function(a, b) off[a, b, drop = FALSE]
  expect_message(same <- osvm(1:60, y, solver_smo(C = 1), kernel_function(skewed), verbose = FALSE), "not symmetric")
  expect_equal(same$coef, mean$coef)
})

test_that("the cost of a kernel matrix is chosen", {
  data <- clouds(200)
  K <- exp(-0.3 * as.matrix(dist(data$x))^2)
  fit <- osvm(unname(K), data$y, kernel = kernel_matrix(), verbose = FALSE)
  expect_identical(names(fit$choice), c("C", "error"))
  expect_true(fit$solver$params$C %in% fit$choice$C)
})
