#' Fast on-line support vector machines
#'
#' Support vector machines that learn one example at a time, from data that is large, keeps
#' arriving, or has to be forgotten again. This page is the map.
#'
#' @section From data to predictions:
#' | | |
#' |---|---|
#' | [osvm()] | learns a model from a matrix (dense or sparse), a data frame or a formula |
#' | [`predict()`][predict.osvm] | classes, decision values or probabilities |
#' | [`update()`][update.osvm] | goes on learning from examples that arrive later |
#' | [`plot()`][plot.osvm], [`summary()`][summary.osvm], [`coef()`][coef.osvm] | what was learned |
#' | [osvm_tune()], [osvm_compare()] | choose parameters and compare solvers by cross-validation |
#' | [`plot()`][plot.osvm_tuning] of these | heat maps and curves over the grid |
#' | [osvm_caret()] | the same models for `caret::train()` |
#' | [forget()], [loo()] | unlearns examples; the leave-one-out error |
#' | [query()], [osvm_active()] | which examples deserve a label; learning from those alone |
#' | [chessboard()], [two_normals()], [unequal_normals()] | data to play with |
#'
#' @section Solvers:
#' A solver is how a model learns; [solvers()] is the list. `osvm()` takes [solver_lasvm()], or
#' [solver_pegasos()] for a linear kernel, if nothing is said.
#'
#' | | |
#' |---|---|
#' | near the exact solution in a pass or two | [solver_lasvm()]; [solver_huller()] for classes that are apart |
#' | kernel steps, very quick | [solver_olsvm()], [solver_pegaz()], [solver_norma()] |
#' | mistakes and margins | [solver_perceptron()], [solver_pa()] |
#' | linear, for very much data | [solver_pegasos()], [solver_sgd()] |
#' | exact | [solver_smo()] at once, [solver_idsvm()] example by example |
#' | wrong labels (ramp loss) | [solver_ramp()] example by example, [solver_cccp()] at once |
#' | can forget | [solver_idsvm()], [solver_ramp()] |
#'
#' Kernels: [kernel_rbf()], the default, [kernel_linear()], [kernel_polynomial()],
#' [kernel_sigmoid()]. A parameter of a solver or a kernel with several values, such as
#' `solver_olsvm(C = c(1, 10))`, is a grid for `osvm_tune()`.
#'
#' @section Vignettes:
#' * `vignette("getting-started", "onlinesvm")`: a first model, streams, tuning, text.
#' * `vignette("which-solver", "onlinesvm")`: seven questions, and all solvers side by side.
#' * One per paper, with its experiments beside ours: `"paper-kernel-online"` (NORMA, Pegaz,
#'   OL SVM), `"paper-smo-sgd"`, `"paper-ramp-loss"`, `"paper-linear-online"`
#'   (Pegasos), `"paper-huller"`.
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
#' @importFrom stats coef predict update
#' @importClassesFrom Matrix dgCMatrix
#' @keywords internal
"_PACKAGE"
