#' Train on data in several places
#'
#' Fits one model to shards: parts of the data that no process need hold together, such as files on the nodes of a
#' cluster. Each shard is read and trained where a worker of the [future::plan()] runs, or one after the other in this
#' process without a plan. Only support vectors or weights travel, and the model is the same on every plan.
#'
#' @section Methods:
#' * **Cascade**, for [solver_smo()] and [solver_lasvm()] with `finish = TRUE`: every shard is trained by itself; the
#'   support vectors of two shards are trained together, then those of two pairs, until one set is left (a round). This
#'   set goes back to all shards. A shard in which an example violates the optimality conditions by more than the
#'   solver's `tolerance` is trained together with the set, and the next round merges what came of it. When no shard has
#'   a violator, the model is the optimum of all data, up to the tolerance, and says so.
#' * **Iterative parameter mixing**, for the other solvers with [kernel_linear()], such as [solver_pegasos()]: a round
#'   is one epoch on every shard from the same weights; then the weights are averaged, by the number of examples. It
#'   takes as many rounds as the solver has `epochs`.
#' * **Merging**, for kernel solvers with a `budget` and without averaging, such as `solver_olsvm(budget = 500)`: rounds
#'   as of parameter mixing; the mean of the shards' expansions has the support vectors of all of them, which are merged
#'   until the budget holds, as by [compress()].
#'
#' Scaling, also of numbers that are learned, uses the mean and the standard deviation of all shards, combined from
#' those of each; the classes, and the levels of factors, are those that occur in any of them. A kernel width that is
#' not given is estimated from at most 300 rows in all, the only rows that travel beside support vectors.
#'
#' @section Where data is read:
#' A source of a file ([source_csv()], [source_svmlight()]) is read by the worker that trains its shard, under the same
#' path, hence on a file system that all workers share; a [source_function()] is called there, and must have all that it
#' needs in its own environment. A matrix or a data frame is sent. The package \pkg{future.apply} must be
#' installed. Workers that stay from one future to the next keep shards for further rounds, in at most 1,024 MB each, or
#' `options(onlinesvm.worker_cache_mb = )`. Rows should be dealt to the shards at random. In the first round of a
#' cascade, a shard of a single class is represented by some of its examples; the rounds after it find the others.
#'
#' @section Interrupts:
#' Ctrl-C returns the model of the last complete round, with a warning of class `osvm_interrupted`; before the first
#' there is none.
#'
#' @param sources A list with an element per shard: a source such as [source_csv()] or [source_matrix()], whose rows
#'   come to an end, or a list of `x` and `y` as in [osvm()]. Rows with missing values are left out.
#' @param solver,kernel As in [osvm()]. `NULL`: a Gaussian kernel and [solver_smo()] with its defaults; for
#'   [kernel_linear()] and more than 10,000 rows in all [solver_pegasos()].
#' @param rounds The most rounds. `NULL`: 20 of a cascade; as many as the solver has `epochs` of mixing and merging.
#' @param scale `TRUE`, `FALSE` or a list, as in [osvm()].
#' @param multiclass,class_weights,cache_mb,threads As in [osvm()].
#' @param verbose Show progress when it takes long?
#' @param loss As in [osvm()], for classes or numbers.
#' @param ... Not used: an unknown argument is an error.
#' @return A model as [osvm()] returns it, to be predicted with, updated and saved. Its element `shards` is a list with
#'   \item{method}{`"cascade"`, `"mixing"` or `"merging"`}
#'   \item{rows}{the number of rows learned of each shard, and `left_out` of those with missing values}
#'   \item{rounds}{a data frame with a row per round: `trained` (shards), `vectors` (support vectors, or vectors of
#'     weights, that travelled in either direction), `violators` (in all shards, before the round; for the other methods
#'     the violations during its epoch), `objective` (of the dual, summed over binary classifiers; for the others the
#'     mean hinge loss of the epoch) and `seconds`}
#'   \item{violators}{how many are left; `NA` for the other methods}
#'   \item{optimum}{whether the model is known to be the optimum of all data}
#' @references H. P. Graf, E. Cosatto, L. Bottou, I. Durdanovic and V. Vapnik (2004), *Parallel Support Vector Machines:
#'   The Cascade SVM*, NIPS 17.
#'
#'   R. McDonald, K. Hall and G. Mann (2010), *Distributed Training Strategies for the Structured Perceptron*, NAACL.
#' @seealso [osvm()], [sources], [osvm_tune()] for grids on a cluster
#' @export
#' @examples
#' set.seed(1)
#' board <- chessboard(900)
#' shard <- rep(1:3, 300)
#' shards <- lapply(1:3, function(k) list(x = board$x[shard == k, ], y = board$y[shard == k]))
#' fit <- osvm_shards(shards, solver_smo(C = 10), kernel_rbf(sigma = 0.3))
#' fit
#' fit$shards$rounds
#'
#' # The optimum of all rows
#' all <- osvm(board$x, board$y, solver_smo(C = 10), kernel_rbf(sigma = 0.3))
#' c(shards = fit$convergence$objective, all = all$convergence$objective)
osvm_shards <- function(sources, solver = NULL, kernel = NULL, rounds = NULL, scale = TRUE, multiclass = NULL,
                        class_weights = NULL, cache_mb = NULL, threads = NULL, verbose = interactive(), loss = NULL,
                        ...) {
  check_dots("osvm_shards", ...)
  if (!is.null(loss)) loss <- as_spec(loss, "loss")
  if (!is.null(loss) && loss_info(loss$name)$target == "novelty") {
    abort("{.arg loss} must learn from labels: shards learn classes or numbers, not novelty.")
  }
  if (missing(sources)) abort("{.arg sources} is missing: give a list with a source per shard.")
  sources <- check_shards(sources)
  specs <- choose_specs(solver, kernel)
  if (!is.null(rounds)) rounds <- one_whole(rounds)
  one_flag(verbose)
  seed <- sample.int(.Machine$integer.max, 1)
  shards <- share_data(sources, read = "read_shard")
  on.exit(close_data(shards))
  started <- seconds_now()
  found <- describe_shards(shards, loss, sample = max(300, role_value(specs$kernel, "rank", 0)))
  header <- shard_header(found, solver, kernel, scale, multiclass, class_weights, cache_mb, threads)
  method <- shard_method(header)
  bar <- progress_bar(verbose, paste("Learning", plural(length(sources), "shard")))
  on.exit(bar$done(), add = TRUE)
  if (is.null(rounds)) rounds <- if (method == "cascade") 20 else role_value(header$solver, "epochs")
  train <- if (method == "cascade") train_cascade else train_mixing
  seeds <- with_seed(seed, sample.int(.Machine$integer.max, 2 * rounds * length(sources)))
  fit <- train(shards, header, found, rounds, seeds, bar)
  fit$n_seen <- sum(found$n)
  fit$stats$seconds <- seconds_now() - started
  fit$shards$rows <- found$n
  fit$shards$left_out <- found$left_out
  fit$call <- as_called(match.call())
  fit$call[[1]] <- quote(osvm_shards)
  as_osvm(fit)
}

check_shards <- function(sources) {
  if (inherits(sources, "osvm_source")) {
    abort("{.arg sources} must be a list with an element per shard, not one source.")
  }
  if (!is.list(sources) || is.data.frame(sources) || length(sources) == 0) {
    abort("{.arg sources} must be a list with an element per shard, not {.obj_type_friendly {sources}}.")
  }
  lapply(seq_along(sources), function(k) {
    source <- sources[[k]]
    if (is.list(source) && !is.object(source) && all(c("x", "y") %in% names(source))) {
      source <- source_matrix(source$x, source$y)
    }
    if (!inherits(source, "osvm_source")) {
      abort("{.arg sources} must hold sources, or lists of {.code x} and {.code y}: shard {k} is
             {.obj_type_friendly {source}}.")
    }
    kind <- kind_of_source(check_source(source))
    if (!is.null(kind$once)) {
      abort("Shard {k} is {kind$once}, which can be read only once; a shard is read in every round.")
    }
    if (!is.null(kind$here) && future_workers() > 0) {
      abort("Shard {k} is {kind$here}, which cannot be sent to a worker: use a file, or a {.fn source_function} that
             opens it there.")
    }
    source
  })
}

# A cascade needs the optimum of a convex dual, whose support vectors stand for all examples; the others are averaged.
shard_method <- function(model) {
  solver <- model$solver
  if (solver$traits$optimal) {
    return("cascade")
  }
  if (is_primal(model) && !solver$traits$dual) {
    return("mixing")
  }
  if (is.finite(budget_of(model)) && !solver$traits$average) {
    return("merging")
  }
  optimal <- Filter(function(name) solver_traits(constructor("solver", name)())$optimal, solver_table()$name)
  optimal <- paste0("solver_", optimal)
  abort(c(
    "{.arg solver} must end at the optimum for a cascade of shards, as {.fn {optimal}} do by default, not
     {.val {solver$name}}.",
    i = if (!solver$traits$dual) {
      "With a finite {.arg budget}, without {.arg average}, its expansions could be merged; with {.fn kernel_linear} its
       weights averaged."
    }
  ))
}
