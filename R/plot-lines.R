# Pictures of lines: curves, active learning, tunings of one parameter, comparisons. What is drawn is a list, which base
# graphics and ggplot2 read:
#   lines     a data frame of `line` (a factor), `x`, `y`, `low`, `high` and `best`, whether a point is marked in black
#   title, subtitle, xlab, ylab
#   log       of axes, as for plot.default()
#   ticks     `at` and `text` of the ticks of the x axis, or NULL
#   steps     whether lines are steps without points
#   unit      whether both axes are from 0 to 1, with a diagonal
#   groups    of points side by side: the `group` of each place, and its `name`; or NULL
#   key       the place of the legend, "beside" or a corner

new_lines <- function(line, x, y, title, xlab, ylab, se = 0, best = FALSE, subtitle = NULL, log = "", ticks = NULL,
                      steps = FALSE, unit = FALSE, groups = NULL, key = "beside") {
  se <- ifelse(is.na(se), 0, se)
  data <- data.frame(line = factor(line, unique(line)), x = x, y = y, low = y - se, high = y + se, best = best)
  list(
    lines = data, title = title, subtitle = subtitle, xlab = xlab, ylab = ylab, log = log, ticks = ticks, steps = steps,
    unit = unit, groups = groups, key = key
  )
}

# A key is drawn for several lines; beside a diagonal their names have numbers, so that one line has it, too.
draw_lines <- function(picture, legend = TRUE, ...) {
  data <- picture$lines
  groups <- picture$groups
  names <- levels(data$line)
  colours <- class_colours(length(names))
  shapes <- rep_len(c(21, 24, 22, 23, 25), length(names))
  legend <- legend && (length(names) > 1 || picture$unit)
  key <- list(
    legend = c(names, "best grid point"), pch = c(if (picture$steps) NA * shapes else shapes, 21),
    pt.bg = c(colours, "black"), col = c(colours, "black"), lty = c(rep(1, length(names)), 0)
  )
  key <- lapply(key, utils::head, length(names) + any(data$best))
  # With the room of the legend where it is left out, too: panels one above the other have the same axis.
  mai <- if (length(names) > 1 && picture$key == "beside") plot_margins(key) else graphics::par("mai")
  pty <- if (picture$unit) "s" else graphics::par("pty")
  old <- graphics::par(mai = mai, mgp = c(3, 0.6, 0), tcl = -0.3, pty = pty)
  on.exit(graphics::par(old))
  values <- c(data$low, data$high)
  frame <- list(
    x = if (picture$unit) 0:1 else range(data$x), y = if (picture$unit) 0:1 else range(values, finite = TRUE),
    type = "n", log = picture$log, xaxt = if (is.null(picture$ticks)) "s" else "n", yaxt = "n", main = picture$title,
    xlab = picture$xlab, ylab = picture$ylab
  )
  do.call(graphics::plot.default, utils::modifyList(frame, list(...)))
  if (!is.null(picture$ticks)) draw_ticks(picture$ticks)
  if (graphics::par("ylog")) label_axis(2, graphics::axTicks(2)) else graphics::axis(2, las = 1)
  if (picture$unit) graphics::abline(0, 1, col = "grey60", lty = 2)
  if (!is.null(groups)) { # light lines between the groups, their values above
    graphics::abline(v = group_borders(groups), col = "grey80")
    number <- match(groups$group, unique(groups$group))
    text <- each_text(unique(groups$group))
    text[1] <- paste(groups$name, "=", text[1])
    graphics::mtext(text, at = tapply(seq_along(number), number, mean), line = 0.3, cex = 0.8 * graphics::par("cex"))
  }
  for (k in rev(seq_along(names))) {
    own <- data[data$line == names[k], ]
    graphics::segments(own$x, own$low, own$x, own$high, col = tint(colours[k], 0.4), lwd = 2)
    graphics::lines(own$x, own$y, col = colours[k], lwd = 2, type = if (picture$steps) "s" else "l")
    if (picture$steps) next
    graphics::points(
      own$x, own$y, pch = shapes[k], bg = ifelse(own$best, "black", colours[k]), col = "white", lwd = 0.5,
      cex = ifelse(own$best, 1.4, 1.1)
    )
  }
  graphics::box()
  if (is.null(groups)) graphics::mtext(picture$subtitle, line = 0.4, cex = 0.8 * graphics::par("cex"))
  if (legend && picture$key == "beside") {
    draw_key(c(key, lwd = 2))
  } else if (legend) {
    do.call(graphics::legend, c(list(picture$key, bg = "white", box.col = NA, inset = 0.02, lwd = 2), key))
  }
}

draw_ticks <- function(ticks) {
  many <- length(ticks$at)
  crowded <- many > 12 && max(nchar(ticks$text)) > 2
  stacked <- any(grepl("\n", ticks$text, fixed = TRUE)) # lines of a label begin at the axis
  graphics::axis(
    1, ticks$at, ticks$text, las = if (crowded && !stacked) 2 else 1, cex.axis = if (many > 8 || stacked) 0.8 else 1,
    padj = if (stacked) 0.8 else NA, gap.axis = if (stacked) -1 else NA
  )
}

# Numbers are formatted one by one: with 0.001 on the axis, 10 is not 10.000.
each_text <- function(values) vapply(values, function(v) format(v, digits = 3), "")

label_axis <- function(side, at) graphics::axis(side, at, each_text(at), las = 1)

group_borders <- function(groups) which(diff(match(groups$group, unique(groups$group))) != 0) + 0.5

# aes() by column names.
aes_by_name <- function(...) do.call(ggplot2::aes, lapply(list(...), as.name))

gg_lines <- function(picture) {
  data <- picture$lines
  names <- levels(data$line)
  groups <- picture$groups
  if (!is.null(groups)) {
    values <- paste(each_text(unique(groups$group)), collapse = ", ")
    picture$subtitle <- paste0("groups: ", groups$name, " = ", values, "; ", picture$subtitle)
  }
  trans <- function(axis) if (grepl(axis, picture$log)) "log10" else "identity"
  scale_x <- list(trans = trans("x"))
  if (!is.null(picture$ticks)) scale_x[c("breaks", "labels")] <- picture$ticks[c("at", "text")]
  if (length(picture$ticks$at) > 12) scale_x$guide <- ggplot2::guide_axis(angle = 90)
  ggplot2::ggplot(data, aes_by_name(x = "x", y = "y", colour = "line", shape = "line")) +
    (if (picture$unit) ggplot2::geom_abline(colour = "grey60", linetype = 2)) +
    (if (!is.null(groups)) ggplot2::geom_vline(xintercept = group_borders(groups), colour = "grey80")) +
    (if (picture$steps) ggplot2::geom_step() else if (anyDuplicated(data$line) > 0) ggplot2::geom_line()) +
    (if (!picture$steps) ggplot2::geom_pointrange(aes_by_name(ymin = "low", ymax = "high"))) +
    ggplot2::geom_point(data = data[data$best, ], colour = "black", size = 3, show.legend = FALSE) +
    ggplot2::scale_colour_manual(name = NULL, values = class_colours(length(names))) +
    ggplot2::scale_shape_manual(name = NULL, values = rep_len(c(16, 17, 15, 18, 4), length(names))) +
    do.call(ggplot2::scale_x_continuous, scale_x) +
    ggplot2::scale_y_continuous(trans = trans("y")) +
    ggplot2::labs(x = picture$xlab, y = picture$ylab, title = picture$title, subtitle = picture$subtitle) +
    ggplot2::theme_minimal() +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank()) +
    (if (picture$unit) ggplot2::coord_equal(xlim = 0:1, ylim = 0:1)) +
    (if (picture$unit) ggplot2::theme(legend.position = "bottom") else
      if (length(names) == 1) ggplot2::theme(legend.position = "none"))
}
