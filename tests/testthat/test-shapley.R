# By the definition: the mean over all orders of what a feature adds to those before it. `f`: of TRUE or FALSE each.
by_subsets <- function(f, d) {
  subsets <- as.matrix(expand.grid(rep(list(c(FALSE, TRUE)), d)))
  value <- apply(subsets, 1, f)
  place <- function(subset) 1 + sum(2^(which(subset) - 1))
  vapply(seq_len(d), function(j) {
    without <- which(!subsets[, j])
    sum(vapply(without, function(k) {
      size <- sum(subsets[k, ])
      joined <- replace(subsets[k, ], j, TRUE)
      factorial(size) * factorial(d - size - 1) / factorial(d) * (value[place(joined)] - value[k])
    }, 0))
  }, 0)
}

# The output of a kernel model on scaled rows, of these features alone.
output_without <- function(fit, row, machine = 1) {
  scaled <- function(x) if (is.null(fit$scaling)) x else scale(x, fit$scaling$center, fit$scaling$scale)
  sv <- scaled(as.matrix(fit$sv))
  row <- scaled(matrix(row, 1))
  gap <- abs(sv - rep(row, each = nrow(sv)))
  if (kernel_info(fit$kernel$name)$base == "squared") gap <- gap^2
  function(with) {
    base <- rowSums(gap[, with, drop = FALSE])
    drop(fit$intercept[machine] + sum(fit$coef[, machine] * exp(-fit$kernel$params$gamma * base)))
  }
}

numbers_of <- function(n, d) {
  x <- matrix(rnorm(n * d), n)
  list(x = x, y = sin(x[, 1]) + x[, 1] * x[, min(2, d)] + rnorm(n) / 5)
}

test_that("values are the means over all subsets", {
  for (d in c(1, 2, 5, 8)) for (kernel in list(kernel_rbf(gamma = 0.3), kernel_laplacian(gamma = 0.2))) {
    data <- numbers_of(30, d)
    fit <- osvm(data$x, data$y, kernel = kernel, verbose = FALSE)
    why <- osvm_shapley(fit, data$x[1:2, , drop = FALSE])
    for (i in 1:2) {
      wanted <- by_subsets(output_without(fit, data$x[i, ]), d) * fit$label$scale
      expect_equal(unname(why$values[i, ]), wanted, tolerance = 1e-10)
    }
    expect_equal(why$base, fit$label$center + fit$label$scale * (fit$intercept + sum(fit$coef)), tolerance = 1e-12)
  }
})

test_that("values sum to the decision values less the base, whatever is predicted", {
  data <- numbers_of(60, 4)
  fits <- list(
    osvm(data$x, data$y, kernel = "rbf", verbose = FALSE), osvm(data$x, data$y, kernel = "linear", verbose = FALSE),
    osvm(data$x, cbind(a = data$y, b = 100 * data$x[, 2]), verbose = FALSE),
    osvm(data$x, kernel = "laplacian", loss = loss_novelty(), verbose = FALSE),
    osvm(data$x, factor(data$y > 0), kernel = "rbf", scale = FALSE, verbose = FALSE),
    osvm(data$x, cut(data$y, 3), kernel = "rbf", multiclass = "ovr", verbose = FALSE),
    osvm(data$x, cut(data$y, 3), kernel = "laplacian", multiclass = "ovo", verbose = FALSE),
    osvm(data$x, data$y, kernel = kernel_nystrom(gamma = 0.2, rank = 20), verbose = FALSE),
    osvm(data$x, data$y, "pa", kernel_nystrom("laplacian", gamma = 0.2, rank = 20), scale = "running", verbose = FALSE),
    osvm(data$x, data$y, kernel = kernel_nystrom("linear", rank = 3), verbose = FALSE),
    osvm(data$x, data$y, kernel = "rbf", scale = "rank", verbose = FALSE),
    osvm(data$x, data$y, kernel = "linear", scale = "robust", verbose = FALSE),
    osvm(data$x, data$y, kernel = kernel_nystrom(gamma = 0.2, rank = 20), scale = "rank", verbose = FALSE),
    osvm(data$x, factor(data$y > 0), solver_pegasos(unit_norm = TRUE), kernel_linear(), verbose = FALSE)
  )
  for (fit in fits) {
    why <- osvm_shapley(fit, data$x)
    f <- as.matrix(predict(fit, data$x, type = "decision"))
    expect_equal(unname(why$decision), unname(f), tolerance = 1e-4) # kernel values in single precision
    values <- array(why$values, c(60, 4, ncol(f)))
    sums <- vapply(seq_len(ncol(f)), function(m) why$base[[m]] + rowSums(values[, , m]), numeric(60))
    expect_equal(unname(why$decision), sums, tolerance = 1e-12)
  }
  three <- osvm_shapley(fits[[6]], data$x)
  expect_identical(dimnames(three$values)[[3]], names(three$base))
})

test_that("of a linear model they are weight times difference to the centre", {
  data <- numbers_of(40, 3)
  fit <- osvm(data$x, data$y, kernel = "linear", verbose = FALSE)
  why <- osvm_shapley(fit, data$x)
  expect_equal(why$values, t(t(data$x) - fit$scaling$center) * rep(coef(fit)[-1], each = 40), ignore_attr = TRUE)
  sparse <- as_sparse(data$x * (abs(data$x) > 0.5))
  fit <- osvm(sparse, data$y, kernel = "linear", verbose = FALSE)
  expect_equal(
    osvm_shapley(fit, sparse)$values, as.matrix(sparse) * rep(coef(fit)[-1], each = 40), ignore_attr = TRUE
  )
})

test_that("sparse and dense data have the same values, and what is equal is worth nothing", {
  set.seed(4)
  x <- matrix(rnorm(3000) * (runif(3000) < 0.1), 50)
  y <- factor(x[, 1] + x[, 2] + rnorm(50) / 10 > 0)
  dense <- osvm(x, y, "smo", kernel_rbf(gamma = 0.1), scale = FALSE, verbose = FALSE)
  sparse <- osvm(as_sparse(x), y, "smo", kernel_rbf(gamma = 0.1), scale = FALSE, verbose = FALSE)
  a <- osvm_shapley(dense, x)
  expect_equal(a$values, osvm_shapley(sparse, as_sparse(x))$values, tolerance = 1e-4, ignore_attr = TRUE)
  one <- matrix(0, 1, 60)
  unused <- colSums(abs(dense$sv)) == 0
  expect_true(all(osvm_shapley(dense, one)$values[, unused] == 0))
  fit <- osvm(x, y, "smo", kernel_rbf(gamma = 0.1), verbose = FALSE)
  expect_equal(osvm_shapley(fit, as_sparse(x))$values, osvm_shapley(fit, x)$values, ignore_attr = TRUE)
})

test_that("threads change no number", {
  data <- numbers_of(200, 6)
  fit <- osvm(data$x, data$y, kernel = "rbf", verbose = FALSE)
  expect_identical(osvm_shapley(fit, data$x, threads = 1), osvm_shapley(fit, data$x, threads = 2))
})

test_that("indicators and terms are summed to the variables of the user", {
  cars <- transform(mtcars, cyl = factor(cyl), made = as.Date("2020-01-01") + 1:32)
  fit <- suppressMessages(osvm(cars[c("wt", "cyl", "made")], cars$mpg, kernel = "rbf", verbose = FALSE))
  why <- osvm_shapley(fit, cars)
  expect_identical(why$columns, c(wt = 1L, cyl = 3L, made = 1L))
  expect_identical(why$x, cars[c("wt", "cyl", "made")])
  expect_equal(unname(why$decision[, 1]), unname(predict(fit, cars)), tolerance = 1e-5)
  expect_output(print(why), "cyl over 3 columns")
  # The columns by themselves
  encoded <- cbind(cars$wt, outer(cars$cyl, levels(cars$cyl), "=="), as.numeric(cars$made))
  plain <- osvm(encoded, cars$mpg, fit$solver, fit$kernel, verbose = FALSE)
  own <- osvm_shapley(plain, encoded)$values
  expect_equal(unname(why$values), cbind(own[, 1], rowSums(own[, 2:4]), own[, 5]), tolerance = 1e-4, ignore_attr = TRUE)
  fit <- osvm(mpg ~ wt + I(wt^2) + log(hp):factor(cyl) + qsec, mtcars, verbose = FALSE)
  why <- osvm_shapley(fit, mtcars[3:4, ])
  expect_identical(why$columns, c(wt = 2L, qsec = 1L, "hp:cyl" = 3L))
  expect_equal(unname(why$decision[, 1]), unname(predict(fit, mtcars[3:4, ])), tolerance = 1e-5)
})

test_that("of cells they are those of the SVM of the row's cell", {
  set.seed(2)
  board <- chessboard(1500)
  fit <- osvm(board$x, board$y, kernel = "rbf", cells = 300, verbose = FALSE)
  why <- osvm_shapley(fit, board$x[1:200, ])
  expect_identical(dim(why$base), c(200L, 1L))
  expect_gt(length(unique(why$base[, 1])), 2)
  f <- predict(fit, board$x[1:200, ], type = "decision")
  expect_equal(unname(why$decision[, 1]), unname(f), tolerance = 1e-4)
})

test_that("rows with missing values are NA, and no rows are fine", {
  fit <- osvm(Species ~ ., iris, verbose = FALSE)
  new <- iris[c(1, 60, 110), ]
  new$Petal.Width[2] <- NA
  why <- osvm_shapley(fit, new)
  expect_identical(which(is.na(why$decision[, 1])), 2L, ignore_attr = TRUE)
  expect_identical(why$values[-2, , ], osvm_shapley(fit, new[-2, ])$values, ignore_attr = TRUE)
  expect_identical(dim(osvm_shapley(fit, iris[0, ])$values), c(0L, 4L, 3L))
})

test_that("tunings and streams have the values of their model", {
  x <- as.matrix(iris[1:4])
  tuned <- osvm_tune(x, iris$Species, solver_smo(C = c(1, 10)), kernel_rbf(gamma = 0.3), folds = 2, progress = FALSE)
  expect_identical(osvm_shapley(tuned, x), osvm_shapley(tuned$fit, x))
  run <- osvm_stream(source_matrix(x, iris$Species), "olsvm", kernel_rbf(gamma = 0.3), chunk = 50, verbose = FALSE)
  expect_identical(osvm_shapley(run, x), osvm_shapley(run$fit, x))
})

test_that("no rows have no values", {
  x <- as.matrix(iris[1:100, 1:4])
  none <- osvm_shapley(osvm(x, droplevels(iris$Species[1:100]), solver_pa(), verbose = FALSE), x[0, ])
  expect_identical(dim(none$values), c(0L, 4L))
})

test_that("what cannot be divided is said in a sentence", {
  x <- as.matrix(iris[1:4])
  fit <- osvm(x, iris$Species, verbose = FALSE)
  expect_snapshot(error = TRUE, {
    osvm_shapley(fit)
    osvm_shapley(osvm(x, iris$Species, kernel = "polynomial", verbose = FALSE), x)
    osvm_shapley(osvm(x, iris$Species, kernel = kernel_fourier(gamma = 0.1), verbose = FALSE), x)
    osvm_shapley(fit, x, background = x)
    plot(osvm_shapley(fit, x), row = 3, variable = "Petal.Width")
    plot(osvm_shapley(fit, x), variable = "petals")
  })
  damaged <- osvm_shapley(fit, x)
  damaged$base <- "0"
  expect_osvm_error(print(damaged))
  damaged <- osvm_shapley(fit, x)
  colnames(damaged$decision) <- NULL
  expect_error(plot(damaged), "set of Shapley values is damaged", class = "osvm_error")
  sparse <- methods::as(x, "CsparseMatrix")
  damaged <- osvm_shapley(osvm(sparse, iris$Species, verbose = FALSE), sparse)
  attr(damaged$x, "p") <- -attr(damaged$x, "p")
  expect_osvm_error(plot(damaged))
})

test_that("print shows what matters most first", {
  set.seed(1)
  fit <- osvm(mpg ~ wt + hp + qsec + factor(cyl), mtcars, solver_smo(C = 1), kernel_rbf(gamma = 0.1), verbose = FALSE)
  expect_snapshot(osvm_shapley(fit, mtcars))
})

test_that("one row is bars, many are a swarm, one variable is a scatter", {
  set.seed(1)
  cars <- transform(mtcars, cyl = factor(cyl))
  fit <- osvm(mpg ~ wt + hp + qsec + cyl, cars, kernel = "rbf", verbose = FALSE)
  why <- osvm_shapley(fit, cars)
  bars <- shapley_panels(why, "Fiat 128", NULL, NULL, 3)
  expect_identical(bars$kind, "bars")
  points <- bars$panels[[1]]$points
  expect_identical(bars$panels[[1]]$ticks[1], "2 others")
  expect_equal(sum(points$x), unname(why$decision["Fiat 128", 1] - why$base), tolerance = 1e-12)
  expect_identical(order(-abs(points$x[-1])), 2:1)
  swarm <- shapley_panels(why, NULL, NULL, NULL, 15)$panels[[1]]
  expect_identical(nrow(swarm$points), 4L * 32L)
  expect_identical(rev(swarm$ticks)[1], names(which.max(colMeans(abs(why$values)))))
  expect_true(all(abs(swarm$points$y - round(swarm$points$y)) <= 0.4))
  expect_identical(sum(is.na(swarm$points$shade)), 32L)
  scatter <- shapley_panels(why, NULL, "wt", NULL, 15)$panels[[1]]
  expect_identical(scatter$points, data.frame(x = cars$wt, y = unname(why$values[, "wt"])), ignore_attr = TRUE)
  expect_identical(shapley_panels(why, NULL, "cyl", NULL, 15)$panels[[1]]$ticks, levels(cars$cyl))
  expect_identical(shapley_panels(osvm_shapley(fit, cars[1, ]), NULL, NULL, NULL, 15)$kind, "bars")
  three <- osvm_shapley(osvm(Species ~ ., iris, multiclass = "ovr", verbose = FALSE), iris)
  expect_length(shapley_panels(three, NULL, NULL, NULL, 15)$panels, 3)
  expect_identical(shapley_panels(three, NULL, NULL, "virginica", 15)$panels[[1]]$label, "virginica")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (drawn in list(list(why), list(why, row = 2), list(why, variable = "cyl"), list(three), list(three, row = 1))) {
    expect_identical(do.call(plot, drawn), drawn[[1]])
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      built <- ggplot2::ggplot_build(do.call(ggplot2::autoplot, drawn))
      expect_true(nrow(ggplot2::layer_data(built$plot, 1)) > 0)
    }
  }
})

test_that("shapviz takes them", {
  skip_if_not_installed("shapviz")
  fit <- osvm(mpg ~ wt + hp + factor(cyl), mtcars, verbose = FALSE)
  why <- osvm_shapley(fit, mtcars)
  shown <- shapviz::shapviz(why)
  expect_equal(shapviz::get_shap_values(shown), why$values, ignore_attr = TRUE)
  expect_equal(shapviz::get_baseline(shown), why$base, ignore_attr = TRUE)
  three <- shapviz::shapviz(osvm_shapley(osvm(Species ~ ., iris, multiclass = "ovr", verbose = FALSE), iris))
  expect_s3_class(three, "mshapviz")
  expect_named(three, levels(iris$Species))
})

test_that("kernelshap's values are others, and sum to the same predictions", {
  skip_if_not_installed("kernelshap")
  fit <- osvm(mpg ~ wt + hp + qsec, mtcars, verbose = FALSE)
  sampled <- kernelshap::kernelshap(fit, mtcars[1:3, c("wt", "hp", "qsec")], bg_X = mtcars, verbose = FALSE)
  why <- osvm_shapley(fit, mtcars[1:3, ])
  expect_equal(rowSums(sampled$S) + sampled$baseline, unname(why$decision[, 1]), tolerance = 1e-5)
  expect_gt(max(abs(sampled$S - why$values)), 0.01)
})
