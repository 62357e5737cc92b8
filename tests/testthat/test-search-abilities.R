# Whatever the search takes, its model can do what a default model can.

# The search, with candidates of one kernel and one transform alone; `weighted`: those with weights of features win.
taking <- function(kernel, scale, weighted, frame) {
  start <- in_package("start_candidates")
  local_internal("start_candidates", function(search) {
    Filter(function(candidate) candidate$features == scale && candidate$model$kernel$name == kernel, start(search))
  }, frame)
  score <- in_package("score_candidate")
  local_internal("score_candidate", function(search, candidate, ...) {
    candidate <- score(search, candidate, ...)
    if (candidate$rounds > 0 && weighted) candidate$criterion <- candidate$criterion / 1e3^candidate$rounds
    if (candidate$rounds > 0 && !weighted) candidate$criterion <- candidate$criterion * 1e3
    candidate
  }, frame)
}

kinds <- list(
  list(kernel = "rbf", scale = "TRUE", weighted = TRUE), list(kernel = "rbf", scale = "rank", weighted = FALSE),
  list(kernel = "laplacian", scale = "TRUE", weighted = FALSE),
  list(kernel = "laplacian", scale = "rank", weighted = TRUE),
  list(kernel = "linear", scale = "TRUE", weighted = FALSE)
)

# Three classes, two or numbers
searched_data <- function(outcome, n = 180) {
  set.seed(4)
  x <- matrix(rnorm(n * 4), n, dimnames = list(NULL, letters[1:4]))
  score <- x[, 1] - x[, 2] + 0.5 * x[, 3]^2 + rnorm(n, sd = 0.3)
  limits <- if (outcome == "two") 0 else c(-1, 1)
  names <- c("low", "middle", "high")[0:length(limits) + 1]
  y <- if (outcome == "numbers") score else cut(score, c(-Inf, limits, Inf), names)
  list(x = x, y = y, first = 1:120, rest = 121:180)
}

searched <- function(data, kind, frame = parent.frame(), ...) {
  taking(kind$kernel, kind$scale, kind$weighted, frame)
  osvm(data$x[data$first, ], data$y[data$first], verbose = FALSE, ...)
}

each_kind <- function(test, outcomes = c("two", "three", "numbers")) {
  for (kind in kinds) for (outcome in outcomes) {
    local({
      data <- searched_data(outcome)
      fit <- searched(data, kind, probability = outcome != "numbers")
      test(fit, data, kind)
    })
  }
}

test_that("the models are those of the search", {
  each_kind(function(fit, data, kind) {
    expect_identical(fit$kernel$name, kind$kernel)
    expect_identical(fit$transform$kind, if (kind$scale == "rank") "rank" else "scaling")
    expect_identical(!is.null(fit$transform$weight), kind$weighted)
    expect_identical(sum(fit$choice$taken), 1L)
  })
})

test_that("they go on learning, and are saved and read", {
  each_kind(function(fit, data, kind) {
    file <- withr::local_tempfile(fileext = ".rds")
    saveRDS(fit, file)
    read <- readRDS(file)
    expect_identical(predict(read, data$x, type = "decision"), predict(fit, data$x, type = "decision"))
    more <- update(read, data$x[data$rest, ], data$y[data$rest])
    expect_identical(more$n_seen, 180)
    # Its solver needs all examples, and the sentences say so.
    expect_error(osvm_live(fit), "Online solvers are", class = "osvm_error")
    expect_error(forget(fit, 1:3), "idsvm", class = "osvm_error")
  })
})

test_that("support vectors are in the user's units, Shapley values sum to the decisions, pictures are drawn", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  each_kind(function(fit, data, kind) {
    expect_equal(unname(fit$sv), unname(data$x[fit$index, ]))
    why <- osvm_shapley(fit, data$x[1:5, ])
    expect_close(unname(why$decision), unname(predict(fit, data$x[1:5, ], type = "decision")), 1e-4)
    expect_setequal(osvm_importance(fit)$variable, letters[1:4])
    expect_no_error(plot(fit, data$x, data$y, features = c("a", "b")))
  })
})

test_that("they are compressed, by removal where vectors cannot be merged", {
  each_kind(function(fit, data, kind) {
    if (kind$kernel == "linear") {
      expect_error(compress(fit, 20), "kernel other than linear")
    } else {
      small <- compress(fit, fit$n_sv %/% 2, newdata = data$x)
      expect_lte(small$n_sv, fit$n_sv %/% 2)
      expect_gt(small$compression$agreement, 0.85)
    }
  })
})

test_that("classes have probabilities, and frameworks take the models", {
  each_kind(function(fit, data, kind) {
    prob <- predict(fit, data$x, type = "prob")
    expect_equal(rowSums(prob), rep(1, 180), ignore_attr = TRUE)
    best <- factor(colnames(prob)[max.col(prob)], levels(data$y))
    expect_gt(mean(predict(fit, data$x) == best), 0.99)
    skip_if_not_installed("generics")
    expect_identical(generics::glance(fit)$kernel, kind$kernel)
    expect_identical(nrow(generics::augment(fit, data$x)), 180L)
    skip_if_not_installed("caret")
    expect_setequal(rownames(caret::varImp(fit)), letters[1:4])
  }, c("two", "three"))
})
