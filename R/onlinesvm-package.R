#' Fast support vector machines, online and in batch
#'
#' Support vector machines in batch and online, for classes, numbers and novelty. They learn from data that are large,
#' that keep arriving, whose labels are wrong or few, or that have to be removed again. This page is an overview.
#'
#' @section From data to predictions:
#' | | |
#' |---|---|
#' | [osvm()] | trains a model on a matrix, a data frame or a formula, and searches for what is not given |
#' | [`predict()`][predict.osvm] | predicts classes, numbers or novelty; decision values; probabilities |
#' | [`update()`][update.osvm] | adds examples to a model |
#' | [`plot()`][plot.osvm], [`summary()`][summary.osvm], [`coef()`][coef.osvm] | show a model |
#' | [osvm_tune()], [osvm_compare()] | choose parameters and compare solvers by cross-validation |
#' | [`plot()`][plot.osvm_tuning] of these | heat maps and curves over the grid |
#' | [osvm_learning_curve()], [osvm_validation_curve()] | draw the error over the examples learned or a parameter |
#' | [osvm_roc()], [osvm_calibration()] | draw the ROC curve, and how well probabilities are calibrated |
#' | [osvm_threshold()] | chooses a threshold by costs or by a rate |
#' | [osvm_shapley()], [osvm_importance()] | divide predictions among the variables; which of these matter |
#' | [frameworks] | the same models in caret, tidymodels, mlr3, broom, butcher, vetiver, DALEX |
#' | [forget()], [loo()] | remove examples from a model; compute the leave-one-out error |
#' | [osvm_live()], [snapshot()] | keep a model in memory that learns row by row; copy it |
#' | [osvm_stream()], [sources], [drift_adwin()] | learn from a stream, evaluate it, and detect drift |
#' | [osvm_shards()] | trains one model on parts of the data, on several computers |
#' | [compress()], [osvm_compression_curve()], [strip()] | leave fewer support vectors; leave out training state |
#' | [query()], [osvm_active()] | choose the examples to label; run the whole loop of active learning |
#' | [chessboard()], [two_normals()], [unequal_normals()] | draw test data |
#'
#' @section Solvers:
#' A solver is a training algorithm; [solvers()] lists them. The default of `osvm()` is [solver_smo()], and
#' [solver_dcd()] for a linear kernel and more than 10,000 rows.
#'
#' `r solver_help()`
#'
#' Kernels: [kernel_rbf()], [kernel_laplacian()] and [kernel_linear()], among which `osvm()` chooses,
#' [kernel_polynomial()], [kernel_sigmoid()]; [kernel_nystrom()] and [kernel_fourier()] of low rank, for many rows;
#' [kernel_matrix()] and [kernel_function()] for kernels of your own. Losses: [loss_hinge()], [loss_epsilon()],
#' [loss_quantile()], [loss_novelty()] and others of [losses()]. A parameter of a solver, a kernel or a loss with
#' several values, such as `solver_olsvm(C = c(1, 10))`, is a grid for `osvm_tune()`.
#'
#' @section Vignettes:
#' * `vignette("getting-started", "onlinesvm")`: ten minutes with one data set, and a table for those who know e1071.
#' * `vignette("tables", "onlinesvm")`: the search of `osvm()`, beside forests and boosting.
#' * `vignette("cookbook", "onlinesvm")`: a recipe per question; tables for users of other packages.
#' * `vignette("which-solver", "onlinesvm")`: a chart, and one recommendation per situation, with measurements.
#' * `vignette("million-rows", "onlinesvm")`: how to train on many rows, with times, errors and memory.
#' * `vignette("numbers-novelty", "onlinesvm")`: regression, quantiles and one-class detection.
#' * `vignette("trust", "onlinesvm")`: can I trust it? Intervals, sets, probabilities, and reasons of predictions.
#' * `vignette("streams", "onlinesvm")`: data that keep arriving.
#' * `vignette("bounded", "onlinesvm")`: models of bounded size.
#' * `vignette("cluster", "onlinesvm")`: grids and shards on several computers.
#' * `vignette("frameworks", "onlinesvm")`: one problem in base R, caret, tidymodels and mlr3.
#' * One per paper, with its experiments and ours: `"paper-kernel-online"` (NORMA, Pegaz, OL SVM), `"paper-smo-sgd"`,
#'   `"paper-ramp-loss"`, `"paper-linear-online"` (Pegasos), `"paper-huller"`.
#'
#' @section Conditions:
#' Errors, warnings and messages have classes, for [tryCatch()] and [withCallingHandlers()]:
#'
#' | class | kind | when |
#' |---|---|---|
#' | `osvm_error` | error | every error of the package |
#' | `osvm_interrupted` | warning | Ctrl-C: the result is what was done until then |
#' | `osvm_unfinished` | warning | a solver stopped before its tolerance |
#' | `osvm_failed` | warning | grid points, or the final fit of a tuning, failed; the others are there |
#' | `osvm_out_of_range` | warning | columns of new data left the range of the training data far behind |
#' | `osvm_not_separable` | warning | [solver_huller()], [loss_novelty()]: there is no hard margin, or no hyperplane |
#' | `osvm_old_probabilities` | warning | the map of probabilities is older than most of what was learned |
#' | `osvm_old_scores` | warning | the scores of `conformal = TRUE` are older than most of what was learned |
#' | `osvm_indefinite` | warning | a kernel of your own is not positive definite |
#' | `osvm_unregistered` | warning | a framework did not accept the models of this package |
#' | `osvm_guess` | message | whole numbers were taken for numbers, or for classes, which could be the other |
#' | `osvm_message` | message | every message of the package |
#' | `osvm_time_limit` | message | `seconds` ended a fit |
#'
#' @section Random numbers, threads, Ctrl-C:
#' `set.seed()` governs everything: the same seed gives the same model, with one thread or
#' many. `options(onlinesvm.threads = 4)` sets the number of threads used where an argument
#' `threads` is `NULL`; it is 2 unless set. Ctrl-C keeps what was learned so far.
#'
#' @examples
#' set.seed(1)
#' board <- chessboard(500)
#' tuned <- osvm_tune(
#'   board$x, board$y, solver_olsvm(C = c(1, 10, 100)), kernel_rbf(sigma = c(0.2, 0.4))
#' )
#' tuned$best
#' new <- chessboard(500)
#' table(predict(tuned, new$x), new$y)
#' fit <- update(tuned$fit, new$x, new$y)
#' fit
#' @useDynLib onlinesvm, .registration = TRUE
#' @importFrom methods as is
#' @importFrom stats coef fitted formula model.frame model.matrix nobs predict terms update
#' @importClassesFrom Matrix dgCMatrix
#' @keywords internal
"_PACKAGE"

# The table of solvers in README, in the vignette on choosing one and on the package's help page, from what the solvers
# declare. `link`: how to refer to a constructor.
solver_markdown <- function(link = function(name) paste0("`solver_", name, "()`")) {
  all <- solver_table()
  what <- paste0(all$title, ": ", all$summary, ifelse(all$forgets, "; `forget()`", ""))
  data.frame(
    solver = link(all$name), rule = what, kernels = ifelse(all$space == "both", "all", all$space),
    from = gsub("\\((\\d{4})\\)", "\\1", all$paper)
  )
}

solver_help <- function() {
  table <- solver_markdown(function(name) paste0("[solver_", name, "()]"))[c("solver", "rule")]
  paste(c("| | |", "|---|---|", paste("|", table$solver, "|", table$rule, "|")), collapse = "\n")
}
