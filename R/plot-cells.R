# The cells of a model in plots of two features.

# Borders between points of the surface that are in different cells, as segments; NULL: the model has no cells.
cell_borders <- function(object, axes, surface) {
  if (!has_cells(object)) {
    return(NULL)
  }
  at <- as.matrix(expand.grid(surface$x, surface$y))
  x <- model_input(object, grid_data(object, axes, at), "data")
  cell <- matrix(assign_cells(object, x, object$control$threads), length(surface$x))
  step <- c(diff(surface$x[1:2]), diff(surface$y[1:2])) / 2
  right <- which(cell[-1, , drop = FALSE] != cell[-nrow(cell), , drop = FALSE], arr.ind = TRUE)
  above <- which(cell[, -1, drop = FALSE] != cell[, -ncol(cell), drop = FALSE], arr.ind = TRUE)
  upright <- cbind(surface$x[right[, 1]] + step[1], surface$y[right[, 2]])
  level <- cbind(surface$x[above[, 1]], surface$y[above[, 2]] + step[2])
  data.frame(
    x0 = c(upright[, 1], level[, 1] - step[1]), y0 = c(upright[, 2] - step[2], level[, 2]),
    x1 = c(upright[, 1], level[, 1] + step[1]), y1 = c(upright[, 2] + step[2], level[, 2])
  )
}

border_colour <- "grey40"

# ---- by base graphics and ggplot2 ----

draw_cells <- function(object, axes, surface) {
  borders <- cell_borders(object, axes, surface)
  if (!is.null(borders)) do.call(graphics::segments, c(as.list(borders), list(col = border_colour)))
}

autoplot_cells <- function(object, axes, surface) {
  borders <- cell_borders(object, axes, surface)
  if (!is.null(borders)) {
    ends <- aes_by_name(x = "x0", y = "y0", xend = "x1", yend = "y1")
    ggplot2::geom_segment(ends, borders, colour = border_colour, inherit.aes = FALSE)
  }
}
