# na.action = "impute", and how factors become columns.

holes <- function(n = 120) {
  set.seed(1)
  d <- data.frame(a = rnorm(n), b = rnorm(n), f = factor(sample(c("u", "v", "w"), n, TRUE, c(1, 2, 4))))
  y <- ifelse(d$a + (d$f == "u") > 0, "yes", "no")
  for (name in names(d)) d[[name]][sample(n, 15)] <- NA
  list(x = d, y = y)
}
plainly <- function(x, from) {
  for (name in c("a", "b")) x[[name]][is.na(x[[name]])] <- median(from[[name]], na.rm = TRUE)
  x$f[is.na(x$f)] <- names(which.max(table(from$f)))
  x
}

test_that("missing values are replaced in training and in new data, by the same values", {
  d <- holes()
  train <- 1:80
  new <- d$x[-train, ]
  expect_message(fit <- osvm(d$x[train, ], d$y[train], na.action = "impute", verbose = FALSE), "median")
  same <- osvm(plainly(d$x[train, ], d$x[train, ]), d$y[train], verbose = FALSE)
  expect_message(p <- predict(fit, new, "decision"), "taken as the median")
  expect_false(anyNA(p))
  filled <- plainly(new, d$x[train, ])
  expect_equal(p, predict(same, filled, "decision"))
  expect_equal(predict(fit, filled, "decision"), predict(same, filled, "decision"))
  expect_no_message(predict(fit, filled))
  expect_equal(suppressMessages(predict(fit, new[3, ], "decision")), p[3], ignore_attr = TRUE)
  data <- cbind(d$x[train, ], y = d$y[train])
  for (formula in list(y ~ ., y ~ a * f + b)) {
    fit <- suppressMessages(osvm(formula, data, na.action = "impute", verbose = FALSE))
    same <- osvm(formula, cbind(plainly(d$x[train, ], d$x[train, ]), y = d$y[train]), verbose = FALSE)
    expect_equal(suppressMessages(predict(fit, new, "decision")), predict(same, filled, "decision"))
  }
})

test_that("missing values of a matrix are replaced, those of labels leave the row out", {
  d <- holes()
  x <- as.matrix(d$x[1:2])
  y <- replace(d$y, 5, NA)
  fit <- suppressMessages(osvm(x, y, na.action = "impute", verbose = FALSE))
  expect_identical(as.integer(fit$na.action), 5L)
  expect_equal(fit$fill, apply(x, 2, median, na.rm = TRUE))
  expect_false(anyNA(suppressMessages(predict(fit, x))))
  row <- suppressMessages(predict(fit, c(a = NA, b = 1), "decision"))
  expect_equal(row, predict(fit, c(a = fit$fill[["a"]], b = 1), "decision"))
  expect_false(anyNA(suppressMessages(predict(update(fit, x[1:20, ], d$y[1:20]), x))))
  sparse <- Matrix::Matrix(abs(x) > 1, sparse = TRUE) * 1
  expect_error(osvm(sparse, d$y, na.action = "impute"), "sparse", class = "osvm_error")
  expect_error(osvm(x, d$y, na.action = "nothing"), "impute", class = "osvm_error")
})

test_that("an ordered factor is the number of its level, contrasts of its own are respected", {
  set.seed(2)
  size <- factor(sample(c("s", "m", "l", "xl"), 100, TRUE), c("s", "m", "l", "xl"), ordered = TRUE)
  d <- data.frame(size = size, z = rnorm(100))
  y <- as.integer(size) + d$z
  number <- data.frame(size = as.numeric(size), z = d$z)
  plain <- osvm(number, y, verbose = FALSE)
  for (fit in list(osvm(d, y, verbose = FALSE), osvm(y ~ size + z, cbind(d, y = y), verbose = FALSE))) {
    expect_identical(fit$feature_names, c("size", "z"))
    expect_equal(predict(fit, d), predict(plain, number), ignore_attr = TRUE)
    expect_equal(predict(fit, data.frame(size = "xl", z = 0)), predict(plain, data.frame(size = 4, z = 0)))
  }
  crossed <- osvm(y ~ size * z, cbind(d, y = y), verbose = FALSE)
  same <- osvm(y ~ size * z, cbind(number, y = y), verbose = FALSE)
  expect_equal(predict(crossed, d), predict(same, number))
  stats::contrasts(d$size) <- stats::contr.poly(4)
  poly <- stats::contr.poly(4)[as.integer(size), ]
  fit <- osvm(d, y, verbose = FALSE)
  expect_identical(fit$feature_names, c("size.L", "size.Q", "size.C", "z"))
  expect_equal(predict(fit, d), predict(osvm(cbind(poly, z = d$z), y, verbose = FALSE), cbind(poly, z = d$z)),
    ignore_attr = TRUE)
  expect_identical(osvm(y ~ ., cbind(d, y = y), verbose = FALSE)$feature_names, fit$feature_names)
  expect_setequal(osvm_importance(osvm(d, y, verbose = FALSE))$variable, c("size", "z"))
})
