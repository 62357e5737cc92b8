# Pictures of models that predict numbers: the fit over one feature, the prediction over two, residuals.

# Half the width of the tube, in the units of the numbers; 0 of losses without one.
tube_width <- function(x) role_value(x$loss, "margin", 0) * x$label$scale

fit_colour <- "#0072B2"

# `points`, and support vectors with their numbers, are at (x, class).
draw_fit <- function(x, axes, points, window, grid, legend, ...) {
  support <- support_points(x, axes)
  tube <- tube_width(x)
  at <- function(limits) seq(limits[1], limits[2], length.out = 2 * grid)
  curve <- function(at) predict_at(x, axes, cbind(at), "class")
  shown <- c(curve(at(window$x)) + rep(c(-tube, tube), each = 2 * grid), points$class, support$class)
  window$y <- around(range(shown, na.rm = TRUE))
  level <- quantiles_of(x$loss)
  fit <- if (is.null(level)) "fit" else paste("quantile", level)
  key <- list(
    legend = c(fit, "tube", "support vector"), lty = c(1, NA, NA), lwd = 2, col = c(fit_colour, "black", "black"),
    pch = c(NA, 22, 21), pt.lwd = 0.6, pt.bg = c(NA, tint(fit_colour, 0.8), NA)
  )
  key <- lapply(key, function(of) if (length(of) == 3) of[c(TRUE, tube > 0, !is.null(support))] else of)
  old <- graphics::par(mai = if (legend) plot_margins(key) else graphics::par("mai"), mgp = c(2.5, 0.7, 0), tcl = -0.3)
  on.exit(graphics::par(old))
  draw_frame(x, utils::modifyList(axes, list(names = c(axes$names, label_name(x)))), window, ...)
  over <- at(graphics::par("usr")[1:2])
  f <- curve(over)
  if (tube > 0) {
    graphics::polygon(c(over, rev(over)), c(f + tube, rev(f - tube)), col = tint(fit_colour, 0.8), border = NA)
  }
  if (!is.null(points$class)) draw_points(list(x = cbind(points$x, points$class), class = TRUE), fill = "grey40")
  if (!is.null(support)) {
    support$x <- cbind(support$x, support$class)
    draw_support(support, alone = is.null(points$class), fill = "grey70")
  }
  graphics::lines(over, f, col = fit_colour, lwd = 2)
  graphics::box()
  graphics::mtext(plot_subtitle(x, axes), line = 0.4, cex = 0.8 * graphics::par("cex"))
  if (legend) draw_key(key)
}

draw_prediction <- function(x, axes, points, window, grid, legend, ...) {
  mai <- graphics::par("mai")
  if (legend) mai[4] <- 1.1
  old <- graphics::par(mai = mai, mgp = c(2.5, 0.7, 0), tcl = -0.3)
  on.exit(graphics::par(old))
  draw_frame(x, axes, window, ...)
  surface <- plot_surface(x, axes, graphics::par("usr"), grid)
  support <- support_points(x, axes)
  shown <- c(surface$decision, points$class, if (is.null(points)) support$class)
  scale <- heat_scale(list(value = shown[!is.na(shown)], log = FALSE))
  draw_image(surface, surface$decision, scale$palette, scale$range)
  graphics::contour(
    surface$x, surface$y, matrix(surface$decision, length(surface$x)),
    add = TRUE, col = "white", labcex = 0.7, nlevels = 8
  )
  draw_cells(x, axes, surface)
  draw_points(points, fill = scale$colour(points$class))
  draw_support(support, alone = is.null(points), fill = scale$colour(support$class))
  graphics::box()
  circled <- if (!is.null(support)) "; circled: support vectors"
  graphics::mtext(paste0(plot_subtitle(x, axes), circled), line = 0.4, cex = 0.8 * graphics::par("cex"))
  if (legend) draw_colour_bar(scale)
}

# `left`: what find_residuals() returns.
draw_residuals <- function(x, left, ...) {
  known <- which(!is.na(left$residual))
  fitted <- left$fitted[known]
  residual <- left$residual[known]
  if (length(known) == 0) abort("{.arg data} must have at least one row without missing values.")
  tube <- tube_width(x)
  old <- graphics::par(mgp = c(2.5, 0.7, 0), tcl = -0.3)
  on.exit(graphics::par(old))
  frame <- list(
    x = around(range(fitted)), y = around(range(residual, -tube, tube)), type = "n", las = 1,
    main = solver_title(x$solver), xlab = "prediction", ylab = "residual"
  )
  do.call(graphics::plot.default, utils::modifyList(frame, list(...)))
  graphics::abline(h = 0, col = "grey50")
  if (tube > 0) graphics::abline(h = c(-tube, tube), lty = 2, col = fit_colour)
  draw_points(list(x = cbind(fitted, residual), class = TRUE), fill = "grey40")
  if (length(unique(fitted)) > 2) graphics::lines(stats::lowess(fitted, residual), col = "#D55E00", lwd = 2)
  far <- utils::head(order(-abs(residual)), 3)
  graphics::text(fitted[far], residual[far], known[far], pos = 4, cex = 0.75, xpd = NA)
  rmse <- signif(sqrt(mean(residual^2)), 4)
  graphics::mtext(paste0(format(x$kernel), ", root mean square ", rmse), line = 0.4, cex = 0.8 * graphics::par("cex"))
}

autoplot_numbers <- function(x, axes, points, window, grid) {
  support <- support_points(x, axes)
  if (is.null(points)) points <- support
  one <- length(axes$chosen) == 1
  places <- function(points) {
    if (!is.null(points$class)) {
      data.frame(x = points$x[, 1], y = if (one) points$class else points$x[, 2], number = points$class)
    }
  }
  base <- if (one) {
    over <- seq(window$x[1], window$x[2], length.out = 2 * grid)
    curve <- data.frame(x = over, y = predict_at(x, axes, cbind(over), "class"))
    curve[c("low", "high")] <- list(curve$y - tube_width(x), curve$y + tube_width(x))
    list(
      ggplot2::geom_ribbon(aes_by_name(ymin = "low", ymax = "high"), curve, fill = fit_colour, alpha = 0.2),
      ggplot2::geom_line(data = curve, colour = fit_colour),
      if (!is.null(points$class)) ggplot2::geom_point(data = places(points), colour = "grey40")
    )
  } else {
    surface <- plot_surface(x, axes, unlist(window), grid)
    plane <- data.frame(expand.grid(x = surface$x, y = surface$y), number = surface$decision)
    list(
      ggplot2::geom_raster(aes_by_name(fill = "number"), plane),
      ggplot2::geom_contour(aes_by_name(z = "number"), plane, colour = "white"),
      if (!is.null(points$class)) {
        ggplot2::geom_point(aes_by_name(fill = "number"), places(points), shape = 21, colour = "white")
      },
      ggplot2::scale_fill_viridis_c()
    )
  }
  ggplot2::ggplot(mapping = aes_by_name(x = "x", y = "y")) + base +
    (if (!is.null(support)) ggplot2::geom_point(data = places(support), shape = 1)) +
    ggplot2::labs(
      x = axes$names[1], y = if (one) label_name(x) else axes$names[2], fill = label_name(x),
      title = solver_title(x$solver), subtitle = plot_subtitle(x, axes)
    )
}
