# The rounds of a cascade, in this process.

new_rounds <- function() {
  names <- c("trained", "vectors", "violators", "objective", "seconds")
  as.data.frame(stats::setNames(rep(list(numeric()), length(names)), names))
}

# `seeds`: two per round and shard. Ctrl-C after the first round leaves what it made.
train_cascade <- function(shards, header, found, rounds, seeds, bar) {
  seeds <- matrix(seeds, 2 * length(shards))
  state <- list2env(list(set = new_set(header), rounds = new_rounds(), checked = NULL), parent = emptyenv())
  interrupted <- run_rounds(state, rounds + 1, bar, function(r) {
    cascade_round(state, shards, r, seeds[, min(r, rounds)], r > rounds)
  })
  finish_cascade(state, interrupted)
}

# Rounds until one of them is TRUE; whether they were interrupted, after the first.
run_rounds <- function(state, most, bar, round) {
  tryCatch(
    {
      for (r in seq_len(most)) {
        if (round(r)) break
        if (!is.null(bar$show)) bar$show(r / most)
      }
      FALSE
    },
    interrupt = function(c) {
      if (nrow(state$rounds) == 0) signal_interrupt()
      warn("The training was interrupted; the model is that of its last complete round.", "osvm_interrupted")
      TRUE
    }
  )
}

# One round; TRUE: no shard has a violator. The last call only checks.
cascade_round <- function(state, shards, r, seeds, last) {
  n <- length(shards)
  started <- seconds_now()
  set <- state$set
  bounds <- if (r > 1) set_bounds(set)
  own <- lapply(seq_len(n), function(k) list(k, bounds, if (!last) seeds[k]))
  answers <- on_shards(shards, "cascade_shard", list(set), own)
  violators <- sum(vapply(answers, `[[`, 0, "violators"))
  sent <- if (r > 1) n * nrow(set$members) else 0
  if (r > 1) {
    extremes <- do.call(pmax, lapply(answers, `[[`, "extremes"))
    # The violation of the optimality conditions over all examples, per machine
    gap <- pmax(bounds[, 1], extremes[, 1]) - pmin(bounds[, 2], -extremes[, 2])
    state$checked <- list(violators = violators, gap = gap)
    if (violators == 0 || last) {
      state$rounds$vectors[r - 1] <- state$rounds$vectors[r - 1] + sent
      state$rounds$seconds[r - 1] <- state$rounds$seconds[r - 1] + seconds_now() - started
      return(TRUE)
    }
  }
  sets <- Filter(Negate(is.null), lapply(answers, `[[`, "set"))
  for (one in sets) sent <- sent + if (is.null(one$sent)) set_size(one) else one$sent
  new <- if (r > 1) sum(vapply(sets, `[[`, 0, "sent")) else Inf
  if (r > 1) sets <- lapply(sets, complete_set, set)
  # Where the shards have little to add to the set, it is trained once with all of that.
  merged <- if (new < nrow(set$members)) {
    list(set = merge_sets(sets, seeds[n + 1]), sent = 0)
  } else {
    merge_layers(sets, seeds[n + seq_len(n)])
  }
  sent <- sent + merged$sent
  state$set <- merged$set
  if (predicts_classes(set$model) && length(unique(merged$set$members$class)) < 2) {
    abort("No shard has examples of two classes that could be told apart: deal the rows to the shards at random.")
  }
  state$rounds[r, ] <- list(length(sets), sent, violators, set_objective(merged$set), seconds_now() - started)
  FALSE
}

# Pairs, pairs of pairs, ...: the pairs of a layer on workers, the last one here.
merge_layers <- function(sets, seeds) {
  sent <- 0
  used <- 0
  while (length(sets) > 1) {
    pairs <- split(seq_along(sets), ceiling(seq_along(sets) / 2))
    whole <- pairs[lengths(pairs) == 2]
    arguments <- lapply(seq_along(whole), function(i) {
      list(sets[whole[[i]]], seeds[(used + i - 1) %% length(seeds) + 1])
    })
    used <- used + length(whole)
    if (length(whole) > 1) {
      pairs <- lapply(arguments, function(pair) list(work = "merge_sets", arguments = pair))
      merged <- bundle_values(pairs, function(i) "Merging the shards")
      sent <- sent + sum(vapply(c(unlist(lapply(arguments, `[[`, 1), recursive = FALSE), merged), set_size, 0))
    } else {
      merged <- lapply(arguments, function(pair) do.call(merge_sets, pair))
    }
    sets <- c(merged, sets[unlist(pairs[lengths(pairs) == 1])])
  }
  list(set = sets[[1]], sent = sent)
}

set_size <- function(set) nrow(set$members) + length(set$candidates$class)

# Per machine: the largest slope of members whose coefficient can increase, the smallest of those whose can decrease.
set_bounds <- function(set) {
  model <- set$model
  f <- decision_values(model, model$sv, model$control$threads)
  coef <- if (is.null(model$state)) model$coef else state_layer(model, "coef")
  slopes <- dual_slopes(model, set$members, as.matrix(f), as.matrix(coef))
  cbind(apply(slopes$up, 2, max, -Inf), apply(slopes$low, 2, min, Inf), deparse.level = 0)
}

finish_cascade <- function(state, interrupted) {
  model <- state$set$model
  optimum <- !interrupted && state$checked$violators == 0
  model$shards <- list(
    method = "cascade", rounds = state$rounds, violators = if (interrupted) NA else state$checked$violators,
    optimum = optimum
  )
  model$convergence$finished <- rep(optimum, nrow(model$convergence))
  model$convergence$gap <- if (interrupted) NA_real_ else state$checked$gap
  if (!interrupted && !optimum) {
    warn(c(
      "After {plural(nrow(state$rounds), 'round')} {plural(state$checked$violators, 'example')} of the shards still
       violate the optimality conditions.",
      i = "Raise {.arg rounds}; the model is what was reached until then."
    ), "osvm_unfinished")
  }
  model
}
