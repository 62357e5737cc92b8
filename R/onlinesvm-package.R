#' Fast on-line support vector machines
#'
#' Support vector machines that learn one example at a time.
#'
#' * Fit: [osvm()] with a solver and a kernel ([kernel_rbf()], [kernel_linear()],
#'   [kernel_polynomial()], [kernel_sigmoid()]). [solvers()] lists the solvers:
#'   * for any kernel, little to tune: [solver_lasvm()], [solver_olsvm()], [solver_huller()],
#'     [solver_perceptron()], [solver_pa()], [solver_norma()], [solver_pegaz()]
#'   * linear, for much data: [solver_pegasos()], [solver_sgd()]
#'   * for wrong labels: [solver_ramp()], and off line [solver_cccp()]
#'   * exact: [solver_idsvm()] example by example, [solver_smo()] at once
#' * Use: [`predict()`][predict.osvm], [`update()`][update.osvm] with examples
#'   that arrive later, [`coef()`][coef.osvm] of linear models,
#'   [`plot()`][plot.osvm], [`summary()`][summary.osvm].
#' * Forget and ask: [forget()] unlearns examples, [loo()] is the leave-one-out error,
#'   [query()] and [osvm_active()] choose the examples that deserve a label.
#' * Data to play with: [chessboard()], [two_normals()], [unequal_normals()].
#'
#' @section Options:
#' `onlinesvm.threads`: the number of threads used where an argument `threads`
#' is `NULL`; 2 unless set.
#'
#' @examples
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, solver_olsvm(C = 10), kernel_rbf(sigma = 0.5))
#' fit
#' table(predict(fit, board$x), board$y)
#' @useDynLib onlinesvm, .registration = TRUE
#' @importFrom methods as is
#' @importFrom stats coef predict update
#' @importClassesFrom Matrix dgCMatrix
#' @keywords internal
"_PACKAGE"
