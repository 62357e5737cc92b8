#' Fit a support vector machine
#'
#' Trains a classifier for two or more classes, a regression for numbers, or a detector of novelty where there are no
#' labels. [`update()`][update.osvm] adds examples, [forget()] removes them if the solver supports it.
#'
#' @section Defaults:
#' `osvm(x, y)` scales the data and solves the soft-margin SVM to its optimum, by
#' [solver_smo()] with a Gaussian kernel. `C` and the width of the kernel are one of three
#' settings: `C = 2` and the width of [kernel_rbf()], `C = 1` and half of its `gamma`, or
#' `C = 5` and twice its `gamma`. Where the last is the best of them, or all are hardly better than chance, `C = 10` and
#' 8 times, `C = 20` and 64 times its `gamma` are tried as well.
#'
#' They are compared by three-fold cross-validation on at most
#' 500 examples, evenly spaced within each class, of at most ten classes, and the first is taken unless another has an
#' error lower by more than half a per cent and one example. A setting that is not better by so much on the first fold
#' is ruled out there, and one that is better by a standard error is taken there; where no setting could be better by
#' so much than the first, it runs alone. `choice` of the model has the errors, `NA` where they were not needed, which
#' count by `class_weights` and `weights`. With
#' [kernel_linear()] it is `C = 1` or `C = 0.1`, and above 10,000 rows the solver is [solver_dcd()]. With a kernel of
#' [low rank][low_rank] the solver is [solver_dcd()] with a tolerance of 0.01. For classes and a rank of at most a
#' twentieth of the rows the settings are `C = 8` and half of the usual `gamma`, `C = 8` and a fifth, `C = 20` and all
#' of it, or else 4 or 32 times as much, compared on at most 2,000 examples and at a rank of at most 500.
#' A solver that is given keeps its parameters. On fewer than 20 rows or ten per class, or more than 50 classes,
#' the first setting is taken without comparison. For numbers the settings are `C = 1` and half of the usual `gamma`,
#' `C = 20` and a quarter, `C = 10` and all of it, compared by their root mean square errors; another than the first is
#' taken if its error is lower by more than one per cent. For novelty nothing is compared.
#'
#' @section Beyond 50,000 rows:
#' With a kernel other than the linear one, and neither `solver` nor `cells`, the way is chosen by a trial. Cost and
#' kernel width are chosen on a sample of 2,000 rows, and features are weighted as for cells. Then one SVM of 5,000 and
#' of 20,000 rows, a kernel of rank 500 ([kernel_nystrom()], for dense data) and cells of 2,000 and of 5,000 rows, in
#' four regions of the data, predict the same 2,000 held-out rows; those that cannot have the least error are left out.
#' Where the kernel of low rank does well, its gradient gives sharper weights of the features, for as long as that
#' lowers its error. What more rows would gain is extrapolated, for one SVM up to as many as take two minutes on an
#' ordinary processor, or the time that `seconds` leaves. The fastest of those whose errors are nearly the least is
#' taken; a message says which, with the errors and the time expected, the trial included, and `choice` of the model
#' has the table. Cells win where the boundary is intricate, a kernel of low rank or one SVM where it is smooth and
#' labels are noisy. The choice is made by numbers of kernel values, so that the same seed gives the same model, and
#' only with `seconds` by the times measured.
#'
#' @section Cells:
#' The time of an SVM grows with the square of the number of rows, and more. `cells = 2000` divides the space into cells
#' of at most 2,000 rows, by k-means on the scaled features, and trains an SVM on the rows of each, side by side on
#' threads or on the workers of a [future::plan()]: half a million rows take seconds. New rows are predicted by the SVM
#' of the cell they are in. Rows that are all the same are not divided.
#'
#' Cells predict about as well as one SVM, or better, where the boundary between classes is intricate. Where it is
#' smooth and labels are noisy they predict worse, the more so the smaller they are: one SVM of a sample of the rows may
#' do better (`bench/cells`).
#'
#' With `cells = list(size = 2000, overlap = TRUE)` each row is also learned by the cell with the second nearest mean,
#' so that boundaries go on across the borders of cells. On four sets the errors fell from 2.4 to 1.7, 13.6 to 13.2,
#' 15.8 to 15.6 and 18.1 to 17.2 %, for 1.5 to 2.5 times the time (`bench/cells-overlap`).
#'
#' Without `solver` and a kernel width, dense features that `scale = TRUE` has scaled are then multiplied by what they
#' say about the labels, so that distances follow those that matter: the root mean square of the gradient of an SVM of
#' 2,000 rows, then of one of 5,000 rows with these weights. `scaling` includes them. They are left out where they do
#' not lower the error on the sample.
#'
#' Without `solver`, cost and kernel width are chosen by three-fold cross-validation in a few of the cells, from a wide,
#' coarse grid and around the best of it, with the errors in `choice`, and then again in each cell, from nine settings
#' around that.
#' Probabilities come from one map for all cells. A cell of one class predicts it; a cell that an interrupt or `seconds`
#' left without an SVM predicts the most frequent class, or the mean, of its rows.
#'
#' The model has no `sv`, `coef` and `intercept` of its own. Its `cells` have `parts`, a list with those of each cell;
#' `nodes`, the tree of centres; and a `table` with a row per cell: the number of its `rows`, its settings and support
#' vectors, the cross-validated `error` of its setting, if there were several or `probability` was asked for, `seconds`,
#' and `state`: `"learned"`, `"unfinished"`, if the solver ended before its tolerance, `"constant"` or `"missing"`.
#' [`update()`][update.osvm] sends new rows to their cells, of which only those learn; the division stays as it is.
#'
#' @section Interrupts:
#' Ctrl-C stops a long fit at once; the model so far is returned, with a warning of
#' class `osvm_interrupted`, and without probabilities if they are not complete.
#'
#' @param x Examples, one per row: a numeric, integer or logical matrix; a sparse
#'   `dgCMatrix` (other Matrix classes and the matrices of SparseM and slam are converted);
#'   or a data frame, whose factors become indicator columns, dates numbers of days and
#'   date-times numbers of seconds, since 1970-01-01, with a message. Sparse data is made dense
#'   only inside the core, and only where so much of it is not zero (about a quarter) that
#'   this is faster and takes at most about twice the memory; support vectors stay sparse.
#' @param y Labels, one per row: factor, character, logical or numeric. Levels of a factor without examples are
#'   left out, with a message. Numbers that look
#'   like measurements are learned as numbers: more than two different ones of which some are not
#'   whole, or more than 20 with fewer than ten rows each, on average, or with fewer than five for a tenth of them. If
#'   they are classes, give `factor(y)`; `loss` says it explicitly. Several columns of numbers, a matrix or a data
#'   frame, are learned by an SVM each, which share kernel values. Each has, within the tolerance of the solver, the
#'   model of a fit of its own with the same seed; with a `budget` they share the vectors, too. Left out: the model
#'   learns what belongs to `x`, see [loss_novelty()].
#' @param formula,data The usual formula interface: labels on the left, features on
#'   the right; nothing on the left for [loss_novelty()].
#' @param loss What is learned, and what an error costs: [loss_hinge()] for classes, [loss_epsilon()] or
#'   [loss_quantile()] for numbers, [loss_novelty()] without labels, or the name of one. `NULL`: by the labels.
#' @param solver A solver such as [solver_olsvm()], or its name, for its default
#'   parameters. `NULL`: see Defaults.
#' @param kernel A kernel such as [kernel_rbf()], or its name. `NULL`: a Gaussian kernel, or
#'   the linear one for a linear solver. With [kernel_matrix()] `x` holds kernel values, with [kernel_function()]
#'   examples of any kind.
#' @param scale Scale every feature? In a dense matrix or data frame to mean 0 and standard
#'   deviation 1, except for columns of 0 and 1 only, such as the indicators of a factor, which stay
#'   as they are: that predicts better (`bench/factors`), and for factors it is what `e1071::svm()` does.
#'   In a sparse matrix zeros stay zeros: a feature is not centred, but divided
#'   by the root mean square of its non-zero values, so that these have mean square 1,
#'   however rare they are. The same numbers as a dense and as a sparse matrix are therefore
#'   scaled differently. The scaling is kept in the model; a column whose standard deviation is
#'   below 1e-302 is taken as constant and not scaled. Or a scaling of your own,
#'   `list(center = , scale = )`: a number per column, by name where both have names; one of the
#'   two may be left out. The attributes of [base::scale()] and another model's `scaling` will do.
#'   Or `"running"`, for streams: mean 0 and standard deviation 1 for every column, and of the numbers to be learned;
#'   [`update()`][update.osvm] goes on with the estimates. Every
#'   example is scaled by those of its time; the support vectors are kept scaled.
#' @param multiclass With more than two classes: `"ovo"` (one-vs-one) trains a binary
#'   classifier per pair of classes, `"ovr"` (one-vs-rest) one per class. `NULL`: `"ovo"` for up
#'   to 50 classes.
#' @param class_weights A positive number per class, by name, or `"balanced"`.
#' @param weights A number per example; it multiplies that example's `C` or step.
#' @param probability Fit probabilities too? They come from five-fold cross-validation. The model then takes
#'   the predicted class from them, which can move the boundary between classes; see [`predict()`][predict.osvm].
#' @param cache_mb The most memory, in megabytes, for kernel values, or for the features of a kernel of [low
#' rank][low_rank].
#' @param threads Number of threads. They share long kernel rows and, with several classes, the binary classifiers of
#'   a fit; small fits use one. No number depends on them. `NULL`: see [onlinesvm-package].
#' @param verbose Show a progress bar when the fit takes long?
#' @param trace Keep a table with a row per epoch?
#' @param na.action What to do with rows in which a feature, the label or the weight is
#'   missing: [na.omit()] and [na.exclude()] leave them out, with a message of class
#'   `osvm_message` that counts them; [na.fail()] makes them an error.
#' @param subset Rows to learn: `TRUE` or `FALSE` for each, or their numbers; may name columns of
#'   the data, and so may the `weights` with a formula. Labels and weights are given for all rows.
#' @param seconds A time limit, after which the fit ends as after Ctrl-C, with a message of class
#'   `osvm_time_limit` in place of the warning, which says how far the fit is from its end and what takes less time.
#' @param cells The most rows of a cell, such as 2000: the space is divided into cells, with an SVM in each, see Cells.
#'   Or a list of this `size` and whether cells `overlap`. `NULL`: one SVM of all rows.
#' @param ... For the formula and data frame methods, the arguments above. An unknown
#'   argument is an error; parameters such as `C` and `gamma` belong to solver and kernel.
#' @return A list of class `osvm` with, among others,
#'   \item{levels}{the classes; a positive decision value predicts the second}
#'   \item{loss, outcome}{as used; what is predicted: `"classes"`, `"numbers"` or `"novelty"`}
#'   \item{sv, n_sv}{the support vectors, in the units of `x`, and their number; some
#'     solvers keep further examples among them, whose `coef` is 0}
#'   \item{target}{the numbers of their classes among `levels`, or the numbers that were learned, scaled; `NA` for
#'     merged vectors}
#'   \item{index}{their rows: those of `x`, without rows left out, then those of each [`update()`][update.osvm], counted
#'     on; `NA` for merged vectors}
#'   \item{coef}{signed coefficients, a column per binary classifier; for a linear kernel the
#'     weights of the scaled features, see [`coef()`][coef.osvm]}
#'   \item{intercept}{one per binary classifier}
#'   \item{solver, kernel, scaling}{as used}
#'   \item{range}{`low` and `high`, of each feature, see [`predict()`][predict.osvm]}
#'   \item{na.action}{the rows left out for missing values, if there were any, as in [lm()]}
#'   \item{probability}{the map from decision values to probabilities, if requested, and
#'     `n_seen`, the number of examples learned when it was fitted}
#'   \item{choice}{without `solver`: the settings compared and their cross-validated errors, `NA` where they were not
#'     needed; beyond 50,000 rows the ways tried}
#'   \item{trace}{a row per epoch, after many updates of the latest 1,000: mean hinge loss, of
#'     each example before its update, violations, support vectors (`sv`; includes other
#'     examples a solver keeps), seconds}
#'   \item{stats}{steps, updates, kernel evaluations, seconds}
#'
#'   The list holds no training data beyond what its solver needs for further training, and
#'   can be saved by [saveRDS()].
#' @seealso [`predict()`][predict.osvm], [`update()`][update.osvm], [forget()], [query()],
#'   [`plot()`][plot.osvm], [solvers()], [kernels], [losses]; [osvm_tune()] to choose parameters, [osvm_stream()] and
#'   [osvm_live()] for data that keeps arriving
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
                         probability = FALSE, cache_mb = 256, threads = NULL,
                         verbose = interactive(), trace = TRUE, na.action = stats::na.omit, seconds = Inf, loss = NULL,
                         cells = NULL, ...) {
  check_dots("osvm", ...)
  if (missing(y)) y <- NULL
  one_flag(probability)
  prepared <- prepare_fit(
    x, y, class_weights, weights, na.action, solver, kernel, scale, multiclass, cache_mb, threads, verbose, trace,
    loss = loss
  )
  unused <- levels(y)[!levels(y) %in% prepared$labels$levels]
  if (length(unused) > 0) inform("{.arg y} has no examples of the level{?s} {.val {unused}}, which {?is/are} left out.")
  model <- prepared$model
  if (!is.null(cells)) cells <- check_cells(cells, model)
  if (probability && model$outcome != "classes") abort("{.arg probability} is for classes: leave it out.")
  fit <- within_seconds(seconds, if (!is.null(cells)) {
    fit_in_cells(model, prepared$examples, cells, kernel, is.null(solver), probability)
  } else if (wants_trial(model, length(prepared$examples$class), solver)) {
    fit_by_trial(model, prepared$examples, kernel, probability)
  } else {
    if (is.null(solver)) model <- choose_setting(model, prepared$examples, kernel)
    fit_model(model, prepared$examples, probability)
  }, function(fit) explain_limit(fit, length(prepared$examples$weight)))
  fit$na.action <- prepared$na.action
  fit$call <- as_called(match.call())
  as_osvm(fit)
}

as_osvm <- function(fit) {
  class(fit) <- c(paste0("osvm_", if (has_cells(fit)) "cells" else fit$solver$name), "osvm")
  fit
}

# The untrained model, its examples and their labels; all arguments are checked. Further
# arguments are those of new_model(). `y`, `weights` and `foldid` of the result are those of the
# rows learned; `levels`: classes known beforehand, of which some may be missing from y.
prepare_fit <- function(x, y, class_weights = NULL, weights = NULL, na.action = stats::na.omit, solver = NULL,
                        kernel = NULL, scale = TRUE, ..., foldid = NULL, levels = NULL, loss = NULL) {
  given <- if (is_given(kernel)) x
  x <- if (is_given(kernel)) number_examples(kernel, x) else as_input(x)
  rows <- learned_rows(list(x = x, y = y, weights = weights, foldid = foldid), na.action)
  x <- rows$x
  labels <- read_outcome(rows$y, nrow(x), levels, loss = loss, scale = scale)
  if (is.null(solver) && labels$outcome == "novelty") solver <- default_solver("fit") # which learns all losses
  model <- start_outcome(new_model(x, solver, kernel, scale, ...), labels, class_weights)
  if (is_given(kernel)) {
    started <- start_given(model, given, x)
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

# An untrained model without classes; all arguments are checked.
new_model <- function(x, solver = NULL, kernel = NULL, scale = TRUE, multiclass = NULL, cache_mb = 256, threads = NULL,
                      verbose = interactive(), trace = TRUE) {
  specs <- choose_specs(solver, kernel, nrow(x))
  if (!is.null(multiclass)) multiclass <- one_choice(multiclass, c("ovr", "ovo"))
  control <- list(
    cache_mb = one_positive(cache_mb), threads = resolve_threads(threads),
    verbose = one_flag(verbose), trace = one_flag(trace)
  )
  names <- check_unique(column_names(x), "x")
  if (is_given(specs$kernel)) scale <- scale_nothing(specs, scale)
  fitted <- fit_transform(scale, x)
  kernel <- complete_kernel(specs$kernel, fitted$x, fitted$transform)
  transform <- fit_features(fitted$transform, kernel, fitted$x)
  model <- list(
    format = model_format, outcome = NULL, loss = NULL, levels = NULL, label = NULL, solver = specs$solver,
    kernel = kernel, transform = transform, scaling = transform$scaling,
    multiclass = multiclass, machines = NULL, n_features = ncol(x), feature_names = names,
    sparse = inherits(x, "dgCMatrix"), class_weights = NULL,
    extent = data_extent(fitted$columns, transform),
    range = if (!is_given(specs$kernel)) column_range(fitted$columns),
    estimated = estimated_parts(scale, specs$kernel), control = control
  )
  if (!is_given(kernel)) check_magnitude(model$extent)
  check_projection(model)
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
  fit
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
