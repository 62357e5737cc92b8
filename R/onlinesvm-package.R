#' Fast on-line support vector machines
#'
#' Support vector machines that learn one example at a time.
#'
#' * Fit: [osvm()] with a solver ([solver_olsvm()], [solver_norma()],
#'   [solver_pegaz()]; linear: [solver_pegasos()], [solver_sgd()]; batch:
#'   [solver_smo()]; [solvers()] lists them) and a kernel ([kernel_rbf()],
#'   [kernel_linear()], [kernel_polynomial()], [kernel_sigmoid()]).
#' * Use: [`predict()`][predict.osvm], [`update()`][update.osvm] with examples
#'   that arrive later, [`coef()`][coef.osvm] of linear models,
#'   [`plot()`][plot.osvm], [`summary()`][summary.osvm].
#' * Data to play with: [chessboard()], [two_normals()].
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
