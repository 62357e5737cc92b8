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
  picture <- tune_picture(x, what, type)
  (if (type == "heat") draw_heat else draw_lines)(picture, ...)
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
  for (i in seq_along(what)) draw_lines(grid_lines(x$tunings, what[i]), legend = legend && i == 1)
  invisible(x)
}

#' @rdname plot.osvm_tuning
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_tuning <- function(object, what = NULL, type = c("auto", "heat", "curve"), ...) {
  check_dots("autoplot", ...)
  what <- check_what(object, what)
  check_drawable(object)
  type <- tune_type(object, type)
  (if (type == "heat") gg_heat else gg_lines)(tune_picture(object, what, type))
}

#' @rdname plot.osvm_tuning
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_comparison <- function(object, what = NULL, ...) {
  check_dots("autoplot", ...)
  check_comparison(object)
  what <- check_what(object$tunings[[1]], what)
  for (tuned in object$tunings) check_drawable(tuned)
  gg_lines(grid_lines(object$tunings, what))
}

tune_picture <- function(tuned, what, type) {
  switch(type,
    heat = heat_picture(tuned, what), line = parameter_line(tuned, what), kinds = kinds_picture(tuned, what),
    curve = grid_lines(stats::setNames(list(tuned), tuned$solver$name), what)
  )
}

parameter_line <- function(tuned, what) {
  name <- varied_parameters(tuned)
  measure <- tune_measure(tuned, what)
  values <- tuned$results[[name]]
  axis <- axis_values(values)
  spaced <- is.numeric(values) && all(is.finite(values))
  place <- if (spaced) values else match(values, axis$values)
  turn <- order(place)
  new_lines(
    rep("", length(place)), place[turn], measure$value[turn], solver_title(tuned$solver), name, measure$label,
    se = measure$se[turn], best = turn == rank_points(tuned)[1],
    subtitle = paste0(if (!all(is.na(measure$se))) "bars: standard error; ", "black: best grid point"),
    log = paste0("", if (on_log_axis(values)) "x", if (measure$log) "y"),
    ticks = list(at = if (spaced) axis$values else seq_along(axis$values), text = axis$text)
  )
}

# All grid points side by side, a line per tuning.
grid_lines <- function(tunings, what) {
  axis <- points_axis(tunings)
  measure <- tune_measure(tunings[[1]], what)
  parts <- Map(function(tuned, position) {
    rows <- line_up_points(tuned)$rows
    data.frame(x = position, y = tune_measure(tuned, what)$value[rows], best = rows == rank_points(tuned)[1])
  }, unname(tunings), axis$positions)
  data <- do.call(rbind, parts)
  places <- seq_len(axis$count)
  inner <- if (!is.null(axis$inner_name) && !is.na(axis$inner_name)) axis$inner_name
  xlab <- if (is.null(axis$group_name)) inner %||% "Grid point" else
    paste(inner %||% "Grid points", "within each", axis$group_name)
  text <- if (!is.null(axis$inner)) each_text(axis$inner) else if (is.null(axis$group)) as.character(places)
  new_lines(
    rep(names(tunings), vapply(parts, nrow, 0L)), data$x, data$y,
    if (length(tunings) == 1) solver_title(tunings[[1]]$solver), xlab, measure$label,
    best = data$best, subtitle = "black: best grid point", log = if (measure$log) "y" else "",
    ticks = if (is.null(text)) list(at = numeric(), text = character()) else list(at = places, text = text),
    groups = if (!is.null(axis$group)) list(group = axis$group, name = axis$group_name)
  )
}

# The picture: the least error of each kind of SVM, a line for each number of rows.
kinds_picture <- function(tuned, what) {
  table <- tuned$results
  columns <- intersect(c("kernel", "scale", "weights", "trend"), names(table))
  kind <- do.call(paste, c(Map(describe_kind, unname(table[columns]), columns), sep = "\n"))
  measure <- tune_measure(tuned, what)
  ranking <- rank_points(tuned)
  shown <- ranking[!duplicated(data.frame(kind, table$rows)[ranking, ])]
  kinds <- unique(kind[shown])
  place <- match(kind[shown], kinds)
  turn <- order(-table$rows[shown], place)
  new_lines(
    paste(big(table$rows[shown]), "rows")[turn], place[turn], measure$value[shown][turn], tuning_title(tuned), "",
    measure$label, se = measure$se[shown][turn], best = shown[turn] == ranking[1],
    subtitle = "the best setting of each kind; bars: standard error; black: taken",
    ticks = list(at = seq_along(kinds), text = kinds)
  )
}

describe_kind <- function(value, column) {
  switch(column,
    kernel = value, scale = c("TRUE" = "scaled", rank = "ranks", given = "")[value],
    trend = ifelse(value, "trend", ""),
    weights = ifelse(value == 0, "", paste0("weights", ifelse(value > 1, paste0(" (", value, ")"), "")))
  )
}
