# osvm_tune() without a grid: the search of a default fit, whose table is that of the tuning.

# `open`: see search_model(); `folds`: NULL for the usual number. NULL: a grid is tuned, as there is too little to
# compare, or so much that osvm() decides by a trial.
search_tuning <- function(model, examples, open, effort, folds, refit) {
  n <- length(examples$weight)
  if (effort == 0 || !can_search(model) || wants_trial(model, n, NULL)) {
    return(NULL)
  }
  if (!is.null(folds)) check_folds(folds, n)
  started <- seconds_now()
  search <- open_search(model, examples, open, effort, folds = folds, detail = TRUE)
  found <- run_search(search)
  if (is.null(found)) {
    return(NULL)
  }
  table <- choice_table(found, c("criterion", "se", "n_sv", "seconds"))
  varied <- intersect(c("scale", "weights", "kernel", "loss", "trend", names(settings_of(found$best))), names(table))
  runs <- searched_folds(found$best)
  tuned <- structure(list(
    results = table[names(table) != "taken"], best = NULL, fit = NULL,
    scores = bind_scores(lapply(found$candidates, `[[`, "scores"), length(runs)),
    errors = data.frame(point = integer(), fold = integer(), message = character()), metric = "error", maximize = FALSE,
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
  tuned$stats$seconds <- seconds_now() - started
  tuned
}

is_search <- function(tuned) inherits(tuned, "osvm_search")

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
