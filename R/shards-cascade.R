# The cascade: dual machines trained on shards, their support vectors merged pairwise (Graf et al. 2004).
#
# A set is a trained model with a table of its support vectors, `members`: class, weight, and the shard and row it is
# from, which identify it. A run on a set and further examples is a warm start from the set's coefficients, if there is
# one binary machine: of several, a run takes a member for an example of those machines only in which its coefficient is
# not 0. The dual objective does not increase from a set to a set trained together with others, so the rounds come to an
# end.

# Trains the examples that are not members yet together with the set; in a new set the model is untrained.
train_set <- function(set, new, seed) {
  if (nrow(set$model$machines) > 1 && nrow(set$members) > 0) {
    new <- bind_members(list(set_examples(set), new))
    set <- new_set(untrained(set$model))
  }
  found <- with_seed(seed, {
    rows <- visit_order(set$model, seq_along(new$class))
    c(run_core(set$model, new, rows), list(rows = rows))
  })
  if (found$interrupted) signal_interrupt()
  members <- rbind(set$members, new$members[found$rows, ])[found$kept, ]
  rownames(members) <- NULL
  list(model = found$model, members = members)
}

new_set <- function(header) list(model = header, members = member_table(integer(), integer(), numeric(), integer()))

member_table <- function(class, shard, weight, row) data.frame(class = class, shard = shard, weight = weight, row = row)

# Rows of a shard as examples with their table.
shard_examples <- function(examples, k, rows) {
  all <- seq_along(examples$class)
  examples$members <- member_table(examples$class, rep(k, length(all)), examples$weight, all)
  take_members(examples, rows)
}

# The members of a set as examples.
set_examples <- function(set) {
  list(x = set$model$sv, class = set$members$class, weight = set$members$weight, members = set$members)
}

take_members <- function(examples, rows) {
  c(take_examples(examples, rows), list(members = examples$members[rows, ]))
}

bind_members <- function(parts) {
  parts <- Filter(function(part) length(part$class) > 0, parts)
  list(
    x = Reduce(bind_rows, lapply(parts, `[[`, "x")), class = unlist(lapply(parts, `[[`, "class")),
    weight = unlist(lapply(parts, `[[`, "weight")), members = do.call(rbind, lapply(parts, `[[`, "members"))
  )
}

# A number per member: a row of a shard, of at most 2^31 rows.
member_key <- function(members) members$shard * 2^31 + members$row

# ---- on a worker ----

# The set that a shard's examples make, alone or together with `set`; NULL without a violator.
cascade_shard <- function(set, k, bounds, seed, shard) {
  examples <- prepare_shard(set$model, shard)
  outside <- setdiff(seq_along(examples$class), set$members$row[set$members$shard == k])
  if (is.null(bounds)) {
    trained <- train_set(set, shard_examples(examples, k, outside), seed)
    return(list(set = with_candidates(trained, examples, k), extremes = NULL, violators = length(outside)))
  }
  found <- find_violators(set$model, examples, outside, bounds)
  if (found$violators == 0 || is.null(seed)) {
    return(found)
  }
  trained <- train_set(set, shard_examples(examples, k, outside), seed)
  c(found, list(set = only_new(trained, set)))
}

# A class of which there is no support vector, since the shard has no other, is represented by some of its examples, so
# that the next set has both sides.
with_candidates <- function(set, examples, k, most = 50) {
  if (!predicts_classes(set$model)) {
    return(set)
  }
  lacking <- setdiff(unique(examples$class), set$members$class)
  rows <- unlist(lapply(lacking, function(class) {
    of <- which(examples$class == class)
    of[evenly_spaced(length(of), most)]
  }))
  if (length(rows) > 0) set$candidates <- shard_examples(examples, k, rows)
  set
}

# Examples outside the set, whose coefficients are 0. `bounds` of the set, a row per machine: the largest slope `up` in
# its I_up and the smallest `low` in its I_low, see dual_slopes(). A violator is one that would be in a violating pair
# with a member; `extremes`: the largest slope in I_up and the largest of minus those in I_low, a row per machine.
find_violators <- function(model, examples, outside, bounds) {
  if (length(outside) == 0) {
    return(list(violators = 0, extremes = matrix(-Inf, nrow(model$machines), 2)))
  }
  f <- as.matrix(decision_values(model, examples$x[outside, , drop = FALSE], model$control$threads))
  slopes <- dual_slopes(model, list(class = examples$class[outside], weight = examples$weight[outside]), f, 0 * f)
  tolerance <- 1.01 * role_value(model$solver, "tolerance") # kernel values are rounded otherwise in a prediction
  beyond <- pmax(sweep(slopes$up, 2, bounds[, 2]), -sweep(slopes$low, 2, bounds[, 1]))
  list(
    violators = sum(rowSums(beyond > tolerance) > 0),
    extremes = cbind(apply(slopes$up, 2, max), apply(-slopes$low, 2, max), deparse.level = 0)
  )
}

# By how much the dual falls, relative to the bias, per step up or down of the coefficients `coef` of examples with
# outputs f: a row per example, a column per machine. Infinite where a coefficient is at its bound.
dual_slopes <- function(model, examples, f, coef) {
  labels <- core_labels(model, examples, seq_along(examples$weight))
  core_result(.Call(ffi_dual_slopes, labels, role_value(model$solver, "cost"), f, coef), "The model")
}

# Only what the other side lacks travels: of members of `before` their position.
only_new <- function(set, before) {
  at <- match(member_key(set$members), member_key(before$members))
  set$at <- at
  set$model <- set$model[c(
    "sv", "target", "coef", "intercept", "state", "scalars", "n_sv", "stats", "convergence", "n_seen"
  )]
  set$model$sv <- set$model$sv[is.na(at), , drop = FALSE]
  set$sent <- sum(is.na(at))
  set
}

complete_set <- function(part, before) {
  new <- which(is.na(part$at))
  old <- which(!is.na(part$at))
  sv <- bind_rows(before$model$sv[part$at[old], , drop = FALSE], part$model$sv)
  part$model$sv <- sv[order(c(old, new)), , drop = FALSE]
  model <- before$model
  model[names(part$model)] <- part$model
  model$index <- NULL # rows of several shards
  list(model = model, members = part$members)
}

# The sets trained together, the best one as the start.
merge_sets <- function(sets, seed) {
  best <- which.min(vapply(sets, set_objective, 0))
  a <- sets[[best]]
  new <- bind_members(c(lapply(sets[-best], set_examples), lapply(sets, `[[`, "candidates")))
  key <- member_key(new$members)
  new <- take_members(new, which(!duplicated(key) & !key %in% member_key(a$members)))
  if (length(new$class) == 0) {
    return(a)
  }
  merged <- train_set(a, new, seed)
  lacking <- predicts_classes(a$model) & new$class %in% setdiff(new$class, merged$members$class)
  if (any(lacking)) merged$candidates <- take_members(new, which(lacking))
  merged
}

set_objective <- function(set) if (is.null(set$model$convergence)) 0 else sum(set$model$convergence$objective)
