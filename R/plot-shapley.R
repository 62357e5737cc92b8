#' Plot Shapley values and importance
#'
#' One row of Shapley values as bars, many as points of a beeswarm, those of one variable against its values;
#' importance as bars with standard errors.
#'
#' In the beeswarm a point is a row, and its colour the value of the variable, from low (dark) to high (light); values
#' of factors have no order and are grey. The variables that matter most, by the mean absolute value, come first.
#'
#' @param x,object Values made by [osvm_shapley()], or importance made by [osvm_importance()].
#' @param row The number or the name of the row to draw as bars.
#' @param variable The name of the variable whose Shapley values are drawn against its own values.
#' @param machine The binary classifiers or columns of numbers to draw, by name or number, a panel each; `NULL`: the
#'   first four.
#' @param most The most variables to draw. The bars of a row have the sum of the others.
#' @param ... Not used: an unknown argument is an error.
#' @returns `plot()` returns `x`, invisibly; `autoplot()`, which needs the package ggplot2, a plot that can be added to.
#' @seealso [osvm_shapley()], [osvm_importance()]
#' @examples
#' fit <- osvm(mpg ~ wt + hp + qsec + factor(cyl), mtcars)
#' why <- osvm_shapley(fit, mtcars)
#' plot(why, row = "Fiat 128")
#' plot(why)
#' plot(why, variable = "cyl")
#' plot(osvm_importance(fit, mtcars))
#'
#' # A panel for each binary classifier
#' fit <- osvm(Species ~ ., iris, multiclass = "ovr")
#' plot(osvm_shapley(fit, iris))
#' @export
plot.osvm_shapley <- function(x, row = NULL, variable = NULL, machine = NULL, most = 15, ...) {
  check_dots("plot", ...)
  draw_panels(shapley_panels(x, row, variable, machine, most))
  invisible(x)
}

#' @rdname plot.osvm_shapley
#' @export
plot.osvm_importance <- function(x, most = 15, ...) {
  check_dots("plot", ...)
  draw_panels(importance_panels(x, most))
  invisible(x)
}

#' @rdname plot.osvm_shapley
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_shapley <- function(object, row = NULL, variable = NULL, machine = NULL, most = 15, ...) {
  check_dots("autoplot", ...)
  gg_panels(shapley_panels(object, row, variable, machine, most))
}

#' @rdname plot.osvm_shapley
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_importance <- function(object, most = 15, ...) {
  check_dots("autoplot", ...)
  gg_panels(importance_panels(object, most))
}

# ---- data, for base graphics and ggplot2 ----

# What is drawn: list(kind, title, xlab, ylab, shaded, panels), where `shaded` says that points have colours by value. A
# panel is list(label, points, ticks, axis):
#   points  x and y; `shade` from 0 to 1, NA of values without an order; `low` and `high`, the ends of an error bar
#   ticks   labels of 1, 2, ... on `axis`, 1 or 2; NULL: both axes have numbers
shapley_panels <- function(x, row, variable, machine, most) {
  check_shapley(x)
  most <- one_whole(most)
  if (nrow(x$values) == 0) abort("There is nothing to draw: there are no rows.")
  if (!is.null(row) && !is.null(variable)) abort("Give one of {.arg row} and {.arg variable}: it draws one of them.")
  if (is.null(row) && is.null(variable) && nrow(x$values) == 1) row <- 1
  machines <- drawn_machines(x, machine)
  kind <- if (!is.null(row)) "bars" else if (!is.null(variable)) "scatter" else "swarm"
  if (kind == "bars") row <- drawn_index(row, rownames(x$values), nrow(x$values), "row")
  if (kind == "scatter") variable <- drawn_index(variable, colnames(x$values), ncol(x$values), "variable")
  sizes <- if (kind != "bars") mean_absolute(x) else
    abs(vapply(machines, function(m) machine_values(x, m)[row, ], numeric(ncol(x$values))))
  if (kind == "bars" && anyNA(sizes)) abort("{.arg row} must be one without missing values.")
  turn <- order(-rowMeans(matrix(sizes, ncol(x$values))))
  panels <- lapply(machines, function(m) {
    values <- machine_values(x, m)
    panel <- switch(kind,
      bars = row_panel(x, values[row, ], row, turn, most),
      swarm = swarm_panel(x, values, utils::head(turn, most)),
      scatter = scatter_panel(variable_at(x, variable), values[, variable])
    )
    c(list(label = colnames(x$decision)[m]), panel)
  })
  name <- if (is.null(rownames(x$values))) paste("row", row) else rownames(x$values)[row]
  value <- paste0("Shapley value (", x$unit, ")")
  if (kind == "scatter") {
    xlab <- colnames(x$values)[variable]
    return(list(kind = kind, title = x$title, xlab = xlab, ylab = value, shaded = FALSE, panels = panels))
  }
  base <- if (is.matrix(x$base)) x$base[row, ] else x$base
  sums <- paste0(name, ": base ", signif(base[machines], 3), ", value ", signif(x$decision[row, machines], 3))
  title <- if (kind != "bars") x$title else if (length(machines) > 1) name else sums
  list(kind = kind, title = title, xlab = value, ylab = "", shaded = kind == "swarm", panels = panels)
}

importance_panels <- function(x, most) {
  check_importance(x)
  x <- x[is.finite(x$importance), ]
  if (nrow(x) == 0) abort("There is nothing to draw: no variable has a finite importance.")
  shown <- utils::head(x[order(-x$importance), ], one_whole(most))
  shown <- shown[rev(seq_len(nrow(shown))), ]
  error <- ifelse(is.finite(shown$std.error), shown$std.error, 0)
  points <- data.frame(
    x = shown$importance, y = seq_len(nrow(shown)), low = shown$importance - error, high = shown$importance + error
  )
  panel <- list(label = "", points = points, ticks = shown$variable, axis = 2)
  title <- importance_title(attr(x, "method"))
  list(kind = "bars", title = "", xlab = title, ylab = "", shaded = FALSE, panels = list(panel))
}

drawn_machines <- function(x, machine) {
  known <- colnames(x$decision)
  if (is.null(machine)) {
    return(seq_len(min(4, length(known))))
  }
  if (!is.character(machine) && !is.numeric(machine) || length(machine) == 0) {
    abort("{.arg machine} must be names or numbers, such as {.val {known[1]}}.")
  }
  vapply(machine, drawn_index, 1L, names = known, count = length(known), argument = "machine", USE.NAMES = FALSE)
}

drawn_index <- function(value, names, count, argument) {
  at <- if (is.character(value)) match(value, names) else value
  if (length(at) != 1 || !is.numeric(at) || !at %in% seq_len(count)) {
    named <- if (!is.null(names)) ", or a name such as {.val {names[1]}}"
    abort(paste0("{.arg {argument}} must be a number from 1 to {count}", named, "."))
  }
  as.integer(at)
}

variable_at <- function(x, k) if (is.data.frame(x$x)) x$x[[k]] else x$x[, k]

# One row: the largest at the top, what is left in one bar.
row_panel <- function(x, values, row, turn, most) {
  shown <- utils::head(turn, if (length(values) > most) most - 1 else most)
  left <- setdiff(turn, shown)
  at <- vapply(shown, function(k) {
    value <- variable_at(x, k)[row]
    value <- if (is.numeric(value)) format(signif(value, 3)) else printable(as.character(value), 20)
    paste(names(values)[k], "=", value)
  }, "")
  ticks <- c(at, if (length(left) > 0) plural(length(left), "other"))
  heights <- c(values[shown], if (length(left) > 0) sum(values[left]))
  points <- data.frame(x = rev(unname(heights)), y = seq_along(heights))
  list(points = cbind(points, low = points$x, high = points$x), ticks = rev(ticks), axis = 2)
}

# All rows: points beside each other where there are many.
swarm_panel <- function(x, values, leading) {
  values <- values[, leading, drop = FALSE]
  range <- range(values, na.rm = TRUE)
  points <- do.call(rbind, lapply(seq_along(leading), function(k) {
    y <- length(leading) + 1 - k + spread_points(values[, k], range)
    data.frame(x = values[, k], y = y, shade = shade_values(variable_at(x, leading[k])), row.names = NULL)
  }))
  list(points = points[!is.na(points$x), ], ticks = rev(colnames(values)), axis = 2)
}

scatter_panel <- function(at, value) {
  known <- !is.na(value) & !is.na(at)
  if (!is.numeric(at) && !inherits(at, c("Date", "POSIXct"))) {
    at <- as.factor(at)
    points <- data.frame(x = as.integer(at), y = value)[known, ]
    points$x <- points$x + stats::ave(points$y, points$x, FUN = function(v) spread_points(v, range(points$y)))
    return(list(points = points, ticks = levels(at), axis = 1))
  }
  list(points = data.frame(x = at, y = value)[known, ], ticks = NULL, axis = 1)
}

# How far from its line each point is drawn, from -0.4 to 0.4: those of nearly the same value beside each other.
spread_points <- function(values, range, bins = 60) {
  bin <- floor((values - range[1]) / max(diff(range), 1e-300) * bins)
  place <- stats::ave(values, bin, FUN = function(v) seq_along(v) - (length(v) + 1) / 2)
  0.4 * place / max(abs(place), 4, na.rm = TRUE)
}

# From 0 to 1 between the quantiles of 5 and of 95 per cent
shade_values <- function(values) {
  if (inherits(values, c("Date", "POSIXct")) || is.logical(values)) values <- as.numeric(values)
  if (!is.numeric(values)) {
    return(rep(NA_real_, length(values)))
  }
  ends <- stats::quantile(values, c(0.05, 0.95), na.rm = TRUE, names = FALSE)
  if (diff(ends) == 0) ends <- range(values, na.rm = TRUE)
  if (diff(ends) == 0) rep(0.5, length(values)) else pmin(pmax((values - ends[1]) / diff(ends), 0), 1)
}

shades <- function(shade) {
  palette <- grDevices::hcl.colors(100, "viridis")
  ifelse(is.na(shade), "grey60", palette[1 + floor(shade * 99)])
}

# Below zero and above
bar_colours <- c("#D55E00", "#0072B2")

# ---- base graphics ----

draw_panels <- function(drawn) {
  count <- length(drawn$panels)
  wide <- if (count > 1) 2 else 1
  old <- graphics::par(c("mfrow", "mar", "mai", "mgp", "tcl", "cex"))
  on.exit(graphics::par(old))
  if (count > 1) graphics::par(mfrow = c(ceiling(count / wide), wide))
  for (panel in drawn$panels) draw_panel(drawn, panel, if (count > 1) panel$label else drawn$title)
}

draw_panel <- function(drawn, panel, title) {
  points <- panel$points
  mai <- c(0.75, 0.75, 0.4, 0.15)
  widest <- if (is.null(panel$ticks) || panel$axis == 1) 0 else max(graphics::strwidth(panel$ticks, "inches"))
  if (widest > 0) mai[2] <- min(widest + 0.3, graphics::par("fin")[1] / 2)
  if (drawn$shaded) mai[4] <- 0.9
  graphics::par(mai = mai, mgp = c(2.2, 0.6, 0), tcl = -0.3)
  graphics::plot.default(
    points$x, points$y, type = "n", xaxt = "n", yaxt = "n", main = title, xlab = "", ylab = "",
    xlim = if (drawn$kind == "bars") range(0, points$low, points$high) else panel_limits(panel, 1, points$x),
    ylim = panel_limits(panel, 2, points$y)
  )
  draw_panel_axes(panel)
  room <- graphics::par("pin") / graphics::strwidth(c(drawn$xlab, drawn$ylab), "inches")
  graphics::title(xlab = drawn$xlab, cex.lab = min(1, room[1]))
  graphics::title(ylab = drawn$ylab, cex.lab = min(1, room[2]))
  if (drawn$kind == "scatter") graphics::abline(h = 0, col = "grey60") else graphics::abline(v = 0, col = "grey60")
  if (drawn$kind == "bars") {
    colours <- bar_colours[1 + (points$x > 0)]
    graphics::rect(pmin(points$x, 0), points$y - 0.35, pmax(points$x, 0), points$y + 0.35, col = colours, border = NA)
    error <- which(points$high > points$low)
    graphics::segments(points$low[error], points$y[error], points$high[error], points$y[error], lwd = 2)
  } else {
    colours <- if (drawn$shaded) shades(points$shade) else bar_colours[2]
    graphics::points(points$x, points$y, pch = 16, col = colours, cex = point_size(nrow(points)))
  }
  if (drawn$shaded) {
    draw_key(list(
      legend = c("high", "", "", "", "low"), pch = 15, col = shades(c(1, 0.75, 0.5, 0.25, 0)), y.intersp = 0.8
    ))
  }
  graphics::box()
}

panel_limits <- function(panel, axis, values) {
  if (!is.null(panel$ticks) && panel$axis == axis) c(0.5, length(panel$ticks) + 0.5) else range(values)
}

draw_panel_axes <- function(panel) {
  for (side in 1:2) {
    if (!is.null(panel$ticks) && panel$axis == side) {
      graphics::axis(side, seq_along(panel$ticks), panel$ticks, las = 1, tick = side == 1)
    } else if (side == 1 && is.object(panel$points$x)) {
      graphics::Axis(panel$points$x, side = 1)
    } else {
      label_axis(side, graphics::axTicks(side))
    }
  }
}

# ---- ggplot2 ----

gg_panels <- function(drawn) {
  labels <- vapply(drawn$panels, `[[`, "", "label")
  table <- do.call(rbind, lapply(drawn$panels, function(panel) {
    cbind(panel$points, panel = factor(panel$label, labels))
  }))
  table$sign <- factor(table[[if (drawn$kind == "scatter") "y" else "x"]] > 0, c(FALSE, TRUE))
  plot <- ggplot2::ggplot(table, aes_by_name(x = "x", y = "y")) +
    switch(drawn$kind,
      bars = list(
        ggplot2::geom_col(aes_by_name(fill = "sign"), orientation = "y", width = 0.7, show.legend = FALSE),
        ggplot2::scale_fill_manual(values = stats::setNames(bar_colours, c(FALSE, TRUE))),
        if (any(table$high > table$low)) {
          ggplot2::geom_segment(aes_by_name(x = "low", xend = "high", yend = "y"), linewidth = 0.8)
        }
      ),
      swarm = list(
        ggplot2::geom_vline(xintercept = 0, colour = "grey60"),
        ggplot2::geom_point(aes_by_name(colour = "shade")),
        ggplot2::scale_colour_viridis_c(
          name = NULL, na.value = "grey60", limits = c(0, 1), breaks = c(0, 1), labels = c("low", "high")
        )
      ),
      scatter = list(
        ggplot2::geom_hline(yintercept = 0, colour = "grey60"), ggplot2::geom_point(colour = bar_colours[2])
      )
    ) +
    gg_ticks(drawn$panels) +
    ggplot2::labs(x = drawn$xlab, y = drawn$ylab, title = if (length(labels) == 1 && drawn$title != "") drawn$title) +
    ggplot2::theme_minimal() +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank())
  free <- if (drawn$kind == "scatter") "free_y" else "free_x"
  if (length(labels) == 1) plot else plot + ggplot2::facet_wrap("panel", scales = free)
}

# The panels have them in common.
gg_ticks <- function(panels) {
  ticks <- panels[[1]]$ticks
  scale <- if (panels[[1]]$axis == 1) ggplot2::scale_x_continuous else ggplot2::scale_y_continuous
  if (!is.null(ticks)) scale(breaks = seq_along(ticks), labels = ticks)
}
