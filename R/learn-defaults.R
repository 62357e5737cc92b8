# What osvm() chooses from the data: cost and kernel width. bench/defaults.R has the measurements.

sample_size <- 500
low_rank_size <- 2000 # of kernels of low rank, whose fits take little time; they are compared at a rank of sample_size

# The cost and the width of a kernel, if it has one, for a solver that was left out, by cross-validation on a sample:
# the first of the settings, unless the error of another is lower by a margin (outcome.R). Errors count by the weights
# of the examples, so that class weights decide here, too.
# `kernel`: as given. There is no error of a novelty model to compare.
choose_setting <- function(model, examples, kernel) {
  settings <- default_settings(model, kernel, length(examples$weight))
  compared <- if (length(settings) > 0 && is_labelled(model)) compare_settings(model, examples, settings)
  if (!is.null(compared)) {
    model$choice <- as_table(c(lapply(settings, `[`, seq_along(compared$error)), compared["error"]))
  }
  model <- set_point(model, settings, if (is.null(compared)) 1 else compared$best)
  model$transform <- fit_features(model$transform, model$kernel, examples$x)
  model
}

set_point <- function(model, settings, i) {
  values <- lapply(unclass(settings), `[[`, i)
  model$solver <- set_values(model$solver, values)
  model$kernel <- set_values(model$kernel, values)
  model
}

# A list of parameters, with a value per setting: the moderate one, a smoother and sharper decision boundaries. NULL:
# nothing to choose. `n`: number of examples.
default_settings <- function(model, kernel, n = 0) {
  cost <- role_name(model$solver, "cost")
  if (length(cost) == 0) {
    NULL
  } else if (has_width(model$kernel) && (is.null(kernel) || is_open(as_spec(kernel, "kernel")))) {
    outcome <- outcome_of(model)
    smooth <- is_low_rank(model$kernel) && n >= 20 * role_value(model$kernel, "rank") && !is.null(outcome$low_rank)
    settings <- if (smooth) outcome$low_rank else outcome$settings
    settings$scale <- settings$scale * role_value(model$kernel, "scale")
    names(settings) <- c(cost, role_name(model$kernel, "scale"))
    settings
  } else if (is_given(model$kernel)) {
    stats::setNames(outcome_of(model)$settings["cost"], cost)
  } else if (is_linear(model$kernel) && !is_low_rank(model$kernel)) {
    stats::setNames(list(c(1, 0.1)), cost)
  }
}

# Cross-validated errors on sample_rows(), and the `best` setting. NULL: too few examples or too many classes.
compare_settings <- function(model, examples, settings, folds = 3) {
  classes <- model$outcome == "classes"
  low_rank <- is_low_rank(model$kernel)
  if (low_rank) model$kernel <- set_role(model$kernel, "rank", min(role_value(model$kernel, "rank"), sample_size))
  rows <- sample_rows(examples, classes, if (low_rank) low_rank_size else sample_size)
  present <- unique(first_target(at_rows(examples$class, rows)))
  least <- if (classes) max(20, 10 * length(present)) else 20
  if (length(rows) < least || length(present) < 2 || length(model$levels) > many_classes) {
    return(NULL)
  }
  model <- with_present(model, examples$class, rows)
  # A second thread takes longer to begin than so few examples take.
  if (length(rows) * nrow(model$machines) * model$n_features < 5e5) model$control$threads <- 1
  model$solver <- roughly(model$solver)
  at <- order(rows, method = "radix")
  fold <- rep_len(seq_len(folds), length(rows))[at]
  rows <- rows[at]
  # Errors among some of the classes are fewer, about as the classes are.
  unit <- if (classes) length(unique(examples$class)) / length(present) else 1
  race_settings(list(
    model = model, examples = examples, settings = settings, rows = rows, fold = fold, classes = classes, unit = unit
  ))
}

# After the first fold another setting than the first is taken if it is better by a standard error; if it is
# better by the margin, the other folds decide among these. Errors that are not needed are NA: nothing is better by
# the margin than a first setting with fewer errors than that. Settings beyond the usual ones are tried where the last
# of these, the sharpest, is the best, or all are hardly better than chance.
race_settings <- function(task) {
  first <- +(task$fold == 1)
  held <- task$rows[task$fold == 1]
  count <- length(task$settings[[1]])
  usual <- seq_len(min(count, outcome_of(task$model)$usual))
  losses <- setting_losses(task, first, if (task$classes) 1 else usual)
  errors <- setting_errors(task, losses, held)
  if (task$classes && isTRUE(errors < setting_margin(task, errors, held))) {
    return(list(error = replace(rep(NA_real_, length(usual)), 1, errors), best = 1))
  }
  try_settings <- function(points) {
    losses <<- cbind(losses, setting_losses(task, first, points))
    errors <<- setting_errors(task, losses, held)
  }
  if (task$classes) try_settings(usual[-1])
  best <- best_setting(task, errors, held)
  if (count > length(usual) && (identical(best, max(usual)) || isTRUE(min(errors) > 0.8 * chance_error(task, held)))) {
    try_settings(seq(length(usual) + 1, count))
    best <- best_setting(task, errors, held)
  }
  left <- which(competing_errors(task, errors, held) <= errors[1])
  if (length(left) > 1 && !is_clear(losses[, 1] - losses[, best], task$examples$weight[held])) {
    losses <- rbind(losses[, left], setting_losses(task, pmax.int(task$fold - 1L, 0L), left))
    held <- c(held, task$rows[task$fold > 1])
    errors <- replace(rep(NA_real_, length(errors)), left, setting_errors(task, losses, held))
    best <- best_setting(task, errors, held)
  }
  if (length(best) == 1) list(error = errors, best = best)
}

best_setting <- function(task, errors, held) which.min(competing_errors(task, errors, held))

# Another setting than the first must be better by a margin.
competing_errors <- function(task, errors, held) {
  errors + setting_margin(task, errors, held) * (seq_along(errors) > 1)
}

# That of predicting the most frequent class
chance_error <- function(task, held) {
  weight <- task$examples$weight[held]
  task$unit * (1 - max(rowsum(weight, task$examples$class[held])) / sum(weight))
}

setting_margin <- function(task, errors, held) outcome_of(task$model)$margin(errors[1], task$examples$weight[held])

setting_errors <- function(task, losses, held) {
  task$unit * error_of_losses(task$model, losses, task$examples$weight[held])
}

is_clear <- function(gain, weight) {
  gain <- gain * weight
  n <- length(gain)
  sum(gain) > sqrt(n / (n - 1) * sum((gain - sum(gain) / n)^2))
}

# At most `size` rows, evenly spaced within each of at most ten classes, so that the choice does not depend on the
# seed.
sample_rows <- function(examples, classes, size = sample_size, most_classes = 10) {
  target <- first_target(examples$class)
  rows <- order(target, method = "radix")
  if (any(examples$weight == 0)) rows <- rows[examples$weight[rows] > 0]
  present <- if (classes) unique(target[rows])
  if (length(present) > most_classes) {
    rows <- rows[target[rows] %in% present[evenly_spaced(length(present), most_classes)]]
  }
  if (length(rows) > size) rows <- rows[evenly_spaced(length(rows), size)]
  if (!classes) {
    return(rows)
  }
  class <- target[rows]
  rows[tabulate(class)[class] > 1] # a class of one row is none to compare
}

# The loss of each example in a fold, by machines that have not learned it: a column per setting. `fold`: 0 for rows
# that are always learned. The features of a low-rank kernel are those of one setting. NA: there are no machines.
setting_losses <- function(task, fold, points) {
  of_each <- replace(integer(length(task$examples$weight)), task$rows, fold)
  held <- which(fold > 0)
  target <- at_rows(task$examples$class, task$rows[held])
  losses_of <- function(points) {
    settings <- as_table(lapply(task$settings, `[`, points))
    result <- holdout_outputs(
      task$model, task$examples, of_each, each_spec(task$model$solver, settings),
      each_spec(task$model$kernel, settings), rep(1, max(fold)), task$rows
    )
    if (is.list(result) && result$interrupted != 0) signal_interrupt()
    if (!is.list(result) || !all(result$state %in% c("done", "unfinished"))) return(NA_real_)
    row_losses(task$model, target, stack_outputs(result$outputs[held, , , drop = FALSE]))
  }
  groups <- if (is_low_rank(task$model$kernel)) as.list(points) else list(points)
  matrix(unlist(lapply(groups, losses_of)), length(held), length(points))
}

# The kernel with all parameters set, given data as the core is given them, and their transform.
complete_kernel <- function(kernel, x, transform) {
  if (is_open(kernel)) {
    kernel <- set_role(kernel, "scale", if (has_width(kernel)) median_scale(kernel, x, transform) else 1 / ncol(x))
  }
  kernel
}

# Two over the median distance. Evenly spaced rows rather than random ones: the kernel does not depend on the seed.
median_scale <- function(kernel, x, transform) {
  kernel <- base_kernel(kernel)
  most <- switch(kernel$traits$base, squared = 300, absolute = 100) # all distances take little time
  core <- kernel$core
  core$values[kernel$roles == "scale"] <- 1
  distance <- .Call(ffi_median_distance, core, core_data(x, transform, rows = evenly_spaced(nrow(x), most) - 1L))
  scale <- 2 / core_result(distance, "The choice of the kernel's width")
  # There may be no distance, or none whose inverse is finite.
  if (is.finite(scale)) scale else 1 / ncol(x)
}
