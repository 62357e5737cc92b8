# Classes that join a model learn against those that are there.

join_problem <- function(n = 600) {
  set.seed(5)
  y <- sample(letters[1:5], n, replace = TRUE)
  centre <- rbind(a = c(0, 0), b = c(3, 0), c = c(0, 3), d = c(3, 3), e = c(1.5, -2.5))
  x <- centre[y, ] + rnorm(2 * n, 0, 0.5)
  dimnames(x) <- list(NULL, c("u", "v"))
  list(x = x, y = y)
}

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
    if (spec$solver$name == "huller" && case[[2]] == "ovr") next # see below
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
  s$settings <- list(outcome = "classes")
  s$start <- list(specs = list(solver = solver_pa()))
  remember_classes <- onlinesvm:::remember_classes
  remember_classes(s, list(x = matrix(1:500, ncol = 1), y = rep("a", 500)))
  expect_identical(onlinesvm:::latest_rows(s$memory$a, 1000)$x[, 1], 301:500)
  onlinesvm:::classes_joined(s, "b", c("a", "b"))
  parts <- list(x = matrix(-(1:120), ncol = 1), y = rep("b", 120))
  state <- s$joining
  whole <- onlinesvm:::recall(s, parts)
  after <- s$joining
  s$joining <- state
  by_row <- lapply(1:120, function(i) onlinesvm:::recall(s, list(x = parts$x[i, , drop = FALSE], y = "b")))
  expect_identical(s$joining, after)
  expect_identical(unlist(lapply(by_row, function(part) part$x[, 1])), whole$x[, 1])
  expect_identical(unique(whole$y), "a")
  expect_identical(anyDuplicated(whole$x[, 1]), 0L)
  expect_gt(length(whole$y), 50)
  expect_lte(length(whole$y), 120)
  for (k in 1:20) onlinesvm:::recall(s, parts)
  expect_null(onlinesvm:::recall(s, parts)) # no longer young
})

test_that("classes join by update(): several at once, one of a single row", {
  p <- join_problem(300)
  old <- p$y %in% c("a", "b")
  new <- which(!old & p$y != "e")
  new <- c(new, which(p$y == "e")[1])
  for (case in combinations(c("ovo", "ovr"), list(solver_lasvm(), solver_olsvm(), solver_pa(), solver_perceptron()))) {
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
