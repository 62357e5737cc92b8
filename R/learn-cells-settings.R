# Cost and kernel width of cells: chosen in a few of them from a wide grid, then in each from a small grid around that.

largest_cost <- 1000

# What is to be chosen: cost, and kernel width unless it is given. NULL: nothing.
open_settings <- function(model, kernel) names(default_settings(model, kernel))

# The small grid, whose first point is what was chosen for all.
near_settings <- function(model, names) {
  if (!is.null(names)) settings_around(model, names, c(1, 0.2, 5), c(1, 0.4, 2.5))
}

settings_around <- function(model, names, costs, multiples) {
  cross_settings(model, names, unique(pmin(role_value(model$solver, "cost") * costs, largest_cost)), multiples)
}

# All pairs of costs and multiples of the kernel's scale; costs alone if that is not one of the `names` to choose.
cross_settings <- function(model, names, cost, multiple) {
  values <- list(cost, multiple * role_value(model$kernel, "scale", 1))[seq_along(names)]
  combine(stats::setNames(values, names))
}

# Settings and the error of each, by cross-validation in a few cells: of the larger half of those that have something
# to learn, evenly spaced. A cell is a small part of the space, whose boundary may need a much narrower kernel than the
# data as a whole, and a larger cost: a coarse grid comes first, then the points around the best of it.
choose_in_cells <- function(model, examples, rows, seeds, names, cells = 5) {
  parts <- lapply(rows, function(at) start_part(model, examples, at))
  mixed <- which_learn(parts)
  larger <- mixed[order(-lengths(rows)[mixed])][seq_len(ceiling(length(mixed) / 2))]
  some <- larger[evenly_spaced(length(larger), cells)]
  shared <- share_memory(model, max(0, lengths(rows[some])), model$control$threads)
  compare <- function(settings) {
    task <- list(settings = settings, folds = 3, rough = TRUE)
    held <- hold_out_cells(shared$model, examples, rows[some], parts[some], seeds[some], task, shared$threads)
    if (held$interrupted) signal_interrupt()
    mean <- crossprod(lengths(rows[some]), held$table) / max(1, sum(lengths(rows[some])))
    settings$error <- metric_of_mean(model, mean)
    settings
  }
  coarse <- compare(cross_settings(model, names, c(1, 100), 2^c(-1, 1, 3, 5)))
  fine <- settings_around(best_point(model, coarse), names, c(1, 0.1, 10), c(1, 0.5, 2))
  rbind(coarse, compare(fine[-1, , drop = FALSE]), make.row.names = FALSE)
}

best_point <- function(model, choice) set_point(model, choice, which.min(choice$error))

# Cross-validation in cells, side by side: list(parts, with the best setting of each; outputs, held out; errors, of that
# setting; table, mean losses, a row per cell and a column per setting; interrupted).
hold_out_cells <- function(model, examples, rows, parts, seeds, task, threads, progress = NULL) {
  learning <- which_learn(parts)
  shared <- if (length(learning) > 0) part_points(parts[[learning[1]]], task)
  points_of <- function(part) if (identical(part_specs(part), shared$specs)) shared else part_points(part, task)
  points <- lapply(parts, function(part) if (length(part$machine) > 0) points_of(part))
  grids <- lapply(learning, function(k) {
    cell_grid(model, examples, rows[[k]], parts[[k]], points[[k]], seeds[k], task$folds)
  })
  results <- if (length(grids) > 0) run_grids(grids, threads, progress)
  out <- list(
    parts = parts, outputs = Map(function(part, at) part_outputs(part, NULL, length(at)), parts, rows),
    errors = rep(NA_real_, length(rows)), table = matrix(0, length(rows), max(1, NROW(task$settings))),
    interrupted = FALSE
  )
  for (i in seq_along(results)) {
    k <- learning[i]
    result <- core_result(results[[i]], "The fit")
    if (result$interrupted != 0) {
      return(replace(out, "interrupted", TRUE))
    }
    n <- length(rows[[k]])
    f <- part_outputs(parts[[k]], stack_outputs(result$outputs), n * dim(result$outputs)[3])
    out$table[k, ] <- cell_losses(model, examples, rows[[k]], f)
    best <- which.min(out$table[k, ])
    out$outputs[[k]] <- f[(best - 1) * n + seq_len(n), , drop = FALSE]
    out$errors[k] <- metric_of_mean(model, out$table[k, best])
    if (!is.null(task$settings)) out$parts[[k]] <- set_point(parts[[k]], task$settings, best)
  }
  out
}

# Settings are compared at a tolerance at which their errors hardly differ from those of the optimum: where labels are
# noisy, a large cost takes many times as long to its end.
roughly <- function(solver) {
  tolerance <- role_value(solver, "tolerance")
  if (is.null(tolerance)) solver else set_role(solver, "tolerance", max(tolerance, 0.1))
}

# `solvers` and `kernels` of the settings as they are compared, see each_spec().
part_points <- function(part, task) {
  specs <- part_specs(part)
  solver <- if (isTRUE(task$rough)) roughly(specs$solver) else specs$solver
  list(specs = specs, solvers = each_spec(solver, task$settings), kernels = each_spec(specs$kernel, task$settings))
}

# The grid of a cell. All that is drawn depends on the cell's seed.
cell_grid <- function(model, examples, rows, part, points, seed, folds) {
  single <- cell_model(model, part)
  with_seed(seed, {
    fold <- replace(integer(length(examples$weight)), rows, deal_folds(at_rows(examples$class, rows), folds))
    seeds <- sample.int(.Machine$integer.max, folds)
    new_grid(single, examples, fold, points$solvers, points$kernels, seeds, visit_order(single, rows))
  })
}

# Mean losses, from which errors of several cells come: of a setting, or of several whose rows of f are below each
# other.
cell_losses <- function(model, examples, rows, f, metric = loss_metric(model)) {
  weighted_means(row_losses(model, at_rows(examples$class, rows), f, metric), examples$weight[rows])
}

metric_of_mean <- function(model, mean, metric = loss_metric(model)) {
  as.numeric(metric$of(matrix(mean, 1), list(loss = model$loss)))
}
