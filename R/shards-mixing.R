# Iterative parameter mixing (McDonald et al. 2010): an epoch on every shard from the same model, then the mean of the
# models. Weights of a linear kernel are averaged as they are. The mean of expansions is the union of their support
# vectors, which is merged down to the solver's budget, as compress() does.

train_mixing <- function(shards, header, found, rounds, seeds, bar) {
  seeds <- matrix(seeds, 2 * length(shards))
  model <- header
  model$solver <- set_role(model$solver, "epochs", 1)
  state <- list2env(list(model = model, rounds = new_rounds()), parent = emptyenv())
  interrupted <- run_rounds(state, rounds, bar, function(r) {
    mixing_round(state, shards, r, seeds[, r])
    FALSE
  })
  model <- state$model
  model$solver <- set_role(model$solver, "epochs", if (interrupted) nrow(state$rounds) else rounds)
  model$shards <- list(method = shard_method(header), rounds = state$rounds, violators = NA, optimum = FALSE)
  model
}

mixing_round <- function(state, shards, r, seeds) {
  k <- length(shards)
  started <- seconds_now()
  model <- state$model
  answers <- on_shards(shards, "mix_shard", list(model), as.list(seeds[seq_len(k)]))
  examples <- do.call(cbind, lapply(answers, `[[`, "examples"))
  share <- examples / rowSums(examples)
  mixed <- mix_models(model, answers, share, r)
  state$model <- if (is_primal(model)) mixed else with_seed(seeds[k + 1], mix_expansions(mixed, answers, share))
  sent <- if (is_primal(model)) {
    2 * k * nrow(model$machines)
  } else {
    k * NROW(model$sv) + sum(vapply(answers, function(one) nrow(one$sv), 0))
  }
  steps <- colSums(examples)
  traces <- do.call(rbind, lapply(answers, `[[`, "trace"))
  state$rounds[r, ] <- list(
    k, sent, sum(traces$violations), sum(traces$loss * steps) / sum(steps),
    seconds_now() - started
  )
}

# On a worker: one epoch from the model's weights. `examples`: of each machine.
mix_shard <- function(model, seed, shard) {
  examples <- prepare_shard(model, shard)
  model$trace <- NULL
  model$stats <- NULL
  trained <- with_seed(seed, stop_when_interrupted(learn(model, examples)))
  counts <- if (predicts_classes(model)) tabulate(examples$class, length(model$levels)) else length(examples$class)
  machines <- model$machines
  of <- ifelse(machines$negative == 0, sum(counts), counts[machines$positive] + c(0, counts)[machines$negative + 1])
  trained <- trained[c("coef", "intercept", "state", "scalars", "trace", "stats", "sv", "target")]
  c(trained[!vapply(trained, is.null, NA)], list(examples = of))
}

# All of the state is linear in the weights. A machine's share of a shard is by its examples there. Coefficients of
# expansions are left to mix_expansions().
mix_models <- function(model, answers, share, r) {
  mean_of <- function(name, by) {
    parts <- lapply(seq_along(answers), function(k) {
      value <- answers[[k]][[name]]
      if (is.null(value)) NULL else value * by(share[, k], value)
    })
    if (is.null(parts[[1]])) NULL else Reduce(`+`, parts)
  }
  by_machine <- function(share, value) rep(share, each = nrow(value), length.out = length(value))
  if (is_primal(model)) {
    model$coef <- mean_of("coef", by_machine)
    model$state <- mean_of("state", by_machine)
  }
  model$scalars <- mean_of("scalars", by_machine)
  model$intercept <- mean_of("intercept", function(share, value) share)
  if (model$solver$traits$average) {
    steps <- model$scalars["steps", ]
    model$coef[] <- state_layer(model, "sum") / rep(steps, each = nrow(model$coef))
    model$intercept[] <- model$scalars["bias_sum", ] / steps
  }
  model$n_sv <- 0L
  before <- if (is.null(model$stats)) 0 else unlist(model$stats)
  model$stats <- as.list(before + Reduce(`+`, lapply(answers, function(one) unlist(one$stats))))
  trace <- answers[[1]]$trace
  sums <- function(name) sum(vapply(answers, function(one) one$trace[[name]], 0))
  examples <- colSums(share)
  trace$epoch <- as.integer(r)
  trace$loss <- sum(vapply(answers, function(one) one$trace$loss, 0) * examples) / sum(examples)
  trace$violations <- sums("violations")
  trace$seconds <- max(vapply(answers, function(one) one$trace$seconds, 0))
  model$trace <- rbind(model$trace, trace)
  model
}

mix_expansions <- function(model, answers, share) {
  of <- function(name) lapply(answers, `[[`, name)
  model$coef <- do.call(rbind, lapply(seq_along(answers), function(k) {
    answers[[k]]$coef * rep(share[, k], each = nrow(answers[[k]]$coef))
  }))
  model$sv <- Reduce(bind_rows, of("sv"))
  model$target <- unlist(of("target"))
  model <- merge_duplicates(model)
  model$merged <- if (merges(model)) is.na(model$target)
  if (model$n_sv > budget_of(model)) model <- merge_vectors(model, budget_of(model))
  if (!merges(model)) model$merged <- NULL
  model
}
