# Classes that join a model learn against those that are there.

join_specs <- function() {
  all <- solvers()
  Map(function(name, space) {
    kernel <- if (space == "linear") kernel_linear() else kernel_rbf(gamma = 0.5)
    list(solver = get(paste0("solver_", name))(), kernel = kernel)
  }, all$name[all$online], all$space[all$online])
}

test_that("a stream in phases ends about where the same rows in mixed order do, all online solvers", {
  p <- join_problem()
  phases <- order(match(p$y, c("b", "a", "d", "c", "e")) %in% 2:3 + 2 * (p$y %in% c("c", "e")))
  cases <- combinations(join_specs(), c("ovo", "ovr"))
  for (case in cases) {
    spec <- case[[1]]
    if (spec$solver$name %in% c("norma", "pegasos", "sgd")) next # far from the others in mixed order, too
    accuracy <- function(rows) {
      set.seed(1)
      run <- suppressWarnings(osvm_stream(
        source_matrix(p$x[rows, ], p$y[rows]), spec$solver, spec$kernel, chunk = 50, scale = FALSE,
        multiclass = case[[2]]
      ))
      expect_identical(run$rows[["learned"]], 600)
      expect_identical(run$fit$n_seen, 600)
      mean(predict(run$fit, p$x) == p$y)
    }
    expect_gt(accuracy(phases), accuracy(1:600) - 0.05, label = paste(spec$solver$name, case[[2]]))
  }
})

test_that("what is recalled is bounded, gone through in turn, and does not depend on chunks", {
  s <- new.env()
  s$classes <- TRUE
  s$start <- list(specs = list(solver = solver_pa()))
  for (k in 1:300) remember_classes(s, list(x = matrix(7 * k - 6:0, ncol = 1), y = rep("a", 7)))
  expect_lte(length(s$memory$a$pieces), 12)
  held <- latest_rows(s$memory$a, Inf)$x[, 1]
  expect_equal(held, utils::tail(1:2100, length(held)))
  expect_true(length(held) >= 1000 && length(held) <= 1300)
  classes_joined(s, "b", c("a", "b"))
  parts <- list(x = matrix(-(1:120), ncol = 1), y = rep("b", 120))
  state <- s$joining
  whole <- recall(s, parts)
  after <- s$joining
  s$joining <- state
  by_row <- lapply(1:120, function(i) recall(s, list(x = parts$x[i, , drop = FALSE], y = "b")))
  expect_identical(s$joining, after)
  expect_identical(unlist(lapply(by_row, function(part) part$x[, 1])), whole$x[, 1])
  expect_identical(unique(whole$y), "a")
  expect_identical(anyDuplicated(whole$x[, 1]), 0L)
  expect_identical(whole$after, c(rep(1L, 10), 21:120))
  for (k in 1:20) recall(s, parts)
  expect_null(recall(s, parts)) # no longer young
  classes_joined(s, "c", c("a", "b", "c"))
  recall(s, list(x = matrix(0), y = "c"))
  for (k in 1:10) recall(s, list(x = matrix(0, 1000), y = rep("a", 1000)))
  expect_length(s$joining$young, 0) # rare
})

test_that("classes join by update(): several at once, one of a single row", {
  p <- join_problem(300)
  old <- p$y %in% c("a", "b")
  new <- which(!old & p$y != "e")
  new <- c(new, which(p$y == "e")[1])
  for (case in combinations(c("ovo", "ovr"), list(
    solver_lasvm(), solver_olsvm(), solver_pa(), solver_perceptron(), solver_huller()
  ))) {
    multiclass <- case[[1]]
    solver <- case[[2]]
    fit <- osvm(p$x[old, ], p$y[old], solver, kernel_rbf(gamma = 0.5), multiclass = multiclass)
    expect_error(update(fit, p$x[new, ], p$y[new]), "not among the classes", class = "osvm_error")
    set.seed(1)
    joined <- update(fit, p$x[new, ], p$y[new], new_classes = "join")
    expect_identical(joined$levels, c("a", "b", unique(p$y[new])))
    expect_identical(joined$n_seen, fit$n_seen + length(new))
    expect_true(all(joined$index <= joined$n_seen, na.rm = TRUE))
    expect_gt(mean(predict(joined, p$x)[p$y != "e"] == p$y[p$y != "e"]), 0.9)
    live <- osvm_live(fit)
    set.seed(1)
    update(live, p$x[new, ], p$y[new], new_classes = "join")
    expect_equal(predict(live, p$x, type = "decision"), predict(joined, p$x, type = "decision"), tolerance = 1e-10)
    one <- update(fit, p$x[new[1], ], p$y[new[1]], new_classes = "join")
    expect_length(one$levels, 3)
    expect_gt(mean(predict(one, p$x[old, ]) == p$y[old]), 0.8)
    expect_identical(predict(update(one, p$x[old, ], p$y[old]), p$x[1:3, ]) %in% one$levels, rep(TRUE, 3))
  }
})

test_that("a model that forgets has the optimum of all its examples after a class has joined, and their numbers", {
  p <- join_problem(150)
  turn <- order(p$y == "c", p$y %in% c("d", "e"))
  x <- p$x[turn, ]
  y <- p$y[turn]
  first <- which(y %in% c("a", "b"))
  for (multiclass in c("ovo", "ovr")) {
    learn <- function(x, y) {
      osvm(x, y, solver_idsvm(C = 1), kernel_rbf(gamma = 0.5), multiclass = multiclass, scale = FALSE)
    }
    fit <- learn(x[first, ], y[first])
    fit <- update(forget(fit, 3), x[-first, ], y[-first], new_classes = "join")
    order <- c(first, setdiff(seq_along(y), first))[-3]
    all <- learn(x[order, ], factor(y[order], fit$levels))
    expect_equal(predict(fit, x, type = "decision"), predict(all, x, type = "decision"), tolerance = 1e-6)
    expect_identical(sort(fit$id), as.numeric(setdiff(1:150, 3)))
    expect_equal(
      predict(forget(fit, 100), x, type = "decision"), predict(forget(all, 99), x, type = "decision"), tolerance = 1e-6
    )
  }
})

test_that("examples that are learned again have the weights they had", {
  p <- join_problem(150)
  p$x <- p$x + rnorm(300, 0, 0.8)
  first <- which(p$y %in% c("a", "b"))
  rest <- which(p$y == "c")
  order <- c(first, rest)
  weights <- runif(150, 0.1, 5)
  costs <- c(a = 2, b = 0.5)
  for (case in combinations(c("ovo", "ovr"), list(solver_idsvm(C = 0.7), solver_ramp(C = 0.7)))) {
    learn <- function(rows, class_weights) {
      osvm(p$x[rows, ], factor(p$y[rows], names(class_weights)), case[[2]], kernel_rbf(gamma = 0.5),
        multiclass = case[[1]], scale = FALSE, weights = weights[rows], class_weights = class_weights)
    }
    joined <- update(learn(first, costs), p$x[rest, ], p$y[rest], weights = weights[rest], new_classes = "join")
    all <- learn(order, c(costs, c = 1))
    if (solver_info(case[[2]]$name)$leave_out) { # convex
      expect_equal(predict(joined, p$x, type = "decision"), predict(all, p$x, type = "decision"), tolerance = 1e-6)
    }
    expect_identical(joined$state[, , "cost"], all$state[, , "cost"])
  }
  fit <- osvm(p$x[first, ], p$y[first], solver_lasvm(), weights = weights[first])
  again <- examples_again(fit, seq_along(fit$target))
  expect_equal(again$weight, weights[first][fit$index])
})

test_that("the Huller keeps the first examples of a class until another comes", {
  p <- join_problem(200)
  a <- which(p$y == "a")
  b <- which(p$y == "b")
  live <- osvm_live(levels = c("a", "b"), solver = solver_huller(), kernel = kernel_linear(), scale = FALSE)
  update(live, p$x[a, ], p$y[a])
  expect_identical(unique(predict(live, p$x)), "a")
  expect_identical(nrow(snapshot(live)$sv), 5L)
  update(live, 0 * p$x[1, , drop = FALSE], "b", weights = 0)
  update(live, p$x[b, ], p$y[b])
  both <- c(a, b)
  expect_gt(mean(predict(live, p$x[both, ]) == p$y[both]), 0.95)
  learn <- function(labels) {
    set.seed(1)
    osvm(p$x[both, ], labels[p$y[both]], solver_huller(C = 1), kernel_rbf(gamma = 0.5), scale = FALSE)
  }
  fit <- learn(c(a = "a", b = "b"))
  mirrored <- learn(c(a = "b", b = "a"))
  expect_equal(mirror_scalars(fit$scalars), mirrored$scalars)
  expect_equal(-fit$state[, , "alpha"], mirrored$state[, , "alpha"])
  expect_equal(fit$state[, , c("slack", "output")], mirrored$state[, , c("slack", "output")])
})

test_that("labels of any kind join, others are refused", {
  p <- join_problem(200)
  old <- p$y %in% c("a", "b")
  fit_of <- function(label, ...) osvm(p$x[old, ], label[old], solver_pa(), kernel_rbf(gamma = 0.5), ...)
  number <- match(p$y, letters)
  joined <- update(fit_of(number), p$x[!old, ], number[!old], new_classes = "join")
  expect_true(is.numeric(predict(joined, p$x[1:3, ])))
  fit <- fit_of(number)
  expect_error(update(fit, p$x[!old, ], p$y[!old], new_classes = "join"), "of the kind", class = "osvm_error")
  joined <- update(fit_of(factor(p$y[old], c("a", "b"))), p$x[!old, ], factor(p$y[!old]), new_classes = "join")
  expect_setequal(levels(predict(joined, p$x)), letters[1:5])
  frame <- data.frame(p$x, y = p$y)
  fit <- osvm(y ~ ., frame[old, ], solver_pa(), kernel_linear())
  expect_setequal(update(fit, frame, new_classes = "join")$levels, letters[1:5])
  file <- tempfile(fileext = ".rds")
  saveRDS(joined, file)
  expect_identical(predict(readRDS(file), p$x), predict(joined, p$x))
  expect_error(update(fit, frame, new_classes = "perhaps"), "new_classes", class = "osvm_error")
  numbers <- osvm(p$x, p$x[, 1] * 2.5, solver_lasvm())
  expect_error(update(numbers, p$x, p$x[, 1], new_classes = "join"), "needs a model for classes", class = "osvm_error")
})
