skip_if_not_installed("vetiver")

test_that("a model is described, stripped, and served", {
  data <- iris
  data$site <- factor(rep(c("n", "s", "w"), 50))
  data$day <- as.Date("2024-01-01") + 1:150
  data$wet <- rep(c(TRUE, FALSE), 75)
  fit <- suppressMessages(osvm(data[names(data) != "Species"], data$Species, probability = TRUE, verbose = FALSE))
  served <- vetiver::vetiver_model(fit, "iris")
  expect_match(served$description, "3 classes")
  expect_identical(served$metadata$required_pkgs, "onlinesvm")
  expect_null(served$model$state)
  expect_identical(vapply(served$prototype, function(v) class(v)[1], ""), c(
    Sepal.Length = "numeric", Sepal.Width = "numeric", Petal.Length = "numeric", Petal.Width = "numeric",
    site = "factor", day = "Date", wet = "logical"
  ))
  ask <- function(...) vetiver::handler_predict(served, ...)(list(body = data[c(1, 60, 130), names(served$prototype)]))
  expect_identical(ask()$.pred_class, predict(fit, data[c(1, 60, 130), names(served$prototype)]))
  expect_named(ask(type = "prob"), paste0(".pred_", levels(iris$Species)))
  expect_true(all(startsWith(names(ask(type = "decision")), ".decision_")))
  expect_error(ask(type = "none"), "type", class = "osvm_error")
})

test_that("formulas and matrices have prototypes", {
  fit <- osvm(Species ~ log(Petal.Length) + Petal.Width, iris, verbose = FALSE)
  expect_named(vetiver::vetiver_ptype(fit), c("Petal.Length", "Petal.Width"))
  x <- unname(as.matrix(iris[1:4]))
  served <- vetiver::vetiver_model(osvm(x, iris$Species, verbose = FALSE), "matrix")
  expect_named(served$prototype, paste0("x", 1:4))
  body <- stats::setNames(data.frame(x[1:5, ]), paste0("x", 1:4))
  expect_identical(nrow(vetiver::handler_predict(served)(list(body = body))), 5L)
})

test_that("a pinned model comes back", {
  board <- brought("pins", "board_temp")(versioned = TRUE)
  fit <- osvm(Species ~ ., iris, verbose = FALSE)
  suppressMessages(vetiver::vetiver_pin_write(board, vetiver::vetiver_model(fit, "iris"), check_renv = FALSE))
  back <- vetiver::vetiver_pin_read(board, "iris")
  expect_identical(predict(back$model, iris), predict(fit, iris))
})
