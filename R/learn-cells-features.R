# Weights of features. In the distances of k-means and of a kernel all features count alike, whatever they say about the
# labels. How much one says is the root mean square of the gradient of an SVM of a sample in its direction: the diagonal
# of the average gradient outer product (Radhakrishnan et al. 2024). Features are multiplied by it, and at least by a
# twentieth of the largest.

weight_samples <- c(2000, 5000)

# list(model, choice): the model with weighted features, if they lower the error on a sample, and the settings compared
# on it, those of `names`. Weights are found twice, the second time with those of the first, by more rows; these may
# have a slightly higher error. bench/cells has the measurements.
weigh_features <- function(model, examples, names) {
  sample <- class_sample(examples, weight_samples[1])
  found <- list(model = model, choice = choose_on_sample(model, sample, names))
  for (round in if (can_weigh(model)) 1:2) {
    fit <- learn_sample(best_point(found$model, found$choice), class_sample(examples, weight_samples[round]))
    weighted <- weigh_by(model, fit, examples)
    choice <- choose_on_sample(weighted, sample, names)
    if (min(choice$error) >= c(1, 1.03)[round] * min(found$choice$error)) break
    found <- list(model = weighted, choice = choice)
  }
  found
}

# Where scaling and kernel width are estimates.
can_weigh <- function(model) {
  !model$sparse && is.null(model$transform$map) && all(c("scaling", "kernel width") %in% model$estimated)
}

# Evenly spaced within each class.
class_sample <- function(examples, most) {
  rows <- order(examples$class)
  take_examples(examples, rows[evenly_spaced(length(rows), most)])
}

choose_on_sample <- function(model, sample, names) {
  choose_in_cells(model, sample, list(seq_along(sample$class)), 1, names)
}

# NULL: the sample has nothing to learn.
learn_sample <- function(model, sample) {
  model$solver <- roughly(model$solver)
  all <- list(seq_along(sample$class))
  part <- learn_parts(model, sample, all, list(start_part(model, sample, all[[1]])), 1, model$control$threads)[[1]]
  if (is.null(part)) signal_interrupt()
  if (length(part$machine) > 0) cell_model(model, part)
}

# `model` with the weights that the gradient of `fit` says, whose own features may have weights already.
weigh_by <- function(model, fit, examples) {
  unweighted <- model$transform$scaling$scale
  points <- max(50, 500 %/% NROW(fit$machines)) # at which each machine has its gradient
  sizes <- if (!is.null(fit)) sqrt(rowMeans(gradient_sizes(fit, points)^2)) * unweighted / fit$transform$scaling$scale
  if (is.null(sizes) || !all(is.finite(sizes)) || max(sizes) == 0) {
    return(model)
  }
  weight <- pmax(sizes / max(sizes), 0.05)
  model$transform$weight <- weight / sqrt(mean(weight^2))
  model$transform$scaling$scale <- unweighted / model$transform$weight
  model$scaling <- model$transform$scaling
  model$extent <- data_extent(describe_columns(examples$x), model$transform)
  model$kernel <- set_role(model$kernel, "scale", median_scale(model$kernel, examples$x, model$transform))
  model$estimated <- c(model$estimated, "feature weights")
  model
}
