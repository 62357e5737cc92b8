# Numbers: regression. The field of a model that belongs to them is `label`: `center` and `scale` of the targets, which
# the core has scaled, and their `range`.

numbers_outcome <- list(
  read = function(y, n, levels, name, scale) {
    if (!is.null(levels)) abort("{.arg levels} are for classes: leave them out for numbers.")
    y <- check_numbers(y, n, name)
    label <- list(center = 0, scale = 1, range = range(y))
    if (!isFALSE(scale)) label[c("center", "scale")] <- list(mean(y), target_scale(y))
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
  restore = function(model, target) model$label$center + model$label$scale * target,
  weigh = function(model, target) 1,
  core = function(target) list(value = as.double(target)),
  predict = function(model, f) f[, 1],
  decision = function(model, f) model$label$center + model$label$scale * f,
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
      range = type("two numbers", function(x, ...) all_finite(x, 2))
    ),
    machines = type("one machine", function(x, ...) identical(x, one_machine))
  ),
  is_target = function(model, target) is.numeric(target) && !any(is.infinite(target))
)

one_machine <- data.frame(positive = 1L, negative = 0L)

# Of constant numbers, 1.
target_scale <- function(y) {
  scale <- if (length(y) > 1) stats::sd(y) else 0
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
