# A linear trend of numbers: machines learn what it leaves, and decision values have both. Kernels that decrease with
# the distance fall back to a constant far from the examples, where a trend goes on. `model$trend` is a list of
#   center     of each feature, in which the trend is the intercept
#   coef       a slope per feature and machine
#   intercept  a number per machine
# Targets in R are whole; core_labels() takes the trend from them, and what the core predicts gets it back.

most_trend_features <- 200 # more take longer than they are worth
least_trend <- 0.05 # of the variance

can_have_trend <- function(model) predicts_numbers(model) && !model$sparse && model$n_features <= most_trend_features

# By least squares; features that are sums of others have a slope of 0. NULL: it explains less than `least`.
fit_trend <- function(examples, least = least_trend) {
  x <- examples$x
  y <- as.matrix(examples$class)
  weight <- examples$weight
  center <- colMeans(x)
  fit <- stats::lm.wfit(cbind(1, x - rep(center, each = nrow(x))), y, weight)
  level <- rep(colSums(weight * y) / sum(weight), each = nrow(y))
  if (sum(weight * as.matrix(fit$residuals)^2) > (1 - least) * sum(weight * (y - level)^2)) {
    return(NULL)
  }
  coef <- matrix(replace(fit$coefficients, is.na(fit$coefficients), 0), ncol(x) + 1)
  list(center = unname(center), coef = coef[-1, , drop = FALSE], intercept = coef[1, ])
}

# A row per example and a column per machine. NULL: the model has none.
trend_values <- function(model, x) {
  trend <- model$trend
  if (!is.null(trend)) {
    level <- trend$intercept - colSums(trend$center * trend$coef)
    unname(as.matrix(x %*% trend$coef)) + rep(level, each = nrow(x))
  }
}

# Its derivatives in the direction of packed features at packed points z, which only curves need: a row per feature and
# a column per machine, or per point of each machine in turn. 0: the model has no trend.
trend_slopes <- function(trend, transform, z = NULL) {
  if (is.null(trend)) return(0)
  slopes <- unpacked_slopes(transform, z)
  if (is.null(slopes)) {
    abort(c(
      "The linear trend of this model has slopes in the units of the data alone, because of
       {.code scale = \"{transform$kind}\"}.",
      i = "With {.arg newdata} there are {.code method = \"shapley\"} and {.val permutation}."
    ))
  }
  points <- if (is.null(z)) 1 else nrow(z)
  as.vector(slopes) * trend$coef[, rep(seq_len(ncol(trend$coef)), each = points), drop = FALSE]
}

trend_fields <- list(trend = or_null(record(
  center = numbers("feature"), intercept = numbers("machine"),
  coef = type("a slope per feature and machine", function(x, model) {
    identical(dim(x), as.integer(c(model$n_features, sizes$machine(model)))) && all_finite(x, length(x))
  })
)))
