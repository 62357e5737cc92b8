data <- clouds(60, d = 2)
pool <- clouds(43, d = 2, seed = 7)$x
fit <- quick_fit("ramp", data)

near <- function(f) order(f)[seq_len(sum(f <= 1))]

test_that("the strategies are their definitions", {
  f <- abs(decide(fit, pool))
  expect_identical(query(fit, pool, "ramp"), near(f))
  expect_true(length(query(fit, pool, "ramp")) %in% 1:42)
  greedy <- unname(vapply(split(1:43, rep(1:9, each = 5)[1:43]), function(i) i[which.min(f[i])], 0L))
  expect_identical(query(fit, pool), greedy[order(f[greedy])])
  expect_identical(query(fit, pool, "greedy", h = 1), order(f))
  expect_identical(query(fit, pool, "greedy", h = Inf), which.min(f))
  expect_identical(query(fit, pool, "margin"), which.min(f))
  expect_identical(query(fit, pool, "margin", n = 7), order(f)[1:7])
  expect_identical(query(fit, pool, "all"), 1:43)
})

test_that("n takes the rows closest to the boundary", {
  f <- abs(decide(fit, pool))
  expect_identical(query(fit, pool, "ramp", n = 3), order(f)[1:3])
  expect_identical(query(fit, pool, h = 5, n = 4), query(fit, pool, h = 5)[1:4])
  # The nearest of each of four parts, and the nearest of these first.
  expect_identical(sort((query(fit, pool[1:40, ], n = 4) - 1) %/% 10), c(0, 1, 2, 3))
  expect_identical(query(fit, pool[1:40, ], n = 4), query(fit, pool[1:40, ], h = 10))
  expect_identical(query(fit, pool, "all", n = 100), 1:43)
  expect_identical(query(fit, pool, "margin", n = Inf), order(f))
})

test_that("rows of equal distance are in random order, under the seed", {
  twice <- pool[rep(1:43, each = 20), ]
  set.seed(1)
  first <- query(fit, twice, "margin", n = 10)
  expect_false(identical(first, query(fit, twice, "margin", n = 10)))
  expect_length(unique((first - 1) %/% 20), 1)
  set.seed(1)
  expect_identical(query(fit, twice, "margin", n = 10), first)
  set.seed(1)
  state <- .Random.seed
  query(fit, pool, n = 10)
  expect_identical(.Random.seed, state)
})

test_that("the distance is the smallest over machines", {
  three <- clouds(60, classes = 3)
  for (multiclass in c("ovr", "ovo")) {
    fit <- quick_fit("ramp", three, multiclass = multiclass)
    f <- apply(abs(decide(fit, three$x)), 1, min)
    expect_identical(query(fit, three$x, "ramp"), near(f))
    expect_identical(query(fit, three$x, "margin", n = 5), order(f)[1:5])
  }
})

each_solver("can be queried", function(name) {
  fit <- quick_fit(name, data)
  expect_identical(query(fit, pool, "ramp"), near(abs(unname(decide(fit, pool)))))
})

test_that("new data may be of the types of predict()", {
  mixed <- sparse_clouds(60)
  fit <- quick_fit("ramp", mixed)
  expect_identical(query(fit, mixed$s, "margin", n = 9), query(fit, mixed$x, "margin", n = 9))
  frame <- data.frame(pool, y = "a")
  by_formula <- osvm(y ~ ., data.frame(data$x, y = data$y), solver = "ramp", kernel = fit$kernel, verbose = FALSE)
  by_matrix <- osvm(data$x, data$y, "ramp", fit$kernel, verbose = FALSE)
  expect_identical(query(by_formula, frame, n = 9), query(by_matrix, pool, n = 9))
  named <- pool
  rownames(named) <- paste0("r", 1:43)
  for (strategy in c("greedy", "margin", "ramp", "all")) {
    expect_identical(query(by_matrix, named, strategy), query(by_matrix, pool, strategy))
    expect_identical(query(by_matrix, pool[0, ], strategy), integer())
  }
})

test_that("error messages", {
  expect_snapshot(error = TRUE, {
    query(fit)
    query(fit, pool[, 1, drop = FALSE])
    query(fit, replace(pool, 3, Inf))
    query(fit, pool, "closest")
    query(fit, pool, "greedy", h = 0)
    query(fit, pool, "margin", n = 2.5)
  })
  expect_osvm_error(query(structure(list(), class = "osvm"), pool))
})
