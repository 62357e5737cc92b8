# What osvm() chooses from the data: cost and kernel width. bench/defaults.R has the measurements.

sample_size <- 500

# How far a fit of n examples that a time limit cut short is from its end, and what would have taken less time.
explain_limit <- function(model, n) {
  if (has_cells(model)) {
    return(c(i = explain_missing(model)))
  }
  epochs <- role_value(model$solver, "epochs", 1)
  done <- NROW(model$trace) - 1
  gap <- signif(max(model$convergence$gap, 0), 2)
  tolerance <- role_value(model$solver, "tolerance", 0)
  lines <- if (model$n_seen < n) {
    "It learned {big(model$n_seen)} of {big(n)} rows; so many take the time given."
  } else if (epochs > 1 && done > 0) {
    name <- role_name(model$solver, "epochs")
    "It ended in epoch {done + 1} of {epochs}; {.code {name} = {done}} takes the time given."
  } else {
    c(
      if (gap > tolerance) "The optimality conditions are violated by {gap}, which is to be {tolerance}.",
      "Less time is taken by a part of the rows, or by {.code {format(default_solver('live'))}}, in one pass."
    )
  }
  stats::setNames(vapply(lines, cli::format_inline, "", .envir = environment()), rep("i", length(lines)))
}

# The cost and the width of a kernel, if it has one, for a solver that was left out, by cross-validation on a sample:
# the first of the settings, unless the error of another is lower by more than half a per cent and one example. Errors
# of classes count by the weights of the examples, so that class weights decide here, too.
# `kernel`: as given. There is no error of a novelty model to compare.
choose_setting <- function(model, examples, kernel) {
  settings <- default_settings(model, kernel)
  if (!is_labelled(model)) settings <- settings[1, , drop = FALSE]
  compared <- if (NROW(settings) > 1) compare_settings(model, examples, settings)
  best <- if (is.null(compared)) 1 else compared$best
  if (!is.null(compared)) {
    settings$error <- compared$error
    model$choice <- settings
  }
  for (part in c("solver", "kernel")) model[[part]] <- set_values(model[[part]], setting_of(settings, best))
  model$transform <- fit_features(model$transform, model$kernel, examples$x)
  model
}

# A row as a list, which is much faster to read than a data frame.
setting_of <- function(settings, i) lapply(settings, `[[`, i)

# A row per setting: the moderate one, a smoother and a sharper decision boundary. NULL: nothing to choose.
default_settings <- function(model, kernel) {
  open <- is.null(kernel) || is_open(as_spec(kernel, "kernel"))
  cost <- role_name(model$solver, "cost")
  if (length(cost) == 0) {
    NULL
  } else if (has_width(model$kernel) && open) {
    settings <- outcome_of(model)$settings
    settings$scale <- settings$scale * role_value(model$kernel, "scale")
    stats::setNames(list2DF(settings), c(cost, role_name(model$kernel, "scale")))
  } else if (is_linear(model$kernel) && !is_low_rank(model$kernel)) {
    stats::setNames(list2DF(list(c(1, 0.1))), cost)
  }
}

# Cross-validated errors on sample_rows(), and the `best` setting. The first fold rules out the settings that are not
# better on it than the first one, whose errors are then NA, and the other folds decide among the rest. NULL: too few
# examples or too many classes.
compare_settings <- function(model, examples, settings, folds = 3) {
  classes <- model$outcome == "classes"
  rows <- sample_rows(examples, classes)
  present <- unique(first_target(at_rows(examples$class, rows)))
  least <- if (classes) max(20, 10 * length(present)) else 20
  if (length(rows) < least || length(present) < 2 || length(model$levels) > many_classes) {
    return(NULL)
  }
  # Errors among some of the classes are fewer, about as the classes are.
  more <- if (classes) length(unique(examples$class)) / length(present) else 1
  machines <- model$machines
  if (length(present) < length(model$levels)) {
    model$machines <- machines[machines$positive %in% present & machines$negative %in% c(0, present), ]
  }
  # A second thread takes longer to begin than so few examples take.
  if (length(rows) * nrow(model$machines) * model$n_features < 5e5) model$control$threads <- 1
  fold <- rep_len(seq_len(folds), length(rows))[order(rows)]
  rows <- sort(rows)
  held <- rows[fold == 1]
  outputs <- setting_outputs(model, examples, rows, match(fold, 1, 0L), settings)
  if (is.null(outputs)) {
    return(NULL)
  }
  errors <- more * setting_errors(model, examples, held, outputs)
  left <- which(with_margin(model, errors, examples$weight[held]) <= errors[1])
  if (length(left) > 1) {
    further <- setting_outputs(model, examples, rows, match(fold, 2:folds, 0L), settings[left, , drop = FALSE])
    if (is.null(further)) {
      return(NULL)
    }
    held <- c(held, rows[fold > 1])
    errors[-left] <- NA
    errors[left] <- more * setting_errors(model, examples, held, Map(rbind, outputs[left], further))
  }
  list(error = errors, best = which.min(with_margin(model, errors, examples$weight[held])))
}

# Errors as they compete: those of the other settings must be lower than that of the first by a margin.
with_margin <- function(model, errors, weight) {
  errors + c(0, rep(outcome_of(model)$margin(errors[1], weight), length(errors) - 1))
}

# At most sample_size rows, evenly spaced within each of at most ten classes, so that the choice does not depend on the
# seed.
sample_rows <- function(examples, classes) {
  target <- first_target(examples$class)
  rows <- order(target)
  rows <- rows[examples$weight[rows] > 0]
  present <- if (classes) unique(target[rows])
  if (length(present) > 10) rows <- rows[target[rows] %in% present[evenly_spaced(length(present), 10)]]
  rows <- rows[evenly_spaced(length(rows), sample_size)]
  if (classes) rows[in_larger_classes(target[rows])] else rows
}

# Of each setting, the outputs of rows in a fold, by machines that have not learned them. `fold`: 0 for rows that are
# always learned. The features of a low-rank kernel are those of one setting. NULL: there are no machines.
setting_outputs <- function(model, examples, rows, fold, settings) {
  of_each <- replace(integer(length(examples$weight)), rows, fold)
  outputs_of <- function(points) {
    specs <- lapply(c(solver = "solver", kernel = "kernel"), function(part) {
      specs <- lapply(points, function(i) set_values(model[[part]], setting_of(settings, i)))
      list(specs = specs, of = seq_along(points))
    })
    result <- holdout_outputs(model, examples, of_each, specs$solver, specs$kernel, rep(1, max(fold)), rows)
    if (is.list(result) && result$interrupted != 0) signal_interrupt()
    outputs <- if (is.list(result) && all(result$state %in% 1:2)) result$outputs[fold > 0, , , drop = FALSE]
    if (!is.null(outputs) && all(is.finite(outputs))) {
      lapply(seq_along(points), function(k) matrix(outputs[, , k], dim(outputs)[1]))
    }
  }
  points <- seq_len(nrow(settings))
  outputs <- do.call(c, lapply(if (is_low_rank(model$kernel)) points else list(points), outputs_of))
  if (length(outputs) == length(points)) outputs
}

setting_errors <- function(model, examples, rows, outputs) {
  target <- at_rows(examples$class, rows)
  weight <- examples$weight[rows]
  if (is.matrix(target)) model$label <- scale_by(model$label, matrix(c(2, 0, 1), 3, ncol(target))) # each counts
  vapply(outputs, function(f) {
    predicted <- predict_targets(model, f)
    if (model$outcome == "classes") sum(weight[predicted != target]) / sum(weight)
    else mean_error(model, target, predicted)
  }, 0)
}

in_larger_classes <- function(class) tabulate(class)[class] > 1

# The kernel with all parameters set, given data as the core is given them, and their transform.
complete_kernel <- function(kernel, x, transform) {
  if (is_open(kernel)) {
    kernel <- set_role(kernel, "scale", if (has_width(kernel)) median_scale(kernel, x, transform) else 1 / ncol(x))
  }
  kernel
}

# Two over the median distance. Evenly spaced rows rather than random ones: the kernel does not depend on the seed.
median_scale <- function(kernel, x, transform) {
  kernel <- set_role(base_kernel(kernel), "scale", 1)
  most <- switch(kernel_info(kernel$name)$base, squared = 300, absolute = 100) # all distances take little time
  rows <- evenly_spaced(nrow(x), most) - 1L
  distance <- .Call(ffi_median_distance, core_kernel(kernel), core_data(x, transform, rows = rows))
  scale <- 2 / core_result(distance, "The choice of the kernel's width")
  # There may be no distance, or none whose inverse is finite.
  if (is.finite(scale)) scale else 1 / ncol(x)
}

# At most so many of 1 to n.
evenly_spaced <- function(n, most) if (n <= most) seq_len(n) else as.integer(round(seq(1, n, length.out = most)))
