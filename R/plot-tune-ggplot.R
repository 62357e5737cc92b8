# The plots of tunings with ggplot2. The methods are registered when ggplot2 is loaded, so that it need not be imported.

#' @rdname plot.osvm_tuning
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_tuning <- function(object, what = NULL, type = c("auto", "heat", "curve"), ...) {
  check_dots("autoplot", ...)
  what <- check_what(object, what)
  check_drawable(object)
  switch(tune_type(object, type),
    heat = gg_heat(object, what),
    line = gg_line(object, what),
    curve = gg_curves(stats::setNames(list(object), object$solver$name), what)
  )
}

#' @rdname plot.osvm_tuning
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_comparison <- function(object, what = NULL, ...) {
  check_dots("autoplot", ...)
  check_comparison(object)
  what <- check_what(object$tunings[[1]], what)
  for (tuned in object$tunings) check_drawable(tuned)
  gg_curves(object$tunings, what)
}

# aes() by column names.
aes_by_name <- function(...) do.call(ggplot2::aes, lapply(list(...), as.name))

gg_heat <- function(tuned, what) {
  varied <- varied_parameters(tuned)
  measure <- tune_measure(tuned, what)
  across <- axis_values(tuned$results[[varied[1]]])
  up <- axis_values(tuned$results[[varied[2]]])
  points <- data.frame(
    across = factor(match(tuned$results[[varied[1]]], across$values), seq_along(across$values), across$text),
    up = factor(match(tuned$results[[varied[2]]], up$values), seq_along(up$values), up$text),
    value = measure$value
  )
  scale <- heat_scale(measure)
  rgb <- grDevices::col2rgb(scale$colour(points$value)) * c(0.299, 0.587, 0.114)
  points$text <- tile_text(points$value)
  ggplot2::ggplot(points, aes_by_name(x = "across", y = "up", fill = "value")) +
    ggplot2::geom_tile(colour = "white") +
    ggplot2::geom_text(aes_by_name(label = "text"), colour = ifelse(colSums(rgb) > 120, "black", "white")) +
    ggplot2::geom_tile(data = points[rank_points(tuned)[1], ], fill = NA, colour = "#D55E00", linewidth = 1.5) +
    ggplot2::scale_fill_viridis_c(
      name = measure$label, na.value = "grey90", trans = if (measure$log) "log10" else "identity"
    ) +
    ggplot2::labs(
      x = varied[1], y = varied[2], title = solver_title(tuned$solver), subtitle = "framed: best grid point"
    ) +
    ggplot2::theme_minimal() +
    ggplot2::theme(panel.grid = ggplot2::element_blank())
}

gg_line <- function(tuned, what) {
  name <- varied_parameters(tuned)
  measure <- tune_measure(tuned, what)
  values <- tuned$results[[name]]
  spaced <- is.numeric(values) && all(is.finite(values))
  axis <- axis_values(values)
  points <- data.frame(
    at = if (spaced) values else match(values, axis$values), value = measure$value,
    low = measure$value - ifelse(is.na(measure$se), 0, measure$se),
    high = measure$value + ifelse(is.na(measure$se), 0, measure$se)
  )
  colour <- class_colours(1)
  breaks <- if (spaced) axis$values else seq_along(axis$values)
  plot <- ggplot2::ggplot(points, aes_by_name(x = "at", y = "value", ymin = "low", ymax = "high")) +
    ggplot2::geom_line(colour = colour) +
    ggplot2::geom_pointrange(colour = colour) +
    ggplot2::geom_point(data = points[rank_points(tuned)[1], ], size = 3) +
    ggplot2::scale_x_continuous(
      breaks = breaks, labels = axis$text, trans = if (on_log_axis(values)) "log10" else "identity"
    ) +
    ggplot2::labs(
      x = name, y = measure$label, title = solver_title(tuned$solver), subtitle = "black: best grid point"
    ) +
    ggplot2::theme_minimal()
  if (measure$log) plot + ggplot2::scale_y_log10() else plot
}

gg_curves <- function(tunings, what) {
  data <- comparison_data(tunings, what)
  measure <- tune_measure(tunings[[1]], what)
  axis <- points_axis(tunings)
  colours <- class_colours(length(tunings))
  ends <- if (!is.null(axis$group)) which(diff(match(axis$group, unique(axis$group))) != 0) + 0.5
  labels <- if (!is.null(axis$inner)) {
    vapply(axis$inner, function(v) format(v, digits = 3), "")
  } else if (is.null(axis$group)) {
    seq_len(axis$count)
  }
  plot <- ggplot2::ggplot(data, aes_by_name(x = "position", y = "value", colour = "solver", shape = "solver")) +
    ggplot2::geom_vline(xintercept = ends, colour = "grey80") +
    (if (axis$count > 1) ggplot2::geom_line()) +
    ggplot2::geom_point(size = 2) +
    ggplot2::geom_point(data = data[data$best, ], colour = "black", size = 3, show.legend = FALSE) +
    ggplot2::scale_colour_manual(name = NULL, values = colours) +
    ggplot2::scale_shape_manual(name = NULL, values = rep_len(c(16, 17, 15, 18, 4), length(tunings))) +
    ggplot2::scale_x_continuous(
      breaks = seq_len(axis$count), labels = labels, guide = ggplot2::guide_axis(angle = 90)
    ) +
    ggplot2::labs(x = points_label(axis), y = measure$label, subtitle = group_subtitle(axis)) +
    ggplot2::theme_minimal() +
    ggplot2::theme(panel.grid.minor = ggplot2::element_blank())
  if (length(tunings) == 1) plot <- plot + ggplot2::theme(legend.position = "none")
  if (measure$log) plot + ggplot2::scale_y_log10() else plot
}

group_subtitle <- function(axis) {
  if (is.null(axis$group)) {
    return("black: best grid point")
  }
  values <- vapply(unique(axis$group), function(v) format(v, digits = 3), "")
  paste0("groups: ", axis$group_name, " = ", paste(values, collapse = ", "), "; black: best grid point")
}
