#' Choose parameters by cross-validation
#'
#' Cross-validates every combination of the values in the specs of solver, kernel and loss, and
#' trains the best on all examples. Without a grid it is the search of [osvm()], and returns its table.
#'
#' @section The search:
#' `osvm_tune(x, y)` searches over the transform of the features, the kernel, weights of features, `C`, width and, of
#' numbers, the loss, as [osvm()] does (see its Defaults), and with the same result: `fit` is the model of
#' `osvm(x, y)`. The `results` have a row per setting that was compared, on `rows` examples; among those on most rows
#' the least `criterion` is taken, which is the error and, of classes, a twentieth of the hinge loss. `folds` sets their
#' number, otherwise 5, or 3 from 1,000 rows on. `plot()` shows the best of each kind of SVM.
#'
#' With `cells` the search is on a sample of 20,000 rows, and `fit` is the model of `osvm(x, y, cells = )` with the same
#' seed. `best` is what it starts from: cost and width are chosen again in its cells, whose errors are in its `choice`
#' and in the `table` of its `cells`.
#'
#' A grid is run instead where there is a `solver`, `grid`, `random`, `foldid`, `repeats`, `metric`, `precision` or
#' `race`, several values or a width in a spec, a kernel without a width or no labels; with fewer than 20 rows, and
#' without `cells` beyond 50,000, where [osvm()] decides by a trial.
#'
#' @section The grid:
#' Parameters with several values span the grid: `solver_olsvm(C = 10^(-2:3))` with
#' `kernel_rbf(sigma = c(0.5, 1, 2))` are 18 grid points. Instead, `grid` may list the points. If
#' there is neither, and no search, `C` runs from 0.1 to 1000 (`lambda`, `rate` or `epochs` for solvers
#' without it), and the `gamma` of a kernel with a width from a 16th to 16 times its
#' default; parameters that are given, as in `solver_smo(C = 1)`, are kept. One grid point, such
#' as `solver_smo(C = 1)` with `kernel_rbf(gamma = 0.1)`, is a plain cross-validation.
#'
#' @section The folds:
#' Folds are stratified by class, or by the size of the numbers. Of several columns of numbers, which are stratified by
#' the first, metrics are the mean over the columns, in the units of each. Scaling, and a kernel width chosen from the
#' data, come from all examples, once: that takes no labels, and lets all folds share their kernel
#' values. Examples are visited in one random order, drawn per repeat, or in the given order
#' with `shuffle = FALSE`.
#'
#' All numbers are those of separate fits. With `t <- osvm_tune(x, y, ..., scale = FALSE)`,
#' fold `k` is `f <- t$folds[[k]]`: after `set.seed(f$seed)`, a fit of
#' `osvm(x[f$train, ], y[f$train], ..., scale = FALSE)` with `shuffle = FALSE` and a grid point's
#' values has the error of the table on rows `f$test` (except for [solver_sgd()], which draws
#' a new order in every epoch). [solver_smo()] solves grid points at the `precision` of the result, see
#' `precision`.
#'
#' @section Cost and memory:
#' Distances (or products) between examples are computed once, and kernel values once per
#' kernel, for all folds and all values of the solver's parameters; the rest is the training
#' itself. Values of `C` are solved one after the other, each from the solution before, and no more
#' precisely than their comparison needs (`precision`). Of several numbers of `epochs` only the
#' largest is trained, and evaluated at the others; that does not hold for [solver_lasvm()] with `finish = TRUE` and for
#' [solver_pegasos()] with a `batch` above 1.
#'
#' Kernel values are kept within `cache_mb`, in slices where they do not all fit, and
#' the hold-out outputs take at most 64 MB at a time. Grid points are distributed over
#' `threads`. The column `seconds` is the processor time spent on a grid point, its share of
#' the common work included; a grid point with more epochs than another counts the additional ones.
#'
#' @section Race:
#' With `race = TRUE` all grid points are run on two folds, or on a fifth of the folds if that is more, and then on
#' a further fifth at a time. In between, points are given up that are behind the best so far by more than two
#' standard errors of the mean difference in the same folds, whose variance is pooled over all points. They keep the
#' results they have: the column `folds` says in how many folds a point was run, and the best is one of those run in
#' all. On ten sets that was 1.59 times as fast with five folds, with the same choice on eight of them and a test error
#' between 0.05 points less and 0.12 more (`bench/results/tune-ways.md`): a point that would have won by a narrow margin
#' may be given up. Hold-out outputs of all points in the race are kept until the last fold.
#'
#' @section Cells:
#' With `cells` and a grid the space is divided once, as in [osvm()], and each cell has the whole grid on its own
#' examples; the cells do not overlap. Folds are those of all examples, and a row of the results is about the
#' predictions of all cells with that grid point. The final model takes in each cell the grid point with the least error
#' there, and the best of all where that is as good; the `table` of its `cells` has them. Errors in cells are by
#' `metric` where it is one of the errors of numbers, else by `"error"`.
#'
#' @section Workers:
#' With a [future::plan()] other than sequential, grid points go to its workers in bundles, with one
#' thread each unless `threads` is given. All random numbers are drawn before anything is sent:
#' results and final model are the same on every plan, bit for bit where processors have the same
#' vector instructions (`options(onlinesvm.simd_level = )` is passed on). Grid points that differ in `C`
#' or `epochs` alone stay together; folds are separated where there are too few of them. There are four bundles
#' per worker that stays, one per worker of a plan that starts a process for each, such as those of future.batchtools.
#' They go in waves of one per worker, by the package \pkg{future.apply}; Ctrl-C leaves the waves that are done.
#'
#' Where `x` is a source of a file, such as [source_csv()], workers read the file themselves, under the same path. Other
#' data goes with every bundle. With `options(onlinesvm.shared_folder = )`, a folder that all workers see, it is written
#' there, once, and read by them; workers on this computer, of `multisession`, have such a folder anyway.
#' A wave in which a worker is lost is sent again, up to three times in all; a bundle that fails is recorded as failed
#' in its grid points, and the others go on. `vignette("cluster")`
#' has plans for Slurm.
#'
#' @section Metrics:
#' Of classes:
#'
#' `r metric_help("tuning", "classes")`
#'
#' Of numbers:
#'
#' `r metric_help("tuning", "numbers")`
#'
#' Of novelty:
#'
#' `r metric_help("tuning", "novelty")`
#'
#' Of all of them:
#'
#' * `"error"`, the default: the metric that belongs to the loss which is learned, see [losses()], so that quantiles are
#'   chosen by pinball loss, and other numbers by the root mean square error;
#' * a function of `truth` and `predicted` (labels, like `y`) and `decision` (decision
#'   values, a vector for two classes, otherwise a column per binary classifier) that returns
#'   one number for a fold. Smaller is better, unless `maximize` is `TRUE`.
#'
#' The probabilities of log-loss and of the Brier score are those of [`predict()`][predict.osvm]. A fold's are fitted to
#' the hold-out outputs of the other folds, those of the final model to the outputs of all folds.
#'
#' @section Failures and interrupts:
#' A grid point that fails, in one fold or in all, does not stop the others. The column `failed` counts
#' its folds, `errors` has the messages, and it is ranked last. Folds in which a solver
#' stopped before it reached its tolerance are counted in the column `unfinished`, with one
#' warning of class `osvm_unfinished`. Ctrl-C returns the grid points that are done (online
#' solvers finish those of one kernel together), without a final model and with a warning of
#' class `osvm_interrupted`.
#'
#' @inheritParams osvm
#' @param x Examples, as in [osvm()]; or a source with labels that comes to an end, see [sources],
#'   without `y`: rows with missing values are left out.
#' @param solver,kernel,loss Specs such as [solver_olsvm()], [kernel_rbf()] and [loss_epsilon()], whose parameters
#'   may have several values; or their names. Without a `loss` the labels decide, as in [osvm()].
#' @param grid A data frame with a row per point and a column per parameter of the solver,
#'   the kernel or the loss, or a list of values to combine. The specs then give the other parameters.
#' @param random Try only this many points of the grid, drawn at random.
#' @param effort How long to search without a grid, as in [osvm()]; 0 runs the default grid.
#' @param folds Number of folds; or the `folds` of an earlier tuning of the same examples,
#'   to be compared with it.
#' @param repeats How often to repeat the cross-validation, with new folds.
#' @param foldid The fold of each row, instead of `folds`.
#' @param metric Criterion for the best grid point, see below.
#' @param maximize Are larger values of a function `metric` better?
#' @param precision How closely grid points are solved to be compared, by [solver_smo()]: its `tolerance`, in
#'   units of the decision value or, of numbers, of their standard deviation. A `tolerance` that is given to the solver,
#'   or that is larger, is kept; `NULL` keeps it in any case. The final model always has its own.
#' @param race Give up grid points that are far behind after some of the folds? See below.
#' @param scale Scale every feature, or how, as in [osvm()].
#' @param progress Show a progress bar when it takes long?
#' @param refit Train the best grid point on all examples?
#' @param seconds A time limit for tuning and final fit, as in [osvm()]; grid points that are not done by then are left
#'   out.
#' @param cells The most rows of a cell, as in [osvm()]: a grid is run in each cell, see Cells, and a search is on a
#'   sample.
#' @param ... For the formula, data frame and source methods, the arguments above.
#' @return A list of class `osvm_tuning`, made of plain R values, with
#'   \item{results}{a data frame with a row per grid point, in the order of the grid: the parameters, `error`
#'     with its standard error over the folds `se`, another metric with its own, `n_sv` (support vectors,
#'     mean over the folds), and `seconds` (all folds together); with `race` the number of `folds`}
#'   \item{best}{the best of its rows; ties go to the smaller standard error, then to fewer support vectors. As the
#'     smallest of many estimates its `error` is optimistic: estimate that of the final model on examples that were not
#'     tuned on}
#'   \item{fit}{the model trained on all examples with these parameters, or `NULL`}
#'   \item{scores}{the metric in every fold, a row per grid point; `NA` beyond the folds that a point was run in}
#'   \item{folds}{per fold the training rows (`train`, in the order of visits), the rows
#'     held out (`test`) and the `seed`}
#'   \item{precision}{the tolerance at which grid points were solved, if it is not the solver's own}
#'   \item{errors}{the failures: `point` (row of `results`), `fold` and `message`}
#'   \item{stats}{kernel evaluations and seconds in all}
#'
#'   [`predict()`][predict.osvm_tuning] uses the final model.
#' @seealso [`plot()`][plot.osvm_tuning], [osvm_compare()] for several solvers, [osvm_validation_curve()],
#'   [osvm()], [solvers()], [kernels]
#' @export
#' @examples
#' set.seed(1)
#' board <- chessboard(400)
#' tuned <- osvm_tune(
#'   board$x, board$y, solver_olsvm(C = 10^(0:3)), kernel_rbf(sigma = c(0.1, 0.3, 1))
#' )
#' tuned
#' plot(tuned)
#' predict(tuned, board$x[1:3, ])
#'
#' # Without a grid
#' searched <- osvm_tune(Species ~ ., data = iris)
#' plot(searched)
#'
#' # Given points, and another metric
#' points <- data.frame(C = c(1, 10, 100), gamma = c(1, 0.3, 0.1))
#' osvm_tune(Species ~ ., data = iris, solver = "smo", grid = points, metric = "logloss")$best
#'
#' # Numbers
#' losses <- loss_epsilon(c(0.1, 0.3))
#' osvm_tune(dist ~ speed, data = cars, solver = solver_smo(C = c(1, 10)), loss = losses)$best
osvm_tune <- function(x, ...) {
  if (!missing(x)) check_package(x)
  UseMethod("osvm_tune")
}

#' @rdname osvm_tune
#' @export
osvm_tune.default <- function(x, y, solver = NULL, kernel = NULL, grid = NULL, random = NULL, folds = 5,
                              repeats = 1, foldid = NULL, metric = "error", maximize = FALSE, scale = TRUE,
                              multiclass = NULL, class_weights = NULL, weights = NULL,
                              cache_mb = NULL, threads = NULL, progress = interactive(), refit = TRUE,
                              na.action = stats::na.omit, seconds = Inf, loss = NULL, cells = NULL, precision = 0.1,
                              race = FALSE, effort = 1, ...) {
  check_dots("osvm_tune", ...)
  if (missing(y)) y <- without_labels(loss)
  one_flag(refit)
  one_flag(progress)
  one_flag(race)
  refuse_running(scale, "the folds have no order in time")
  effort <- one_number(effort, least = 0, most = 100)
  kernel <- own_kernel(kernel)
  of_grids <- c("repeats", "metric", "maximize", "precision", "race")
  searches <- !any(of_grids %in% names(match.call())) && is.null(c(solver, grid, random, foldid)) &&
    is.numeric(folds)
  own_folds <- if (!missing(folds)) folds
  solver <- split_spec(solver)
  kernel <- split_spec(kernel)
  loss <- split_spec(loss)
  open <- open_parts(missing(scale), kernel$spec, loss$spec)
  prepared <- prepare_fit(
    x, y, class_weights, weights, na.action, solver$spec, kernel$spec, scale, multiclass, cache_mb, threads, progress,
    trace = FALSE, foldid = foldid, loss = loss$spec
  )
  model <- prepared$model
  open$multiclass <- is.null(multiclass) && predicts_classes(model)
  if (!is.null(cells)) cells <- check_cells(cells, model)
  if (searches && open$width && length(c(kernel$values, loss$values)) == 0) {
    tuned <- within_seconds(seconds, search_tuning(model, prepared$examples, open, effort, own_folds, refit, cells))
    if (!is.null(tuned)) {
      tuned$na.action <- prepared$na.action
      return(called_tuning(tuned, match.call()))
    }
  }
  metric <- read_metric(metric, maximize, model)
  source <- attr(x, "source", exact = TRUE)
  x <- prepared$examples$x
  labels <- prepared$labels
  task <- c(
    list(x = x, labels = labels, model = model, metric = metric, threads = threads, weight = prepared$examples$weight),
    list(source = if (inherits(source, "osvm_source")) source, race = race),
    read_grid(model, solver, kernel, loss, grid, random)
  )
  if (!is.null(cells)) {
    if (cells$overlap) abort("{.arg cells} must not overlap with a grid: fit the point found by {.fn osvm}.")
    task$cells <- divide_tuning(model, x, cells$size, metric)
  }
  task$precision <- compared_tolerance(task, precision)
  plan <- make_plan(labels, folds, repeats, prepared$foldid)
  check_metric(metric, plan, labels$class)
  tuned <- within_seconds(seconds, {
    tuned <- run_tuning(task, plan)
    if (refit && !tuned$interrupted) {
      if (is_given(model$kernel)) x <- structure(list(given = model$given, numbers = x), class = "osvm_numbered")
      options <- c(tuned$best_point, list(
        scale = scale, multiclass = model$multiclass, class_weights = class_weights, weights = prepared$weights,
        cache_mb = cache_mb, threads = threads, verbose = progress
      ))
      tuned$fit <- refit_best(
        if (is.null(cells)) do.call(osvm.default, c(list(x, prepared$y), options), quote = TRUE)
        else refit_cells(tuned, task)
      )
    }
    tuned
  })
  tuned$na.action <- prepared$na.action
  called_tuning(tuned, match.call())
}

#' @rdname osvm_tune
#' @export
osvm_tune.data.frame <- function(x, y, ..., foldid = NULL, weights = NULL, subset = NULL,
                                 na.action = stats::na.omit) {
  check_passed("osvm_tune", osvm_tune.default, ...)
  examples <- examples_of()
  tuned <- osvm_tune.default(examples$x, examples$y, ..., foldid = examples$foldid, weights = examples$weights)
  called_tuning(tuned, match.call(), examples)
}

#' @rdname osvm_tune
#' @export
osvm_tune.formula <- function(formula, data = NULL, ..., foldid = NULL, weights = NULL, subset = NULL,
                              na.action = stats::na.omit) {
  check_passed("osvm_tune", osvm_tune.default, ...)
  examples <- examples_of()
  tuned <- osvm_tune.default(examples$x, examples$y, ..., foldid = examples$foldid, weights = examples$weights)
  called_tuning(tuned, match.call(), examples)
}

#' @rdname osvm_tune
#' @export
osvm_tune.osvm_source <- function(x, ...) {
  also <- names(formals(osvm_tune.default))
  check_passed("osvm_tune", osvm_tune.default, ..., .also = also)
  refused <- intersect(...names(), c("y", "subset", "na.action"))
  if (length(refused) > 0) abort("{.arg {refused}} must be left out with a source, which has all its rows and labels.")
  read <- read_shard(check_source(x))
  examples <- encode_input(read$x)
  if (kind_of_source(x)$stored) attr(examples$x, "source") <- x # workers read it themselves
  called_tuning(osvm_tune.default(examples$x, read$y, ...), match.call(), examples)
}
