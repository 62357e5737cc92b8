model <- function(..., classes = 2) {
  data <- clouds(60, classes = classes)
  set.seed(1)
  osvm(data$x, data$y, solver_olsvm(), kernel_rbf(gamma = 0.5), ..., verbose = FALSE)
}

test_that("decision values have a name per machine, and only then", {
  data <- clouds(classes = 3)
  expect_null(dim(decide(model(), data$x)))
  expect_identical(colnames(decide(model(classes = 3, multiclass = "ovr"), data$x)), c("a", "b", "c"))
  expect_identical(colnames(decide(model(classes = 3, multiclass = "ovo"), data$x)), c("a/b", "a/c", "b/c"))
})

test_that("a positive value means the second level", {
  x <- matrix(c(-2, -1, 1, 2))
  y <- factor(c("low", "low", "high", "high"), levels = c("low", "high"))
  fit <- osvm(x, y, kernel = "linear", verbose = FALSE)
  expect_true(all(decide(fit, x)[3:4] > 0 & decide(fit, x)[1:2] < 0))
  expect_identical(predict(fit, x), y)
  back <- osvm(x, factor(y, levels = c("high", "low")), kernel = "linear", verbose = FALSE)
  expect_true(all(decide(back, x)[1:2] > 0))
})

test_that("probabilities rise with the decision value", {
  fit <- model(probability = TRUE)
  x <- clouds(80, seed = 3)$x
  p <- predict(fit, x, type = "prob")[, "b"]
  f <- decide(fit, x)
  expect_false(is.unsorted(p[order(f)], strictly = TRUE))
})

test_that("ovo ties go to the larger sum of decision values", {
  # Three machines that vote in a circle: b beats a, c beats b, a beats c.
  fit <- model(classes = 3, multiclass = "ovo")
  x <- fit$sv[1, , drop = FALSE]
  circle <- function(ab, ac, bc) {
    fit$coef[] <- 0
    fit$intercept <- c(ab, ac, bc)
    as.character(predict(fit, x))
  }
  expect_identical(circle(1, -1, 1), "a") # a: -1 + 1 = 0, b: 1 - 1 = 0, c: -1 + 1 = 0
  expect_identical(circle(3, -1, 1), "b")
  expect_identical(circle(1, -1, 3), "c")
  expect_identical(circle(1, -3, 1), "a")
})

test_that("a large block of new data is the sum of its parts", {
  fit <- model(classes = 3)
  x <- clouds(1000, seed = 4)$x
  parts <- rbind(decide(fit, x[1:333, ]), decide(fit, x[334:335, ]), decide(fit, x[336:1000, ]))
  expect_close(decide(fit, x), parts, 1e-6)
  expect_close(decide(fit, x), ref_decision(fit, x))
})

test_that("threads share a block that is worth it, and change nothing", {
  data <- clouds(600, d = 20)
  fit <- osvm(data$x, data$y, kernel = kernel_rbf(gamma = 0.05), verbose = FALSE)
  x <- clouds(3000, d = 20, seed = 8)$x
  expect_identical(decide(fit, x, threads = 2), decide(fit, x, threads = 1))
  expect_close(decide(fit, x, threads = 2), ref_decision(fit, x))
})

test_that("a matrix may have no column names", {
  fit <- model()
  x <- clouds()$x
  expect_identical(decide(fit, unname(x)), decide(fit, x))
})

test_that("row names are no trouble", {
  fit <- model()
  x <- clouds()$x
  rownames(x) <- paste0("r", 1:40)
  expect_equal(unname(decide(fit, x)), decide(fit, unname(x)))
})

test_that("refusals say what would be right", {
  fit <- model()
  x <- clouds()$x
  expect_snapshot(error = TRUE, {
    predict(fit, x[, 1:2])
    predict(fit, replace(x, 5, Inf))
    predict(fit, "x")
    predict(fit, as.data.frame(x))
    predict(fit, x, type = "prob")
    predict(fit, x, type = "odds")
  })
})

test_that("coef() of numbers is in their units", {
  set.seed(1)
  x <- matrix(rnorm(300), 100, dimnames = list(NULL, c("a", "b", "c")))
  x[, 2] <- 20 + 5 * x[, 2]
  y <- drop(1000 + x %*% c(30, -2, 0))
  least <- coef(lm(y ~ x))
  for (solver in list(solver_smo(C = 100), solver_dcd(C = 100), solver_idsvm(C = 100))) {
    fit <- osvm(x, y, solver, kernel_linear(), loss = loss_epsilon(1e-4))
    expect_close(coef(fit), least, 1e-2)
    expect_close(drop(cbind(1, x) %*% coef(fit)), predict(fit, x), 1e-6)
  }
  fit <- osvm(x, y, solver_pa(), kernel_linear(), scale = "running")
  expect_close(drop(cbind(1, x) %*% coef(fit)), predict(fit, x), 1e-6)
  expect_close(coef(osvm_live(fit)), coef(fit))
})

test_that("coef() gives the weights of a linear model in the data's units", {
  data <- clouds(classes = 3)
  data$x <- sweep(data$x, 2, c(1, 100, 0.01), "*") + 3
  for (multiclass in c("ovr", "ovo")) {
    fit <- osvm(data$x, data$y, kernel = "linear", multiclass = multiclass, verbose = FALSE)
    w <- coef(fit)
    expect_identical(rownames(w), c("(Intercept)", "x1", "x2", "x3"))
    expect_close(cbind(1, data$x) %*% w, decide(fit, data$x))
  }
  two <- clouds()
  fit <- osvm(unname(two$x), two$y, kernel = "linear", verbose = FALSE)
  expect_named(coef(fit), c("(Intercept)", "x1", "x2", "x3"))
  expect_close(drop(cbind(1, two$x) %*% coef(fit)), decide(fit, unname(two$x)))
  expect_osvm_error(coef(model()))
})

test_that("a model of a matrix takes a data frame of numbers", {
  data <- clouds(40)
  fit <- osvm(data$x, data$y, "olsvm", verbose = FALSE)
  frame <- data.frame(label = data$y, data$x[, 3:1])
  expect_message(predicted <- predict(fit, frame), "dropped: `label`", class = "osvm_message")
  expect_identical(predicted, predict(fit, data$x))
  set.seed(1)
  by_frame <- update(fit, frame[-1], data$y)
  set.seed(1)
  expect_same_model(by_frame, update(fit, data$x, data$y))
  expect_error(predict(fit, transform(frame[-1], x2 = "a")), "data frame of numbers", class = "osvm_error")
  expect_error(predict(fit, frame[3]), "lacks the columns", class = "osvm_error")
})

test_that("predictions have the row names of the data", {
  data <- clouds(20)
  named <- data$x
  rownames(named) <- paste0("case", 1:20)
  fit <- osvm(data$x, data$y, "smo", verbose = FALSE, probability = TRUE)
  by_frame <- osvm(data.frame(data$x), data$y, "smo", verbose = FALSE)
  for (type in c("class", "decision")) {
    expect_identical(names(predict(fit, named, type)), rownames(named))
    expect_identical(names(predict(by_frame, data.frame(named), type)), rownames(named))
    expect_null(names(predict(by_frame, data.frame(data$x), type)))
  }
  expect_identical(rownames(predict(fit, named, "prob")), rownames(named))
  named[3, 1] <- NA
  expect_identical(names(predict(fit, named)), rownames(named))
})

test_that("a threshold moves the boundary of two classes", {
  data <- clouds(60)
  fit <- osvm(data$x, data$y, "smo", verbose = FALSE)
  f <- decide(fit, data$x)
  expect_identical(predict(fit, data$x, threshold = 0.3), factor(fit$levels[1 + (unname(f) >= 0.3)], fit$levels))
  likely <- osvm(data$x, data$y, "smo", probability = TRUE, verbose = FALSE)
  p <- predict(likely, data$x, "prob")[, 2]
  expect_identical(predict(likely, data$x, threshold = 0.1) == "b", unname(p) >= 0.1)
  expect_error(predict(fit, data$x, "decision", threshold = 1), "`threshold` is for", class = "osvm_error")
  usual <- osvm(data$x, loss = loss_novelty(), solver = "smo", verbose = FALSE)
  expect_identical(predict(usual, data$x, threshold = 0.1), unname(decide(usual, data$x)) >= 0.1)
  expect_error(predict(fit, data$x, threshold = "a"), "must be one number", class = "osvm_error")
  three <- clouds(60, classes = 3)
  fit <- osvm(three$x, three$y, "smo", verbose = FALSE)
  expect_error(predict(fit, three$x, threshold = 1), "two classes", class = "osvm_error")
})

test_that("the class of least expected cost is predicted", {
  three <- clouds(90, classes = 3)
  fit <- osvm(three$x, three$y, "smo", probability = TRUE, verbose = FALSE)
  p <- predict(fit, three$x, "prob")
  cost <- matrix(c(0, 1, 5, 2, 0, 1, 9, 1, 0), 3, byrow = TRUE, dimnames = list(fit$levels, fit$levels))
  least <- factor(fit$levels[max.col(-p %*% cost, "first")], fit$levels)
  expect_identical(predict(fit, three$x, cost = cost), least)
  expect_identical(predict(fit, three$x, cost = unname(cost)), least)
  expect_identical(predict(fit, three$x, cost = cost[3:1, c(2, 1, 3)]), least)
  expect_identical(predict(fit, three$x, cost = 1 - diag(3)), predict(fit, three$x))
  live <- osvm_live(osvm(three$x, three$y, solver_olsvm(epochs = 1), probability = TRUE, verbose = FALSE))
  expect_identical(predict(live, three$x, cost = cost), predict(snapshot(live), three$x, cost = cost))
  wrong <- list(1, cost[-1, ], matrix("a", 3, 3), `dimnames<-`(cost, list(letters[4:6], NULL)), cost * NA)
  for (cost in wrong) expect_error(predict(fit, three$x, cost = cost), "`cost` must be a matrix", class = "osvm_error")
  expect_error(predict(fit, three$x, "prob", cost = diag(3)), "for `type", class = "osvm_error")
  plain <- osvm(three$x, three$y, "smo", verbose = FALSE)
  expect_error(predict(plain, three$x, cost = diag(3)), "probability = TRUE", class = "osvm_error")
})

test_that("columns that new data lacks can be zeros", {
  data <- sparse_clouds(40)
  colnames(data$s) <- colnames(data$x) <- paste0("term", seq_len(ncol(data$s)))
  fit <- osvm(data$s, data$y, "smo", verbose = FALSE)
  zero <- data$s
  zero[, 2] <- 0
  for (new in list(data$s[, -2], as.matrix(data$s[, -2]))) {
    expect_error(predict(fit, new), "lacks the column `term2`", class = "osvm_error")
    expect_equal(predict(fit, new, "decision", missing_columns = "zero"), decide(fit, zero))
  }
})

test_that("support vectors packed for the row before are those of the model at hand", {
  set.seed(1)
  x <- matrix(rnorm(400), 100, dimnames = list(NULL, letters[1:4]))
  y <- factor(x[, 1] + x[, 2]^2 > 0.5)
  row <- x[7, , drop = FALSE]
  decision <- function(fit, x) predict(fit, x, type = "decision", threads = 1)
  anew <- function(fit, x) tail(decision(fit, x[c(rep(1, 100), seq_len(nrow(x))), , drop = FALSE]), nrow(x)) # not kept
  for (scale in list(TRUE, "rank")) {
    fit <- osvm(x, y, solver_smo(), kernel_rbf(gamma = 0.5), scale = scale, verbose = FALSE)
    before <- decision(fit, row)
    expect_identical(decision(fit, row), before)
    expect_equal(unname(anew(fit, row)), unname(before), tolerance = 1e-6)

    moved <- fit
    moved$sv[1, 1] <- moved$sv[1, 1] + 0.5
    expect_equal(unname(decision(moved, row)), unname(anew(moved, row)), tolerance = 1e-6)
    expect_gt(abs(decision(moved, row) - before), 1e-4)
    expect_identical(decision(fit, row), before)

    far <- row
    far[1] <- 1e6 # in double precision
    expect_equal(unname(suppressWarnings(decision(fit, far))), unname(suppressWarnings(anew(fit, far))))
    expect_identical(decision(fit, row), before)
    expect_identical(decision(unserialize(serialize(fit, NULL)), row), before)
  }
  rescaled <- fit
  rescaled$coef <- 2 * rescaled$coef
  expect_equal(decision(rescaled, row) - fit$intercept, 2 * (before - fit$intercept), tolerance = 1e-6)
})

test_that("few packed models are kept, and none of them by a model", {
  set.seed(2)
  x <- matrix(rnorm(80), 20)
  fits <- lapply(1:5, function(k) osvm(x, factor(rep(1:2, 10)), solver_smo(), kernel_rbf(gamma = k), verbose = FALSE))
  for (fit in fits) {
    size <- length(serialize(fit, NULL))
    predict(fit, x[1, , drop = FALSE])
    expect_length(serialize(fit, NULL), size)
  }
  expect_lte(length(cache$packed), 2)
})

test_that("sparse support vectors are packed once, too", {
  set.seed(3)
  x <- Matrix::rsparsematrix(60, 30, 0.1)
  fit <- osvm(x, factor(rep(1:2, 30)), solver_smo(), kernel_rbf(gamma = 0.5), scale = FALSE, verbose = FALSE)
  one <- function(fit) vapply(1:3, function(i) predict(fit, x[i, , drop = FALSE], type = "decision"), 0)
  expect_equal(one(fit), unname(predict(fit, x, type = "decision")[1:3]), tolerance = 1e-6)
  fit$sv@x <- 2 * fit$sv@x
  expect_equal(one(fit), unname(predict(fit, x[c(1:3, rep(4, 80)), ], type = "decision")[1:3]), tolerance = 1e-6)
})
