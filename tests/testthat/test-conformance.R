each_solver("dense and sparse data give the same model", function(name) {
  local_doubles()
  data <- sparse_clouds()
  # A solver that stops at a tolerance is equal to that tolerance.
  solver <- soft_solver(name, tolerance = 1e-7)
  for (kernel in solver_kernels(name)) {
    dense <- quick_fit(name, data, solver = solver, kernel = kernel, scale = FALSE)
    sparse <- quick_fit(name, list(x = data$s, y = data$y), solver = solver, kernel = kernel, scale = FALSE)
    expect_close(decide(sparse, data$s), decide(dense, data$x))
    expect_close(decide(dense, data$s), decide(dense, data$x), 1e-6)
    expect_equal(sparse$n_sv, dense$n_sv)
    if (!is.null(sparse$sv)) expect_s4_class(sparse$sv, "dgCMatrix")
  }
})

each_solver("integer and logical matrices are numbers", function(name) {
  data <- clouds()
  for (kind in c("integer", "logical")) {
    x <- if (kind == "integer") round(3 * data$x) else data$x > 1
    typed <- double <- list(x = x, y = data$y)
    storage.mode(typed$x) <- kind
    storage.mode(double$x) <- "double"
    a <- quick_fit(name, typed)
    b <- quick_fit(name, double)
    expect_identical(decide(a, typed$x), decide(b, double$x))
  }
})

each_solver("the same seed gives the same model", function(name) {
  data <- clouds()
  expect_same_model(quick_fit(name, data, seed = 7), quick_fit(name, data, seed = 7))
})

each_solver("the result does not depend on the number of threads", function(name) {
  data <- clouds(60, classes = 3)
  for (multiclass in c("ovr", "ovo")) {
    one <- quick_fit(name, data, multiclass = multiclass, threads = 1)
    two <- quick_fit(name, data, multiclass = multiclass, threads = 2)
    expect_same_model(one, two)
    expect_identical(decide(one, data$x, threads = 1), decide(one, data$x, threads = 2))
  }
})

each_solver("updates in chunks give the model of one pass", function(name) {
  skip_if_not(is_online(name), "not an online solver")
  local_doubles()
  data <- clouds(45, classes = 3)
  binary <- clouds(45)
  for (average in c(FALSE, TRUE)) for (bias in c(FALSE, TRUE)) {
    solver <- one_pass(name, average = average, bias = bias)
    for (d in list(data, binary)) {
      whole <- quick_fit(name, d, solver = solver, scale = FALSE)
      grown <- quick_fit(name, rows(d, 1:15), solver = solver, scale = FALSE)
      grown <- update(grown, d$x[16:17, ], d$y[16:17])
      grown <- update(grown, d$x[18, , drop = FALSE], d$y[18])
      grown <- update(grown, d$x[19:45, ], d$y[19:45])
      expect_close(decide(grown, d$x), decide(whole, d$x))
      expect_equal(grown$stats$steps, whole$stats$steps)
    }
  }
})

# In single precision, too: what is derived anew at the beginning of a chunk is what one pass has at that point.
each_solver("chunks of any size give the model of one pass to rounding, under any kernel", function(name) {
  skip_if_not(is_online(name), "not an online solver")
  solver <- one_pass(name, C = 10, start = 1)
  kernels <- solver_kernels(name)
  kernels$nystrom <- NULL # landmarks are rows of the first chunk
  for (case in combinations(kernel = kernels, seed = some_of(c(25, 8, 19), 1:2))) {
    data <- clouds(45, classes = if (case$seed == 8) 2 else 3, seed = case$seed)
    fit <- function(i) quick_fit(name, rows(data, i), solver = solver, kernel = case$kernel, scale = FALSE)
    whole <- fit(1:45)
    grown <- fit(1:15)
    grow <- function(i) suppressWarnings(update(grown, data$x[i, , drop = FALSE], data$y[i]), "osvm_unfinished")
    for (i in list(16:17, 18, 19:30, 31:45)) grown <- grow(i)
    expect_close(decide(grown, data$x), decide(whole, data$x), 1e-8)
  }
})

each_solver("a model read back predicts and learns the same", function(name) {
  data <- clouds()
  fit <- quick_fit(name, rows(data, 1:30))
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  back <- readRDS(file)
  expect_identical(decide(back, data$x), decide(fit, data$x))
  set.seed(3)
  a <- update(fit, data$x[31:40, ], data$y[31:40])
  set.seed(3)
  b <- update(back, data$x[31:40, ], data$y[31:40])
  expect_same_model(a, b)
})

each_solver("predictions are the plain-R score of the public fields", function(name) {
  data <- sparse_clouds()
  many <- sparse_clouds(classes = 3)
  new <- sparse_clouds(25, seed = 9)$x
  forms <- list(
    list(data = data[c("x", "y")], multiclass = "ovr"), list(data = list(x = data$s, y = data$y), multiclass = "ovr"),
    list(data = many[c("x", "y")], multiclass = "ovr"), list(data = many[c("x", "y")], multiclass = "ovo")
  )
  off_on <- c(FALSE, TRUE)
  for (case in combinations(kernel = solver_kernels(name), bias = off_on, scale = off_on, form = forms)) {
    fit <- quick_fit(
      name, case$form$data, solver = soft_solver(name, bias = case$bias), kernel = case$kernel, scale = case$scale,
      multiclass = case$form$multiclass
    )
    expect_close(decide(fit, new), ref_decision(fit, new))
  }
})

each_solver("learns classes that are well separated", function(name) {
  data <- clouds(90, classes = 3)
  data$x[, 1] <- 4 * as.integer(data$y)
  data$x[, 3] <- 6 * (data$y == "b")
  for (multiclass in c("ovr", "ovo")) {
    fit <- quick_fit(name, data, multiclass = multiclass)
    expect_gte(mean(predict(fit, data$x) == data$y), 0.9)
  }
})

each_solver("several classes: a column per machine, class by the rule", function(name) {
  data <- clouds(60, classes = 4)
  ovr <- quick_fit(name, data, multiclass = "ovr")
  f <- decide(ovr, data$x)
  expect_identical(colnames(f), levels(data$y))
  expect_identical(as.character(predict(ovr, data$x)), levels(data$y)[max.col(f, "first")])
  expect_identical(dim(ovr$machines), c(4L, 2L))
  expect_identical(dim(ovr$coef), c(nrow(ovr$coef), 4L))

  ovo <- quick_fit(name, data, multiclass = "ovo")
  f <- decide(ovo, data$x)
  pairs <- combn(levels(data$y), 2)
  expect_identical(colnames(f), paste(pairs[1, ], pairs[2, ], sep = "/"))
  expect_identical(dim(ovo$machines), c(6L, 2L))
  votes <- sapply(levels(data$y), function(k) {
    rowSums(f[, pairs[2, ] == k, drop = FALSE] > 0) + rowSums(f[, pairs[1, ] == k, drop = FALSE] < 0)
  })
  chosen <- votes[cbind(seq_along(data$y), as.integer(predict(ovo, data$x)))]
  expect_identical(chosen, apply(votes, 1, max))
})

each_solver("predictions have the type and levels of the labels", function(name) {
  data <- clouds(20)
  second <- data$y == "b"
  kinds <- list(
    factor(ifelse(second, "yes", "no"), levels = c("yes", "no")),
    ifelse(second, "b", "a"), ifelse(second, 10, 9), ifelse(second, 2L, -3L), second
  )
  for (y in kinds) {
    fit <- quick_fit(name, list(x = data$x, y = y))
    p <- predict(fit, data$x)
    expect_identical(typeof(p), typeof(y))
    expect_identical(attributes(p), attributes(y))
    expect_identical(decide(fit, data$x) > 0, p == sort(unique(y))[2])
  }
})

each_solver("probabilities are proper, consistent and reproducible", function(name) {
  for (case in list(list(2, "ovr"), list(3, "ovr"), list(3, "ovo"))) {
    data <- clouds(60, classes = case[[1]])
    multiclass <- case[[2]]
    fit <- quick_fit(name, data, multiclass = multiclass, probability = TRUE)
    p <- predict(fit, data$x, type = "prob")
    expect_identical(colnames(p), levels(data$y))
    expect_true(all(p >= 0 & p <= 1))
    expect_close(rowSums(p), rep(1, 60), 1e-12)
    expect_identical(levels(data$y)[max.col(p, "first")], as.character(predict(fit, data$x)))
    again <- quick_fit(name, data, multiclass = multiclass, probability = TRUE)
    expect_identical(again$probability, fit$probability)
    expect_true(all(is.finite(unlist(fit$probability))))
  }
})

each_solver("classes join two others, several at once, one of a single row; a stream begins with one", function(name) {
  skip_if_not(is_online(name), "not an on-line solver")
  p <- join_problem(300)
  kernel <- main_kernel(name)
  old <- p$y %in% c("a", "b")
  main <- p$y != "e"
  lone <- which(!main)[1]
  right <- function(model, rows) mean(predict(model, p$x[rows, ]) == p$y[rows])
  for (multiclass in c("ovo", "ovr")) {
    fit <- quick_fit(name, rows(p, old), multiclass = multiclass)
    live <- osvm_live(fit)
    new <- c(which(main & (!old | is.null(fit$sv))), lone) # weights are no examples of the old classes
    set.seed(1)
    joined <- update(fit, p$x[new, ], p$y[new], new_classes = "join")
    expect_identical(joined$levels, c("a", "b", unique(p$y[new[!p$y[new] %in% c("a", "b")]])))
    expect_gt(right(joined, main), 0.85)
    set.seed(1)
    update(live, p$x[new, ], p$y[new], new_classes = "join")
    expect_close(decide(live, p$x), decide(joined, p$x))
    sorted <- c(order(p$y)[p$y[order(p$y)] != "e"], lone)
    run <- osvm_stream(source_matrix(p$x[sorted, ], p$y[sorted]), make_solver(name), kernel, chunk = 20, scale = FALSE,
      multiclass = multiclass, verbose = FALSE)
    expect_identical(run$fit$levels, letters[1:5])
    expect_identical(run$fit$n_seen, length(sorted) + 0)
    expect_gt(right(run$fit, main), 0.85)
  }
})

each_solver("a data frame, a formula and a matrix give the same model", function(name) {
  data <- clouds()
  frame <- data.frame(data$x, y = data$y)
  by_matrix <- quick_fit(name, data)
  by_frame <- quick_fit(name, list(x = as.data.frame(data$x), y = data$y))
  set.seed(1)
  by_formula <- osvm(y ~ ., data = frame, solver = make_solver(name), kernel = main_kernel(name), verbose = FALSE)
  expect_identical(decide(by_frame, frame[1:3]), decide(by_matrix, data$x))
  expect_identical(decide(by_formula, frame), decide(by_matrix, data$x))
})

each_solver("a model holds no training data beyond its support vectors", function(name) {
  data <- clouds(300, d = 40)
  fit <- quick_fit(name, data)
  kept <- if (is.null(fit$sv)) 1 else nrow(fit$sv)
  expect_lte(length(serialize(fit, NULL)), 8 * kept * (40 + 2 * 8) + 3e4)
  if (solver_field(name, "forgets")) return() # keeps its examples
  expect_identical(kept, if (is.null(fit$sv)) 1 else sum(rowSums(fit$coef != 0) > 0))
})
