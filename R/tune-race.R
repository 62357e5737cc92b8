# The race: grid points are run on some folds at a time, and those that are far behind are given up.

# Two folds or a fifth of them, whichever is more, then further fifths; repeat by repeat.
race_stages <- function(plan) {
  folds <- length(plan[[1]]$seed)
  each <- ceiling(folds / 5)
  stage <- pmax(ceiling(seq_len(folds) / each), ceiling(2 / each))
  unlist(lapply(seq_along(plan), function(r) {
    lapply(unname(split(seq_len(folds), stage)), function(part) list(rounds = r, folds = part))
  }), recursive = FALSE)
}

# Those of `points` that may still win. Given up are points that failed where others did not, and those behind the
# best so far by more than two standard errors of the mean difference in the same folds, whose variance is pooled over
# all points.
still_racing <- function(records, task, points) {
  ran <- rowSums(records$state[, points, drop = FALSE] != "not run") > 0
  value <- records$value[ran, points, drop = FALSE]
  if (!task$metric$lower) value <- -value
  failed <- colSums(records$message[ran, points, drop = FALSE] != "") > 0
  if (all(failed)) {
    return(points)
  }
  best <- which(!failed)[which.min(colMeans(value, na.rm = TRUE)[!failed])]
  behind <- value - value[, best]
  variance <- apply(behind[, !failed, drop = FALSE], 2, stats::var, na.rm = TRUE)
  far <- colMeans(behind, na.rm = TRUE) > 2 * sqrt(mean(variance, na.rm = TRUE) / sum(ran))
  left <- !failed & !far %in% TRUE
  records$parts[, points[!left]] <- list(NULL)
  points[left]
}
