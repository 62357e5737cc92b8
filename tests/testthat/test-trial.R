# The way of a large fit, chosen by trial; the sizes are smaller here.
local_trial <- function(frame = parent.frame()) {
  sizes <- list(
    many_rows = 1000, held_rows = 200, region_size = 300, trial_cells = c(100, 300),
    trial_samples = c(150, 600), trial_rank = 60,
    trial_rounds = 2, search_rows = c(coarse = 300, fine = 600)
  )
  for (name in names(sizes)) local_internal(name, sizes[[name]], frame)
}

smooth <- function(n) {
  x <- matrix(rnorm(n * 6), n)
  y <- x[, 1] + x[, 2] > 0
  flipped <- runif(n) < 0.15
  list(x = x, y = factor(xor(y, flipped)))
}

told <- function(code) {
  texts <- character()
  value <- withCallingHandlers(code, osvm_message = function(m) {
    texts <<- c(texts, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  list(value = value, texts = gsub("\\s+", " ", paste(texts, collapse = " ")))
}

test_that("cells are taken where the boundary is intricate, one SVM where it is smooth and noisy", {
  local_trial()
  set.seed(1)
  board <- chessboard(4000, size = 12)
  run <- told(osvm(board$x, board$y))
  expect_s3_class(run$value, "osvm_cells")
  expect_match(run$texts, "4,000 rows are learned by cells of [0-9]+ rows")
  expect_match(run$texts, "share of errors between [0-9.]+ % and [0-9.]+ %.* takes about")
  expect_match(run$texts, "`cells`, `kernel` or `solver` choose otherwise")
  noisy <- smooth(4000)
  local_internal("trial_cells", 60) # too small for its noise
  run <- told(osvm(noisy$x, noisy$y))
  expect_false("osvm_cells" %in% class(run$value))
  ways <- run$value$choice
  expect_named(ways, c("way", "rows", "error", "se", "expected", "seconds", "taken"))
  expect_equal(sum(ways$taken), 1)
  expect_setequal(ways$way, c("cells", "linear", "low rank", "one SVM"))
  expect_true(all(ways$error > 0.1, na.rm = TRUE)) # 15 % of the labels are wrong
  expect_output(print(run$value), "one of [0-9] ways, by a trial")
  expect_true(all(run$value$index <= 4000))
})

test_that("the same seed gives the same model; numbers and data frames take part; a choice of the user's ends it", {
  local_trial()
  set.seed(2)
  board <- chessboard(3000)
  fits <- lapply(1:2, function(i) {
    set.seed(5)
    suppressMessages(osvm(board$x, board$y, threads = i))
  })
  repeatable <- function(fit) fit$choice[names(fit$choice) != "seconds"]
  expect_identical(repeatable(fits[[1]]), repeatable(fits[[2]]))
  expect_identical(predict(fits[[1]], board$x, type = "decision"), predict(fits[[2]], board$x, type = "decision"))
  frame <- data.frame(u = runif(2000), v = runif(2000))
  frame$z <- sin(9 * frame$u) * frame$v + rnorm(2000, sd = 0.05)
  run <- told(osvm(z ~ ., frame))
  expect_match(run$texts, "root mean square error between 0.0[0-9]+ and 0.0[0-9]+")
  expect_lt(sqrt(mean((predict(run$value, frame) - frame$z)^2)), 0.08)
  expect_silent(osvm(board$x, board$y, solver_smo(C = 1), kernel_rbf(gamma = 1)))
  expect_silent(osvm(board$x, board$y, solver_smo(C = 1), kernel_rbf(gamma = 1), cells = 500))
  expect_null(osvm(board$x[1:900, ], board$y[1:900])$choice$way)
})

test_that("indices are rows of the data, probabilities are there, and the model goes on", {
  local_trial()
  local_internal("stated_seconds", 0)
  set.seed(3)
  noisy <- smooth(3000)
  run <- told(osvm(noisy$x, noisy$y, probability = TRUE))
  fit <- run$value
  expect_lt(fit$n_seen, 3000)
  expect_equal(unname(fit$sv), unname(noisy$x[fit$index, ]))
  expect_equal(rowSums(predict(fit, noisy$x[1:5, ], type = "prob")), rep(1, 5))
  expect_s3_class(update(fit, noisy$x[1:50, ], noisy$y[1:50]), "osvm_smo")
})

test_that("machines learn what a linear trend leaves, where that has a lower error", {
  local_trial()
  set.seed(7)
  x <- matrix(rnorm(16000), 4000)
  x[, 1] <- exp(1.2 * x[, 1])
  far <- function(f) list(x = x, y = f(x[, 1]) + sin(2 * x[, 3]) + rnorm(4000, sd = 0.3))
  line <- far(function(v) 2 * v)
  run <- told(osvm(line$x[1:3000, ], line$y[1:3000], seconds = 300))
  expect_match(run$texts, "which learns what a linear trend leaves, as a trial")
  expect_equal(run$value$trend$coef[1] * run$value$label$scale, 2, tolerance = 0.05)
  expect_lt(sqrt(mean((predict(run$value, line$x[3001:4000, ]) - line$y[3001:4000])^2)), 0.6)
  bent <- far(function(v) 4 * pmin(v, 1))
  run <- told(osvm(bent$x, bent$y))
  expect_null(run$value$trend)
  expect_no_match(run$texts, "trend")
})

test_that("a kernel of low rank can be taken", {
  local_trial()
  local_internal("pick_way", function(ways) which(ways$way == "low rank"))
  set.seed(6)
  noisy <- smooth(2500)
  run <- told(osvm(noisy$x, noisy$y, probability = TRUE))
  expect_identical(run$value$kernel$name, "nystrom")
  expect_match(run$texts, "learned by a kernel of rank 60,")
  expect_equal(run$value$n_seen, 2500)
  expect_lt(mean(predict(run$value, noisy$x) != noisy$y), 0.25)
  expect_s3_class(update(run$value, noisy$x[1:50, ], noisy$y[1:50]), "osvm")
})

test_that("a time limit is kept by a model that is finished", {
  local_trial()
  set.seed(4)
  noisy <- smooth(6000)
  run <- told(osvm(noisy$x, noisy$y, seconds = 20))
  expect_false(grepl("has passed", run$texts))
  expect_lt(mean(predict(run$value, noisy$x) != noisy$y), 0.3)
  local_internal("try_way", function(...) NULL)
  expect_error(osvm(noisy$x, noisy$y, seconds = 60), "`seconds` must leave time for a trial of 6,000 rows")
})

# Six kinds of data: intricate, smooth, with a rare class, with classes of different sizes, numbers, and numbers whose
# noise and density differ from group to group.
kinds <- list(
  board = function(n) chessboard(n, size = 6, noise = 0.1),
  smooth = smooth,
  rare = function(n) {
    x <- matrix(rnorm(5 * n), n)
    list(x = x, y = factor(x[, 1] + x[, 2]^2 + rnorm(n) > 3))
  },
  groups = function(n) {
    class <- sample(4, n, TRUE, c(0.6, 0.25, 0.1, 0.05))
    list(x = 1.5 * diag(4)[class, ] + matrix(rnorm(4 * n), n), y = factor(class))
  },
  numbers = function(n) {
    x <- matrix(runif(5 * n), n)
    list(x = x, y = 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 5 * x[, 4] + rnorm(n))
  },
  uneven = function(n) {
    group <- sample(5, n, TRUE, c(0.5, 0.3, 0.1, 0.07, 0.03))
    x <- matrix(rnorm(3 * n), n) + 4 * group
    list(x = x, y = 5 * group + sin(2 * x[, 1]) * group + rnorm(n) * group)
  }
)
new_error <- function(fit, new) {
  predicted <- predict(fit, new$x)
  if (is.factor(new$y)) mean(predicted != new$y) else sqrt(mean((predicted - new$y)^2))
}

test_that("what is promised comes, on six kinds of data, in regions and everywhere", {
  local_trial()
  tries <- expand.grid(try = 1:3, kind = names(kinds), stringsAsFactors = FALSE)
  kept <- mapply(function(try, kind) {
    if (try == 3) local_internal("trial_in_regions", 1500)
    set.seed(try)
    data <- kinds[[kind]](2500)
    ways <- told(fit <- osvm(data$x, data$y, verbose = FALSE))$value$choice
    ways <- ways[ways$taken, ]
    abs(new_error(fit, kinds[[kind]](10000)) - ways$expected) <= max(2 * ways$se, 0.05 * ways$expected)
  }, tries$try, tries$kind)
  expect_gte(sum(kept), 16) # of 18
})

test_that("where a few rows decide the error, the message says so and what is expected of the others", {
  local_trial()
  heavy <- function(n) {
    x <- matrix(rnorm(4 * n), n)
    list(x = x, y = x[, 1] + sin(3 * x[, 2]) + 0.3 * rt(n, 1.5))
  }
  set.seed(2)
  data <- heavy(3000)
  run <- told(osvm(data$x, data$y, verbose = FALSE))
  expect_match(run$texts, "A few rows decide the root mean square error, which .* may be far from that")
  expect_false(grepl("<U+", run$texts, fixed = TRUE)) # a line break within a sentence
  promised <- as.numeric(sub(".*least errors are expected to have one of ([0-9.]+)[.].*", "\\1", run$texts))
  new <- heavy(20000)
  errors <- (predict(run$value, new$x) - new$y)^2
  expect_lt(abs(sqrt(mean(errors[errors < quantile(errors, 0.99)])) / promised - 1), 0.15)
})
