# One fit on a chess board with a tenth of the labels wrong, for bench/solvers.R and bench/solvers-draws.R.
C <- c(lasvm = 10, olsvm = 10, pegaz = 10, huller = 1, pa = 0.1, norma = 100, smo = 10, idsvm = 10, ramp = 10, cccp = 10)
rules <- lapply(setNames(nm = solvers()$name), function(name) {
  do.call(paste0("solver_", name), if (name %in% names(C)) list(C = C[[name]]) else list())
})
set.seed(1)
new <- chessboard(10000)

one <- function(name, n, seed = n) {
  set.seed(seed)
  board <- chessboard(n, noise = 0.1)
  linear <- solvers()$space[solvers()$name == name] == "linear"
  kernel <- if (linear) kernel_linear() else kernel_rbf(sigma = 0.3)
  time <- seconds(fit <- osvm(board$x, board$y, rules[[name]], kernel, threads = 1, verbose = FALSE))
  message(sprintf("%s, %d examples: %.2f s", name, n, time))
  data.frame(
    solver = name, examples = n, seconds = time, error = error(predict(fit, new$x), new$y), svs = fit$n_sv,
    millions = fit$stats$kernel_evaluations / 1e6
  )
}
invisible(one("smo", 1000)) # the first call loads code
