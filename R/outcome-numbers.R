# Numbers: regression. The field of a model that belongs to them is `label`: `center` and `scale` of the targets, which
# the core has scaled, their `range`, and with running scaling their `moments`.

numbers_outcome <- list(
  read = function(y, n, levels, name, scale) {
    if (!is.null(levels)) abort("{.arg levels} are for classes: leave them out for numbers.")
    y <- check_numbers(y, n, name)
    label <- list(center = 0, scale = 1, range = range(y))
    moments <- moments_of(y)
    if (!isFALSE(scale)) label[c("center", "scale")] <- list(moments[2], target_scale(moments))
    if (identical(scale, "running")) label$moments <- moments
    list(outcome = "numbers", label = label, class = (y - label$center) / label$scale)
  },
  start = function(model, labels, class_weights) {
    if (!is.null(class_weights)) abort("{.arg class_weights} are for classes; a number per example is {.arg weights}.")
    model$label <- labels$label
    model$machines <- one_machine
    model
  },
  find = function(model, y) scale_numbers(model, if (is.numeric(y)) as.numeric(y) else rep(NA_real_, length(y))),
  match = function(model, y, n) scale_numbers(model, check_numbers(y, n)),
  follow = function(model, y, n) {
    y <- check_numbers(y, n)
    label <- model$label
    label$range <- range(label$range, y)
    if (!is.null(label$moments)) {
      label$moments <- merge_moments(label$moments, moments_of(y))
      label[c("center", "scale")] <- list(label$moments[2], target_scale(label$moments))
    }
    model$label <- label
    model
  },
  restore = function(model, target) model$label$center + model$label$scale * target,
  weigh = function(model, target) 1,
  core = function(target) list(value = as.double(target)),
  predict = function(model, f) f[, 1],
  units = function(model) model$label[c("center", "scale")],
  margin = function(error, weight) 0.01 * error,
  settings = list(cost = c(1, 20, 10), scale = c(0.5, 0.25, 1)),
  names = function(model) rep("number", nrow(model$machines)),
  size = function(model) "numbers",
  describe = function(model) {
    range <- signif(model$label$range, 4)
    scaled <- if (model$label$scale != 1) paste0(", scaled by ", signif(model$label$scale, 4))
    c(target = paste0("numbers from ", range[1], " to ", range[2], scaled))
  },
  fields = list(
    label = record(
      center = a_number, scale = type("a positive number", function(x, ...) is_one_number(x) && x > 0),
      range = type("two numbers", function(x, ...) all_finite(x, 2)),
      moments = or_null(type("three numbers", function(x, ...) all_finite(x, 3)))
    ),
    machines = type("one machine", function(x, ...) identical(x, one_machine))
  ),
  is_target = function(model, target) is.numeric(target) && !any(is.infinite(target))
)

one_machine <- data.frame(positive = 1L, negative = 0L)

# Number, mean, and sum of squared deviations.
moments_of <- function(y) {
  center <- mean(y)
  c(length(y), center, sum((y - center)^2))
}

merge_moments <- function(a, b) {
  n <- a[1] + b[1]
  if (a[1] == 0 || b[1] == 0) {
    return(if (a[1] == 0) b else a)
  }
  apart <- b[2] - a[2]
  c(n, a[2] + apart * b[1] / n, a[3] + b[3] + apart^2 * a[1] * b[1] / n)
}

# The standard deviation; of constant numbers, 1.
target_scale <- function(moments) {
  scale <- sqrt(moments[3] / max(moments[1] - 1, 1))
  if (is.finite(scale) && scale > 1e-302) scale else 1
}

scale_numbers <- function(model, y) (y - model$label$center) / model$label$scale

check_numbers <- function(y, n, name = "y") {
  if (length(dim(y)) == 2 && ncol(y) == 1) y <- y[, 1]
  if (!is.numeric(y) || is.object(y) || length(dim(y)) > 1) {
    abort("{.arg {name}} must be numbers for a model that predicts numbers, not {.obj_type_friendly {y}}.")
  }
  check_labels(y, n)
  as.numeric(y)
}

# Labels are taken for measurements if there are more than two different numbers and some are not whole, or if there are
# more than 20 with fewer than ten examples each, on average, or with fewer than five for a tenth of them.
are_measurements <- function(y) {
  if (!is.numeric(y) || is.object(y)) {
    return(FALSE)
  }
  y <- as.vector(y)[is.finite(y)]
  values <- unique(y)
  k <- length(values)
  k > 2 && any(values != round(values)) || k > 20 && (k > length(y) / 10 || mean(tabulate(match(y, values)) < 5) > 0.1)
}
