# Columns of new data go by name where both sides have names.

flowers <- as.matrix(iris[1:4])

fit_flowers <- function(x = flowers, ...) {
  set.seed(1)
  osvm(x, iris$Species, solver_ramp(), kernel_rbf(gamma = 0.3), ..., verbose = FALSE)
}

forms <- list(
  matrix = identity, sparse = function(x) methods::as(x, "CsparseMatrix"), frame = as.data.frame
)

test_that("columns in another order are put in order", {
  for (form in forms) {
    x <- form(flowers)
    fit <- fit_flowers(x)
    turned <- x[, c(3, 1, 4, 2)]
    expect_identical(decide(fit, turned), decide(fit, x))
    expect_identical(query(fit, turned, "margin", n = 9), query(fit, x, "margin", n = 9))
    more <- list(update(fit, x, iris$Species), update(fit, turned, iris$Species))
    expect_identical(decide(more[[2]], x), decide(more[[1]], x))
    expect_identical(more[[2]]$sv, more[[1]]$sv)
  }
})

test_that("the test data of osvm_active() go by name", {
  curve <- function(test) {
    set.seed(1)
    turn <- sample(150)
    osvm_active(
      flowers[turn, ], iris$Species[turn],
      test = list(test, iris$Species), budget = 40, verbose = FALSE
    )$curve
  }
  expect_identical(curve(flowers[, 4:1]), curve(flowers))
})

test_that("a formula takes the columns it names, and no message", {
  fit <- osvm(Species ~ Petal.Length + Petal.Width, data = iris, verbose = FALSE)
  expect_silent(turned <- predict(fit, iris[5:1]))
  expect_identical(turned, predict(fit, iris))
  expect_error(predict(fit, iris[1:3]), "lacks the column `Petal.Width`", class = "osvm_error")
})

test_that("further columns are dropped with a message", {
  for (form in forms) {
    fit <- fit_flowers(form(flowers))
    wide <- form(cbind(id = 1, flowers))
    expect_message(f <- decide(fit, wide), "dropped: `id`", class = "osvm_message")
    expect_identical(f, decide(fit, form(flowers)))
  }
  expect_message(predict(fit_flowers(), cbind(flowers, 1)), "(no name)", fixed = TRUE)
})

test_that("without names on one side only the number of columns counts", {
  named <- fit_flowers()
  bare <- fit_flowers(unname(flowers))
  other <- flowers
  colnames(other) <- letters[1:4]
  expect_identical(decide(named, unname(flowers)), decide(named, flowers))
  expect_identical(decide(bare, other), decide(named, flowers))
  expect_error(predict(bare, other[, 1:3]), "must have 4 columns", class = "osvm_error")
  colnames(other) <- rep("", 4)
  expect_identical(decide(named, other), decide(named, flowers))
})

test_that("a missing, renamed or repeated column is named", {
  renamed <- twice <- flowers
  colnames(renamed)[3] <- "petal_length"
  colnames(twice)[3] <- "Sepal.Width"
  others <- matrix(1, 2, 12, dimnames = list(NULL, LETTERS[1:12]))
  fit <- fit_flowers()
  sparse <- fit_flowers(forms$sparse(flowers))
  frame <- fit_flowers(forms$frame(flowers))
  expect_snapshot(error = TRUE, {
    predict(fit, renamed)
    predict(sparse, forms$sparse(renamed))
    predict(frame, forms$frame(renamed))
    predict(fit, flowers[, 1:2])
    predict(fit, others)
    predict(fit, twice)
    predict(frame, stats::setNames(iris[1:4], colnames(twice)))
    update(fit, renamed, iris$Species)
    query(fit, renamed)
    osvm_active(flowers, iris$Species, test = list(renamed, iris$Species))
    osvm(twice, iris$Species)
    plot(fit, renamed, features = 1:2)
  })
})

test_that("plot() finds the columns of its data by name", {
  fit <- fit_flowers(flowers[, 1:2])
  drawn <- function(data) drawing(plot(fit, data, iris$Species, grid = 10))
  expect_identical(drawn(flowers[, 2:1]), drawn(flowers[, 1:2]))
  expect_false(identical(drawn(flowers[, 2:1]), drawn(flowers[150:1, 1:2])))
})

test_that("indicator columns that would share a name stay apart", {
  frame <- data.frame(a = rep(c("1", "2"), 20), a1 = clouds()$x[, 1])
  fit <- osvm(frame, clouds()$y, verbose = FALSE)
  expect_identical(fit$feature_names, c("a1", "a2", "a1.1"))
  expect_length(predict(fit, frame[2:1]), 40)
})

test_that("a sum of columns is encoded as by a model frame", {
  set.seed(3)
  frame <- data.frame(
    a = rnorm(40), b = sample(4L, 40, TRUE), f = factor(sample(c("p", "q", "r"), 40, TRUE)),
    t = sample(c("u", "v"), 40, TRUE), l = rnorm(40) > 0, y = rep(c("yes", "no"), 20)
  )
  frame$o <- factor(frame$t, ordered = TRUE)
  # I() is what makes a model frame necessary.
  pairs <- list(
    list(y ~ a + b, y ~ I(a) + b), list(y ~ ., y ~ I(a) + b + f + t + l + o), list(y ~ f + a + l, y ~ f + I(a) + l),
    list(y ~ . - 1, y ~ I(a) + b + f + t + l + o - 1), list(y ~ l + a + o, y ~ l + I(a) + o)
  )
  new <- frame[7:12, rev(names(frame))]
  for (pair in pairs) {
    f <- lapply(pair, function(formula) decide(osvm(formula, frame, "smo", kernel_rbf(gamma = 0.1)), new))
    expect_equal(f[[1]], f[[2]])
  }
})

test_that("columns that a formula does not select are suggested only if their names are similar", {
  fit <- osvm(Species ~ ., iris, verbose = FALSE)
  said <- function(data) cli::ansi_strip(conditionMessage(expect_error(predict(fit, data), class = "osvm_error")))
  expect_no_match(said(iris[-1]), "It has")
  names(iris)[1] <- "sepal_length"
  expect_match(said(iris), "It has `sepal_length`")
})

test_that("a column that identifies the rows is named", {
  frame <- data.frame(x = rnorm(60), id = sprintf("row %d", 1:60), group = rep(letters[1:20], 3))
  y <- rep(c("a", "b"), 30)
  told <- "Column `id` has 60 different values in 60 rows, each of them a feature"
  expect_message(osvm(frame, y, verbose = FALSE), told, class = "osvm_message")
  expect_message(osvm(y ~ ., data.frame(frame, y), verbose = FALSE), told, class = "osvm_message")
  expect_message(osvm(y ~ . - id, data.frame(frame, y), verbose = FALSE), NA)
})
