test_that("numbers are drawn over one feature and over two, with and without data", {
  line <- osvm(dist ~ speed, cars)
  expect_no_error(draw(line))
  expect_no_error(draw(line, cars))
  expect_no_error(draw(line, cars["speed"], cars$dist, legend = FALSE))
  expect_no_error(draw(osvm(as.matrix(cars[1]), cars$dist, kernel = "linear", loss = loss_quantile(0.9))))
  plane <- osvm(mpg ~ wt + hp, mtcars)
  expect_no_error(draw(plane))
  expect_no_error(draw(plane, mtcars))
  expect_no_error(draw(plane, mtcars, features = "wt"))
  wide <- osvm(mpg ~ ., mtcars)
  expect_no_error(draw(wide, mtcars, hp ~ wt, slice = list(cyl = 8)))
  expect_no_error(draw(wide, features = c("wt", "hp"), grid = 20))
  merged <- osvm(as.matrix(mtcars[c("wt", "hp")]), mtcars$mpg, solver_olsvm(budget = 5))
  expect_no_error(draw(merged))
  expect_no_error(draw(merged, mtcars[c("wt", "hp")], mtcars$mpg))
  sparse <- osvm(Matrix::Matrix(as.matrix(mtcars[c("wt", "hp", "qsec")]), sparse = TRUE), mtcars$mpg)
  expect_no_error(draw(sparse, features = 2))
})

test_that("residuals are drawn: by request, or of data with many features", {
  wide <- osvm(mpg ~ ., mtcars)
  drawn <- function(...) {
    pdf(NULL)
    on.exit(dev.off())
    plot(...)
    par("usr")
  }
  # The limits are those of predictions and residuals
  covers <- function(usr) {
    f <- predict(wide, mtcars)
    all(f > usr[1] & f < usr[2] & mtcars$mpg - f > usr[3] & mtcars$mpg - f < usr[4])
  }
  expect_true(covers(drawn(wide, mtcars)))
  expect_true(covers(drawn(wide, what = "residuals")))
  expect_false(covers(drawn(wide, mtcars, features = c("wt", "hp"))))
})

test_that("novelty is drawn, by predictions or by labels", {
  usual <- osvm(~ Petal.Length + Petal.Width, iris[51:100, ], loss = loss_novelty(0.1))
  expect_no_error(draw(usual))
  expect_no_error(draw(usual, iris))
  expect_no_error(draw(usual, iris, iris$Species == "versicolor"))
  gaps <- iris
  gaps$Petal.Width[3] <- NA
  expect_no_error(draw(usual, gaps))
  expect_no_error(draw(compress(usual, 5)))
})

test_that("ggplots of numbers and novelty", {
  skip_if_not_installed("ggplot2")
  fit <- osvm(dist ~ speed, cars, loss = loss_epsilon(0.1))
  plot <- ggplot2::autoplot(fit, cars)
  ribbon <- ggplot2::layer_data(plot, 1)
  f <- predict(fit, data.frame(speed = ribbon$x))
  tube <- 0.1 * sd(cars$dist)
  expect_equal(c(ribbon$ymin, ribbon$ymax), unname(c(f - tube, f + tube)))
  plane <- osvm(mpg ~ wt + hp, mtcars)
  expect_equal(nrow(ggplot2::layer_data(ggplot2::autoplot(plane, mtcars, grid = 20), 3)), 32)
  expect_no_error(ggplot2::ggplot_build(ggplot2::autoplot(plane, grid = 20)))
  usual <- osvm(~ Petal.Length + Petal.Width, iris, loss = loss_novelty(0.1))
  expect_no_error(ggplot2::ggplot_build(ggplot2::autoplot(usual, iris, grid = 20)))
})

test_that("what cannot be drawn is refused", {
  wide <- osvm(mpg ~ ., mtcars)
  usual <- osvm(~ Petal.Length + Petal.Width, iris, loss = loss_novelty(0.1))
  classes <- osvm(Species ~ ., iris)
  expect_snapshot(error = TRUE, {
    draw(wide)
    draw(wide, features = 1:3)
    draw(wide, what = "tube")
    draw(classes, what = "residuals")
    draw(usual, iris, iris$Species)
    draw(osvm(dist ~ speed, cars), cars["speed"], rep("a", 50))
  })
})
