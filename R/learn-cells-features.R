# Weights of features where the rows are many, see learn-search-weights.R.

# Evenly spaced within each class.
class_sample <- function(examples, most) {
  rows <- order(first_target(examples$class))
  take_examples(examples, rows[evenly_spaced(length(rows), most)])
}

# NULL: the sample has nothing to learn.
learn_sample <- function(model, sample) {
  model$solver <- roughly(model$solver)
  all <- list(seq_along(sample$weight))
  part <- learn_parts(model, sample, all, list(start_part(model, sample, all[[1]])), 1, model$control$threads)[[1]]
  if (is.null(part)) signal_interrupt()
  if (length(part$machine) > 0) cell_model(model, part)
}
