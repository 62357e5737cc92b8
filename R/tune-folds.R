# The cross-validation plan, an entry per repeat: `fold`, a number per example;
# `order`, in which examples are visited; `seed`, one per fold, with which osvm()
# gives the same fit.

make_plan <- function(labels, folds, repeats, foldid) {
  class <- first_target(labels$class)
  if (inherits(folds, "osvm_folds")) {
    if (!is.null(foldid)) abort("Give {.arg foldid} or the {.arg folds} of an earlier tuning, not both.")
    return(reuse_plan(folds, class))
  }
  repeats <- one_whole(repeats, most = 1e4)
  given <- if (!is.null(foldid)) check_foldid(foldid, length(class))
  if (is.null(given)) check_folds(folds, length(class))
  plan <- lapply(seq_len(repeats), function(r) {
    fold <- if (is.null(given)) deal_folds(class, folds) else given
    list(
      fold = fold, seed = sample.int(.Machine$integer.max, max(fold)),
      order = sample.int(length(class))
    )
  })
  for (round in plan) check_training(round$fold, class)
  plan
}

check_folds <- function(folds, n) {
  if (one_whole(folds, least = 2) > n) abort("{.arg folds} must be at most the number of examples, {n}, not {folds}.")
}

# The folds of an earlier tuning.
reuse_plan <- function(folds, class) {
  check_runs(folds, "folds")
  order <- attr(folds, "order")
  if (!is.list(order) || length(order) == 0 || lengths(order)[1] != length(class)) {
    abort("{.arg folds} comes from a tuning of {lengths(order)[1]} examples; {.arg x} has {length(class)} row{?s}.")
  }
  of <- vapply(folds, function(run) run$rep, 0)
  plan <- lapply(seq_along(order), function(r) {
    runs <- unclass(folds)[of == r]
    fold <- integer(length(class))
    for (k in seq_along(runs)) fold[runs[[k]]$test] <- k
    list(fold = fold, seed = vapply(runs, function(run) run$seed, 0L), order = order[[r]])
  })
  for (round in plan) check_training(round$fold, class)
  plan
}

check_foldid <- function(foldid, n) {
  if (!is.atomic(foldid) || length(foldid) != n) {
    abort("{.arg foldid} must give the fold of each of the {n} example{?s}; it has length {length(foldid)}.")
  }
  if (anyNA(foldid)) {
    abort("{.arg foldid} has missing values; every example needs a fold.")
  }
  fold <- match(foldid, sort(unique(foldid)))
  if (max(fold) < 2) {
    abort("{.arg foldid} must name two or more folds.")
  }
  fold
}

# Only classes can be missing.
check_training <- function(fold, class) {
  if (!is.integer(class)) {
    return()
  }
  members <- table(fold, class)
  left <- rep(colSums(members), each = nrow(members)) - members
  alone <- rowSums(left > 0) < 2
  if (any(alone)) {
    abort(c(
      "Without fold {which(alone)[1]} only one class is left to learn from.",
      i = "Use fewer {.arg folds}, or a {.arg foldid} that spreads the rarer class over several folds."
    ))
  }
}

# The plan as stored in the tuning: plain numbers.
describe_folds <- function(plan, shuffled) {
  runs <- lapply(seq_along(plan), function(r) {
    round <- plan[[r]]
    visits <- if (shuffled) round$order else seq_along(round$order)
    lapply(seq_along(round$seed), function(k) {
      list(
        rep = as.numeric(r), fold = as.numeric(k), seed = round$seed[k],
        train = visits[round$fold[visits] != k], test = which(round$fold == k)
      )
    })
  })
  structure(unlist(runs, recursive = FALSE), order = lapply(plan, `[[`, "order"), class = "osvm_folds")
}
