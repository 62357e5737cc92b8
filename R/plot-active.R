#' Plot the learning curve of active learning
#'
#' Accuracy on the test data against the number of labels queried, for one or several fits.
#'
#' @param x A model made by [osvm_active()].
#' @param others Further models of [osvm_active()], a list; its names go into the legend.
#' @param name Name of `x` in the legend. `NULL`: its strategy.
#' @param what `"curve"`: the learning curve. `"model"`: the decision regions, see [`plot()`][plot.osvm].
#' @param legend Whether to draw a legend, if there are several lines.
#' @param ... Passed on to [plot.default()]: `main`, `xlim`, `log = "x"` and so on; for
#'   `what = "model"` to [`plot()`][plot.osvm].
#' @returns `plot()` returns `x`, invisibly; `autoplot()`, which needs the package ggplot2, a plot that can be added to.
#' @details Without test data the plot shows the labels queried against the rows seen.
#' @seealso [osvm_active()]
#' @export
#' @examples
#' board <- chessboard(1500, noise = 0.1)
#' test <- chessboard(1000)
#' run <- function(strategy) {
#'   osvm_active(
#'     board$x, board$y, solver_ramp(C = 10), kernel_rbf(sigma = 0.35), strategy, test = test
#'   )
#' }
#' fit <- run("ramp")
#' plot(fit, list(greedy = run("greedy"), all = run("all")), log = "x")
#' plot(fit, what = "model", asp = 1)
plot.osvm_active <- function(x, others = list(), name = NULL, what = c("curve", "model"), legend = TRUE, ...) {
  of_model <- if (identical(what, "model")) names(formals(plot.osvm))
  check_dots("plot", ..., .also = c(of_model, graphics_arguments()))
  what <- one_choice(what, c("curve", "model"))
  one_flag(legend)
  if (what == "model") {
    return(plot.osvm(x, ..., legend = legend))
  }
  draw_lines(active_picture(x, others, name), legend, ...)
  invisible(x)
}

#' @rdname plot.osvm_active
#' @param object A model made by [osvm_active()].
#' @exportS3Method ggplot2::autoplot
autoplot.osvm_active <- function(object, others = list(), name = NULL, ...) {
  check_dots("autoplot", ...)
  gg_lines(active_picture(object, others, name))
}

active_picture <- function(x, others, name) {
  if (inherits(others, "osvm_active")) others <- list(others)
  check_active(x)
  lines <- active_lines(x, others, name)
  titles <- unique(vapply(c(list(x), others), function(fit) solver_title(fit$solver), ""))
  measured <- !anyNA(x$curve$accuracy)
  new_lines(
    rep(names(lines), vapply(lines, nrow, 0L)), unlist(lapply(lines, `[[`, 1)), unlist(lapply(lines, `[[`, 2)),
    if (length(titles) == 1) titles else "Active learning", if (measured) "Labels asked for" else "Rows seen",
    if (measured) "Accuracy on test data, %" else "Labels asked for", key = "bottomright"
  )
}

# The curves: two columns per fit.
active_lines <- function(x, others, name) {
  if (!is.null(name) && !is_one_text(name)) {
    abort("{.arg name} must be a string, or NULL for the strategy.")
  }
  if (!is.list(others) || !all(vapply(others, inherits, NA, "osvm_active"))) {
    abort("{.arg others} must be a list of models made by {.fn osvm_active}.")
  }
  for (other in others) check_active(other)
  fits <- c(list(x), unname(others))
  measured <- vapply(fits, function(fit) !anyNA(fit$curve$accuracy), NA)
  if (any(measured != measured[1])) {
    abort("{.arg others} must have been measured on test data if {.arg x} was, and only then.")
  }
  lines <- lapply(fits, function(fit) {
    curve <- fit$curve
    if (measured[1]) cbind(curve$asked, 100 * curve$accuracy) else cbind(curve$seen, curve$asked)
  })
  given <- c(if (is.null(name)) "" else name, if (is.null(names(others))) rep("", length(others)) else names(others))
  strategies <- vapply(fits, `[[`, "", "strategy")
  stats::setNames(lapply(lines, as.data.frame), ifelse(given == "", strategies, given))
}

#' @export
print.osvm_active <- function(x, ...) {
  check_dots("print", ...)
  model <- check_active(x)
  last <- x$curve[nrow(x$curve), ]
  cat_line("<", class(x)[1], "> ", solver_title(x$solver))
  print_fields(c(
    describe_model(model),
    asked = paste0(plural(length(x$asked), "label"), " of ", plural(last$seen, "row"), " seen, strategy ", x$strategy),
    accuracy = if (!is.na(last$accuracy)) paste(format(100 * last$accuracy, digits = 3), "% on test data")
  ))
  invisible(x)
}

check_active <- function(object) {
  object <- check_model(object)
  check_fields(object, active_fields)
}

active_fields <- list(
  strategy = a_text,
  curve = type("a data frame of the numbers seen, asked, accuracy", function(x, model) {
    is_table(x, c("seen", "asked", "accuracy")) && nrow(x) > 0 && all(is.finite(c(x$seen, x$asked))) &&
      !any(is.infinite(x$accuracy))
  })
)
