# The search of a default fit: over the transform of the features, the kernel, weights of the features, cost, width and,
# of numbers, epsilon. Candidates are compared by cross-validation on the same rows, coarsely on a sample; the best are
# compared again, more finely and by more rows. What was given is not searched. All runs of a candidate share base values
# of its kernel. bench/tables.R has the measurements.
#
# A candidate is a list of
#   features  what was asked for as `scale`
#   rounds    of weights by gradient (learn-search-weights.R)
#   model     as it would be learned, with the best setting so far
#   parts     models that stand for it in the folds: one for all, or, with weights, one per fold, whose weights do not
#             come from the examples that it holds out
#   table     the settings compared, with `error` and `criterion`, by which the best is taken

search_rows <- c(coarse = 1000, fine = 3000)
search_classes <- 8 # of more, some are compared
search_grid <- list(cost = c(1, 8, 64), multiple = 2^c(-4, -2, 0, 2))
linear_costs <- c(0.02, 0.2, 2)
largest_search_cost <- 1000

# The model with what was found, and `choice`, a row per candidate and setting. `open`: a flag each for what is to be
# chosen: `scale`, `kernel`, `width`, `cost`. `effort`: how long to look.
search_model <- function(model, examples, open, effort = 1) {
  search <- open_search(model, examples, open, effort)
  if (is.null(search)) {
    return(NULL)
  }
  candidates <- compare_candidates(search, start_candidates(search), coarse_settings(search))
  candidates <- c(candidates, weighted_candidates(search, candidates))
  refined <- refine_candidates(search, candidates)
  best <- refine_margin(refined$search, refined$candidate)
  model <- replace(best$model, "control", model["control"])
  model$choice <- choice_table(c(candidates, list(best)))
  model
}

can_search <- function(model) {
  is_labelled(model) && !is_given(model$kernel) && !is_low_rank(model$kernel) && has_width(model$kernel) &&
    model$transform$kind != "running"
}

# NULL: there is too little to compare.
open_search <- function(model, examples, open, effort) {
  rows <- search_sample(model, examples, search_rows[["coarse"]] * sqrt(effort))
  present <- unique(first_target(at_rows(examples$class, rows)))
  if (length(rows) < 20 || length(present) < 2) {
    return(NULL)
  }
  search <- list(
    model = model, examples = examples, columns = describe_columns(examples$x), open = open, effort = effort,
    rows = rows, fold = deal_evenly(rows, if (length(rows) < 300) 5 else 3)
  )
  if (length(rows) * NROW(model$machines) * model$n_features < 5e4) search$model$control$threads <- 1
  search
}

# Evenly spaced within each of some classes, or along the numbers, so that the choice does not depend on the seed.
search_sample <- function(model, examples, most) sample_rows(examples, model$outcome == "classes", most, search_classes)

# The fold of each row: rows that follow each other in the order of targets are in different folds.
deal_evenly <- function(rows, folds) rep_len(seq_len(folds), length(rows))

# ---- candidates ----

start_candidates <- function(search) {
  model <- search$model
  kernels <- if (search$open$kernel) search_kernels(model) else list(model$kernel)
  scales <- if (search$open$scale && "rank" %in% names(transform_kinds) && can_rank(search)) list(TRUE, "rank") else list(NULL)
  candidates <- list()
  for (scale in scales) {
    for (kernel in kernels) {
      if (identical(scale, "rank") && is_linear(kernel)) next
      candidates <- c(candidates, list(new_candidate(with_features(search, scale, kernel), scale)))
    }
  }
  candidates
}

new_candidate <- function(model, features, rounds = 0, parts = list(model)) {
  list(features = if (is.null(features)) "given" else as.character(features), rounds = rounds, model = model, parts = parts)
}

# Kernels of one width that are positive definite, and the linear one.
search_kernels <- function(model) list(kernel_rbf(), kernel_laplacian(), kernel_linear())

# Ranks are another transform where a dense column has more than two values.
can_rank <- function(search) {
  x <- search$examples$x
  !is_sparse(x) && any(vapply(seq_len(ncol(x)), function(k) {
    some <- x[evenly_spaced(nrow(x), 1000), k]
    any(some != some[1] & some != some[some != some[1]][1])
  }, NA))
}

# The model with features transformed as `scale` says (NULL: as they are) and a kernel whose width, if it is open, is the
# usual one of these features.
with_features <- function(search, scale, kernel) {
  model <- search$model
  if (!is.null(scale)) {
    fitted <- fit_transform(scale, search$examples$x)
    model$transform <- fitted$transform
    model$scaling <- model$transform$scaling
    model$extent <- data_extent(search$columns, model$transform)
  }
  model$kernel <- complete_kernel(kernel, search$examples$x, model$transform)
  model$estimated <- union(model$estimated, estimated_parts(isFALSE(scale), kernel))
  model
}

# ---- comparison ----

coarse_settings <- function(search) {
  function(candidate) {
    model <- candidate$model
    cost <- role_name(model$solver, "cost")
    if (is_linear(model$kernel)) {
      return(stats::setNames(data.frame(linear_costs), cost))
    }
    scale <- role_value(model$kernel, "scale", 1)
    settings <- expand.grid(search_grid$cost, scale * if (search$open$width) search_grid$multiple else 1)
    stats::setNames(settings, c(cost, role_name(model$kernel, "scale")))
  }
}

# All candidates on the rows of the search, side by side on threads.
compare_candidates <- function(search, candidates, settings_of) {
  settings <- lapply(candidates, settings_of)
  jobs <- unlist(Map(search_jobs, list(search), candidates, settings), recursive = FALSE)
  threads <- search$model$control$threads
  results <- run_grids(share_search(jobs), threads)
  at <- rep(seq_along(candidates), lengths(lapply(candidates, `[[`, "parts")))
  lapply(seq_along(candidates), function(k) {
    score_candidate(search, candidates[[k]], settings[[k]], results[at == k])
  })
}

# A grid per part, which holds out its fold.
search_jobs <- function(search, candidate, settings) {
  rows <- search$rows
  lapply(seq_along(candidate$parts), function(k) {
    part <- candidate$parts[[k]]
    fold <- if (length(candidate$parts) == 1) search$fold else +(search$fold == k)
    models <- lapply(seq_len(nrow(settings)), function(i) set_point(roughly_solved(part), settings, i))
    specs <- function(kind) list(specs = lapply(models, `[[`, kind), of = seq_along(models))
    of_each <- replace(integer(length(search$examples$weight)), rows, fold)
    part <- with_present(part, search$examples$class, rows)
    new_grid(part, search$examples, of_each, specs("solver"), specs("kernel"), rep(1, max(fold)), rows)
  })
}

roughly_solved <- function(model) {
  model$solver <- roughly(model$solver)
  model
}

# The machines whose classes are among these rows.
with_present <- function(model, class, rows) {
  if (model$outcome == "classes") {
    present <- unique(class[rows])
    machines <- model$machines
    model$machines <- machines[machines$positive %in% present & machines$negative %in% c(0, present), ]
  }
  model
}

# The memory for kernel values does not depend on how many threads there are.
share_search <- function(grids) {
  extent <- Reduce(larger_extent, lapply(grids, `[[`, "extent"))
  lapply(grids, function(grid) {
    grid[c("extent", "cache_mb")] <- list(extent, grid$cache_mb / 2)
    grid
  })
}

score_candidate <- function(search, candidate, settings, results) {
  results <- lapply(results, complete_result, what = "The choice of settings")
  at <- order(search$rows)
  rows <- search$rows[at]
  fold <- search$fold[at]
  f <- results[[1]]$outputs
  for (k in seq_along(results)[-1]) f[fold == k, , ] <- results[[k]]$outputs[fold == k, , ]
  model <- with_present(candidate$model, search$examples$class, rows)
  target <- at_rows(search$examples$class, rows)
  weight <- search$examples$weight[rows]
  scored <- vapply(seq_len(nrow(settings)), function(i) {
    f <- matrix(f[, , i], length(rows))
    error <- error_of_losses(model, as.matrix(row_losses(model, target, f)), weight)
    c(error = error, criterion = error + doubt(model, target, f, weight))
  }, numeric(2))
  candidate$table <- cbind(settings, t(scored))
  set_best(candidate)
}

set_best <- function(candidate) {
  best <- which.min(candidate$table$criterion)
  candidate[c("error", "criterion")] <- candidate$table[best, c("error", "criterion")]
  candidate$model <- set_point(candidate$model, candidate$table[seq_len(ncol(candidate$table) - 2)], best)
  candidate$parts <- lapply(candidate$parts, replace, c("solver", "kernel"), candidate$model[c("solver", "kernel")])
  candidate
}

# ---- refinement ----

# The best candidates by more rows, around the best setting of each: list(candidate, search).
refine_candidates <- function(search, candidates) {
  order <- order(vapply(candidates, `[[`, 0, "criterion"))
  best <- candidates[utils::head(order, 1 + round(2 * sqrt(search$effort)) %/% 2)]
  n <- length(search$examples$weight)
  if (length(search$rows) < n) {
    search$rows <- search_sample(search$model, search$examples, search_rows[["fine"]] * sqrt(search$effort))
    search$fold <- deal_evenly(search$rows, 3)
    best <- lapply(best, function(candidate) replace(candidate, "parts", list(list(candidate$model))))
  }
  fine <- function(candidate) {
    multiples <- if (search$open$width) c(1, 0.5, 2) else 1
    settings_around(candidate$model, names(candidate$table)[seq_len(ncol(candidate$table) - 2)], c(1, 1 / 3, 3), multiples)
  }
  best <- compare_candidates(search, best, fine)
  list(candidate = best[[which.min(vapply(best, `[[`, 0, "criterion"))]], search = search)
}

# Numbers: an epsilon below the usual one where there is little noise, one above where there is much.
margins <- c(0.01, 0.03, 0.3)

refine_margin <- function(search, candidate) {
  loss <- candidate$model$loss
  usual <- role_value(loss, "margin")
  if (is.null(usual) || !search$open$loss) {
    return(candidate)
  }
  setting <- candidate$table[which.min(candidate$table$criterion), seq_len(ncol(candidate$table) - 2), drop = FALSE]
  others <- lapply(margins, function(margin) {
    loss <- set_role(loss, "margin", margin)
    candidate$model$loss <- loss
    candidate$parts <- lapply(candidate$parts, replace, "loss", list(loss))
    candidate
  })
  all <- c(list(candidate), compare_candidates(search, others, function(candidate) setting))
  all[[which.min(vapply(all, `[[`, 0, "criterion"))]]
}

# ---- the table of what was compared ----

choice_table <- function(candidates) {
  tables <- lapply(candidates, function(candidate) {
    n <- nrow(candidate$table)
    settings <- candidate$table[seq_len(ncol(candidate$table) - 2)]
    as_table(list(
      scale = rep(candidate$features, n), weights = rep(candidate$rounds, n), kernel = rep(candidate$model$kernel$name, n),
      cost = settings[[1]], width = if (length(settings) > 1) settings[[2]] else rep(NA_real_, n),
      epsilon = rep(role_value(candidate$model$loss, "margin", NA_real_), n), error = candidate$table$error
    ))
  })
  do.call(rbind, tables)
}

# Classes: what the margins add to the share of errors, so that a few rows more or less do not decide.
doubt <- function(model, target, f, weight) {
  if (model$outcome != "classes") {
    return(0)
  }
  machines <- model$machines
  sign <- outer(target, machines$positive, "==") - if (machines$negative[1] == 0) !outer(target, machines$positive, "==") else
    outer(target, machines$negative, "==")
  lost <- rowSums(pmin(2, pmax(0, 1 - sign * f)) * abs(sign)) / rowSums(abs(sign))
  margin_share * stats::weighted.mean(lost, weight) / 2
}
margin_share <- 0.25

# TEMP
row_losses <- function(model, target, f) {
  predicted <- predict_targets(model, f)
  if (model$outcome == "classes") as.double(predicted != target) else if (is.matrix(target)) rowMeans((predicted - target)^2) else
    (predicted - target)^2
}
error_of_losses <- function(model, losses, weight) {
  mean <- drop(crossprod(weight, losses)) / sum(weight)
  if (model$outcome == "classes") mean else sqrt(mean)
}
