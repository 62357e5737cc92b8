# Running scaling: means and standard deviations that follow a stream. Every example is scaled by the estimates
# of its time, those of its own chunk included, and its scaled values are what the model keeps; new data are
# scaled by the latest estimates. Of sparse data only the non-zeros count: they get mean square 1 and are not
# centred.
#   n       examples, or per column the number of non-zeros
#   mean    NULL for sparse data
#   square  sum of squared deviations from the mean, or of squares

running_add <- function(running, x) {
  new <- if (inherits(x, "dgCMatrix")) {
    list(n = diff(x@p), mean = NULL, square = Matrix::colSums(x^2))
  } else {
    mean <- colMeans(x)
    list(n = nrow(x), mean = mean, square = colSums((x - rep(mean, each = nrow(x)))^2))
  }
  if (is.null(running)) {
    return(lapply(new, unname))
  }
  n <- running$n + new$n
  between <- if (is.null(new$mean)) 0 else (new$mean - running$mean)^2 * (running$n * new$n / n)
  list(
    n = n, mean = if (!is.null(new$mean)) unname(running$mean + (new$mean - running$mean) * (new$n / n)),
    square = unname(running$square + new$square + between)
  )
}

# The latest estimates as a scaling, see scaling.R.
running_scaling <- function(running) {
  spread <- sqrt(running$square / pmax(if (is.null(running$mean)) running$n else running$n - 1, 1))
  list(center = running$mean, scale = ifelse(is.finite(spread) & spread >= smallest_scale, spread, 1))
}

running_apply <- function(running, x) {
  scaling <- running_scaling(running)
  if (inherits(x, "dgCMatrix")) {
    x@x <- x@x / rep(scaling$scale, diff(x@p))
    return(x)
  }
  names <- dimnames(x)
  x <- (x - rep(scaling$center, each = nrow(x))) / rep(scaling$scale, each = nrow(x))
  dimnames(x) <- names
  x
}

check_running <- function(running, d, sparse) {
  fits <- is.list(running) && all_finite(running$n, if (sparse) d else 1) && all_finite(running$square, d) &&
    (sparse || all_finite(running$mean, d)) && all(running$n >= 0) && all(running$square >= 0)
  need(is.null(running) || fits, "its running scaling is damaged")
}

# What maps the user's units to those of the weights.
input_scaling <- function(object) {
  if (is.null(object$running)) object$scaling else running_scaling(object$running)
}

# The support vectors in the user's units; after a running scaling, by its latest estimates.
sv_in_units <- function(object) {
  if (is.null(object$running)) {
    return(object$sv)
  }
  scaling <- running_scaling(object$running)
  sv <- object$sv
  if (inherits(sv, "dgCMatrix")) {
    sv@x <- sv@x * rep(scaling$scale, diff(sv@p))
    return(sv)
  }
  sv * rep(scaling$scale, each = nrow(sv)) + rep(scaling$center, each = nrow(sv))
}
