# The plot of a stream with ggplot2. The method is registered when ggplot2 is loaded, so that it need not be
# imported.

#' @rdname plot.osvm_stream
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_stream <- function(object, metric = NULL, ...) {
  check_dots("autoplot", ...)
  data <- stream_panels(object, metric)
  labels <- vapply(data$panels, `[[`, "", "label")
  table <- do.call(rbind, lapply(data$panels, function(panel) {
    line <- rep(names(panel$lines), each = length(panel$row))
    data.frame(panel = panel$label, row = panel$row, line = line, value = unlist(panel$lines, use.names = FALSE))
  }))
  lines <- unique(c(table$line, data$marks$line))
  table$panel <- factor(table$panel, labels)
  reading <- table[table$line == "reading", ]
  table <- table[is.finite(table$value), ]
  points <- stats::ave(table$value, table$line, FUN = length)
  styled <- columns(x = "row", y = "value", colour = "line", linetype = "line", linewidth = "line")
  plot <- ggplot2::ggplot(table, styled) +
    ggplot2::geom_vline(
      data = data$marks, columns(xintercept = "row", colour = "line", linetype = "line", linewidth = "line"),
      key_glyph = "path"
    ) +
    ggplot2::geom_point(data = table[points < 20, ], size = 1, show.legend = FALSE) +
    ggplot2::geom_blank(data = gg_corners(data$panels, labels), columns(x = "row", y = "value"), inherit.aes = FALSE) +
    ggplot2::facet_wrap("panel", ncol = 1, scales = "free_y", strip.position = "left", drop = FALSE) +
    ggplot2::scale_x_continuous(labels = big_each) +
    ggplot2::labs(x = "Rows", y = NULL, title = solver_title(object$settings$solver)) +
    ggplot2::theme_minimal() +
    ggplot2::theme(strip.placement = "outside", panel.grid.minor = ggplot2::element_blank()) +
    gg_looks(lines)
  if (nrow(reading) == 1) {
    return(plot)
  }
  plot +
    ggplot2::geom_area(data = reading, colour = NA, fill = tint(look_of("reading")$colour, 0.5), show.legend = FALSE) +
    ggplot2::geom_line(data = table[points > 1, ])
}

# Corners of the panels: from row 0, with panel_range().
gg_corners <- function(panels, labels) {
  corners <- lapply(panels, function(panel) data.frame(panel = panel$label, row = 0, value = panel_range(panel)))
  corners <- do.call(rbind, corners)
  corners$panel <- factor(corners$panel, labels)
  corners
}

# The line of support vectors is alone in its panel: it needs no key.
gg_looks <- function(lines) {
  look <- look_of(lines)
  named <- function(values) stats::setNames(values, lines)
  shown <- setdiff(lines, "support vectors")
  list(
    ggplot2::scale_colour_manual(name = NULL, values = named(look$colour), breaks = shown),
    ggplot2::scale_linetype_manual(name = NULL, values = named(look$lty), breaks = shown),
    ggplot2::scale_discrete_manual("linewidth", name = NULL, values = named(look$lwd / 2.2), breaks = shown)
  )
}
