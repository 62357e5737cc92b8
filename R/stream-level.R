# Prediction sets and intervals of a stream. A row's have what scores no more than the share `now` of the latest rows
# before it (outcome-conformal.R has the scores). With each label the share moves,
#   now <- now + step (missed - (1 - level)),
# Gibbs and Candes (2021), equation (2), in levels: `now` stays within -step and 1 + step, so that over n rows the share
# of those covered differs from `level` by at most (1 + 2 step) / (step n), whatever comes.
#   scores, class  the latest, in order, and the labels of their rows, of classes
#   scale          what they are measured in, "prob" or "decision": they begin anew where this changes

level_step <- 0.02
most_scores <- 500

# `pending`: how many rows have sets before the first of their labels comes. Steps of the same size would go too far,
# as each answers to what the others were told.
level_start <- function(level, pending) {
  if (!is.null(level)) {
    list(
      level = level, now = level, step = min(level_step, 0.5 / pending), scores = numeric(), class = NULL,
      scale = "decision"
    )
  }
}

score_limit <- function(sorted, share) {
  k <- ceiling(share * (length(sorted) + 1) - 1e-9)
  if (k < 1) -Inf else if (k > length(sorted)) no_limit else min(sorted[k], no_limit)
}

# A prediction of rows whose labels are not known yet, with their limit.
with_limit <- function(s, told) {
  state <- s$evaluation$certainty
  if (!is.null(state) && !is.null(told$scale)) {
    own <- if (told$scale[1] == state$scale) sort(state$scores)
    told$limit <- rep(score_limit(own, state$now), length(told$scale))
  }
  told
}

# list(state, limit): after these scores, of rows that had this `limit`, or NULL: each that of the rows before it.
follow_level <- function(state, score, class, scale, limit = NULL) {
  if (scale != state$scale) state[c("scores", "class", "scale")] <- list(numeric(), NULL, scale)
  told <- if (is.null(limit)) follow_rows(state, score) else follow_block(state, score, limit)
  state$now <- told$now
  state$scores <- utils::tail(c(state$scores, score), most_scores)
  state$class <- utils::tail(c(state$class, class), most_scores)
  list(state = state, limit = told$limit)
}

follow_block <- function(state, score, limit) {
  now <- state$now + state$step * sum((score > limit) - (1 - state$level))
  list(now = min(max(now, -state$step), 1 + state$step), limit = limit)
}

# The sorted scores are moved by one place between the one that goes and the one that comes.
follow_rows <- function(state, score) {
  all <- c(state$scores, score)
  before <- length(state$scores)
  sorted <- sort(state$scores)
  now <- state$now
  limit <- numeric(length(score))
  for (i in seq_along(score)) {
    limit[i] <- score_limit(sorted, now)
    now <- now + state$step * ((score[i] > limit[i]) - (1 - state$level))
    to <- sum(sorted < score[i])
    if (length(sorted) < most_scores) {
      sorted <- append(sorted, score[i], to)
      next
    }
    from <- match(all[before + i - most_scores], sorted)
    if (from < to) sorted[from:(to - 1)] <- sorted[(from + 1):to]
    if (from > to) {
      to <- to + 1
      if (from > to) sorted[(to + 1):from] <- sorted[to:(from - 1)]
    }
    sorted[to] <- score[i]
  }
  list(now = now, limit = limit)
}

# Of evaluated rows the `parts` of metrics, whether they were covered and how large their sets were, and the `limit`s of
# these; NA where there was no model.
level_rows <- function(s, part) {
  state <- s$evaluation$certainty
  told <- part$prediction
  sets <- s$kind$sets
  names <- c("coverage", names(sets$sizes))
  out <- matrix(NA_real_, length(part$y), length(names), dimnames = list(NULL, names))
  score <- sets$score(part$y, told)
  limit <- rep(NA_real_, length(score))
  rows <- which(!is.na(score))
  if (length(rows) > 0) {
    class <- if (s$classes) as.character(part$y[rows])
    after <- follow_level(state, score[rows], class, told$scale[rows[1]], told$limit[rows])
    limit[rows] <- after$limit
    out[rows, ] <- cbind(score[rows] <= after$limit, sets$measure(told, rows, after$limit))
    s$evaluation$certainty <- after$state
  }
  list(parts = out, limit = limit)
}

# What is kept of predictions, a vector for each column.
told_rows <- function(s, told) {
  if (is.null(told$limit)) told$limit <- rep(NA_real_, length(told$class))
  c(list(predicted = told$class), if (!is.null(s$evaluation$certainty)) s$kind$sets$tell(told))
}

# The scores as those of a model.
with_stream_scores <- function(s, fit) {
  state <- s$evaluation$certainty
  if (is.null(state) || state$scale != threshold_scale(fit)) {
    return(fit)
  }
  class <- if (s$classes) find_targets(fit, state$class)
  turn <- order(state$scores)[seq_len(sum(is.finite(state$scores)))]
  held <- list(score = state$scores[turn], weight = rep(1, length(turn)), class = class[turn])
  fit$conformal <- list(scores = list(as_table(Filter(Negate(is.null), held))), n_seen = fit$n_seen)
  fit
}

# ---- pictures and text ----

set_measures <- function(x) {
  if (is.null(x$settings$level)) {
    return(NULL)
  }
  all <- c(list(coverage = list(title = "Coverage", percent = TRUE)), result_kind(x)$sets$sizes)
  all[names(all) %in% names(x$metrics)]
}

describe_coverage <- function(x) {
  last <- utils::tail(x$metrics, 1)
  sizes <- set_measures(x)[-1]
  if (length(sizes) == 0 || nrow(last) == 0) {
    return(NULL)
  }
  share <- function(value) sprintf("%.1f %%", 100 * value)
  paste0(
    share(last$coverage), " of the rows, ", share(last$coverage_window), " of the ", latest_text(x), ", for level ",
    format(x$settings$level), "; ", sizes[[1]]$phrase, " ", format(signif(last[[names(sizes)[1]]], 3)),
    if (isTRUE(last$unbounded > 0)) paste0(", ", share(last$unbounded), " of them without ends")
  )
}
