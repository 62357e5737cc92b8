#' Print and plot curves
#'
#' Draws what [osvm_learning_curve()], [osvm_validation_curve()], [osvm_roc()] and [osvm_calibration()] return.
#'
#' @param x,object A curve.
#' @param legend Whether to draw a legend.
#' @param ... For `plot()`: passed on to [plot.default()]: `main`, `ylim` and so on. Otherwise not used.
#' @returns `print()` and `plot()` return `x`, invisibly; `autoplot()`, which needs the package ggplot2, a plot that can
#'   be added to. The numbers are in `x$data`.
#' @seealso [`plot()`][plot.osvm] for decision regions, [`plot()`][plot.osvm_tuning] for grids
#' @examples
#' board <- chessboard(400, noise = 0.1)
#' kernel <- kernel_rbf(sigma = 0.5)
#' curve <- osvm_learning_curve(board$x, board$y, solver_smo(C = 10), kernel, folds = 3)
#' curve
#' plot(curve)
#' @export
plot.osvm_curve <- function(x, legend = TRUE, ...) {
  check_dots("plot", ..., .also = graphics_arguments())
  one_flag(legend)
  lines <- curve_lines(check_curve(x))
  data <- lines$data
  names <- levels(data$line)
  colours <- class_colours(length(names))
  shapes <- rep_len(c(21, 24, 22, 23, 25), length(names))
  old <- graphics::par(mgp = c(2.7, 0.7, 0), tcl = -0.3, pty = if (lines$unit) "s" else graphics::par("pty"))
  on.exit(graphics::par(old))
  frame <- list(
    x = range(data$x), y = range(data$low, data$high, na.rm = TRUE), type = "n", las = 1,
    log = if (lines$log) "x" else "", xaxt = if (is.null(lines$ticks)) "s" else "n", main = lines$title,
    xlab = lines$xlab, ylab = lines$ylab
  )
  if (lines$unit) frame[c("x", "y")] <- list(c(0, 1), c(0, 1))
  do.call(graphics::plot.default, utils::modifyList(frame, list(...)))
  if (!is.null(lines$ticks)) graphics::axis(1, lines$ticks, lines$tick_labels)
  if (lines$unit) graphics::abline(0, 1, col = "grey60", lty = 2)
  for (k in seq_along(names)) {
    own <- data[data$line == names[k], ]
    graphics::segments(own$x, own$low, own$x, own$high, col = tint(colours[k], 0.4), lwd = 2)
    graphics::lines(own$x, own$y, col = colours[k], lwd = 2, type = if (lines$kind == "roc") "s" else "l")
    if (lines$kind != "roc") graphics::points(own$x, own$y, pch = shapes[k], bg = colours[k], col = "white", cex = 1.3)
  }
  if (legend && (length(names) > 1 || lines$unit)) {
    pch <- if (lines$kind == "roc") NA else shapes
    graphics::legend(
      lines$corner, names, col = colours, lwd = 2, pch = pch, pt.bg = colours, bg = "white", box.col = NA, inset = 0.02
    )
  }
  invisible(x)
}

#' @rdname plot.osvm_curve
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_curve <- function(object, ...) {
  check_dots("autoplot", ...)
  lines <- curve_lines(check_curve(object))
  plot <- ggplot2::ggplot(lines$data, aes_by_name(x = "x", y = "y", colour = "line")) +
    (if (lines$unit) ggplot2::geom_abline(colour = "grey60", linetype = 2)) +
    (if (lines$kind == "roc") ggplot2::geom_step() else ggplot2::geom_line()) +
    (if (lines$kind != "roc") ggplot2::geom_pointrange(aes_by_name(ymin = "low", ymax = "high"))) +
    ggplot2::scale_colour_manual(name = NULL, values = class_colours(nlevels(lines$data$line))) +
    ggplot2::labs(x = lines$xlab, y = lines$ylab, title = lines$title) +
    ggplot2::theme_minimal()
  if (lines$unit) {
    return(plot + ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) + ggplot2::theme(legend.position = "bottom"))
  }
  if (is.null(lines$ticks)) {
    return(if (lines$log) plot + ggplot2::scale_x_log10() else plot)
  }
  trans <- if (lines$log) "log10" else "identity"
  plot + ggplot2::scale_x_continuous(breaks = lines$ticks, labels = lines$tick_labels, trans = trans)
}

# What is drawn: points of lines, their names, labels of the axes; `unit`: both axes from 0 to 1, with a diagonal.
curve_lines <- function(x) {
  table <- x$data
  se <- if (is.null(table$se)) 0 else ifelse(is.na(table$se), 0, table$se)
  by_class <- x$kind %in% c("roc", "calibration")
  line <- if (by_class) table$class else table$set
  if (!is.null(x$summary)) line <- paste0(line, ", ", x$summary_of, " ", signif(x$summary[line], 3))
  at <- switch(x$kind,
    roc = table$fpr, calibration = table$predicted, learning = table$size, validation = table$value_of
  )
  y <- switch(x$kind, roc = table$tpr, calibration = table$observed, table$value)
  ticks <- tick_labels <- NULL
  if (x$kind == "validation") {
    tick_labels <- axis_values(at)$text
    if (!is.numeric(at)) at <- match(at, axis_values(at)$values)
    ticks <- sort(unique(at))
  }
  data <- data.frame(line = factor(line, unique(line)), x = at, y = y, low = y - se, high = y + se)
  labels <- switch(x$kind,
    roc = c("False positive rate", "True positive rate"),
    calibration = c("Predicted probability", "Observed share"),
    learning = c("Examples learned", x$label), c(x$parameter, x$label)
  )
  list(
    kind = x$kind, data = data[order(data$line, data$x, data$y), ], title = x$title, xlab = labels[1], ylab = labels[2],
    unit = by_class, log = !by_class && on_log_axis(at),
    corner = if (by_class) "bottomright" else "topright", ticks = ticks, tick_labels = tick_labels
  )
}

#' @rdname plot.osvm_curve
#' @export
print.osvm_curve <- function(x, ...) {
  check_dots("print", ...)
  check_curve(x)
  cat_line("<osvm_curve> ", x$title)
  values <- x$summary
  shown <- utils::head(values, 6)
  if (length(values) > 0) cat_line("  ", x$summary_of, " ", names(shown), ": ", signif(shown, 4))
  if (length(values) > length(shown)) {
    cat_line("  mean of all ", length(values), ": ", signif(mean(values), 4), ", see `summary`")
  }
  print_table(utils::head(x$data, 20))
  if (nrow(x$data) > 20) cat_line("... and ", plural(nrow(x$data) - 20, "more row"), ", see `data`")
  invisible(x)
}
