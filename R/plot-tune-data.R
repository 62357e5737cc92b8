# Data of the plots of tunings, for base graphics and ggplot2.

check_what <- function(tuned, what) {
  check_tuning(tuned)
  known <- unique(c(tuned$metric, "error", "seconds", "n_sv"))
  if (is.null(what)) known[1] else one_choice(what, known)
}

tune_type <- function(tuned, type) {
  type <- one_choice(type, c("auto", "heat", "curve"))
  if (is_search(tuned)) return("kinds")
  varied <- varied_parameters(tuned)
  if (type == "heat" && length(varied) != 2) {
    abort("{.arg type} = {.val heat} draws two parameters, and this tuning varies {length(varied)}.")
  }
  if (length(varied) == 1) {
    return("line")
  }
  if (type != "auto") type else if (length(varied) == 2) "heat" else "curve"
}

# Values along an axis, sorted, and as text.
axis_values <- function(values) {
  values <- sort(unique(values))
  list(values = values, text = each_text(values))
}

on_log_axis <- function(values) {
  is.numeric(values) && all(is.finite(values) & values > 0) && max(values) / min(values) >= 20
}

# Grid points side by side: the last parameter (the kernel's, if it varies) forms the
# groups, the others vary within them, the first fastest.
line_up_points <- function(tuned) {
  varied <- varied_parameters(tuned)
  keys <- unname(as.list(tuned$results[rev(varied)]))
  rows <- if (length(keys) > 0) do.call(order, keys) else seq_len(nrow(tuned$results))
  group <- if (length(varied) > 1) tuned$results[[varied[length(varied)]]][rows]
  inner <- if (length(varied) > 0) tuned$results[[varied[1]]][rows]
  list(
    rows = rows, group = group, inner = inner, inner_name = varied[1],
    group_name = if (length(varied) > 1) varied[length(varied)]
  )
}

# The axis of the grid points, and the positions of each tuning on it. Tunings of different grids that vary the same
# kernel parameter last have its groups in common: a group is as wide as its largest number of grid points, over which
# those of a smaller grid are spread. Otherwise grid points have numbers only.
points_axis <- function(tunings) {
  lines <- lapply(tunings, line_up_points)
  axis <- lines[[1]]
  same <- function(of) all(vapply(lines, function(line) identical(of(line), of(axis)), NA))
  grouped <- !is.null(axis$group) && same(function(line) line$group_name) && same(function(line) unique(line$group))
  if (!same(function(line) line[c("inner", "inner_name")])) axis[c("inner", "inner_name")] <- list(NULL)
  if (!grouped) {
    axis[c("group", "group_name")] <- NULL
    axis$positions <- lapply(lines, function(line) seq_along(line$rows))
    axis$count <- max(lengths(axis$positions))
    return(axis)
  }
  values <- unique(axis$group)
  sizes <- lapply(lines, function(line) tabulate(match(line$group, values)))
  widths <- do.call(pmax, unname(sizes))
  starts <- cumsum(widths) - widths
  axis$positions <- lapply(sizes, function(size) {
    within <- (sequence(size) - 0.5) * rep(widths / size, size)
    rep(starts, size) + within + 0.5
  })
  axis$inner_name <- paste(unique(vapply(lines, function(line) line$inner_name, "")), collapse = " or ")
  axis$group <- rep(values, widths)
  axis$count <- sum(widths)
  axis
}
