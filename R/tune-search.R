# osvm_tune() without a grid: the search of a default fit, whose table is that of the tuning.

# `open`: see search_model(); `folds`: NULL for the usual number; `cells`: of fit_in_cells(), whose sample is searched.
# NULL: a grid is tuned, as there is too little to compare, or so much that osvm() decides by a trial.
search_tuning <- function(model, examples, open, effort, folds, refit, cells = NULL) {
  n <- length(examples$weight)
  many <- !is.null(cells)
  if (effort == 0 || !can_search(model) || !many && wants_trial(model, n, NULL)) {
    return(NULL)
  }
  rows <- if (many) rows_for_cells(examples) else seq_len(n)
  if (!is.null(folds)) check_folds(folds, length(rows))
  started <- seconds_now()
  searched <- if (many) take_examples(examples, rows) else examples
  search <- open_search(model, searched, open, effort, many, folds, detail = TRUE)
  found <- run_search(search)
  if (is.null(found)) {
    return(NULL)
  }
  table <- choice_table(found, c("criterion", "se", "n_sv", "seconds"))
  varied <- intersect(c("scale", "weights", "kernel", "loss", "trend", names(settings_of(found$best))), names(table))
  runs <- searched_folds(found$best, rows)
  tuned <- structure(list(
    results = table[names(table) != "taken"], best = NULL, fit = NULL,
    scores = bind_scores(lapply(found$candidates, `[[`, "scores"), length(runs)),
    errors = data.frame(point = integer(), fold = integer(), message = character()), metric = "error", maximize = FALSE,
    parameters = varied[vapply(table[varied], function(v) !anyNA(v), NA)], solver = found$model$solver,
    kernel = found$model$kernel, loss = found$model$loss, outcome = model$outcome, levels = model$levels,
    n = n, precision = NULL, folds = runs, points = nrow(table), interrupted = FALSE,
    stats = list(kernel_evaluations = found$evaluations), call = NULL
  ), class = c("osvm_search", "osvm_tuning"))
  tuned$best <- tuned$results[table$taken, , drop = FALSE]
  if (refit) {
    model <- replace(found$model, "choice", list(table[!names(table) %in% c("criterion", "se", "n_sv", "seconds")]))
    names <- open_settings(model, NULL)
    tuned$fit <- refit_best(as_osvm(
      if (many) learn_in_cells(model, examples, cells, names) else fit_model(model, examples)
    ))
  }
  tuned$stats$seconds <- seconds_now() - started
  tuned
}

is_search <- function(tuned) inherits(tuned, "osvm_search")

# Candidates on fewer rows may have more folds.
bind_scores <- function(scores, folds) {
  most <- max(folds, vapply(scores, ncol, 0L))
  do.call(rbind, lapply(scores, function(part) cbind(part, matrix(NA_real_, nrow(part), most - ncol(part)))))
}

# The folds in which the best was compared, as those of a tuning. `rows`: those searched.
searched_folds <- function(best, rows) {
  at <- rows[best$at]
  runs <- lapply(seq_len(max(best$fold)), function(k) {
    list(rep = 1, fold = as.numeric(k), seed = 1L, train = at[best$fold != k], test = at[best$fold == k])
  })
  structure(runs, order = list(at), class = "osvm_folds")
}
