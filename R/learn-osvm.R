#' Fit a support vector machine
#'
#' Trains a classifier for two or more classes, a regression for numbers, or a detector of novelty where there are no
#' labels. [`update()`][update.osvm] adds examples, [forget()] removes them if the solver supports it.
#'
#' @section Defaults:
#' `osvm(x, y)` solves the soft-margin SVM to its optimum, by [solver_smo()], and searches for the problem that predicts
#' best, by cross-validation:
#'
#' 1. Features are scaled, or ranked (`scale = "rank"`); the kernel is Gaussian, [Laplacian][kernel_laplacian] or
#' linear.
#'    Each kind is compared over twelve pairs of `C` and width (the linear kernel over three `C`) on at most 1,000 rows,
#'    which are evenly spaced within each class, of at most eight classes.
#' 2. Of numbers in dense data with at most 200 features, the best of each kernel also learns what a linear trend
#'    leaves: kernels predict about a constant far from the examples, where a trend goes on. The model has both. A fold
#'    is predicted with the trend of the other rows.
#' 3. Features are weighted by the root mean square of the gradient of an SVM in their direction, and compared again; a
#'    second round follows where the first has lowered the error. A fold is predicted with weights that its own rows had
#'    no part in. Sparse data are neither ranked nor weighted; a linear kernel of them is also tried with
#'    `scale = "unit"`.
#' 4. The best three kinds are compared on at most 3,000 rows, and the best of them at neighbouring values of `C` and
#'    width. Numbers are also learned with another `epsilon` and by [loss_squared()].
#'
#' Settings are compared by the error of the loss: the share of wrong classes, to which a twentieth of the hinge loss is
#' added, so that a few rows do not decide; the root mean square error of numbers; the pinball loss of quantiles. Errors
#' count by `class_weights` and `weights`. The choice does not depend on the seed. `print()` says what was taken, and
#' `choice` of the model is the table of what was compared.
#'
#' What is given is not searched: `solver` (then nothing is), `kernel`, its width (then the features are those that
#' `scale` says), `scale`, `loss`. `effort` says how long to look. With `effort = 0` the features are scaled, and a few
#' settings of a Gaussian kernel are compared on at most 500 rows, which takes a few thousandths of a second. So they
#' are for given kernels other than Gaussian and Laplacian ones, and with `scale = "running"`; `gamma` is that of
#' [kernel_rbf()]:
#'
#' | | first | others | sharper ones |
#' |---|---|---|---|
#' | classes | `C = 2`, gamma | `C = 1`, gamma/2; `C = 5`, 2 gamma | `C = 10`, 8 gamma; `C = 20`, 64 gamma |
#' | of low rank | `C = 8`, gamma/2 | `C = 8`, gamma/5; `C = 20`, gamma | `C = 20`, 4 gamma; `C = 20`, 32 gamma |
#' | numbers | `C = 1`, gamma/2 | `C = 20`, gamma/4; `C = 10`, gamma | |
#' | linear kernel | `C = 1` | `C = 0.1` | |
#'
#' The first of these is taken unless the error of another is lower by a margin: for classes half a per cent plus one
#' example, for numbers one per cent of the root mean square error. The sharper settings are tried where the last of the
#' others is the best, or where all are hardly better than chance. `choice` has `NA` where an error was not needed.
#'
#' Nothing is compared, and the first of these settings is taken, on fewer than 20 rows, and for novelty.
#'
#' With [kernel_linear()] and more than 10,000 rows the solver is [solver_dcd()]. With a kernel of [low rank][low_rank]
#' it is [solver_dcd()] with a tolerance of 0.01; the settings *of low rank* are for classes and ranks of at most a
#' twentieth of the rows, and are compared on at most 2,000 examples, at a rank of at most 500.
#'
#' @section Beyond 50,000 rows:
#' With a kernel other than the linear one, and neither `solver` nor `cells`, a trial decides how to train:
#'
#' 1. Transform, kernel, weights of features, cost and width are chosen on a sample of 20,000 rows, as above.
#' 2. The candidates predict the same held-out rows, at most 10,000, which are drawn from all rows: one SVM of 5,000 and
#'    of 20,000 rows, a linear SVM, a kernel of rank 500 ([kernel_nystrom()], for dense data), and cells of 2,000 and of
#'    5,000 rows. Beyond 100,000 rows cells are tried in four regions of the data, and are expected to gain everywhere
#'    what they gain there over the SVM of 5,000 rows. Candidates that can no longer have the least error are left out.
#'    Where the kernel of low rank does well, its gradient gives sharper weights of the features, for as long as these
#'    lower its error. A linear trend is fitted to the sample; where the SVM of 5,000 rows has an error lower by a
#'    hundredth when it learns what the trend leaves, with settings of its own, so do all but the linear one.
#' 3. What more rows would gain is extrapolated: every fourfold sample is taken to gain half of what the one before it
#'    gained. One SVM may have as many rows as take two minutes on an ordinary processor, or the time that `seconds`
#'    leaves.
#' 4. Of those whose errors are nearly the least, the fastest is taken. Its error is measured again, on as many rows
#'    that had no part in any choice. A message says which it is, with this error, as a range where two standard
#'    errors are more than 5 % of it, and the expected time, the trial included; `choice` of the model has the table.
#'    Where a few rows decide the error of numbers, since losses or numbers have tails so heavy that no held-out rows
#'    show them, the message says so, and what is expected of the 99 % of rows with the least errors.
#'
#' Cells win where the boundary is intricate, a kernel of low rank or one SVM where it is smooth and labels are noisy.
#' The trial measures cost by numbers of kernel values, so that the same seed gives the same model; only with `seconds`
#' does it measure time.
#'
#' @section Cells:
#' The time of an SVM grows with the square of the number of rows, and more. `cells = 2000` divides the space into cells
#' of at most 2,000 rows, by k-means on the scaled features, and trains an SVM on the rows of each, side by side on
#' threads or on the workers of a [future::plan()]: half a million rows take seconds. New rows are predicted by the SVM
#' of the cell they are in. Rows that are all the same are not divided.
#'
#' Cells predict about as well as one SVM, or better, where the boundary between classes is intricate. Where it is
#' smooth and labels are noisy they predict worse, the more so the smaller they are: one SVM of a sample of the rows may
#' do better (`bench/results/cells.md`).
#'
#' With `cells = list(size = 2000, overlap = TRUE)` each row is also learned by the cell with the second nearest mean,
#' so that boundaries go on across the borders of cells. On four sets the errors fell from 2.4 to 1.7, 13.6 to 13.2,
#' 15.8 to 15.6 and 18.1 to 17.2 %, for up to two and a half times the time (`bench/results/cells-overlap.md`).
#'
#' If neither `solver` nor a kernel width is given, transform, kernel and weights of features are chosen on a sample of
#' 20,000 rows, as for one SVM (see Defaults): distances follow the features that matter. `scaling` includes the
#' weights.
#'
#' If no `solver` is given, cost and kernel width are chosen by three-fold cross-validation, first in a few of the
#' cells, from a wide, coarse grid and then around its best point (`choice` has the errors), and then in each cell, from
#' nine settings around that point. Probabilities come from one map for all cells. A cell with a single class predicts
#' it; a cell that an interrupt or `seconds` left without an SVM predicts the most frequent class, or the mean, of its
#' rows.
#'
#' The model has no `sv`, `coef` and `intercept` of its own. Its `cells` have `parts`, a list with those of each cell;
#' `nodes`, the tree of centres; and a `table` with a row per cell: the number of its `rows`, its settings and support
#' vectors, the cross-validated `error` of its setting, if there were several or `probability` was asked for, `seconds`,
#' and `state`: `"learned"`, `"unfinished"`, if the solver ended before its tolerance, `"constant"` or `"missing"`.
#' [`update()`][update.osvm] sends new rows to their cells; only these cells learn, and the division stays as it is.
#'
#' @section Interrupts:
#' Ctrl-C stops a long fit at once; the model so far is returned, with a warning of
#' class `osvm_interrupted`, and without probabilities if they are not complete.
#'
#' @param x Examples, one per row: a numeric, integer or logical matrix; a sparse
#'   `dgCMatrix` (other Matrix classes and the matrices of SparseM and slam are converted);
#'   or a data frame. Its factors become indicator columns, ordered ones the numbers of their levels, and those with
#'   [stats::contrasts()] of their own columns of these; its dates become numbers of days, and its
#'   date-times numbers of seconds, since 1970-01-01, with a message. Sparse data are made dense
#'   only inside the core, and only where so much of them is not zero (about a quarter) that
#'   this is faster and takes at most about twice the memory; support vectors stay sparse.
#' @param y Labels, one per row: factor, character, logical or numeric. Levels of a factor without examples are
#'   left out, with a message. Numbers are learned as numbers, unless only two different ones occur, or at most five,
#'   all of them whole: these are classes. Counts, and the digits 0 to 9, are therefore numbers, however many rows there
#'   are; a message says so where whole numbers repeat as classes do. `factor(y)` makes classes of any numbers, and
#'   `loss` says what is learned. Several columns of numbers, a matrix or a data frame, are learned by one SVM each;
#'   these share kernel values. Each is, within the tolerance of the solver, what a fit of that column alone with the
#'   same seed gives; with a `budget` they share the vectors, too. If `y` is left out, the model learns what belongs to
#'   `x`, see [loss_novelty()].
#' @param formula,data The usual formula interface: labels on the left, features on
#'   the right; nothing on the left for [loss_novelty()].
#' @param loss What is learned, and what an error costs: [loss_hinge()] for classes, [loss_epsilon()] or
#'   [loss_quantile()] for numbers, [loss_novelty()] without labels, another of [losses], or the name of one. `NULL`: by
#'   the labels.
#' @param solver A solver such as [solver_olsvm()], or its name, for its default
#'   parameters. `NULL`: see Defaults.
#' @param kernel A kernel such as [kernel_rbf()], or its name. `NULL`: a Gaussian kernel, or
#'   the linear one for a linear solver. With [kernel_matrix()] `x` holds kernel values, with [kernel_function()]
#'   examples of any kind.
#' @param scale Whether and how features are scaled. The scaling is kept in the model.
#'   * `TRUE`: in a dense matrix or data frame to mean 0 and standard deviation 1. Columns of 0 and 1 only, such as the
#'     indicators of a factor, stay as they are: that predicts better (`bench/results/factors.md`), and for factors it
#'     is what `e1071::svm()` does. In a sparse matrix zeros stay zeros: a feature is not centred, but divided by the
#'     root mean square of its non-zero values, however rare these are. The same numbers as a dense and as a sparse
#'     matrix are therefore scaled differently. A column whose standard deviation is below 1e-302 is taken as constant
#'     and not scaled.
#'   * `"rank"`, for dense data: to the normal scores of the ranks in the training data, `qnorm((rank - 1/2) / n)`, and
#'     then to mean 0 and standard deviation 1. New values are interpolated between at most 256 quantiles, and those
#'     beyond the training data count as the outermost. Skewed columns often gain; ones whose distances mean something
#'     lose. Columns of two values are scaled as by `TRUE`.
#'   * `"robust"`, for dense data: `z = (x - median) / (q75 - q25)`, or by half the range where the quartiles are equal,
#'     and then `z / sqrt(1 + (z / 3)^2)`, which bends far values in smoothly. Columns of two values are scaled as by
#'     `TRUE`.
#'   * `"unit"`, for texts and other counts: each column is divided by the root mean square of its non-zero values and
#'     multiplied by `1 + log(n / m)`, where m of n rows are not zero in it, and then each row by its norm. Long texts
#'     and frequent words do not count more than others. Zeros stay zeros, also in a dense matrix.
#'   * `FALSE`: not at all.
#'   * `list(center = , scale = )`, a scaling of your own: a number per column, by name where both have names; one of
#'     the two may be left out. The attributes of [base::scale()] and another model's `scaling` will do; its `warp`, of
#'     `"rank"` and `"robust"`, comes first.
#'   * `"running"`, for streams: the mean and standard deviation of every column, and of the numbers to be learned,
#'     are estimated further by every [`update()`][update.osvm]. Every example is scaled by the estimates of its time;
#'     the support vectors are kept scaled.
#' @param multiclass With more than two classes: `"ovo"` (one-vs-one) trains a binary
#'   classifier per pair of classes, `"ovr"` (one-vs-rest) one per class. `NULL`: `"ovo"` for up
#'   to 50 classes, with a linear kernel for more if all pairs have at most five million weights; else, and with a
#'   linear kernel and sparse data, `"ovr"`, which has fewer errors on texts (`bench/results/text.md`).
#' @param class_weights A positive number per class, by name, which multiplies the `C` or step of its examples; or
#'   `"balanced"`, which gives all classes the same total weight.
#' @param weights A number per example; it multiplies that example's `C` or step.
#' @param probability Fit probabilities too? They come from five-fold cross-validation, or from that of the search, if
#'   it has compared all rows, and then take no more time. The model takes the predicted class from them, which can
#'   move the boundary between classes; see [`predict()`][predict.osvm].
#' @param cache_mb The most memory, in megabytes, for kernel values, or for the features of a kernel of [low
#'   rank][low_rank]. `NULL`: 256; features that would have to be computed again then have a quarter of the free memory.
#' @param threads Number of threads. They share long kernel rows and, with several classes, the binary classifiers of
#'   a fit; small fits use one. No number depends on them. `NULL`: see [onlinesvm-package].
#' @param verbose Show a progress bar when the fit takes long?
#' @param trace Keep a table with a row per epoch?
#' @param na.action What to do with rows in which a feature, the label or the weight is
#'   missing: [na.omit()] and [na.exclude()] leave them out, with a message of class
#'   `osvm_message` that counts them; [na.fail()] makes them an error. `"impute"` replaces missing features of dense
#'   data by the median or the most frequent level of their column, here and, by the same values, in new data, with a
#'   message: every row is predicted then. Beside a model of the complete rows whose new data were completed so, it had
#'   fewer errors on three of six sets with missing values (soybean: 6.9 in place of 21 %) and at most 6 % more on the
#'   others; indicator columns of what is missing gained on three and lost on three (`bench/results/claims.md`).
#' @param subset Rows to learn: `TRUE` or `FALSE` for each, or their numbers; may name columns of
#'   the data, and so may the `weights` with a formula. Labels and weights are given for all rows.
#' @param seconds A time limit, after which the fit ends as after Ctrl-C, with a message of class
#'   `osvm_time_limit` in place of the warning. The message says how far the fit is from its end and what would take
#'   less time.
#' @param cells The most rows of a cell, such as 2000: the space is divided into cells, with an SVM in each, see Cells.
#'   Or a list of this `size` and of `overlap`, `TRUE` or `FALSE`. `NULL`: one SVM of all rows, but see Beyond 50,000
#'   rows.
#' @param effort How long to search for settings where none are given, from 0, for a few settings: 1 is the default; the
#'   rows compared grow with its square root, from 2 on the weights of features have a further round on more rows, and
#'   from 4 on two, and more kinds are compared on more rows. Means of several models gained nothing
#'   (`bench/tables/tried.md`).
#' @param conformal Keep scores of held-out examples, for prediction intervals and sets: `predict(type = "interval")`,
#'   `"set"` or `"p"`, see [conformal]? They come from the same cross-validation as probabilities.
#'   `"full"`, with [solver_idsvm()]: new rows are ranked among all examples instead.
#' @param ... For the formula and data frame methods, the arguments above. An unknown
#'   argument is an error; parameters such as `C` and `gamma` belong to solver and kernel.
#' @return A list of class `osvm` with, among others,
#'   \item{levels}{the classes; a positive decision value predicts the second}
#'   \item{loss, outcome}{as used; what is predicted: `"classes"`, `"numbers"` or `"novelty"`}
#'   \item{sv, n_sv}{the support vectors, in the units of `x`, and their number; some
#'     solvers keep further examples among them, whose `coef` is 0}
#'   \item{target}{the numbers of their classes among `levels`, or the numbers that were learned, scaled; `NA` for
#'     merged vectors}
#'   \item{index}{their row numbers: those in `x`, not counting rows left out; rows of each [`update()`][update.osvm]
#'     are numbered on from there; `NA` for merged vectors}
#'   \item{coef}{signed coefficients, a column per binary classifier; for a linear kernel the
#'     weights of the scaled features, see [`coef()`][coef.osvm]}
#'   \item{intercept}{one per binary classifier}
#'   \item{solver, kernel, scaling}{as used}
#'   \item{range}{`low` and `high`, of each feature, see [`predict()`][predict.osvm]}
#'   \item{na.action}{the rows left out for missing values, if there were any, as in [lm()]}
#'   \item{probability}{the map from decision values to probabilities, if requested, and
#'     `n_seen`, the number of examples learned when it was fitted}
#'   \item{conformal}{the scores of held-out examples, if requested, as a sorted table for classes, or for each column
#'     of numbers, and `n_seen`, the number of examples learned when they were made}
#'   \item{choice}{without `solver`: the settings compared and their cross-validated errors, `NA` where they were not
#'     needed; beyond 50,000 rows the ways tried}
#'   \item{trend}{without `solver`: a linear trend of numbers, if one has lowered the error: `center`, slopes `coef` and
#'     `intercept` of the scaled numbers. Predictions have it, and the fields above are those of what it leaves}
#'   \item{trace}{a row per epoch, of at most the latest 1,000: mean loss of the examples, each before its update;
#'     violations; support vectors (`sv`, which includes other examples that a solver keeps); seconds}
#'   \item{stats}{steps, updates, kernel evaluations, seconds}
#'
#'   The list holds no training data beyond what its solver needs for further training, and
#'   can be saved by [saveRDS()].
#' @seealso [`predict()`][predict.osvm], [`update()`][update.osvm], [forget()], [query()],
#'   [`plot()`][plot.osvm], [solvers()], [kernels], [losses]; [osvm_tune()] to choose parameters, [osvm_stream()] and
#'   [osvm_live()] for data that keep arriving
#' @export
#' @examples
#' board <- chessboard(1000)
#' fit <- osvm(board$x, board$y, solver_olsvm(C = 10), kernel_rbf(sigma = 0.5))
#' fit
#'
#' fit <- osvm(Species ~ ., data = iris, probability = TRUE)
#' head(predict(fit, iris, type = "prob"))
osvm <- function(x, ...) {
  if (!missing(x)) check_package(x)
  UseMethod("osvm")
}

#' @rdname osvm
#' @export
osvm.default <- function(x, y, solver = NULL, kernel = NULL, scale = TRUE,
                         multiclass = NULL, class_weights = NULL, weights = NULL,
                         probability = FALSE, cache_mb = NULL, threads = NULL,
                         verbose = interactive(), trace = TRUE, na.action = stats::na.omit, seconds = Inf, loss = NULL,
                         cells = NULL, effort = 1, conformal = FALSE, ...) {
  check_dots("osvm", ...)
  if (missing(y)) y <- NULL
  kernel <- own_kernel(kernel)
  one_flag(probability)
  full <- identical(conformal, "full")
  if (!full && !is_one_flag(conformal)) abort("{.arg conformal} must be TRUE, FALSE or {.val full}.")
  effort <- one_number(effort, least = 0, most = 100)
  open <- open_parts(missing(scale), kernel, loss)
  prepared <- prepare_fit(
    x, y, class_weights, weights, na.action, solver, kernel, scale, multiclass, cache_mb, threads, verbose, trace,
    loss = loss
  )
  unused <- levels(y)[!levels(y) %in% prepared$labels$levels]
  if (length(unused) > 0) inform("{.arg y} has no examples of the level{?s} {.val {unused}}, which {?is/are} left out.")
  model <- prepared$model
  if (!is.null(cells)) cells <- check_cells(cells, model)
  calibrated <- what_to_calibrate(model, probability, isTRUE(conformal))
  if (full) check_full(model, cells)
  fit <- within_seconds(seconds, if (!is.null(cells)) {
    fit_in_cells(model, prepared$examples, cells, kernel, is.null(solver), open, calibrated, effort)
  } else if (wants_trial(model, length(prepared$examples$weight), solver)) {
    fit_by_trial(model, prepared$examples, kernel, open, calibrated, effort)
  } else {
    if (is.null(solver)) {
      open$multiclass <- is.null(multiclass) && predicts_classes(model)
      found <- if (effort > 0 && can_search(model)) search_model(model, prepared$examples, open, effort)
      model <- if (is.null(found)) choose_setting(model, prepared$examples, kernel) else found
    }
    fit_model(model, prepared$examples, calibrated)
  }, function(fit) explain_limit(fit, length(prepared$examples$weight)))
  fit$na.action <- prepared$na.action
  if (full) fit$conformal <- list(full = TRUE, n_seen = fit$n_seen)
  fit$call <- as_called(match.call())
  as_osvm(fit)
}

# What a search is to choose, see search_model().
open_parts <- function(scale, kernel, loss) {
  width <- is.null(kernel) || is_open(as_spec(kernel, "kernel"))
  list(scale = scale && width, kernel = is.null(kernel), width = width, loss = is.null(loss))
}

as_osvm <- function(fit) {
  kind <- if (is.null(fit$cells)) fit$solver$name else "cells"
  class(fit) <- c("osvm_full"[is_full(fit)], paste0("osvm_", kind), "osvm")
  know(fit)
}

# The untrained model, its examples and their labels; all arguments are checked. Further
# arguments are those of new_model(). `y`, `weights` and `foldid` of the result are those of the
# rows learned; `levels`: classes known beforehand, of which some may be missing from y.
prepare_fit <- function(x, y, class_weights = NULL, weights = NULL, na.action = stats::na.omit, solver = NULL,
                        kernel = NULL, scale = TRUE, ..., foldid = NULL, levels = NULL, loss = NULL) {
  given <- is_given(kernel)
  values <- if (given) x
  x <- if (given) number_examples(kernel, x) else as_input(x)
  rows <- learned_rows(list(x = x, y = y, weights = weights, foldid = foldid), na.action)
  x <- rows$x
  labels <- read_outcome(rows$y, nrow(x), levels, loss = loss, scale = scale)
  if (is.null(solver)) solver <- solver_for(labels$loss, kernel)
  model <- start_outcome(new_model(x, solver, kernel, scale, ..., columns = rows$columns), labels, class_weights)
  model$fill <- rows$fill
  if (given) {
    started <- start_given(model, values, x)
    model <- started$model
    x <- started$x
  }
  x <- apply_transform(model$transform, x)
  weight <- example_weights(model, rows$weights, labels$class)
  if (all(weight == 0)) {
    abort("{.arg weights} must be above 0 for some examples: with a weight of 0 an example is not learned.")
  }
  c(
    list(model = model, labels = labels, examples = list(x = x, class = labels$class, weight = weight)),
    rows[names(rows) %in% c("y", "weights", "foldid", "na.action")]
  )
}

# An untrained model without classes; all arguments are checked. `columns`: what describes those of x.
new_model <- function(x, solver = NULL, kernel = NULL, scale = TRUE, multiclass = NULL, cache_mb = NULL, threads = NULL,
                      verbose = interactive(), trace = TRUE, columns = NULL) {
  if (is.null(columns)) columns <- describe_columns(x)
  specs <- choose_specs(solver, kernel, nrow(x))
  if (!is.null(multiclass)) multiclass <- one_choice(multiclass, c("ovr", "ovo"))
  control <- list(
    cache_mb = if (is.null(cache_mb)) default_cache_mb else one_number(cache_mb, above = 0),
    bounded = !is.null(cache_mb), threads = resolve_threads(threads),
    verbose = one_flag(verbose), trace = one_flag(trace)
  )
  names <- column_names(x)
  if (!is.null(names)) check_unique(names, "x")
  given <- is_given(specs$kernel)
  if (given) scale <- scale_nothing(specs, scale)
  fitted <- fit_transform(scale, x, columns)
  kernel <- complete_kernel(specs$kernel, fitted$x, fitted$transform)
  transform <- if (kernel$traits$low_rank) fit_features(fitted$transform, kernel, fitted$x) else fitted$transform
  model <- list(
    format = model_format, outcome = NULL, loss = NULL, levels = NULL, label = NULL, solver = specs$solver,
    kernel = kernel, transform = transform, scaling = transform$scaling,
    multiclass = multiclass, machines = NULL, n_features = ncol(x), feature_names = names,
    sparse = inherits(x, "dgCMatrix"), class_weights = NULL,
    extent = data_extent(fitted$columns, transform),
    range = if (!given) column_range(fitted$columns),
    estimated = estimated_parts(scale, specs$kernel), control = control
  )
  if (any(specs$solver$roles == "budget")) check_projection(model)
  if (isTRUE(model$scaling$normed) && !is_linear(kernel) && merges(model)) {
    abort(c(
      "{.arg maintenance} must be {.val project} or {.val remove} with {.code scale = \"unit\"}.",
      i = "Rows of norm 1 cannot be merged."
    ))
  }
  model
}

#' @rdname osvm
#' @export
osvm.data.frame <- function(x, y, ..., weights = NULL, subset = NULL, na.action = stats::na.omit) {
  check_passed("osvm", osvm.default, ...)
  examples <- examples_of()
  called_fit(osvm.default(examples$x, examples$y, ..., weights = examples$weights), match.call(), examples)
}

#' @rdname osvm
#' @export
osvm.formula <- function(formula, data = NULL, ..., weights = NULL, subset = NULL, na.action = stats::na.omit) {
  check_passed("osvm", osvm.default, ...)
  examples <- examples_of()
  called_fit(osvm.default(examples$x, examples$y, ..., weights = examples$weights), match.call(), examples)
}

called_fit <- function(fit, call, examples) {
  fit$encoding <- examples$encoding
  fit$na.action <- examples$na.action
  fit$call <- as_called(call)
  know(fit)
}

# The call, by the name of the generic. do.call() puts values, not names, into a
# call: data among them is replaced by a name.
as_called <- function(call) {
  call[[1]] <- quote(osvm)
  for (k in seq_along(call)[-1]) {
    if (!is.language(call[[k]]) && (length(call[[k]]) > 3 || is.data.frame(call[[k]]))) {
      call[[k]] <- as.name("<data>")
    }
  }
  call
}
