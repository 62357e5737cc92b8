# Candidates whose machines learn what a linear trend leaves (outcome-trend.R): of each kernel the best so far. Kernels
# that decrease with the distance fall back to a constant beyond the examples, and need many to follow a line.

trend_candidates <- function(search, candidates) {
  if (search$many || !search$open$kernel || !can_have_trend(search$model)) {
    return(NULL)
  }
  trend <- fit_trend(take_examples(search$examples, search$rows))
  if (is.null(trend)) {
    return(NULL)
  }
  kernels <- best_of_kernels(Filter(function(candidate) !is_linear(candidate$model$kernel), candidates))
  compare_candidates(search, lapply(kernels, function(candidate) {
    candidate$model <- replace(with_usual_width(candidate$model, search), "trend", list(trend))
    replace(candidate, "parts", list(parts_of(search, candidate$model)))
  }), function(candidate) coarse_settings(search, candidate))
}

best_of_kernels <- function(candidates) {
  kernels <- vapply(candidates, function(candidate) candidate$model$kernel$name, "")
  lapply(unique(kernels), function(kernel) best_of(candidates[kernels == kernel])[[1]])
}

# Models that stand for one in the folds: a trend is that of the rows that are learned.
parts_of <- function(search, model) {
  if (is.null(model$trend)) {
    return(list(model))
  }
  key <- as.character(length(search$rows))
  if (is.null(search$record$trends[[key]])) {
    search$record$trends[[key]] <- lapply(seq_len(max(search$fold)), function(k) {
      fit_trend(take_examples(search$examples, search$rows[search$fold != k]), 0)
    })
  }
  lapply(search$record$trends[[key]], function(trend) replace(model, "trend", list(trend)))
}
