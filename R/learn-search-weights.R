# Weights of features. In the distances of a kernel all features count alike, whatever they say about the labels. How
# much one says is the root mean square of the gradient of a machine in its direction: the diagonal of the average
# gradient outer product (Radhakrishnan et al. 2024). Features are multiplied by it, and at least by a twentieth of the
# largest; a machine with weighted features has other gradients, so that there are rounds.

smallest_weight <- 0.05
gradient_points <- 200 # of all machines together

# Of each kernel the best candidate with weights, round by round, while the error falls. A fold has the weights of a
# machine that has not learned it, else those would know what they are to predict; the model has their mean.
weighted_candidates <- function(search, candidates) {
  last <- best_of_kernels(Filter(function(candidate) weighable(search, candidate$model), candidates))
  for (round in 1:2) {
    last <- Filter(Negate(is.null), lapply(last, weigh_candidate, search = search))
    if (length(last) == 0) break
    before <- vapply(last, `[[`, 0, "criterion")
    last <- compare_candidates(search, last, function(candidate) coarse_settings(search, candidate))
    after <- vapply(last, `[[`, 0, "criterion")
    last <- last[after < before & after < 1.1 * best_of(search$record$candidates)[[1]]$criterion]
  }
}

# Further rounds for the best candidate, by the gradients of machines of more rows, while they lower the criterion; its
# width is compared anew. They take a fifth of the time of the default search and gain 0.8 % (bench/tables/tried.md).
sharpen <- function(search, best) {
  search <- with_fine_rows(search)
  for (round in seq_len(min(2, floor(search$effort / 2)))) {
    multiple <- function(model) median_scale(model$kernel, search$examples$x, model$transform)
    if (!weighable(search, best$model)) break
    at <- own_setting(best)
    width <- at[[2]] / multiple(best$model)
    parts <- best$parts[rep_len(seq_along(best$parts), max(search$fold))]
    weighted <- weigh_candidate(search, replace(best, "parts", list(parts)))
    if (is.null(weighted)) break
    found <- compare_candidates(search, list(weighted), function(candidate) {
      settings <- at[c(1, 1, 1), , drop = FALSE]
      settings[[2]] <- width * multiple(candidate$model) * c(0.5, 1, 2)
      settings
    })[[1]]
    if (found$criterion >= best$criterion) break
    best <- found
  }
  best
}

weighable <- function(search, model) {
  search$open$scale && search$open$width && !model$sparse && has_width(model$kernel) && !is.null(model$scaling) &&
    model$n_features > 1
}

# NULL: no machine has a gradient.
weigh_candidate <- function(search, candidate) {
  plain <- if (is.null(candidate$plain)) candidate$model else candidate$plain
  # Gradients are known well before the optimum is reached.
  solver <- roughly(candidate$model$solver)
  solver <- set_role(solver, "cost", min(role_value(solver, "cost"), 100))
  weights <- lapply(seq_len(max(search$fold)), function(k) {
    part <- replace(candidate$parts[[min(k, length(candidate$parts))]], "solver", list(solver))
    weights_by(learn_rows_of(part, search$examples, setdiff(search$broad, search$rows[search$fold == k])))
  })
  if (any(lengths(weights) == 0)) {
    return(NULL)
  }
  mean <- exp(rowMeans(log(do.call(cbind, weights))))
  candidate$model <- with_usual_width(with_weights(plain, mean / sqrt(mean(mean^2)), search), search)
  candidate$parts <- Map(function(weight, of_fold) {
    part <- with_weights(of_fold, weight, search)
    part$kernel <- candidate$model$kernel
    part
  }, weights, rep_len(parts_of(search, plain), length(weights)))
  candidate$plain <- plain
  candidate$rounds <- candidate$rounds + 1
  candidate
}

learn_rows_of <- function(model, examples, rows) {
  model$control[c("verbose", "trace")] <- FALSE
  run <- with_seed(1, run_examples(with_present(model, examples$class, rows), take_examples(examples, rows)))
  if (run$interrupted) signal_interrupt()
  run$model
}

without_weights <- function(model) {
  model$transform$scaling$scale <- model$transform$scaling$scale * model$transform$weight
  model$scaling <- model$transform$scaling
  model$transform$weight <- NULL
  model$estimated <- setdiff(model$estimated, "feature weights")
  model
}

# `plain` with the weights by the gradient of `fit`, if it has one.
weigh_by <- function(plain, fit, examples) {
  weight <- if (!is.null(fit)) weights_by(fit)
  search <- list(examples = examples, columns = describe_columns(examples$x))
  if (is.null(weight)) plain else with_usual_width(with_weights(plain, weight, search), search)
}

# By the gradient of `fit` in the direction of its features without their weights. NULL: there is none.
weights_by <- function(fit) {
  points <- max(4, gradient_points %/% NROW(fit$machines))
  own <- fit$transform$weight
  sizes <- sqrt(rowMeans(gradient_sizes(fit, points)^2)) * if (is.null(own)) 1 else own
  if (all(is.finite(sizes)) && max(sizes) > 0) {
    weight <- pmax(sizes / max(sizes), smallest_weight)
    weight / sqrt(mean(weight^2))
  }
}

with_weights <- function(model, weight, search) {
  model$transform$weight <- weight
  model$transform$scaling$scale <- model$transform$scaling$scale / weight
  model$scaling <- model$transform$scaling
  model$extent <- data_extent(search$columns, model$transform)
  model$estimated <- union(model$estimated, "feature weights")
  model
}

with_usual_width <- function(model, search) {
  model$kernel <- set_role(model$kernel, "scale", median_scale(model$kernel, search$examples$x, model$transform))
  model
}
