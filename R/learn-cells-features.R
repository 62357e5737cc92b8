# Weights of features. In the distances of k-means and of a kernel all features count alike, whatever they say about the
# labels. How much one says is the root mean square of the gradient of an SVM of a sample in its direction: the diagonal
# of the average gradient outer product (Radhakrishnan et al. 2024). Features are multiplied by it, and at least by a
# twentieth of the largest.

# The model with weighted features, where its scaling and kernel width are estimates; bench/cells has the measurements.
weigh_features <- function(model, examples, kernel, most = 2000) {
  if (model$sparse || !is.null(model$transform$map) || !all(c("scaling", "kernel width") %in% model$estimated)) {
    return(model)
  }
  rows <- order(examples$class)
  rows <- rows[unique(round(seq(1, length(rows), length.out = min(length(rows), most))))]
  sample <- take_examples(examples, rows)
  all <- list(seq_along(rows))
  choice <- choose_in_cells(model, sample, all, 1, wide_settings(model, kernel))
  chosen <- set_point(model, choice, which.min(choice$error))
  chosen$solver <- roughly(chosen$solver)
  part <- learn_parts(chosen, sample, all, list(start_part(chosen, sample, all[[1]])), 1, model$control$threads)[[1]]
  if (is.null(part)) signal_interrupt()
  sizes <- if (length(part$machine) > 0) sqrt(rowMeans(gradient_sizes(cell_model(chosen, part))^2))
  if (is.null(sizes) || !all(is.finite(sizes)) || max(sizes) == 0) {
    return(model)
  }
  weight <- pmax(sizes / max(sizes), 0.05)
  model$transform$scaling$scale <- model$transform$scaling$scale / (weight / sqrt(mean(weight^2)))
  model$scaling <- model$transform$scaling
  model$extent <- data_extent(describe_columns(examples$x), model$transform)
  model$kernel <- set_role(model$kernel, "scale", median_scale(model$kernel, examples$x, model$transform))
  model$estimated <- c(model$estimated, "feature weights")
  model
}
