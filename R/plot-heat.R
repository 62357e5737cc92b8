# The heat map of a tuning of two parameters.

# `tiles`: the place of each grid point, its value and text; `across`, `up`: the ticks.
heat_picture <- function(tuned, what) {
  varied <- varied_parameters(tuned)
  measure <- tune_measure(tuned, what)
  across <- axis_values(tuned$results[[varied[1]]])
  up <- axis_values(tuned$results[[varied[2]]])
  scale <- heat_scale(measure)
  fill <- scale$colour(measure$value)
  light <- colSums(grDevices::col2rgb(fill) * c(0.299, 0.587, 0.114)) > 120
  tiles <- data.frame(
    column = match(tuned$results[[varied[1]]], across$values), row = match(tuned$results[[varied[2]]], up$values),
    value = measure$value, fill = fill, ink = ifelse(light, "black", "white"),
    text = vapply(measure$value, function(v) if (is.na(v)) "failed" else format(signif(v, 3)), ""),
    best = seq_along(measure$value) == rank_points(tuned)[1]
  )
  list(
    tiles = tiles, across = across$text, up = up$text, scale = scale, label = measure$label, names = varied,
    title = solver_title(tuned$solver), subtitle = "framed: best grid point"
  )
}

draw_heat <- function(picture, ...) {
  tiles <- picture$tiles
  mai <- graphics::par("mai")
  letter <- graphics::par("cin") * graphics::par("cex")
  line <- letter[2] * graphics::par("mex") # inches of a margin line
  width <- 0.75 * max(nchar(picture$up)) * letter[1]
  beside <- max(2.9, 1.6 + width / line) # of the tick labels
  mai[c(2, 4)] <- c(max(mai[2], (beside + 1.2) * line), 1.1)
  old <- graphics::par(mai = mai, mgp = c(2.9, 0.7, 0), tcl = -0.3)
  on.exit(graphics::par(old))
  frame <- list(
    x = c(0.5, length(picture$across) + 0.5), y = c(0.5, length(picture$up) + 0.5), type = "n", xaxs = "i", yaxs = "i",
    axes = FALSE, main = paste0(picture$title, ": ", picture$label), xlab = picture$names[1], ylab = picture$names[2]
  )
  frame <- utils::modifyList(frame, list(...))
  do.call(graphics::plot.default, utils::modifyList(frame, list(ylab = "")))
  graphics::title(ylab = frame$ylab, line = beside)
  tile <- function(at, half, ...) {
    graphics::rect(at$column - half, at$row - half, at$column + half, at$row + half, ...)
  }
  tile(tiles, 0.5, col = tiles$fill, border = "white")
  graphics::axis(1, seq_along(picture$across), picture$across, lwd = 0, lwd.ticks = 1)
  graphics::axis(2, seq_along(picture$up), picture$up, las = 1, lwd = 0, lwd.ticks = 1)
  # Numbers only where they fit
  size <- min(1, 0.85 / max(graphics::strwidth(tiles$text)), 0.6 / max(graphics::strheight(tiles$text)))
  if (size >= 0.45) graphics::text(tiles$column, tiles$row, tiles$text, cex = size, col = tiles$ink)
  tile(tiles[tiles$best, ], 0.47, border = "#D55E00", lwd = 4, xpd = NA)
  graphics::box()
  graphics::mtext(picture$subtitle, line = 0.4, cex = 0.8 * graphics::par("cex"))
  draw_colour_bar(picture$scale)
}

gg_heat <- function(picture) {
  tiles <- picture$tiles
  tiles$across <- factor(tiles$column, seq_along(picture$across), picture$across)
  tiles$up <- factor(tiles$row, seq_along(picture$up), picture$up)
  ggplot2::ggplot(tiles, aes_by_name(x = "across", y = "up", fill = "value")) +
    ggplot2::geom_tile(colour = "white") +
    ggplot2::geom_text(aes_by_name(label = "text"), colour = tiles$ink) +
    ggplot2::geom_tile(data = tiles[tiles$best, ], fill = NA, colour = "#D55E00", linewidth = 1.5) +
    ggplot2::scale_fill_viridis_c(
      name = picture$label, na.value = "grey90", trans = if (picture$scale$log) "log10" else "identity"
    ) +
    ggplot2::labs(
      x = picture$names[1], y = picture$names[2], title = picture$title, subtitle = picture$subtitle
    ) +
    ggplot2::theme_minimal() +
    ggplot2::theme(panel.grid = ggplot2::element_blank())
}

# Dark is low. The scale is logarithmic if the measure is.
heat_scale <- function(measure, steps = 100) {
  palette <- grDevices::hcl.colors(steps, "viridis")
  change <- if (measure$log) log10 else identity
  range <- range(change(measure$value), finite = TRUE)
  if (diff(range) == 0) range <- range + c(-0.5, 0.5) * max(abs(range[1]), 1) * 0.01
  list(
    palette = palette, range = range, log = measure$log,
    colour = function(value) {
      place <- 1 + floor((change(value) - range[1]) / diff(range) * (steps - 1e-9))
      ifelse(is.na(place), "grey90", palette[place])
    }
  )
}

draw_colour_bar <- function(scale) {
  usr <- graphics::par("usr")
  steps <- length(scale$palette)
  left <- usr[2] + 0.04 * diff(usr[1:2])
  right <- usr[2] + 0.08 * diff(usr[1:2])
  edges <- seq(usr[3], usr[4], length.out = steps + 1)
  graphics::rect(left, edges[-steps - 1], right, edges[-1], col = scale$palette, border = NA, xpd = NA)
  graphics::rect(left, usr[3], right, usr[4], xpd = NA)
  # Powers of ten over a wide range, round numbers over a narrow one
  ticks <- if (!scale$log) pretty(scale$range, 5) else if (diff(scale$range) > 2) {
    floor(scale$range[1]):ceiling(scale$range[2])
  } else {
    log10(Filter(function(at) at > 0, pretty(10^scale$range, 5)))
  }
  ticks <- ticks[ticks >= scale$range[1] & ticks <= scale$range[2]]
  at <- usr[3] + (ticks - scale$range[1]) / diff(scale$range) * diff(usr[3:4])
  text <- vapply(if (scale$log) 10^ticks else ticks, function(v) format(signif(v, 3)), "")
  graphics::segments(right, at, right + 0.01 * diff(usr[1:2]), at, xpd = NA)
  graphics::text(right + 0.015 * diff(usr[1:2]), at, text, adj = 0, cex = 0.85, xpd = NA)
}
