#' Plot a tuning or a comparison
#'
#' A tuning of two parameters is a heat map with the best grid point framed. One parameter is a line with standard
#' errors. More parameters, or `type = "curve"`, give a saw-tooth curve: all grid points side by side, grouped by the
#' last parameter. A comparison is drawn as such curves, a line per solver: the metric above, the time below. Solvers
#' tuned over different grids share the groups if the values of the kernel parameter are the same.
#'
#' @param x,object A tuning made by [osvm_tune()], or a comparison made by [osvm_compare()]. A list of
#'   tunings can be drawn as `plot(osvm_compare(list))`.
#' @param what What to draw: the metric (the default), `"error"`, `"seconds"` or `"n_sv"`. For a
#'   comparison one or two of them, one above the other; `autoplot()` takes one.
#' @param type `"heat"`, `"curve"`, or `"auto"`: what suits the number of parameters.
#' @param legend Whether to draw a legend beside the plot.
#' @param ... For a tuning, passed on to [plot.default()]: `main`, `ylim` and so on. Otherwise not used.
#'   Arguments that are no graphics parameters are errors.
#' @returns `plot()` returns `x`, invisibly; `autoplot()`, which needs the package ggplot2, a plot that can be added to.
#' @seealso [osvm_tune()], [osvm_compare()]
#' @examples
#' set.seed(1)
#' board <- chessboard(300)
#' tuned <- osvm_tune(
#'   board$x, board$y, solver_olsvm(C = 10^(0:3)), kernel_rbf(sigma = c(0.1, 0.3, 1))
#' )
#' plot(tuned)
#' plot(tuned, what = "seconds", type = "curve")
#' @export
plot.osvm_tuning <- function(x, what = NULL, type = c("auto", "heat", "curve"), ...) {
  check_dots("plot", ..., .also = graphics_arguments())
  what <- check_what(x, what)
  check_drawable(x)
  type <- tune_type(x, type)
  switch(type,
    heat = draw_heat(x, what, ...),
    line = draw_line(x, what, ...),
    curve = draw_curves(list(x), what, ...)
  )
  invisible(x)
}

#' @rdname plot.osvm_tuning
#' @export
plot.osvm_comparison <- function(x, what = NULL, legend = TRUE, ...) {
  check_dots("plot", ...)
  check_comparison(x)
  known <- unique(c(x$tunings[[1]]$metric, "error", "seconds", "n_sv"))
  if (is.null(what)) what <- c(known[1], "seconds")
  if (!is.character(what) || !length(what) %in% 1:2 || !all(what %in% known)) {
    abort("{.arg what} must be one or two of {.val {known}}.")
  }
  one_flag(legend)
  for (tuned in x$tunings) check_drawable(tuned)
  old <- graphics::par(mfrow = c(length(what), 1))
  on.exit(graphics::par(old))
  for (i in seq_along(what)) draw_curves(x$tunings, what[i], legend = legend && i == 1)
  invisible(x)
}

draw_line <- function(tuned, what, ...) {
  name <- varied_parameters(tuned)
  measure <- tune_measure(tuned, what)
  axis <- axis_values(tuned$results[[name]])
  spaced <- is.numeric(axis$values) && all(is.finite(axis$values))
  logs <- paste0("", if (on_log_axis(axis$values)) "x", if (measure$log) "y")
  at <- if (spaced) tuned$results[[name]] else match(tuned$results[[name]], axis$values)
  low <- measure$value - ifelse(is.na(measure$se), 0, measure$se)
  high <- measure$value + ifelse(is.na(measure$se), 0, measure$se)
  old <- graphics::par(mgp = c(3, 0.6, 0), tcl = -0.3)
  on.exit(graphics::par(old))
  frame <- list(
    x = range(at), y = range(low, high, na.rm = TRUE), type = "n", log = logs, xaxt = "n", yaxt = "n",
    main = solver_title(tuned$solver), xlab = name, ylab = measure$label
  )
  do.call(graphics::plot.default, utils::modifyList(frame, list(...)))
  graphics::axis(1, if (spaced) axis$values else seq_along(axis$values), axis$text)
  label_axis(2, graphics::axTicks(2))
  colour <- class_colours(1)
  turn <- order(at)
  graphics::segments(at, low, at, high, col = tint(colour, 0.4), lwd = 2)
  graphics::lines(at[turn], measure$value[turn], col = colour, lwd = 2)
  best <- seq_along(at) == rank_points(tuned)[1]
  graphics::points(at, measure$value, pch = 21, bg = ifelse(best, "black", colour), col = "white", cex = 1.4)
  says <- if (all(is.na(measure$se))) "black: best grid point" else "bars: standard error; black: best grid point"
  graphics::mtext(says, line = 0.4, cex = 0.8 * graphics::par("cex"))
}

# One panel of saw-tooth curves, a line per tuning.
draw_curves <- function(tunings, what, legend = length(tunings) > 1, ...) {
  if (is.null(names(tunings))) names(tunings) <- vapply(tunings, function(tuned) tuned$solver$name, "")
  data <- comparison_data(tunings, what)
  measure <- tune_measure(tunings[[1]], what)
  axis <- points_axis(tunings)
  colours <- class_colours(length(tunings))
  shapes <- rep_len(c(21, 24, 22, 23, 25), length(tunings))
  key <- list(
    legend = c(names(tunings), "best grid point"), pch = c(shapes, 21), pt.bg = c(colours, "black"),
    col = c(colours, "black"), lty = c(rep(1, length(tunings)), 0), lwd = 2
  )
  mai <- if (length(tunings) > 1) plot_margins(key) else graphics::par("mai")
  old <- graphics::par(mai = mai, mgp = c(3.1, 0.6, 0), tcl = -0.3)
  on.exit(graphics::par(old))
  frame <- list(
    x = c(1, axis$count), y = range(data$value, finite = TRUE), type = "n", xaxt = "n", yaxt = "n",
    log = if (measure$log) "y" else "", xlab = points_label(axis), ylab = measure$label,
    main = if (length(tunings) == 1) solver_title(tunings[[1]]$solver) else ""
  )
  do.call(graphics::plot.default, utils::modifyList(frame, list(...)))
  draw_groups(axis)
  label_axis(2, graphics::axTicks(2))
  for (k in rev(seq_along(tunings))) {
    line <- data[as.integer(data$solver) == k, ]
    graphics::lines(line$position, line$value, col = colours[k], lwd = 2)
    graphics::points(
      line$position, line$value, pch = shapes[k], bg = ifelse(line$best, "black", colours[k]), col = "white",
      lwd = 0.5, cex = ifelse(line$best, 1.4, 1)
    )
  }
  graphics::box()
  if (legend) draw_key(key)
}

# Numbers are formatted one by one: with 0.001 on the axis, 10 is not 10.000.
label_axis <- function(side, at) {
  graphics::axis(side, at, vapply(at, function(v) format(v, digits = 3), ""), las = 1)
}

# Light lines between the groups, their values above, the inner values below.
draw_groups <- function(axis) {
  if (!is.null(axis$group)) {
    ends <- which(diff(match(axis$group, unique(axis$group))) != 0) + 0.5
    graphics::abline(v = ends, col = "grey80")
    middle <- tapply(seq_along(axis$group), match(axis$group, unique(axis$group)), mean)
    text <- vapply(unique(axis$group), function(v) format(v, digits = 3), "")
    text[1] <- paste(axis$group_name, "=", text[1])
    graphics::mtext(text, at = middle, line = 0.3, cex = 0.8 * graphics::par("cex"))
  }
  if (is.null(axis$inner)) {
    if (is.null(axis$group)) graphics::axis(1) # grid points of different grids in common groups have no numbers
  } else {
    text <- vapply(axis$inner, function(v) format(v, digits = 3), "")
    crowded <- length(text) > 12 && max(nchar(text)) > 2
    graphics::axis(1, seq_along(text), text, las = if (crowded) 2 else 1, cex.axis = 0.8)
  }
}
