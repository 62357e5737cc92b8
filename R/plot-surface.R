# Decision values or classes at the grid points.
plot_surface <- function(object, axes, limits, n) {
  x <- seq(limits[1], limits[2], length.out = n)
  y <- seq(limits[3], limits[4], length.out = n)
  at <- cbind(rep(x, n), rep(y, each = n))
  ask <- function(type) predict_at(object, axes, at, type)
  surface <- list(x = x, y = y)
  if (nrow(object$machines) == 1) {
    surface$decision <- ask("decision")
    surface$threshold <- class_threshold(object)
  } else {
    surface$class <- find_targets(object, ask("class"))
  }
  surface
}

# Predictions at points of the axes, in pieces that bound the memory for wide data.
predict_at <- function(object, axes, at, type) {
  out <- lapply(slices(nrow(at), max(1, 4e6 %/% length(axes$all))), function(rows) {
    # The window is wider than the range of a constant feature.
    suppressWarnings(
      predict.osvm(object, grid_data(object, axes, at[rows, , drop = FALSE]), type = type),
      classes = "osvm_out_of_range"
    )
  })
  if (is.matrix(out[[1]])) do.call(rbind, out) else unlist(out, use.names = FALSE)
}

# The borders between classes, as segments. Where the class changes along an edge of the grid, bisection finds the
# place; in each square of the grid these places are joined with their mean, so that corners of three classes are sharp.
class_borders <- function(object, axes, surface) {
  class <- matrix(surface$class, length(surface$x))
  across <- edge_crossings(object, axes, surface, class, c(1, 0))
  up <- edge_crossings(object, axes, surface, class, c(0, 1))
  last <- dim(class)
  each <- function(k) { # of all squares, the sides below, above, left and right
    across <- array(across[, , k], last - c(1, 0))
    up <- array(up[, , k], last - c(0, 1))
    cbind(c(across[, -last[2]]), c(across[, -1]), c(up[-last[1], ]), c(up[-1, ]))
  }
  x <- each(1)
  y <- each(2)
  found <- which(!is.na(x), arr.ind = TRUE)
  data.frame(
    x0 = x[found], y0 = y[found], x1 = rowMeans(x, na.rm = TRUE)[found[, 1]], y1 = rowMeans(y, na.rm = TRUE)[found[, 1]]
  )
}

# Where the class changes between neighbours of the grid, `step` apart: an array of x and y by edges, NA where it does
# not.
edge_crossings <- function(object, axes, surface, class, step) {
  from <- class[seq_len(nrow(class) - step[1]), seq_len(ncol(class) - step[2]), drop = FALSE]
  changes <- from != class[seq_len(nrow(from)) + step[1], seq_len(ncol(from)) + step[2]]
  edges <- which(changes, arr.ind = TRUE)
  place <- function(at) cbind(surface$x[at[, 1]], surface$y[at[, 2]])
  low <- place(edges)
  high <- place(edges + rep(step, each = nrow(edges)))
  for (halving in if (nrow(edges) > 0) 1:5) {
    middle <- (low + high) / 2
    same <- find_targets(object, predict_at(object, axes, middle, "class")) == from[edges]
    low[same, ] <- middle[same, ]
    high[!same, ] <- middle[!same, ]
  }
  out <- array(NA_real_, c(dim(from), 2))
  for (k in 1:2) out[cbind(edges, rep(k, nrow(edges)))] <- (low[, k] + high[, k]) / 2
  out
}

grid_data <- function(object, axes, at) {
  if (!is.null(object$encoding)) {
    columns <- axes$center
    columns[axes$names] <- lapply(seq_along(axes$names), function(k) at[, k])
    return(as.data.frame(columns, optional = TRUE))
  }
  n <- nrow(at)
  if (is.null(axes$center)) {
    out <- Matrix::sparseMatrix(
      rep(seq_len(n), length(axes$chosen)), rep(axes$chosen, each = n),
      x = c(at), dims = c(n, length(axes$all))
    )
  } else {
    out <- matrix(axes$center, n, length(axes$all), byrow = TRUE)
    out[, axes$chosen] <- at
  }
  colnames(out) <- object$feature_names
  out
}

# Values of the features that are not drawn; NULL, for sparse data, is zero.
plot_center <- function(object, data) {
  if (!is.null(object$encoding)) {
    lapply(object$encoding$variables, `[[`, "typical")
  } else if (object$sparse) {
    NULL
  } else if (!is.null(transform_units(object$transform)$center)) {
    transform_units(object$transform)$center
  } else if (!is.null(data)) {
    Matrix::colMeans(data)
  } else if (!is.null(object$sv)) {
    colMeans(sv_in_units(object))
  }
}
