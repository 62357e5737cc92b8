# What holds of a live model at any moment, whatever left the call that changed it: a sentence on what does not, or
# NULL. Used in other processes, too: it names nothing of the test's.
live_trouble <- function(live, x, y) {
  fit <- snapshot(live)
  same <- function(a, b) identical(unname(a), unname(b))
  if (!same(predict(live, x, type = "decision"), predict(fit, x, type = "decision"))) {
    return("live model and snapshot predict differently")
  }
  if (anyDuplicated(fit$id) > 0 || any(fit$id > fit$n_seen)) {
    return("examples are numbered twice, or beyond those seen")
  }
  if (!is.null(fit$sv) && fit$n_sv != sum(rowSums(matrix(fit$coef != 0, nrow(fit$sv))) > 0)) {
    return("support vectors are miscounted")
  }
  set.seed(1)
  more <- suppressWarnings(update(fit, x[1, , drop = FALSE], y[1]))
  set.seed(1)
  suppressWarnings(update(live, x[1, , drop = FALSE], y[1]))
  now <- snapshot(live)
  if (now$n_seen != fit$n_seen + 1) {
    return(sprintf("%g examples seen, and after one more %g", fit$n_seen, now$n_seen))
  }
  if (!same(now$coef, more$coef)) "the next update is not that of the snapshot"
}
