# Tunings for tests: quiet, one thread, no final model unless asked for.
quick_tune <- function(..., threads = 1, progress = FALSE, refit = FALSE) {
  osvm_tune(..., threads = threads, progress = progress, refit = refit)
}

# Everything but the clock and the call.
timeless_tuning <- function(tuned) {
  tuned$results$seconds <- tuned$best$seconds <- NULL
  tuned$stats <- NULL
  tuned$call <- NULL
  if (!is.null(tuned$fit)) tuned$fit <- timeless(tuned$fit)
  tuned
}

expect_same_tuning <- function(a, b, ...) expect_equal(timeless_tuning(a), timeless_tuning(b), ...)
