noisy <- function(n = 150, seed = 5) {
  set.seed(seed)
  chessboard(n, size = 2, noise = 0.1)
}
data <- noisy()
test <- noisy(80, seed = 6)
kernel <- kernel_rbf(gamma = 1)

active <- function(x = data$x, label = data$y, solver = solver_ramp(C = 5), ..., scale = FALSE, kern = kernel) {
  osvm_active(x, label, solver, kern, ..., scale = scale, verbose = FALSE)
}

# Algorithm 3 and the other strategies, a row at a time.
ref_active <- function(x, y, solver, strategy = "ramp", h = 5, budget = Inf, start = 2, ...) {
  begin <- max(start, which(y != y[1])[1])
  asked <- seq_len(begin)
  fit <- osvm(x[asked, ], y[asked], solver, kernel, scale = FALSE, verbose = FALSE, ...)
  distance <- function(i) {
    f <- decide(fit, x[i, , drop = FALSE])
    min(abs(f))
  }
  window <- integer()
  for (i in seq_len(nrow(x))[-asked]) {
    if (length(asked) == budget) break
    window <- c(window, i)
    wanted <- switch(strategy,
      all = i,
      ramp = if (distance(i) <= 1) i,
      greedy = if (length(window) == h || i == nrow(x)) window[which.min(vapply(window, distance, 0))]
    )
    if (is.null(wanted)) next
    fit <- update(fit, x[wanted, , drop = FALSE], y[wanted])
    asked <- c(asked, wanted)
    window <- integer()
  }
  list(fit = fit, asked = asked)
}

expect_active <- function(x, y, solver, ...) {
  ref <- ref_active(x, y, solver, ...)
  fit <- active(x, y, solver, ...)
  expect_identical(fit$asked, ref$asked)
  expect_identical(as.character(fit$answers), as.character(y[ref$asked]))
  expect_close(decide(fit, x), decide(ref$fit, x), 1e-4)
  expect_equal(fit$n_seen, length(ref$asked))
  invisible(fit)
}

test_that("Algorithm 3, greedy and all are the plain loops", {
  solvers <- list(
    solver_ramp(C = 5), solver_ramp(C = 5, keep = 10), solver_idsvm(C = 5), solver_olsvm(epochs = 3, shuffle = FALSE)
  )
  some <- seq_len(if (exhaustive()) 150 else 80)
  x <- data$x[some, ]
  y <- data$y[some]
  for (solver in solvers) {
    fit <- expect_active(x, y, solver)
    expect_lt(length(fit$asked), length(some))
    expect_active(x, y, solver, strategy = "greedy", h = 4)
    expect_active(x[1:40, ], y[1:40], solver, strategy = "all")
  }
  expect_active(data$x, data$y, solver_ramp(C = 5), start = 20)
})

test_that("margin queries the closest of all rows", {
  fit <- active(strategy = "margin", budget = 25)
  begin <- which(data$y != data$y[1])[1]
  asked <- seq_len(begin)
  ref <- osvm(data$x[asked, ], data$y[asked], solver_ramp(C = 5), kernel, scale = FALSE, verbose = FALSE)
  while (length(asked) < 25) {
    left <- setdiff(1:150, asked)
    i <- left[query(ref, data$x[left, ], "margin")]
    ref <- update(ref, data$x[i, , drop = FALSE], data$y[i])
    asked <- c(asked, i)
  }
  expect_identical(fit$asked, asked)
  expect_setequal(active(strategy = "margin")$asked, 1:150)
})

test_that("several classes, one of which appears late", {
  three <- clouds(80, classes = 3)
  for (multiclass in c("ovr", "ovo")) {
    expect_active(three$x, three$y, solver_ramp(), start = 5, multiclass = multiclass)
    late <- order(three$y == "c")
    fit <- active(three$x[late, ], three$y[late], multiclass = multiclass)
    expect_identical(fit$levels, c("a", "b", "c"))
    expect_true(all(is.finite(decide(fit, three$x))))
    expect_true("c" %in% predict(fit, three$x))
  }
})

test_that("a running scaling is that of all rows", {
  x <- cbind(10 * data$x[, 1] + 3, data$x[, 2])
  fit <- active(x, scale = "running", strategy = "all")
  constant <- active(x, scale = TRUE, strategy = "all")
  expect_close(decide(fit, x), decide(constant, x), 1e-4)
})

test_that("scaling and kernel width come from all rows", {
  x <- cbind(10 * data$x[, 1] + 3, data$x[, 2])
  fit <- active(x, scale = TRUE, kern = NULL)
  whole <- osvm(x, data$y, solver_ramp(C = 5), verbose = FALSE)
  expect_equal(fit$scaling, whole$scaling)
  expect_equal(fit$kernel, whole$kernel)
  by_hand <- active(scale(x), kern = whole$kernel)
  expect_identical(fit$asked, by_hand$asked)
  expect_close(decide(fit, x), decide(by_hand, scale(x)), 1e-4)
  expect_setequal(setdiff(names(whole), names(fit)), "trace")
})

test_that("label() is called for one row at a time, and only for those reported", {
  rows <- list()
  label <- function(i) {
    rows[[length(rows) + 1]] <<- i
    data$y[i]
  }
  for (strategy in c("greedy", "margin", "ramp", "all")) {
    rows <- list()
    fit <- active(label = label, strategy = strategy, budget = 40)
    expect_true(all(lengths(rows) == 1))
    expect_identical(as.integer(unlist(rows)), fit$asked)
    expect_identical(anyDuplicated(fit$asked), 0L)
    expect_identical(fit$asked, active(strategy = strategy, budget = 40)$asked)
  }
})

test_that("labels may be of any type", {
  sign <- ifelse(data$y == "white", 1, -1)
  fit <- active()
  kinds <- list(sign, sign > 0, as.character(data$y), data$y)
  for (y in kinds) {
    for (label in list(y, function(i) y[i])) {
      of_kind <- active(label = label)
      expect_identical(of_kind$asked, fit$asked)
      expect_identical(of_kind$answers, y[fit$asked])
      expect_identical(predict(of_kind, data$x), y[match(predict(fit, data$x), data$y)])
    }
  }
  turned <- active(label = function(i) as.character(data$y[i]), levels = c("white", "black", "grey"))
  expect_identical(turned$levels, c("white", "black", "grey"))
  expect_true(all(predict(turned, data$x) %in% c("white", "black")))
})

test_that("the budget is kept, and the curve has the counts", {
  for (strategy in c("greedy", "margin", "ramp", "all")) {
    fit <- active(strategy = strategy, budget = 12, test = test)
    expect_length(fit$asked, 12)
    expect_named(fit$curve, c("seen", "asked", "accuracy"))
    expect_equal(tail(fit$curve$asked, 1), 12)
    expect_equal(tail(fit$curve$accuracy, 1), mean(predict(fit, test$x) == test$y))
    expect_false(is.unsorted(fit$curve$seen))
    if (strategy != "margin") expect_lte(max(fit$asked), tail(fit$curve$seen, 1))
  }
  fit <- active(strategy = "all", test = unname(test), every = 40)
  expect_equal(fit$curve$asked[-1], c(40, 80, 120, 150))
  expect_true(all(is.na(active()$curve$accuracy)))
  part <- active(strategy = "all", budget = 80)
  expect_equal(fit$curve$accuracy[3], mean(predict(part, test$x) == test$y))
})

test_that("sparse data and data frames give the same model", {
  mixed <- sparse_clouds(80)
  dense <- active(mixed$x, mixed$y)
  sparse <- active(mixed$s, mixed$y, test = list(mixed$x, mixed$y))
  expect_identical(sparse$asked, dense$asked)
  expect_close(decide(sparse, mixed$x), decide(dense, mixed$x), 1e-4)
  expect_s4_class(sparse$sv, "dgCMatrix")
  frame <- data.frame(mixed$x)
  framed <- active(frame, mixed$y, test = list(x = frame, y = mixed$y))
  expect_identical(framed$asked, dense$asked)
  expect_equal(decide(framed, frame), decide(dense, mixed$x))
  frame$kind <- rep(c("u", "v"), 40)
  expect_length(predict(active(frame, mixed$y), frame[5:9, ]), 5)
})

test_that("class weights have an effect", {
  heavy <- active(class_weights = c(white = 3))
  ref <- ref_active(data$x, data$y, solver_ramp(C = 5), class_weights = c(white = 3))
  expect_identical(heavy$asked, ref$asked)
})

test_that("the result is an osvm model", {
  for (solver in list(solver_ramp(C = 5), solver_idsvm(C = 5), solver_olsvm(shuffle = FALSE))) {
    fit <- active(solver = solver)
    expect_s3_class(fit, c("osvm_active", paste0("osvm_", solver$name), "osvm"), exact = TRUE)
    file <- tempfile()
    saveRDS(fit, file)
    back <- readRDS(file)
    expect_identical(predict(back, test$x), predict(fit, test$x))
    more <- update(back, test$x, test$y)
    expect_equal(more$n_seen, fit$n_seen + 80)
    expect_identical(more$asked, fit$asked)
  }
  fit <- active(solver = solver_idsvm(C = 5))
  never <- active(data$x, solver = solver_idsvm(C = 5), budget = length(fit$asked) - 1)
  expect_close(decide(forget(fit, length(fit$asked)), test$x), decide(never, test$x))
  fit <- active(test = test)
  expect_output(print(fit), paste("asked +", length(fit$asked), "labels of 150 rows seen, strategy ramp"))
  accuracy <- format(100 * mean(predict(fit, test$x) == test$y), digits = 3)
  expect_output(print(fit), paste("accuracy +", accuracy, "% on test data"))
})

test_that("the model is kept when label() fails", {
  whole <- active()
  failing <- function(answer) function(i) if (i > 50) answer() else as.character(data$y[i])
  answers <- list(
    function() stop("No connection."), function() "grey", function() NA, function() c("black", "white"),
    function() NULL, function() signalCondition(structure(class = c("interrupt", "condition"), list()))
  )
  for (answer in answers) {
    expect_warning(fit <- active(label = failing(answer), test = test), class = "osvm_interrupted")
    expect_identical(fit$asked, whole$asked[whole$asked <= 50])
    expect_equal(tail(fit$curve$seen, 1), whole$asked[whole$asked > 50][1] - 1)
    expect_equal(tail(fit$curve$accuracy, 1), mean(predict(fit, test$x) == test$y))
  }
  skip_if_shifted()
  expect_snapshot({
    fit <- active(label = failing(answers[[1]]))
    fit <- active(label = failing(answers[[2]]))
    fit <- active(label = failing(answers[[3]]), strategy = "all")
  })
})

test_that("no label is queried after an interrupt", {
  for (strategy in c("greedy", "margin", "ramp", "all")) {
    queried <- integer()
    label <- function(i) {
      queried <<- c(queried, i)
      if (length(queried) == 12) press_ctrl_c()
      data$y[i]
    }
    expect_warning(
      fit <- osvm_active(data$x, label, solver_ramp(C = 5), kernel, strategy, scale = FALSE, verbose = FALSE),
      "interrupted; the model holds", class = "osvm_interrupted"
    )
    expect_length(queried, 12)
    expect_equal(fit$asked, queried[1:11])
    expect_equal(fit$n_seen, 11)
  }
})

test_that("invalid arguments are refused before a label is queried", {
  never <- function(i) fail("label() was called")
  expect_snapshot(error = TRUE, {
    osvm_active(data$x)
    osvm_active(data$x, data$y[-1])
    osvm_active(data$x, rep("a", 150))
    osvm_active(data$x, replace(data$y, 3, NA))
    osvm_active(data$x, data$y, levels = c("black", "white"))
    osvm_active(data$x, never, levels = "black")
    osvm_active(data$x, never, strategy = "best")
    osvm_active(data$x, never, budget = 0)
    osvm_active(data$x, never, h = "five")
    osvm_active(data$x, never, start = NA)
    osvm_active(data$x, never, every = -1)
    osvm_active(data$x, never, test = test$x)
    osvm_active(data$x, never, test = list(test$x, 1:3))
    osvm_active(data$x, never, test = list(test$x[, 1, drop = FALSE], test$y))
    osvm_active(data$x, never, epochs = 3)
    osvm_active(data$x, never, class_weights = "balanced")
    osvm_active(data$x, never, levels = c("a", "b"), class_weights = c(z = 2))
    osvm_active(replace(data$x, 7, Inf), never)
    osvm_active(data$x[1, , drop = FALSE], never)
    osvm_active(data$x, function(i) "a", budget = 9)
    osvm_active(data$x, function(i) stop("No connection"))
  })
  expect_osvm_error(osvm_active(data$x, never, "smart"))
  expect_osvm_error(osvm_active(data$x, never, solver_ramp(C = 1:2)))
  expect_osvm_error(osvm_active(data$x, never, solver_sgd(), kernel_rbf()))
})

test_that("curves are drawn", {
  fit <- active(test = test)
  others <- list(greedy = active(strategy = "greedy", test = test), active(strategy = "all", test = test))
  expect_identical(draw(fit), fit)
  expect_no_error(draw(fit, others, name = "ASVM", log = "x", main = ""))
  expect_no_error(draw(fit, others[[1]], legend = FALSE))
  expect_no_error(draw(active()))
  expect_no_error(draw(fit, what = "model", grid = 20))
  expect_named(active_lines(fit, others, NULL), c("ramp", "greedy", "all"))
  if (requireNamespace("ggplot2", quietly = TRUE)) {
    expect_identical(levels(ggplot2::autoplot(fit, others)$data$line), c("ramp", "greedy", "all"))
  }
  expect_equal(active_lines(fit, list(), "mine")$mine[[2]], 100 * fit$curve$accuracy)
  expect_snapshot(error = TRUE, {
    draw(fit, list(1))
    draw(fit, list(active()))
  })
})
