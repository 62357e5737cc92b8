# Bagnell (2010): the effect of projection, averaging, mini-batches and unit norm on the online linear SVM.
source("bench/linear/sets.R")

set.seed(1)
reuters <- real_data("reuters")
sets <- list(
  Reuters = split_set(reuters, 8855, 2214),
  Covertype = split_set(real_data("covertype"), 30000, 30000),
  documents = split_set(documents(40000, 20000), 30000, 10000)
)
grid <- expand.grid(
  epochs = c(1, 5), lambda = 10^-(2:6), batch = c(1, 10, 100), average = c(FALSE, TRUE), project = c(FALSE, TRUE),
  unit_norm = c(FALSE, TRUE), set = names(sets), stringsAsFactors = FALSE
)

# lambda |w|^2 / 2 + mean hinge loss on the solver's input, that is after scaling and unit norm.
objective <- function(fit, set, lambda, unit_norm) {
  margin <- ifelse(set$y == max(set$y), 1, -1) * predict(fit, set$x, type = "decision")
  lambda / 2 * (sum(fit$coef^2) + fit$intercept^2) + mean(pmax(0, 1 - margin))
}
one <- function(epochs, lambda, batch, average, project, unit_norm, set) {
  runs <- vapply(seq_len(repeats), function(seed) {
    set.seed(seed)
    fit <- pegasos(sets[[set]],
      epochs = epochs, lambda = lambda, batch = batch, average = average, project = project, unit_norm = unit_norm
    )
    wrong <- error(predict(fit, sets[[set]]$new_x), sets[[set]]$new_y)
    c(wrong, objective(fit, sets[[set]], lambda, unit_norm), min(fit$trace$seconds))
  }, numeric(3))
  c(rowMeans(runs), stats::sd(runs[1, ]))
}
bar <- cli::cli_progress_bar("Fits", total = nrow(grid))
values <- do.call(Map, c(function(...) {
  cli::cli_progress_update(id = bar)
  one(...)
}, grid))
cli::cli_progress_done(bar)
values <- do.call(rbind, values)
results <- cbind(
  grid[7:1],
  error = signif(values[, 1], 4), sd = signif(values[, 4], 2), objective = signif(values[, 2], 4),
  epoch_s = signif(values[, 3], 2)
)

# Difference in error with and without each trick: mean over lambda, and at the best lambda.
effect <- function(trick, on, off) {
  others <- setdiff(names(grid), c(trick, "lambda"))
  do.call(rbind, lapply(split(results, results[others], drop = TRUE), function(part) {
    with_it <- part[part[[trick]] == on, ]
    without <- part[part[[trick]] == off, ]
    data.frame(
      set = part$set[1], epochs = part$epochs[1], trick = paste(trick, "=", on),
      mean = mean(with_it$error - without$error), best = min(with_it$error) - min(without$error)
    )
  }))
}
effects <- rbind(
  effect("project", TRUE, FALSE), effect("average", TRUE, FALSE), effect("batch", 10, 1), effect("batch", 100, 1),
  effect("unit_norm", TRUE, FALSE)
)
summary <- stats::aggregate(cbind(mean, best) ~ trick + epochs + set, effects, mean)
best <- do.call(rbind, lapply(split(results, results[c("unit_norm", "epochs", "set")], drop = TRUE), function(part) {
  part[order(part$error)[1:3], ]
}))

save_results(results, "linear-tricks")
report(
  "linear-tricks", "The online linear SVM: projection, averaging, mini-batches, unit norm",
  sprintf("Error in per cent on test examples, means of %d orders of the examples.", repeats),
  "Reuters: 8,855 documents x 8,362 words; Covertype: 30,000 x 54, scaled; documents: 30,000 x 20,000, generated, 5 %",
  "of the labels wrong. 1 and 5 epochs, lambda from 1e-2 to 1e-6, batches of 1, 10 and 100.",
  "", "## Error with a trick minus error without it, in points",
  "", "mean: over all other settings; best: at the best lambda of each, then the mean over the other settings.",
  table_md(summary[c("set", "epochs", "trick", "mean", "best")], digits = 2, row.names = FALSE),
  "## The three best settings", table_md(best, digits = c(0, 0, 0, 0, 0, 6, 0, 2, 2, 4, 4), row.names = FALSE)
)
