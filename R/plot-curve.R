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
  draw_lines(curve_picture(check_curve(x)), legend, ...)
  invisible(x)
}

#' @rdname plot.osvm_curve
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_curve <- function(object, ...) {
  check_dots("autoplot", ...)
  gg_lines(curve_picture(check_curve(object)))
}

curve_picture <- function(x) {
  table <- x$data
  by_class <- x$kind %in% c("roc", "calibration")
  line <- if (by_class) table$class else table$set
  if (!is.null(x$summary)) line <- paste0(line, ", ", x$summary_of, " ", signif(x$summary[line], 3))
  columns <- switch(x$kind,
    roc = c("fpr", "tpr"), calibration = c("predicted", "observed"), learning = c("size", "value"),
    c("value_of", "value")
  )
  labels <- switch(x$kind,
    roc = c("False positive rate", "True positive rate"),
    calibration = c("Predicted probability", "Observed share"),
    learning = c("Examples learned", x$label), c(x$parameter, x$label)
  )
  at <- table[[columns[1]]]
  y <- table[[columns[2]]]
  place <- if (is.numeric(at)) at else match(at, axis_values(at)$values)
  turn <- order(match(line, unique(line)), place, y)
  new_lines(
    line[turn], place[turn], y[turn], x$title, labels[1], labels[2],
    se = if (is.null(table$se)) 0 else table$se[turn], log = if (!by_class && on_log_axis(at)) "x" else "",
    ticks = if (x$kind == "validation") list(at = sort(unique(place)), text = axis_values(at)$text),
    steps = x$kind == "roc", unit = by_class, key = if (by_class) "bottomright" else "topright"
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
