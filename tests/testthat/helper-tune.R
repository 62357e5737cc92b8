# Tunings without output, on one thread, without a final model by default.
quick_tune <- function(..., threads = 1, progress = FALSE, refit = FALSE) {
  osvm_tune(..., threads = threads, progress = progress, refit = refit)
}

# A tuning without timings and call.
tuning_without_timings <- function(tuned) {
  tuned$results$seconds <- tuned$best$seconds <- NULL
  tuned$stats <- NULL
  tuned$call <- NULL
  if (!is.null(tuned$fit)) tuned$fit <- without_timings(tuned$fit)
  tuned
}

expect_same_tuning <- function(a, b, ...) expect_equal(tuning_without_timings(a), tuning_without_timings(b), ...)
