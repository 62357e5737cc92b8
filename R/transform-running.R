# Running scaling: means and standard deviations that follow a stream. Every example is scaled by the estimates
# of its time, those of its own chunk included, and its scaled values are what the model keeps; new data are
# scaled by the latest estimates. Of sparse data only the non-zeros count: they get mean square 1 and are not
# centred. The state of the transform:
#   n       examples, or per column the number of non-zeros
#   mean    NULL for sparse data
#   square  sum of squared deviations from the mean, or of squares

running_kind <- list(
  scale = "running",
  title = function(transform) "scaled by running estimates",
  fit = function(scale, x, columns) {
    transform <- c(list(kind = "running"), lapply(running_sums(x), unname))
    x <- running_apply(transform, x)
    list(transform = transform, x = x, columns = describe_columns(x))
  },
  update = function(transform, x) {
    new <- running_sums(x)
    n <- transform$n + new$n
    between <- 0
    if (!is.null(new$mean)) {
      between <- (new$mean - transform$mean)^2 * (transform$n * new$n / n)
      transform$mean <- unname(transform$mean + (new$mean - transform$mean) * (new$n / n))
    }
    transform$n <- n
    transform$square <- unname(transform$square + new$square + between)
    transform
  },
  apply = function(transform, x) running_apply(transform, x),
  restore = function(transform, x) {
    scaling <- running_units(transform)
    if (!inherits(x, "dgCMatrix")) {
      return(x * rep(scaling$scale, each = nrow(x)) + rep(scaling$center, each = nrow(x)))
    }
    x@x <- x@x * rep(scaling$scale, diff(x@p))
    x
  },
  units = function(transform) running_units(transform),
  fields = list(
    n = type("a count, of sparse data per feature", function(x, model) {
      all_finite(x, if (model$sparse) model$n_features else 1) && all(x >= 0)
    }),
    square = numbers("feature", least = 0),
    mean = type("a number per feature", function(x, model) model$sparse || all_finite(x, model$n_features))
  )
)

running_sums <- function(x) {
  if (inherits(x, "dgCMatrix")) {
    return(list(n = diff(x@p), mean = NULL, square = Matrix::colSums(x^2)))
  }
  mean <- colMeans(x)
  list(n = nrow(x), mean = mean, square = colSums((x - rep(mean, each = nrow(x)))^2))
}

# The latest estimates as a scaling.
running_units <- function(transform) {
  spread <- sqrt(transform$square / pmax(if (is.null(transform$mean)) transform$n else transform$n - 1, 1))
  list(center = transform$mean, scale = ifelse(is.finite(spread) & spread >= smallest_scale, spread, 1))
}

running_apply <- function(transform, x) {
  scaling <- running_units(transform)
  if (inherits(x, "dgCMatrix")) {
    x@x <- x@x / rep(scaling$scale, diff(x@p))
  } else {
    x[] <- (x - rep(scaling$center, each = nrow(x))) / rep(scaling$scale, each = nrow(x))
  }
  x
}

refuse_running <- function(scale, reason) {
  if (identical(scale, "running")) abort("{.arg scale} must not be {.val running} here: {reason}.")
}
