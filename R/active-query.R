#' Choose examples to label
#'
#' Selects the rows of `x` whose labels are most informative for a model. [osvm_active()]
#' runs the whole loop of queries and updates.
#'
#' \eqn{f} is the decision value of the current model; with several binary classifiers the one closest to 0.
#'
#' | strategy | queries |
#' |---|---|
#' | `"greedy"` | of every `h` successive rows the one with the smallest \eqn{|f(x)|} |
#' | `"margin"` | the rows with the smallest \eqn{|f(x)|} of all |
#' | `"ramp"` | those with \eqn{|f(x)| \le 1}: others would not change a ramp-loss model |
#' | `"all"` | every row |
#'
#' All but `"all"` rank: the rows closest to the decision boundary come first, and `n` takes these.
#' Rows of equal distance are in random order, which [set.seed()] governs. For batches of labels from a pool
#' `"greedy"` is the best, since its rows differ more from each other; `bench/results/query.md` has the comparison.
#'
#' @param object A model made by [osvm()], of any solver.
#' @param x Examples without labels, as in [`predict()`][predict.osvm].
#' @param strategy See the table.
#' @param h Number of successive rows per query, for `"greedy"`; the last group may be shorter. `NULL`: with `n`, such
#'   that there are `n` groups, otherwise 5.
#' @param n The most rows to return, the closest ones. `NULL`: one for `"margin"`, no limit for the others.
#' @param ... Not used: an unknown argument is an error.
#' @return Row numbers of `x`, closest first; for `"all"` in the given order. Rows with missing values are never
#'   selected.
#' @references Z. Wang and S. Vucetic (2009), *Fast Online Training of Ramp Loss Support Vector Machines*, IEEE
#'   International Conference on Data Mining, Algorithm 3.
#' @seealso [osvm_active()], [`update()`][update.osvm] to learn the labelled examples, [solver_ramp()]
#' @export
#' @examples
#' board <- chessboard(600)
#' first <- 1:100
#' fit <- osvm(board$x[first, ], board$y[first], solver_ramp(C = 10), kernel_rbf(sigma = 0.35))
#'
#' pool <- board$x[-first, ]
#' ask <- query(fit, pool, n = 20)
#' ask
#' fit <- update(fit, pool[ask, ], board$y[-first][ask])
#'
#' length(query(fit, pool, "ramp"))
query <- function(object, x, ...) UseMethod("query")

query_strategies <- c("greedy", "margin", "ramp", "all")

#' @rdname query
#' @export
query.osvm <- function(object, x, strategy = c("greedy", "margin", "ramp", "all"), h = NULL, n = NULL, ...) {
  check_dots("query", ...)
  query_model(check_predictor(object, cells = TRUE), x, strategy, h, n)
}

query_model <- function(object, x, strategy, h, n) {
  need_classes(object, "A query by the distance to the decision boundary",
    if (predicts_numbers(object)) "Without its number no example is known to be outside the tube.")
  strategy <- one_choice(strategy, query_strategies)
  if (!is.null(h)) one_whole(h)
  if (is.null(h) && is.null(n)) h <- 5
  n <- if (is.null(n)) if (strategy == "margin") 1 else Inf else one_whole(n)
  if (missing(x)) {
    abort("{.arg x} is missing: give the examples to choose from.")
  }
  x <- model_input(object, x, "x")
  rows <- setdiff(seq_len(nrow(x)), incomplete_rows(x))
  if (length(rows) < nrow(x)) x <- x[rows, , drop = FALSE]
  columns <- describe_columns(x, "x", moments = FALSE)
  if (strategy == "all" || length(rows) == 0) {
    return(utils::head(rows, n))
  }
  if (is.null(h)) h <- max(1, length(rows) %/% n)
  distance <- distance_to_boundary(object, x, columns)
  chosen <- switch(strategy,
    margin = seq_along(rows),
    ramp = which(distance <= 1),
    greedy = {
      unname(vapply(slices(length(rows), h), function(i) i[which.min(distance[i])], 0L))
    }
  )
  near <- distance[chosen]
  # Equal distances, as of repeated rows, are in random order.
  turn <- if (anyDuplicated(near) > 0) order(near, sample.int(length(near))) else order(near)
  utils::head(rows[chosen[turn]], n)
}

# |f|, of several machines the smallest. `columns` describes x, or data that x is a part of.
distance_to_boundary <- function(object, x, columns) {
  f <- abs(decision_values(object, x, object$control$threads, columns))
  if (ncol(f) == 1) as.vector(f) else -row_max(-f)
}

#' @export
query.osvm_live <- function(object, x, strategy = c("greedy", "margin", "ramp", "all"), h = NULL, n = NULL, ...) {
  check_dots("query", ...)
  query_model(model_of(object), x, strategy, h, n)
}
