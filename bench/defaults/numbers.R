# Regression sets for the comparison of defaults: functions that return list(x, y). Factors are indicator columns. Sets of
# packages that are not installed, and real data that are not at hand, are left out.
suppressMessages(library(stats))

as_problem <- function(data, target) {
  data <- data[complete.cases(data), , drop = FALSE]
  features <- data[setdiff(names(data), target)]
  for (k in seq_along(features)) {
    if (is.character(features[[k]])) features[[k]] <- factor(features[[k]])
    if (is.factor(features[[k]])) features[[k]] <- factor(features[[k]], ordered = FALSE)
  }
  x <- model.matrix(~ . - 1, features)
  list(x = x[, apply(x, 2, sd) > 0, drop = FALSE], y = as.numeric(data[[target]]))
}
from <- function(name, package, target, prepare = identity) {
  force(prepare)
  function() as_problem(prepare(as.data.frame(packaged(name, package))), target)
}
stored <- function(name) {
  function() {
    path <- file.path(Sys.getenv("OSVM_DATA", "../shared/data"), paste0(name, ".rds"))
    data <- readRDS(path)
    list(x = data$x, y = if (is.null(data$usr)) data$y else data$usr)
  }
}
generated <- function(name, n = 4000, ...) {
  function() {
    d <- getExportedValue("mlbench", paste0("mlbench.", name))(n, ...)
    list(x = d$x, y = as.numeric(d$y))
  }
}
made <- function(d, f, noise, n = 4000) {
  function() {
    x <- matrix(runif(n * d, -1, 1), n)
    z <- f(x)
    list(x = x, y = z + noise * sd(z) * rnorm(n))
  }
}

makers <- list(
  airquality = from("airquality", "datasets", "Ozone"),
  bodyfat = from("bodyfat", "TH.data", "DEXfat"),
  boston = from("BostonHousing", "mlbench", "medv"),
  car_prices = from("cars", "caret", "Price"),
  chickweight = from("ChickWeight", "datasets", "weight", function(d) d[c("weight", "Time", "Diet")]),
  co2_uptake = from("CO2", "datasets", "uptake", function(d) d[c("uptake", "Type", "Treatment", "conc")]),
  cpu_small = stored("cpu_small"),
  diamonds = from("diamonds", "ggplot2", "price"),
  fried = stored("fried"),
  friedman1 = generated("friedman1"),
  friedman2 = generated("friedman2"),
  friedman3 = generated("friedman3"),
  house_8L = stored("house_8L"),
  linear = made(20, function(x) drop(x %*% rep(c(1, -2, 0, 0, 0), 4)), 0.5),
  mpg = from("mpg", "ggplot2", "hwy", function(d) d[setdiff(names(d), c("model", "cty"))]),
  mv = stored("mv"),
  ozone = from("Ozone", "mlbench", "V4", function(d) as.data.frame(lapply(d, as.numeric))),
  planes = stored("2dplanes"),
  products = made(6, function(x) x[, 1] * x[, 2] + x[, 3] * x[, 4], 0.1),
  prototask = stored("prototask"),
  quakes = from("quakes", "datasets", "mag"),
  servo = from("Servo", "mlbench", "Class"),
  sinc = made(1, function(x) sin(12 * x[, 1]) / (12 * x[, 1]), 0.3),
  steps = made(4, function(x) sign(x[, 1]) + 2 * (x[, 2] > 0.3) + x[, 3], 0.2),
  swiss = from("swiss", "datasets", "Fertility"),
  txhousing = from("txhousing", "ggplot2", "median", function(d) d[c("median", "year", "month", "sales", "listings", "inventory")]),
  us_crime = from("UScrime", "MASS", "y"),
  waves = made(3, function(x) sin(6 * x[, 1]) * cos(4 * x[, 2]) + x[, 3], 0.2)
)

# At most `most` rows to learn and 4,000 to test; where there are fewer, two thirds and the rest.
divide <- function(data, most) {
  n <- nrow(data$x)
  rows <- sample.int(n)
  learned <- min(most, round(2 * n / 3))
  train <- rows[seq_len(learned)]
  test <- rows[seq(learned + 1, min(n, learned + 4000))]
  constant <- apply(data$x[train, , drop = FALSE], 2, sd) == 0 # e1071 would leave all of x unscaled
  x <- data$x[, !constant, drop = FALSE]
  list(x = x[train, , drop = FALSE], y = data$y[train], test_x = x[test, , drop = FALSE], test_y = data$y[test])
}
