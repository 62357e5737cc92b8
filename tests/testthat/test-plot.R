fit_plane <- function(data, ...) osvm(data$x, data$y, ..., verbose = FALSE)

test_that("a model of two features is drawn", {
  set.seed(1)
  data <- chessboard(100)
  fit <- fit_plane(data)
  expect_no_error(draw(fit))
  expect_no_error(draw(fit, data$x, data$y))
  expect_no_error(draw(fit_plane(data, kernel = "linear"), data$x, data$y))
  expect_no_error(draw(fit_plane(list(x = Matrix::Matrix(data$x, sparse = TRUE), y = data$y))))
})

test_that("several classes are drawn", {
  data <- clouds(classes = 4, d = 2)
  for (multiclass in c("ovr", "ovo")) expect_no_error(draw(fit_plane(data, multiclass = multiclass), data$x, data$y))
})

test_that("a formula model is drawn from its data frame", {
  data <- clouds(d = 2)
  frame <- data.frame(data$x, y = data$y)
  fit <- osvm(y ~ ., data = frame, verbose = FALSE)
  expect_no_error(draw(fit, frame))
})

test_that("two of many features can be chosen", {
  data <- clouds(d = 4)
  fit <- fit_plane(data)
  expect_no_error(draw(fit, features = c("x1", "x4")))
  expect_no_error(draw(fit, data$x, data$y, features = c(4, 1)))
})

test_that("the error for a model that cannot be drawn", {
  fit <- fit_plane(clouds(d = 4))
  line <- fit_plane(clouds(d = 1))
  expect_snapshot(error = TRUE, {
    draw(fit)
    draw(fit, features = "x1")
    draw(fit, features = c("x1", "x9"))
    draw(fit, features = c(1, 9))
    draw(fit, features = c(1, 1))
  })
  expect_osvm_error(draw(fit))
  # A model of one feature is drawn or refused.
  drawn <- tryCatch({
    draw(line)
    TRUE
  }, osvm_error = function(e) TRUE)
  expect_true(drawn)
})

test_that("regions of a model with probabilities are those of its classes", {
  at <- expand.grid(Petal.Length = seq(0.5, 7, length.out = 40), Petal.Width = seq(0, 2.6, length.out = 40))
  for (multiclass in c("ovr", "ovo")) {
    fit <- osvm(Species ~ Petal.Length + Petal.Width, iris, multiclass = multiclass, probability = TRUE)
    expect_no_error(draw(fit, iris))
  }
  two <- droplevels(iris[51:150, ])
  fit <- osvm(Species ~ Petal.Length + Petal.Width, two, class_weights = c(virginica = 9), probability = TRUE)
  second <- predict(fit, at, type = "decision") > class_threshold(fit)
  expect_identical(fit$levels[second + 1], as.character(predict(fit, at)))
  expect_no_error(draw(fit, two))
})

test_that("borders of several classes are where the predicted class changes, also where votes tie", {
  at <- expand.grid(Petal.Length = seq(0.5, 7, length.out = 40), Petal.Width = seq(0, 2.6, length.out = 40))
  for (probability in c(FALSE, TRUE)) {
    fit <- osvm(Species ~ Petal.Length + Petal.Width, iris, probability = probability, effort = 0)
    expect_true(any(apply(round(class_scores(fit, predict(fit, at, type = "decision"))), 1, max) == 1)) # a tie
    axes <- plot_parts(fit, NULL, NULL, NULL, 40, NULL)$axes
    surface <- plot_surface(fit, axes, c(0.5, 7, 0, 2.6), 40)
    expect_identical(surface$class, match(predict(fit, at), fit$levels))
    borders <- class_borders(fit, axes, surface)
    # On an edge of the grid: a small step along it, forwards or back, leads to another class.
    step <- c(6.5, 2.6) / 39
    upright <- abs((borders$x0 - 0.5) / step[1] - round((borders$x0 - 0.5) / step[1])) < 1e-9
    beside <- function(sign) {
      moved <- data.frame(borders$x0 + sign * (!upright) * step[1] / 64, borders$y0 + sign * upright * step[2] / 64)
      predict(fit, stats::setNames(moved, names(at)))
    }
    expect_true(all(beside(1) != beside(-1)))
    expect_true(all(abs(borders$x1 - borders$x0) < step[1] & abs(borders$y1 - borders$y0) < step[2]))
  }
  expect_identical(nrow(class_borders(fit, axes, list(x = 1:3, y = 1:2, class = rep(1, 6)))), 0L)
})

test_that("models of every solver and kernel are drawn", {
  data <- clouds(30, d = 2)
  pdf(NULL)
  on.exit(dev.off())
  for (name in all_solvers$name) {
    for (kernel in solver_kernels(name)) {
      fit <- muffle_not_separable(quick_fit(name, data, solver = soft_solver(name), kernel = kernel))
      expect_no_error(suppressWarnings(plot(fit, grid = 15)))
      expect_no_error(suppressWarnings(plot(fit, data$x, data$y, grid = 15)))
    }
  }
})

test_that("dates serve as axes, and a model without support vectors or with constant features is drawn", {
  pdf(NULL)
  on.exit(dev.off())
  days <- data.frame(a = c(1:9, 0), day = as.Date("2024-02-25") + 1:10)
  y <- rep(c("p", "q"), 5)
  fit <- osvm(days, y, verbose = FALSE)
  expect_identical(plot(fit, days, y), fit)
  zero <- matrix(0, 20, 2)
  y <- rep_len(letters[1:2], 20)
  fit <- suppressWarnings(osvm_active(zero, y, solver_huller(), kernel_sigmoid(), verbose = FALSE))
  expect_true(all(fit$coef == 0))
  expect_silent(plot(fit, what = "model"))
})

test_that("data that cannot be drawn is refused", {
  frame <- data.frame(a = c(1, 2, 3, 4), b = c(TRUE, FALSE, TRUE, FALSE))
  fit <- osvm(frame, 1:4 > 2, verbose = FALSE)
  infinite <- text <- nested <- frame
  infinite$a[3] <- -Inf
  text$b <- letters[1:4]
  nested$a <- as.list(1:4)
  for (data in list(infinite, text, nested)) expect_error(plot(fit, data), "on the axes", class = "osvm_error")
  named <- osvm(as.matrix(frame) + 0, 1:4 > 2, verbose = FALSE)
  expect_error(plot(named, nested), "class", class = "osvm_error")
})

test_that("a date in a formula serves as an axis where it is a term of its own", {
  days <- data.frame(a = c(1:9, 0), day = as.Date("2024-02-25") + 1:10, y = factor(rep(c("p", "q"), 5)))
  plain <- osvm(y ~ a + day, days, verbose = FALSE)
  within <- osvm(y ~ a + format(day, "%m"), days, verbose = FALSE)
  expect_identical(predict(plain, days, type = "decision"),
    predict(osvm(days[1:2], days$y, verbose = FALSE), days[1:2], type = "decision"))
  pdf(NULL)
  on.exit(dev.off())
  expect_identical(plot(plain, days), plain)
  expect_error(plot(within, days), "numeric", class = "osvm_error")
})

test_that("a formula names the axes, the vertical one first, and slice the other features", {
  fit <- osvm(Species ~ ., iris, solver = "smo", verbose = FALSE)
  by_name <- drawing(plot(fit, iris, features = c("Petal.Length", "Petal.Width"), grid = 20))
  expect_identical(drawing(plot(fit, iris, Petal.Width ~ Petal.Length, grid = 20)), by_name)
  flat <- drawing(plot(fit, Petal.Width ~ Petal.Length, grid = 20))
  expect_identical(drawing(plot(fit, features = c("Petal.Length", "Petal.Width"), grid = 20)), flat)
  center <- list(Sepal.Length = mean(iris$Sepal.Length), Sepal.Width = mean(iris$Sepal.Width))
  # The same surface at the centre, another elsewhere.
  surface <- function(fit, slice) {
    parts <- plot_parts(check_model(fit), NULL, NULL, c("Petal.Length", "Petal.Width"), 20, slice)
    plot_surface(fit, parts$axes, unlist(parts$window), 20)
  }
  by_matrix <- osvm(as.matrix(iris[1:4]), iris$Species, "smo", verbose = FALSE)
  for (model in list(fit, by_matrix)) {
    expect_equal(surface(model, center), surface(model, NULL))
    expect_false(identical(surface(model, list(Sepal.Width = 9)), surface(model, NULL)))
  }
  for (slice in list(3, list(Petal.Width = 1), list(no = 1), list(Sepal.Width = 1:2))) {
    expect_error(plot(fit, Petal.Width ~ Petal.Length, slice = slice), "`slice` must be", class = "osvm_error")
  }
})

test_that("autoplot() draws a model", {
  skip_if_not_installed("ggplot2")
  board <- chessboard(60)
  two <- fit_plane(board)
  three <- osvm(Species ~ ., iris, solver = "smo", verbose = FALSE)
  plots <- list(
    ggplot2::autoplot(two, grid = 10), ggplot2::autoplot(two, board$x, board$y, grid = 10),
    ggplot2::autoplot(two, board$x, grid = 10), ggplot2::autoplot(three, iris, Petal.Width ~ Petal.Length, grid = 10)
  )
  for (plot in plots) expect_s3_class(ggplot2::ggplot_build(plot)$plot, "ggplot")
  plane <- ggplot2::layer_data(plots[[2]], 1)
  colours <- class_colours(2)[1 + (predict(two, unname(as.matrix(plane[c("x", "y")]))) == levels(board$y)[2])]
  expect_identical(toupper(plane$fill), unname(colours))
  expect_identical(plots[[4]]$labels[c("x", "y")], list(x = "Petal.Length", y = "Petal.Width"))
})
