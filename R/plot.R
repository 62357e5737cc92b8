#' Plot a model
#'
#' For classes, the plane is coloured by predicted class, and the decision boundary is a solid line. With two classes
#' the margins, where the decision value is -1 or 1, are dashed, and the colour is paler between them. Support vectors
#' are circled.
#'
#' For novelty, the plot shows the region of what belongs to the examples learned, with its boundary, and the examples
#' inside and outside.
#'
#' For numbers, it shows the fit over one feature; a band is its tube, within which errors cost nothing. Over two
#' features it shows the prediction as a colour, with contour lines, and examples in the colours of their numbers.
#' `what = "residuals"` draws residuals against predictions, as the first plot of [plot.lm()] does: with the tube
#' dashed, a smooth line, and the numbers of the three rows that are farthest off.
#'
#' @param x A model made by [osvm()].
#' @param data Examples to draw, in the form the model was trained on: a matrix, or
#'   a data frame. Without them the support vectors are drawn alone. In its place, or in that of `y`,
#'   a formula that names the features, `vertical ~ horizontal`, as in e1071.
#' @param y Labels of `data`. For a formula model they are in `data`. For novelty, if they are known, `TRUE` for what
#'   belongs to the others; without them points have the colours of their predictions.
#' @param features Two features to draw, by name or number; of a model for numbers one or two. Needed when the model
#'   has more than two; the others are then fixed at their centre: the mean, the
#'   most frequent level of a factor, zero for sparse data. Dates have ticks at dates.
#' @param slice Values of features that are not drawn, a named list: `list(Sepal.Length = 6)`. The others stay at their
#'   centre.
#' @param grid Number of grid points along each axis. The borders of cells, see [osvm()], are drawn along it.
#' @param legend Whether to draw a legend beside the plot.
#' @param what `"model"`, or `"residuals"` of a model for numbers, of `data` or else of its training data, as
#'   [`residuals()`][residuals.osvm] finds it. `NULL`: the residuals if `data` is given and there are more than two
#'   features of which none is chosen, otherwise the model.
#' @param ... Passed on to [plot.default()]: `main`, `xlab`, `xlim`, `asp` and so on.
#'
#' @returns `plot()` returns `x`, invisibly; `autoplot()`, which needs the package ggplot2, a plot
#'   that can be changed further.
#'
#' @seealso [predict.osvm()] for the values drawn, [`residuals()`][residuals.osvm].
#' @examples
#' set.seed(1)
#' board <- chessboard(1000)
#' fit <- osvm(board$x, board$y, solver_olsvm(C = 10), kernel_rbf(sigma = 0.3))
#' plot(fit, board$x, board$y, asp = 1)
#'
#' # Three classes, two of four features; the other two are fixed at their means
#' fit <- osvm(Species ~ ., iris)
#' plot(fit, iris, features = c("Petal.Length", "Petal.Width"))
#' plot(fit, Petal.Width ~ Petal.Length, slice = list(Sepal.Length = 7))
#'
#' # Numbers: the fit with its tube, and the residuals
#' fit <- osvm(dist ~ speed, cars)
#' plot(fit, cars)
#' plot(fit, what = "residuals")
#'
#' # Novelty
#' usual <- osvm(~ Petal.Length + Petal.Width, iris[51:100, ], loss = loss_novelty(nu = 0.1))
#' plot(usual, iris)
#' @export
plot.osvm <- function(x, data = NULL, y = NULL, features = NULL, grid = 150,
                      legend = TRUE, slice = NULL, what = NULL, ...) {
  check_dots("plot", ..., .also = graphics_arguments())
  x <- structure(check_model(x, cells = TRUE), class = class(x))
  need_one_column(x, "A plot")
  one_flag(legend)
  if (!is.null(what)) what <- one_choice(what, c("model", "residuals"))
  if (is.null(what) && predicts_numbers(x) && length(dim(data)) == 2 && !inherits(y, "formula")) {
    what <- if (is.null(features) && length(plot_features(x)) > 2) "residuals"
  }
  if (identical(what, "residuals")) {
    draw_residuals(x, find_residuals(x, data, y, parent.frame()), ...)
    return(invisible(x))
  }
  drawn <- plot_parts(x, data, y, features, grid, slice)
  axes <- drawn$axes
  points <- drawn$points
  window <- drawn$window
  if (predicts_numbers(x)) {
    draw <- if (length(axes$chosen) == 1) draw_fit else draw_prediction
    draw(x, axes, points, window, as.integer(grid), legend, ...)
    return(invisible(x))
  }
  colours <- plot_colours(x)
  key <- plot_key(x, axes, colours, alone = is.null(points))

  mai <- if (legend) plot_margins(key) else graphics::par("mai")
  old <- graphics::par(mai = mai, mgp = c(2.5, 0.7, 0), tcl = -0.3)
  on.exit(graphics::par(old))
  draw_frame(x, axes, window, ...)
  # The limits are known only now: xlim, ylim and asp change them.
  surface <- plot_surface(x, axes, graphics::par("usr"), as.integer(grid))
  margins <- is_labelled(x)
  draw_regions(surface, colours, margins)
  if (is.null(surface$class)) {
    draw_level(surface, surface$decision, surface$threshold, lwd = 2)
    for (level in if (margins) c(-1, 1)) draw_level(surface, surface$decision, level, lty = 2)
  } else {
    do.call(graphics::segments, c(as.list(class_borders(x, axes, surface)), lwd = 1.5))
  }
  draw_cells(x, axes, surface)
  draw_points(points, colours)
  draw_support(support_points(x, axes), colours, alone = is.null(points))
  graphics::box()
  graphics::mtext(plot_subtitle(x, axes), line = 0.4, cex = 0.8 * graphics::par("cex"))
  if (legend) {
    draw_key(key)
  }
  invisible(x)
}

#' @rdname plot.osvm
#' @param object A model made by [osvm()].
#' @exportS3Method ggplot2::autoplot
autoplot.osvm <- function(object, data = NULL, y = NULL, features = NULL, grid = 150, slice = NULL, ...) {
  check_dots("autoplot", ...)
  need_package("ggplot2", "autoplot")
  object <- structure(check_model(object, cells = TRUE), class = class(object))
  need_one_column(object, "A plot")
  drawn <- plot_parts(object, data, y, features, grid, slice)
  axes <- drawn$axes
  if (predicts_numbers(object)) {
    return(autoplot_numbers(object, axes, drawn$points, drawn$window, as.integer(grid)))
  }
  surface <- plot_surface(object, axes, unlist(drawn$window), as.integer(grid))
  plane <- expand.grid(x = surface$x, y = surface$y)
  levels <- plot_levels(object)
  names <- function(class) factor(levels[class], levels)
  plane$class <- names(if (is.null(surface$class)) 1 + (surface$decision > 0) else surface$class)
  support <- support_points(object, axes)
  points <- if (is.null(drawn$points)) support else drawn$points
  at <- aes_by_name(x = "x", y = "y")
  marks <- function(points, ...) {
    table <- data.frame(x = points$x[, 1], y = points$x[, 2])
    if (is.null(points$class)) {
      return(ggplot2::geom_point(data = table, ...))
    }
    table$class <- names(points$class)
    ggplot2::geom_point(aes_by_name(fill = "class"), table, shape = 21, ...)
  }
  # The boundary of several classes is that of their colours.
  plane$decision <- surface$decision
  level <- function(...) ggplot2::geom_contour(aes_by_name(z = "decision"), plane, colour = "black", ...)
  ggplot2::ggplot(mapping = at) +
    ggplot2::geom_raster(aes_by_name(fill = "class"), plane, alpha = 0.4) +
    autoplot_cells(object, axes, surface) +
    (if (is.null(surface$class)) level(breaks = surface$threshold)) +
    (if (is.null(surface$class) && is_labelled(object)) level(breaks = c(-1, 1), linetype = 2)) +
    (if (!is.null(points)) marks(points, colour = "white")) +
    (if (!is.null(support)) marks(support["x"], shape = 1)) +
    ggplot2::scale_fill_manual(values = plot_colours(object), drop = FALSE) +
    ggplot2::labs(
      x = axes$names[1], y = axes$names[2], fill = NULL, title = solver_title(object$solver),
      subtitle = plot_subtitle(object, axes)
    )
}

# What colours stand for, but those of numbers.
plot_levels <- function(object) if (is_labelled(object)) object$levels else c("outside", "inside")

plot_colours <- function(object) {
  if (is_labelled(object)) class_colours(length(object$levels)) else class_colours(2)[2:1]
}

# What plot() and autoplot() draw: axes, with the values of other features, points and limits.
plot_parts <- function(object, data, y, features, grid, slice) {
  one_whole(grid, least = 2, most = 1e4)
  formula <- Find(function(given) inherits(given, "formula"), list(data, y))
  if (!is.null(formula)) {
    if (!is.null(features)) abort("Give the features in a formula or as {.arg features}, not both.")
    features <- rev(all.vars(formula))
    if (inherits(data, "formula")) data <- NULL
    if (inherits(y, "formula")) y <- NULL
  }
  axes <- plot_axes(object, features)
  data <- plot_columns(object, data)
  points <- plot_points(object, axes, data, y)
  axes$center <- slice_at(plot_center(object, data), slice, axes)
  axes$sliced <- !is.null(slice)
  list(axes = axes, points = points, window = plot_window(object, axes, points))
}

# The centre, with the values of `slice` where there are any.
slice_at <- function(center, slice, axes) {
  if (is.null(slice)) {
    return(center)
  }
  others <- setdiff(axes$all, axes$names)
  if (!is.list(slice) || is.null(names(slice)) || !all(names(slice) %in% others) || any(lengths(slice) != 1)) {
    abort("{.arg slice} must be a named list with one value each of features that are not drawn: {.val {others}}.")
  }
  if (is.list(center)) {
    return(utils::modifyList(center, slice))
  }
  if (!all(vapply(slice, is_number, NA))) abort("{.arg slice} must hold numbers.")
  if (is.null(center)) center <- numeric(length(axes$all))
  replace(center, match(names(slice), axes$all), unlist(slice))
}

draw_frame <- function(x, axes, window, ...) {
  ticks <- function(side) if (side > length(axes$units) || is.null(axes$units[[side]])) "s" else "n"
  frame <- list(
    x = window$x, y = window$y, type = "n", xaxs = "i", yaxs = "i", las = 1,
    main = solver_title(x$solver), xlab = axes$names[1], ylab = axes$names[2], xaxt = ticks(1), yaxt = ticks(2)
  )
  do.call(graphics::plot.default, utils::modifyList(frame, list(...)))
  # Ticks at dates, on an axis of days or seconds since 1970-01-01
  for (side in seq_along(axes$units)) {
    limits <- graphics::par("usr")[if (side == 1) 1:2 else 3:4]
    switch(axes$units[[side]] %||% "none",
      days = graphics::axis.Date(side, as.Date(limits, origin = "1970-01-01")),
      seconds = graphics::axis.POSIXct(side, as.POSIXct(limits, origin = "1970-01-01", tz = "UTC"))
    )
  }
}

draw_regions <- function(surface, colours, margins) {
  if (is.null(surface$class)) {
    between <- margins & abs(surface$decision) < 1
    codes <- ifelse(surface$decision > surface$threshold, 4 - between, 1 + between)
    tints <- tint(colours[c(1, 1, 2, 2)], c(if (margins) 0.5 else 1, 0.75, 0.75, 0.5))
  } else {
    codes <- surface$class
    tints <- tint(colours, 0.6)
  }
  draw_image(surface, codes, tints, c(1, length(tints)))
}

draw_image <- function(surface, z, colours, limits) {
  # Far from zero the steps of a grid differ by rounding, which a raster does not allow.
  even <- function(v) {
    steps <- diff(c(v[1] - (v[2] - v[1]) / 2, v[-1] - diff(v) / 2))
    isTRUE(all.equal(steps, rep(steps[1], length(steps))))
  }
  graphics::image(
    surface$x, surface$y, matrix(z, length(surface$x)),
    col = colours, zlim = limits, add = TRUE, useRaster = even(surface$x) && even(surface$y)
  )
}

draw_level <- function(surface, z, level, ...) {
  if (min(z) < level && max(z) > level) {
    z <- matrix(z, length(surface$x))
    for (line in grDevices::contourLines(surface$x, surface$y, z, levels = level)) {
      graphics::lines(line$x, line$y, ...)
    }
  }
}

# Fewer points can be larger.
point_size <- function(n) max(0.45, min(1, 1.3 - 0.25 * log10(n)))

draw_points <- function(points, colours, fill = colours[points$class]) {
  if (!is.null(points)) {
    if (is.null(points$class)) fill <- "grey40"
    graphics::points(points$x, pch = 21, bg = fill, col = "white", lwd = 0.4, cex = point_size(nrow(points$x)))
  }
}

draw_support <- function(support, colours, alone, fill = colours[support$class]) {
  if (!is.null(support)) {
    if (!alone) fill <- NA
    graphics::points(
      support$x, pch = ifelse(support$merged, 23, 21), bg = fill, col = "black", lwd = 0.6,
      cex = point_size(nrow(support$x)) * if (alone) 1 else 1.15
    )
  }
}

# `alone`: support vectors are drawn without other examples, filled.
plot_key <- function(x, axes, colours, alone) {
  lines <- c("boundary", "margin"[is_labelled(x) && nrow(x$machines) == 1], "border of a cell"[has_cells(x)])
  levels <- plot_levels(x)
  merged <- support_points(x, axes)$merged
  rings <- c("support vector"[!is.null(merged) && !all(merged)], "merged vector"[any(merged)])
  marks <- length(levels) + length(rings)
  list(
    legend = c(levels, rings, lines),
    pch = c(rep(22, length(levels)), ifelse(rings == "merged vector", 23, 21), rep(NA, length(lines))),
    pt.bg = c(colours, rep(if (alone) colours[1] else NA, length(rings)), rep(NA, length(lines))),
    lty = c(rep(NA, marks), c(1, 2, 1)[match(lines, c("boundary", "margin", "border of a cell"))]),
    lwd = c(rep(1, marks), 2, rep(1, length(lines) - 1))
  )
}

# Room for the key on the right, measured in inches.
plot_margins <- function(key) {
  room <- max(nchar(key$legend)) * graphics::par("cin")[1] * 0.75 + 0.6
  mai <- graphics::par("mai")
  mai[4] <- min(room, graphics::par("fin")[1] / 3)
  mai
}

draw_key <- function(key) {
  usr <- graphics::par("usr")
  place <- list(x = usr[2] + 0.02 * (usr[2] - usr[1]), y = usr[4])
  look <- list(bty = "n", xpd = NA, pt.cex = 1.3, seg.len = 1.5)
  do.call(graphics::legend, c(place, look, key))
}

plot_subtitle <- function(x, axes) {
  held <- length(axes$all) - length(axes$chosen)
  if (held == 0) {
    return(format(x$kernel))
  }
  where <- if (axes$sliced) "fixed" else if (is.null(axes$center)) "at zero" else "at the centre"
  paste0(format(x$kernel), ", ", plural(held, "other feature"), " ", where)
}

# Okabe and Ito's colours, suitable for colour-blind readers.
class_colours <- function(n) {
  base <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#666666")
  if (n <= length(base)) base[seq_len(n)] else grDevices::colorRampPalette(base)(n)
}

# Mixed with white: share 0 leaves the colour, 1 is white.
tint <- function(colour, share) {
  rgb <- t(grDevices::col2rgb(colour)) / 255
  grDevices::rgb(rgb + (1 - rgb) * share)
}

#' @export
plot.osvm_live <- function(x, ...) {
  check_passed("plot", plot.osvm, ..., .also = graphics_arguments())
  plot(snapshot(x), ...)
}
