# The constant scaling of features: examples are (x - center) / scale.

none_kind <- list(scale = FALSE, title = function(transform) "not scaled")

scaling_kind <- list(
  scale = TRUE,
  title = function(transform) if (is.null(transform$scaling$center)) "scaled, not centred" else "scaled",
  fit = function(scale, x, columns) {
    scaling <- choose_scaling(scale, x, columns)
    warp <- scaling$warp$kind
    kind <- if (is.null(scaling)) "none" else if (isTRUE(scaling$normed)) "unit" else
      if (is.null(warp)) "scaling" else warped_kinds[[warp]]
    list(transform = list(kind = kind, scaling = scaling), x = x, columns = columns)
  },
  fields = list(scaling = a_list)
)

# `scale` of osvm(): TRUE, FALSE, or a list of the user's own.
choose_scaling <- function(scale, x, columns) {
  if (is.list(scale)) {
    return(read_scaling(scale, x))
  }
  if (!is.logical(scale) || length(scale) != 1 || is.na(scale)) {
    names <- toString(dQuote(Filter(is.character, lapply(transform_kinds, `[[`, "scale")), FALSE))
    abort("{.arg scale} must be TRUE, FALSE, {names}, or a list of {.code center} and {.code scale}.")
  }
  if (scale) make_scaling(columns, nrow(x), if (inherits(x, "dgCMatrix")) diff(x@p))
}

# Weights of a linear model are divided by the scale: below this they could overflow, and a column is taken as constant.
smallest_scale <- 1e-302

# Dense features get mean 0 and standard deviation 1, except for indicators, of 0 and 1 only, which stay as they are:
# unit variance would inflate rare ones (bench/factors). Values from 0 to 1 are indicators where the mean of x (1 - x)
# is 0. Sparse ones are not centred, which would make them dense; their non-zeros get mean square 1, because unit
# variance over all rows would inflate rare features. `columns` describes n rows; `nonzero` is the number of non-zeros
# of each sparse column.
make_scaling <- function(columns, n, nonzero = NULL) {
  sd <- columns[, "sd"]
  if (!all(is.finite(sd)) || max(abs(columns[, c("low", "high")])) > 1e300) {
    abort("{.arg x} has values beyond 1e300: measure them in another unit.")
  }
  if (is.null(nonzero)) {
    mean <- columns[, "mean"]
    indicator <- columns[, "low"] == 0 & columns[, "high"] == 1 & abs(mean - mean^2 - sd^2 * (n - 1) / n) < 1e-10
    mean[indicator] <- 0
    sd[sd < smallest_scale | indicator] <- 1
    return(list(center = mean, scale = sd))
  }
  unit <- pmax(abs(columns[, "low"]), abs(columns[, "high"]), .Machine$double.xmin)
  squares <- (n - 1) * (sd / unit)^2 + n * (columns[, "mean"] / unit)^2
  scale <- sqrt(squares / pmax(nonzero, 1)) * unit
  list(center = NULL, scale = ifelse(scale >= smallest_scale, scale, 1))
}

# A scaling given as list(center, scale), either of which may be missing, or as the attributes that scale() leaves.
read_scaling <- function(given, x) {
  given <- unclass(given)
  names(given) <- sub("^scaled:", "", names(given))
  unknown <- setdiff(names(given), c("center", "scale", "warp", "normed", "dim", "dimnames"))
  if (is.null(names(given)) || length(unknown) > 0 || all(lengths(given[c("center", "scale")]) == 0)) {
    abort("{.arg scale} must have elements {.code center} and {.code scale}, or one of them.")
  }
  center <- scaling_part(given$center, x, "center")
  scale <- scaling_part(given$scale, x, "scale")
  if (!is.null(center) && any(center != 0) && inherits(x, "dgCMatrix")) {
    abort("{.arg scale$center} must be left out for sparse data, which is not centred.")
  }
  if (is.null(scale)) {
    scale <- rep(1, ncol(x))
  }
  if (any(scale < smallest_scale)) {
    abort("{.arg scale$scale} must be positive; a constant column takes 1.")
  }
  # Of the scaling of another model, whose columns are in the order of x
  if (!is.null(given$warp) && (is_sparse(x) || is.null(center) || !is_warp(given$warp, ncol(x)))) {
    abort("{.arg scale$warp} must be that of a model of as many dense columns.")
  }
  c(
    list(center = if (!inherits(x, "dgCMatrix")) center, scale = scale), if (!is.null(given$warp)) given["warp"],
    if (isTRUE(given$normed)) given["normed"]
  )
}

# A number per column of x, by name where both have names. FALSE is none, as in scale().
scaling_part <- function(values, x, part) {
  if (is.null(values) || identical(values, FALSE)) {
    return(NULL)
  }
  known <- column_names(x)
  if (is.numeric(values) && !is.null(known) && !is.null(names(values))) {
    missing <- setdiff(known, names(values))
    if (length(missing) > 0) {
      abort("{.arg scale${part}} lacks the {cli::qty(missing)}column{?s} {.var {missing}}.")
    }
    values <- values[match(known, names(values))]
  }
  if (!all_finite(values, ncol(x))) {
    abort("{.arg scale${part}} must hold a number for each of the {ncol(x)} column{?s} of {.arg x}.")
  }
  as.numeric(values)
}
