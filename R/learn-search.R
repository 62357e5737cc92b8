# The search of a default fit: over the transform of the features, the kernel, weights of the features, cost, width and,
# of numbers, epsilon. Candidates are compared by cross-validation on the same rows, coarsely on a sample; the best are
# compared again, more finely and by more rows. What was given is not searched. All runs of a candidate share base
# values of its kernel. bench/tables.R has the measurements.
#
# A candidate is a list of
#   features  what was asked for as `scale`
#   rounds    of weights by gradient (learn-search-weights.R)
#   model     as it would be learned, with the best setting so far
#   parts     models that stand for it in the folds: one for all, or, with weights or a trend (learn-search-trend.R),
#             one per fold, whose weights and trend do not come from the examples that it holds out
#   table     the settings compared, with `error` and `criterion`, by which the best is taken

search_rows <- c(coarse = 1000, fine = 3000)
search_classes <- 8 # of more, some are compared
kept_candidates <- 3 # that are compared by more rows
search_costs <- c(2, 32) # more choices are chosen by more noise (bench/tables/tried.md)
search_multiples <- 2^c(-3, -1, 1) # of the usual width
multiples_of_many <- 2^c(-2, 0, 2, 4) # many rows show finer boundaries
linear_costs <- c(0.02, 0.2, 2)

# The model with what was found, `choice`, the table of what was compared, and `held`, if all examples were compared:
# their decision values by the machines that had not learned them. NULL: there is nothing to compare, or no time.
#
# `open`: a flag each for what is to be chosen, `scale`, `kernel`, whether a `linear` one is among them, `width`,
# `loss`, `multiclass` by the kernel. `effort`: how long to look, 1 for the default; `many`: whether the examples are a
# sample of many.
search_model <- function(model, examples, open, effort = 1, many = FALSE) {
  found <- run_search(open_search(model, examples, open, effort, many))
  if (is.null(found)) {
    return(NULL)
  }
  model <- found$model
  model$choice <- choice_table(found)
  if (!many && found$best$rows == sum(examples$weight > 0)) model$held <- held_outputs(found, length(examples$weight))
  model
}

# The model, the `candidates` and the `best` of them. What an interrupt or the end of the time leaves is the best so
# far.
run_search <- function(search) {
  if (is.null(search)) {
    return(NULL)
  }
  on.exit(search$record$bar$done())
  best <- look_while_time(search)
  all <- search$record$candidates
  if (length(all) == 0) {
    return(NULL)
  }
  if (is.null(best)) best <- best_of(of_most_rows(all))[[1]]
  model <- replace(best$model, "control", search$model["control"])
  if (!is.null(model$trend)) model$trend <- fit_trend(search$examples, 0)
  if (is_linear(model$kernel) && length(search$examples$weight) > many_rows_linear) {
    model$solver <- set_role(default_solver("many_rows"), "cost", role_value(model$solver, "cost"))
  }
  list(model = model, candidates = all, best = best, evaluations = search$record$evaluations)
}

of_most_rows <- function(candidates) {
  rows <- vapply(candidates, `[[`, 0, "rows")
  candidates[rows == max(rows)]
}

# NULL: not of all machines.
held_outputs <- function(found, n) {
  best <- found$best
  if (ncol(best$held) == nrow(found$model$machines)) {
    held <- matrix(NA_real_, n, ncol(best$held))
    held[best$at, ] <- best$held
    held
  }
}

# NULL if it takes longer than a third of the time that a limit leaves, or was interrupted.
look_while_time <- function(search) {
  end <- seconds_now() + time_left() / 3
  tryCatch(within_limit(time_left() / 3, look(search)), interrupt = function(c) {
    if (seconds_now() >= end) {
      return(NULL)
    }
    if (length(search$record$candidates) == 0) signal_interrupt()
    warn(
      "The choice of settings was interrupted; the fit has the best of those compared until then.", "osvm_interrupted"
    )
    NULL
  })
}

look <- function(search) {
  found <- compare_candidates(search, start_candidates(search), function(candidate) coarse_settings(search, candidate))
  weighted_candidates(search, c(found, trend_candidates(search, found)))
  sharpen(search, refine_candidates(search, search$record$candidates))
}

# Cost and width.
settings_alone <- list(scale = FALSE, kernel = FALSE, width = TRUE, loss = FALSE)

can_search <- function(model) {
  is_labelled(model) && !is_given(model$kernel) && !is_low_rank(model$kernel) && has_width(model$kernel) &&
    model$transform$kind != "running"
}

# NULL: there is too little to compare. `folds`: their number, NULL for the usual one; `detail`: whether the table is to
# have more than errors.
open_search <- function(model, examples, open, effort, many = FALSE, folds = NULL, detail = FALSE) {
  if (many) {
    open <- for_many_rows(open)
    effort <- 4 * effort
  }
  bar <- progress_bar(model$control$verbose, "Choosing settings")
  record <- list2env(list(candidates = list(), stage = 0, evaluations = 0, bar = bar), parent = emptyenv())
  search <- list(
    model = model, examples = examples, columns = describe_columns(examples$x), open = open, effort = effort,
    record = record, many = many, folds = folds, detail = detail
  )
  search <- with_rows(search, search_rows[["coarse"]] * sqrt(effort))
  rows <- search$rows
  present <- unique(first_target(at_rows(examples$class, rows)))
  if (length(rows) < 20 || length(present) < 2) {
    return(NULL)
  }
  if (length(rows) * NROW(model$machines) * model$n_features < 5e4) search$model$control$threads <- 1
  search
}

# Cells learn their own boundaries, and a linear SVM is a way of its own; all rows would be support vectors of a loss
# that they share.
for_many_rows <- function(open) replace(open, c("linear", "loss"), FALSE)

# Rows on which candidates are compared, and the fold of each; `broad`: rows of all classes, by which weights of
# features are found. Evenly spaced within each class, or along the numbers, so that the choice does not depend on the
# seed; rows that follow each other in the order of targets are in different folds.
with_rows <- function(search, most) {
  rows <- function(classes) sample_rows(search$examples, predicts_classes(search$model), most, classes)
  search$rows <- rows(search_classes)
  search$broad <- rows(Inf)
  folds <- if (!is.null(search$folds)) search$folds else if (length(search$rows) < 1000) 5 else 3
  search$fold <- rep_len(seq_len(folds), length(search$rows))
  search
}

with_fine_rows <- function(search) {
  if (length(search$rows) == length(search$examples$weight)) search else
    with_rows(search, search_rows[["fine"]] * sqrt(search$effort))
}

# ---- candidates ----

start_candidates <- function(search) {
  kernels <- if (search$open$kernel) search_kernels(!isFALSE(search$open$linear)) else list(search$model$kernel)
  sparse <- is_sparse(search$examples$x)
  other <- if (sparse) "unit" else if (can_rank(search)) "rank"
  scales <- if (search$open$scale && !is.null(other)) list(TRUE, other) else list(NULL)
  candidates <- list()
  for (scale in scales) {
    for (kernel in kernels) {
      if (identical(scale, "rank") && is_linear(kernel)) next
      if (identical(scale, "unit") && !is_linear(kernel)) next
      model <- with_features(search, scale, kernel)
      features <- if (is.null(scale)) "given" else as.character(scale)
      candidates <- c(candidates, list(list(features = features, rounds = 0, model = model, parts = list(model))))
    }
  }
  candidates
}

search_kernels <- function(linear) c(list(kernel_rbf(), kernel_laplacian()), if (linear) list(kernel_linear()))

# Ranks are another transform where a dense column has more than two values.
can_rank <- function(search) {
  x <- search$examples$x
  !is_sparse(x) && any(vapply(seq_len(ncol(x)), function(k) {
    some <- x[evenly_spaced(nrow(x), 1000), k]
    any(some != some[1] & some != some[some != some[1]][1])
  }, NA))
}

# The model with features transformed as `scale` says (NULL: as they are) and a kernel whose width, if it is open, is
# the usual one of these features.
with_features <- function(search, scale, kernel) {
  model <- search$model
  if (!is.null(scale)) {
    fitted <- fit_transform(scale, search$examples$x, search$columns)
    model$transform <- fitted$transform
    model$scaling <- model$transform$scaling
    model$extent <- data_extent(search$columns, model$transform)
  }
  model$kernel <- complete_kernel(kernel, search$examples$x, model$transform)
  if (isTRUE(search$open$multiclass)) model <- with_machines(model)
  model$estimated <- union(model$estimated, estimated_parts(isFALSE(scale), kernel))
  model
}

# ---- comparison ----

coarse_settings <- function(search, candidate) {
  model <- candidate$model
  names <- c(role_name(model$solver, "cost"), role_name(model$kernel, "scale"))
  if (is_linear(model$kernel)) {
    return(cross_settings(model, names, linear_costs, 1))
  }
  multiples <- if (!search$open$width) 1 else if (search$many) multiples_of_many else search_multiples
  cross_settings(model, names, search_costs, multiples)
}

# The share of the work that is done after each comparison, about.
done_after <- c(0.3, 0.45, 0.6, 0.75, 0.9, 1)

# All candidates on the rows of the search, side by side on threads; they are recorded.
compare_candidates <- function(search, candidates, settings_for) {
  if (length(candidates) == 0) {
    return(NULL)
  }
  settings <- lapply(candidates, settings_for)
  jobs <- unlist(Map(search_jobs, list(search), candidates, settings), recursive = FALSE)
  record <- search$record
  begin <- c(0, done_after)[record$stage + 1]
  record$stage <- min(record$stage + 1, length(done_after) - 1)
  show <- record$bar$show
  progress <- if (!is.null(show)) function(part) show(begin + part * (done_after[record$stage] - begin))
  results <- run_grids(share_search(jobs), search$model$control$threads, progress)
  at <- rep(seq_along(candidates), lengths(lapply(candidates, `[[`, "parts")))
  scored <- lapply(seq_along(candidates), function(k) {
    score_candidate(search, candidates[[k]], settings[[k]], results[at == k])
  })
  record$candidates <- c(record$candidates, scored)
  record$evaluations <- record$evaluations + evaluations_of(results)
  scored
}

evaluations_of <- function(results) {
  sum(vapply(results, function(result) sum(result$counts["evaluations", ], result$shared[["evaluations"]]), 0))
}

# A grid per part, which holds out its fold; parts differ in the transform and the trend alone.
search_jobs <- function(search, candidate, settings) {
  rows <- search$rows
  examples <- search$examples
  fold <- replace(integer(length(examples$weight)), rows, search$fold)
  solvers <- vary_spec(roughly(candidate$model$solver), settings)
  kernels <- vary_spec(candidate$model$kernel, settings)
  grid <- new_grid(
    with_present(candidate$model, examples$class, rows), examples, fold, solvers, kernels, rep(1, max(fold)), rows
  )
  if (length(candidate$parts) == 1) {
    return(list(grid))
  }
  Map(function(part, k) {
    grid$data <- core_data(examples$x, part$transform, rows = rows - 1L)
    grid$extent <- part$extent
    if (!is.null(part$trend)) {
      grid$labels <- core_labels(part, examples, rows)
      grid$trend <- trend_values(part, examples$x[rows, , drop = FALSE])
    }
    grid$labels$fold <- (search$fold == k) - 1L
    grid$seed <- 1
    grid
  }, candidate$parts, seq_along(candidate$parts))
}

# The machines whose classes are among these rows.
with_present <- function(model, class, rows) {
  if (predicts_classes(model)) {
    present <- unique(class[rows])
    machines <- model$machines
    model$machines <- machines[machines$positive %in% present & machines$negative %in% c(0, present), ]
  }
  model
}

# The memory for kernel values does not depend on how many threads there are.
share_search <- function(grids) {
  extent <- do.call(larger_extent, lapply(grids, `[[`, "extent"))
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
  outputs <- results[[1]]$outputs
  for (k in seq_along(results)[-1]) outputs[fold == k, , ] <- results[[k]]$outputs[fold == k, , ]
  model <- with_present(candidate$model, search$examples$class, rows)
  target <- at_rows(search$examples$class, rows)
  weight <- search$examples$weight[rows]
  f <- stack_outputs(outputs)
  losses <- matrix(row_losses(model, target, f), length(rows))
  error <- error_of_losses(model, losses, weight)
  criterion <- error + outcome_of(model)$doubt(model, target, f, weight)
  candidate$table <- cbind(settings, error = error, criterion = criterion)
  if (search$detail) {
    scores <- vapply(split(seq_along(fold), fold), function(of_fold) {
      error_of_losses(model, losses[of_fold, , drop = FALSE], weight[of_fold])
    }, error)
    candidate <- with_detail(candidate, matrix(scores, length(error)), results)
  }
  candidate[c("rows", "at", "fold")] <- list(as.numeric(length(rows)), rows, fold)
  candidate$held <- matrix(outputs[, , which.min(criterion)], length(rows))
  set_best(candidate)
}

# Columns of the table besides errors. Each part of a candidate has its own folds.
with_detail <- function(candidate, scores, results) {
  counts <- lapply(results, function(result) {
    array(result$counts, c(nrow(result$counts), ncol(result$counts) / nrow(scores), nrow(scores)))
  })
  of <- function(name, total) {
    row <- match(name, rownames(results[[1]]$counts))
    total(do.call(rbind, lapply(counts, function(count) matrix(count[row, , ], ncol = nrow(scores)))))
  }
  candidate$scores <- scores
  candidate$table$se <- apply(scores, 1, stats::sd) / sqrt(ncol(scores))
  candidate$table$n_sv <- of("support", colMeans)
  candidate$table$seconds <- of("seconds", colSums)
  candidate
}

set_best <- function(candidate) {
  best <- which.min(candidate$table$criterion)
  candidate[c("error", "criterion")] <- candidate$table[best, c("error", "criterion")]
  candidate$model <- set_point(candidate$model, settings_of(candidate), best)
  candidate$parts <- lapply(candidate$parts, replace, c("solver", "kernel"), candidate$model[c("solver", "kernel")])
  candidate
}

# ---- refinement ----

# The best candidate, and its best setting nearby, by more rows if there are. What was compared on fewer rows does not
# count any more.
refine_candidates <- function(search, candidates) {
  best <- best_of(candidates, ceiling(kept_candidates * sqrt(max(1, search$effort / 2))))
  if (length(search$rows) < length(search$examples$weight)) {
    search <- with_fine_rows(search)
    best <- lapply(best, function(candidate) replace(candidate, "parts", list(parts_of(search, candidate$model))))
    best <- best_of(compare_candidates(search, best, own_setting))
  } else {
    best <- best_of(best, 2)
  }
  near <- compare_candidates(search, best, function(candidate) near_settings_of(search, candidate))
  refine_loss(search, best_of(c(best, near))[[1]])
}

best_of <- function(candidates, most = 1) {
  candidates[utils::head(order(vapply(candidates, `[[`, 0, "criterion")), most)]
}

settings_of <- function(candidate) candidate$table[setdiff(names(candidate$table), found_columns)]
found_columns <- c("error", "criterion", "se", "n_sv", "seconds")
own_setting <- function(candidate) settings_of(candidate)[which.min(candidate$table$criterion), , drop = FALSE]

# One parameter changed at a time.
near_settings_of <- function(search, candidate) {
  at <- own_setting(candidate)
  rows <- rbind(at, at, at, at)
  rows[[1]] <- pmin(rows[[1]] * c(1 / 3, 3, 1, 1), largest_cost)
  if (length(rows) == 1 || !search$open$width) {
    return(rows[1:2, , drop = FALSE])
  }
  rows[[2]] <- rows[[2]] * c(1, 1, 0.5, 2)
  rows
}

# Other losses for the same labels, where the labels have chosen it.
refine_loss <- function(search, candidate) {
  losses <- if (search$open$loss) outcome_of(search$model)$losses()
  others <- lapply(losses, function(loss) {
    candidate$model$loss <- loss
    candidate$parts <- lapply(candidate$parts, replace, "loss", list(loss))
    candidate
  })
  others <- compare_candidates(search, others, function(candidate) {
    at <- own_setting(candidate)[c(1, 1), , drop = FALSE]
    at[[1]] <- at[[1]] * c(1, 1 / 3)
    at
  })
  best_of(c(list(candidate), others))[[1]]
}

# ---- the table of what was compared ----

# `weights`: rounds; `trend`: whether there is one, if any has; `rows`: on how many it was compared; `taken`: the one of
# the model. `also`: further columns.
choice_table <- function(found, also = NULL) {
  has_trend <- vapply(found$candidates, function(candidate) !is.null(candidate$model$trend), NA)
  tables <- lapply(found$candidates, function(candidate) {
    settings <- settings_of(candidate)
    of_all <- list(
      scale = candidate$features, weights = candidate$rounds, kernel = candidate$model$kernel$name,
      loss = format_spec(candidate$model$loss), rows = candidate$rows
    )
    if (any(has_trend)) of_all$trend <- !is.null(candidate$model$trend)
    as_table(c(
      lapply(of_all, rep, nrow(settings)), as.list(settings), candidate$table["error"], candidate$table[also], list(
        taken = seq_len(nrow(settings)) == which.min(candidate$table$criterion) & identical(candidate, found$best)
      )
    ))
  })
  columns <- unique(unlist(lapply(tables, names)))
  choice <- do.call(rbind, lapply(tables, function(table) {
    table[setdiff(columns, names(table))] <- NA_real_
    table[columns]
  }))
  choice[, colSums(!is.na(choice)) > 0]
}
