# osvm_tune() without a grid: the search of a default fit, whose table is that of the tuning.

# `open`: see search_model(); `folds`: NULL for the usual number. NULL: a grid is tuned, as there is too little to
# compare, or so much that osvm() decides by a trial.
search_tuning <- function(model, examples, open, effort, folds, refit) {
  n <- length(examples$weight)
  if (effort == 0 || !can_search(model) || wants_trial(model, n, NULL)) {
    return(NULL)
  }
  if (!is.null(folds)) check_folds(folds, n)
  started <- proc.time()[["elapsed"]]
  search <- open_search(model, examples, open, effort, folds = folds, detail = TRUE)
  found <- run_search(search)
  if (is.null(found)) {
    return(NULL)
  }
  table <- choice_table(found, c("criterion", "se", "n_sv", "seconds"))
  varied <- intersect(c("scale", "weights", "kernel", "loss", names(settings_of(found$best))), names(table))
  runs <- searched_folds(found$best)
  tuned <- structure(list(
    results = table[names(table) != "taken"], best = NULL, fit = NULL,
    scores = bind_scores(lapply(found$candidates, `[[`, "scores"), length(runs)),
    errors = list_failures(matrix("", 0, 0), matrix(NA, 0, 0)), metric = "error", maximize = FALSE,
    parameters = varied[vapply(table[varied], function(v) !anyNA(v), NA)], solver = found$model$solver,
    kernel = found$model$kernel, loss = found$model$loss, outcome = model$outcome, levels = model$levels,
    n = length(examples$weight), precision = NULL, folds = runs, points = nrow(table), interrupted = FALSE,
    stats = list(kernel_evaluations = found$evaluations), call = NULL
  ), class = c("osvm_search", "osvm_tuning"))
  tuned$best <- tuned$results[table$taken, , drop = FALSE]
  if (refit) {
    tuned$fit <- refit_best({
      fit <- fit_model(found$model, examples)
      fit$choice <- table[!names(table) %in% c("criterion", "se", "n_sv", "seconds")]
      as_osvm(fit)
    })
  }
  tuned$stats$seconds <- proc.time()[["elapsed"]] - started
  tuned
}

is_search <- function(tuned) inherits(tuned, "osvm_search")

fold_errors <- function(model, losses, weight, fold) {
  vapply(split(seq_along(fold), fold), function(rows) {
    error_of_losses(model, at_rows(losses, rows), weight[rows])
  }, 0, USE.NAMES = FALSE)
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

# Candidates on fewer rows may have more folds.
bind_scores <- function(scores, folds) {
  most <- max(folds, vapply(scores, ncol, 0L))
  do.call(rbind, lapply(scores, function(part) cbind(part, matrix(NA_real_, nrow(part), most - ncol(part)))))
}

# The folds in which the best was compared, as those of a tuning.
searched_folds <- function(best) {
  runs <- lapply(seq_len(max(best$fold)), function(k) {
    list(rep = 1, fold = as.numeric(k), seed = 1L, train = best$at[best$fold != k], test = best$at[best$fold == k])
  })
  structure(runs, order = list(best$at), class = "osvm_folds")
}

# The picture: the least error of each kind of SVM, a line for each number of rows.
kinds_picture <- function(tuned, what) {
  table <- tuned$results
  kind <- do.call(paste, c(mapply(describe_kind, table[kind_columns], kind_columns, SIMPLIFY = FALSE), sep = "\n"))
  measure <- tune_measure(tuned, what)
  ranking <- rank_points(tuned)
  shown <- ranking[!duplicated(data.frame(kind, table$rows)[ranking, ])]
  kinds <- unique(kind[shown])
  place <- match(kind[shown], kinds)
  turn <- order(-table$rows[shown], place)
  new_lines(
    paste(big(table$rows[shown]), "rows")[turn], place[turn], measure$value[shown][turn], tuning_title(tuned), "",
    measure$label, se = measure$se[shown][turn], best = shown[turn] == ranking[1],
    subtitle = "the best setting of each kind; bars: standard error; black: taken",
    ticks = list(at = seq_along(kinds), text = kinds)
  )
}

kind_columns <- c("kernel", "scale", "weights")

describe_kind <- function(value, column) {
  switch(column,
    kernel = value, scale = c("TRUE" = "scaled", rank = "ranks", given = "")[value],
    weights = ifelse(value == 0, "", paste0("weights", ifelse(value > 1, paste0(" (", value, ")"), "")))
  )
}
