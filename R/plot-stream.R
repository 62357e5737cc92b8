#' Plot a stream
#'
#' Draws panels over the rows read. The first has a metric over the latest rows (bold) and over all rows (thin),
#' beside those of the baselines over the latest rows (grey). With `osvm_stream(level = )` the next has the coverage of
#' sets or intervals, beside the level. Others have the number of support vectors, if the model has any, and the time
#' of each chunk and the part of it that was spent reading; that is left out where a chunk takes less than ten
#' milliseconds, which is too short to be measured. Vertical lines mark detected drift and new classes.
#'
#' @param x,object A result of [osvm_stream()].
#' @param metric Which metric to draw, `NULL` for the first. Of a stream with a level also `"set_size"`, or `"width"`
#'   and `"unbounded"`.
#' @param legend Whether to draw a legend beside the plot.
#' @param ylim Limits of the metric, to compare several runs on one scale; `NULL`: those of its values.
#' @param ... Not used: an unknown argument is an error.
#' @returns `plot()` returns `x`, invisibly; `autoplot()`, which needs the package ggplot2, a plot that can be added to.
#' @seealso [osvm_stream()]
#' @examples
#' set.seed(1)
#' board <- chessboard(4000)
#' board$y[2001:4000] <- ifelse(board$y[2001:4000] == "black", "white", "black")
#' run <- osvm_stream(
#'   source_matrix(board$x, board$y), solver_olsvm(C = 10, epochs = 1), kernel_rbf(sigma = 0.5),
#'   chunk = 100,
#'   metrics = c("accuracy", "kappa"), window = 500, drift = drift_page_hinkley(react = "restart")
#' )
#' plot(run)
#' plot(run, metric = "kappa", ylim = c(-1, 1))
#' @export
plot.osvm_stream <- function(x, metric = NULL, legend = TRUE, ylim = NULL, ...) {
  check_dots("plot", ...)
  data <- stream_panels(x, metric)
  one_flag(legend)
  if (!is.null(ylim) && !(is.numeric(ylim) && length(ylim) == 2 && all(is.finite(ylim)))) {
    abort("{.arg ylim} must be two numbers, such as {.code c(0, 100)}.")
  }
  data$panels[[1]]$range <- ylim
  keys <- lapply(data$panels, function(panel) stream_key(panel$lines))
  keys[[1]] <- stream_key(data$panels[[1]]$lines, unique(data$marks$line))
  count <- length(data$panels)
  old <- graphics::par(c("mfrow", "mar", "oma", "mgp", "tcl", "cex"))
  on.exit(graphics::par(old))
  graphics::layout(matrix(seq_len(count)), heights = c(if (legend) 2 else 1.6, rep(1, count - 1)))
  graphics::par(cex = 0.83, mar = c(0.6, 4.6, 0.6, 0.8), oma = c(3, 0, 1.6, 0), mgp = c(3.3, 0.6, 0), tcl = -0.3)
  if (legend) graphics::par(mai = replace(graphics::par("mai"), 4, stream_key_width(keys)))
  for (k in seq_len(count)) {
    draw_stream_panel(data$panels[[k]], data$marks, last = k == count)
    if (legend && length(keys[[k]]$legend) > 1) draw_key(keys[[k]])
    if (k == 1) graphics::mtext(solver_title(x$settings$solver), line = 0.5, font = graphics::par("font.main"))
  }
  invisible(x)
}

# ---- data, for base graphics and ggplot2 ----

# Okabe and Ito's colours; the baselines grey.
stream_looks <- data.frame(
  line = c(
    "latest", "all rows", "no change", "majority", "mean", "level", "support vectors",
    "whole chunk", "reading", "drift", "new class"
  ),
  colour = c(rep(c("#0072B2", "grey50", "#0072B2"), c(2, 4, 2)), "#E69F00", "#D55E00", "#009E73"),
  lwd = c(2.5, 1, 1.2, 1.2, 1.2, 1.2, 1.8, 1.2, 1.2, 1.2, 1.2),
  lty = c(1, 1, 2, 3, 3, 4, 1, 1, 1, 1, 5)
)

# `latest 500` looks as `latest`.
look_of <- function(lines) stream_looks[match(sub("^latest .*", "latest", lines), stream_looks$line), ]

# list(panels =, marks =): a panel has a label, rows and a list of lines; marks are rows with an event.
stream_panels <- function(x, metric) {
  check_stream(x)
  if (nrow(x$metrics) == 0) abort("There is nothing to draw: the stream had no chunk.")
  sets <- set_measures(x)
  known <- c(stream_metrics(x), names(sets))
  metric <- if (is.null(metric)) known[1] else one_choice(metric, known)
  table <- x$metrics
  unit <- if (stats::median(table$seconds) < 0.5) list(1000, "ms") else list(1, "s")
  panel <- function(label, lines) list(label = label, row = table$row, lines = lines)
  measured <- lapply(unique(c(metric, "coverage"[length(sets) > 0])), function(name) {
    panel(metric_label(stream_entry(x, name)), stream_lines(x, name))
  })
  panels <- c(measured, list(
    if (any(table$n_sv > 0)) panel("Support vectors", list(`support vectors` = table$n_sv)),
    if (stats::median(table$seconds) >= 0.01) panel(
      paste(unit[[2]], "per chunk"),
      list(`whole chunk` = table$seconds * unit[[1]], reading = table$reading * unit[[1]])
    )
  ))
  events <- x$events[x$events$event %in% c("drift", "class"), ]
  marks <- data.frame(row = events$row, line = c(drift = "drift", class = "new class")[events$event])
  list(panels = Filter(Negate(is.null), panels), marks = unique(marks))
}

stream_entry <- function(x, metric) {
  given <- x$settings$metrics
  if (is.list(given) && is.function(given[[metric]])) {
    return(own_metric(metric))
  }
  set_measures(x)[[metric]] %||% find_metric(metric, loss_hinge())
}

stream_lines <- function(x, metric) {
  baselines <- if (!metric %in% names(set_measures(x))) result_kind(x)$predictors[-1]
  columns <- paste0(metric, c("_window", "", sprintf("_%s_window", baselines)))
  lines <- lapply(x$metrics[columns], `*`, metric_unit(stream_entry(x, metric)))
  names(lines) <- c(latest_text(x), "all rows", sub("_", " ", baselines))
  c(lines, if (metric == "coverage") list(level = rep(100 * x$settings$level, nrow(x$metrics))))
}

# Counts and times begin at 0, and so does what is always the same; metrics where they are.
panel_range <- function(panel) {
  if (!is.null(panel$range)) {
    return(panel$range)
  }
  values <- unlist(panel$lines)
  values <- unique(values[is.finite(values)])
  if (length(values) < 2 || names(panel$lines)[1] %in% c("support vectors", "whole chunk")) values <- c(0, values)
  if (any(values != 0)) range(values) else c(0, 1)
}

# ---- base graphics ----

stream_key <- function(lines, marks = NULL) {
  names <- c(names(lines), marks)
  look <- look_of(names)
  list(legend = names, col = look$colour, lty = look$lty, lwd = look$lwd)
}

# In inches: lines, and text of the average width of a character.
stream_key_width <- function(keys) {
  letters <- max(nchar(unlist(lapply(keys, `[[`, "legend"))))
  min(0.7 + letters * graphics::par("cin")[1] * graphics::par("cex") * 0.65, graphics::par("fin")[1] / 3)
}

draw_stream_panel <- function(panel, marks, last) {
  graphics::plot.default(
    c(0, max(panel$row)), panel_range(panel), type = "n", xaxt = "n", yaxt = "n", xlab = "", ylab = ""
  )
  room <- graphics::par("pin")[2] / graphics::strwidth(panel$label, "inches")
  graphics::title(ylab = panel$label, cex.lab = min(1, room)) # a low panel has no room for the whole label
  graphics::abline(v = marks$row, col = look_of(marks$line)$colour, lwd = 1.2, lty = look_of(marks$line)$lty)
  label_axis(2, graphics::axTicks(2))
  ticks <- graphics::axTicks(1)
  graphics::axis(1, ticks, if (last) big_each(ticks) else FALSE)
  if (last) graphics::mtext("Rows", 1, line = 2, cex = graphics::par("cex"))
  if (!any(is.finite(unlist(panel$lines)))) {
    graphics::text(mean(graphics::par("usr")[1:2]), 0.5, "no row was evaluated", col = "grey40")
  }
  if (!is.null(panel$lines$reading)) {
    graphics::polygon(
      panel$row[c(1, seq_along(panel$row), length(panel$row))], c(0, panel$lines$reading, 0),
      col = tint(look_of("reading")$colour, 0.5), border = NA
    )
  }
  for (name in rev(names(panel$lines))) draw_stream_line(panel$row, panel$lines[[name]], look_of(name))
  graphics::box()
}

# Few chunks are shown as points, too: one value between missing ones makes no line.
draw_stream_line <- function(row, value, look) {
  graphics::lines(row, value, col = look$colour, lwd = look$lwd, lty = look$lty)
  if (sum(is.finite(value)) < 20) graphics::points(row, value, col = look$colour, pch = 16, cex = 0.3 + 0.25 * look$lwd)
}

big_each <- function(values) vapply(values, big, "")

# ---- with ggplot2; the method is registered when that is loaded, so that it need not be imported ----

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
  styled <- aes_by_name(x = "row", y = "value", colour = "line", linetype = "line", linewidth = "line")
  plot <- ggplot2::ggplot(table, styled) +
    ggplot2::geom_vline(
      data = data$marks, aes_by_name(xintercept = "row", colour = "line", linetype = "line", linewidth = "line"),
      key_glyph = "path"
    ) +
    ggplot2::geom_point(data = table[points < 20, ], size = 1, show.legend = FALSE) +
    ggplot2::geom_blank(
      data = gg_corners(data$panels, labels), aes_by_name(x = "row", y = "value"), inherit.aes = FALSE
    ) +
    ggplot2::facet_wrap("panel", ncol = 1, scales = "free_y", strip.position = "left", drop = FALSE) +
    ggplot2::scale_x_continuous(labels = big_each) +
    ggplot2::labs(x = "Rows", y = NULL, title = solver_title(object$settings$solver)) +
    ggplot2::theme_minimal() +
    ggplot2::theme(strip.placement = "outside", panel.grid.minor = ggplot2::element_blank()) +
    gg_looks(lines)
  if (nrow(object$metrics) == 1) {
    return(plot)
  }
  area <- tint(look_of("reading")$colour, 0.5)
  plot +
    (if (nrow(reading) > 0) ggplot2::geom_area(data = reading, colour = NA, fill = area, show.legend = FALSE)) +
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
