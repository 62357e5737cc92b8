# Grids and shards on every kind of plan, compared bit for bit with those of this process; workers are killed on the
# way. Run by tools/cluster-test.sh, in a scratch folder, with a Slurm of its own.
suppressPackageStartupMessages(library(onlinesvm))
suppressPackageStartupMessages(library(future))
passed <- failed <- 0
expect <- function(ok, what) {
  if (isTRUE(ok)) passed <<- passed + 1 else failed <<- failed + 1
  why <- if (!isTRUE(ok)) paste0(": ", paste(format(ok), collapse = " "))
  cat(if (isTRUE(ok)) "ok      " else "FAILED  ", what, why, "\n")
}
template <- commandArgs(TRUE)[1]

# ---- the work ----
set.seed(1)
board <- chessboard(600)
part <- rep_len(1:4, 600)
shards <- lapply(1:4, function(k) list(x = board$x[part == k, ], y = as.character(board$y[part == k])))
files <- lapply(1:4, function(k) {
  file <- normalizePath(paste0("shard-", k, ".csv"), mustWork = FALSE)
  x <- shards[[k]]$x
  write.csv(data.frame(x1 = sprintf("%.17g", x[, 1]), x2 = sprintf("%.17g", x[, 2]), colour = shards[[k]]$y), file,
    row.names = FALSE, quote = FALSE)
  source_csv(file, label = "colour")
})
without_timings <- function(object) {
  object$call <- object$stats <- object$results$seconds <- object$best$seconds <- object$trace$seconds <- NULL
  object$shards$rounds$seconds <- NULL
  object$control <- NULL
  if (!is.null(object$fit)) object$fit <- without_timings(object$fit)
  object
}
random_metric <- function(truth, predicted, decision) mean(truth != predicted) + stats::runif(1) / 1000
work <- list(
  "grid of SMO" = function() {
    osvm_tune(board$x, board$y, solver_smo(C = 10^(0:2)), kernel_rbf(gamma = c(1, 3, 9)), progress = FALSE)
  },
  "grid of LASVM, repeated, a metric that draws" = function() {
    osvm_tune(board$x, board$y, solver_lasvm(C = 10^(0:1)), kernel_rbf(gamma = c(1, 3)), folds = 3, repeats = 2,
      metric = random_metric, progress = FALSE)
  },
  "cascade of matrices" = function() osvm_shards(shards, solver_lasvm(C = 10), kernel_rbf(gamma = 5), verbose = FALSE),
  "cascade of files" = function() osvm_shards(files, solver_smo(C = 10), kernel_rbf(gamma = 5), verbose = FALSE),
  "mixing of files" = function() osvm_shards(files, solver_pegasos(epochs = 3), verbose = FALSE)
)
run <- function(name) {
  set.seed(7)
  list(without_timings(suppressWarnings(work[[name]]())), stats::runif(1))
}
same <- function(a, b) if (identical(a, b)) TRUE else all.equal(a, b, tolerance = 0)
plan(sequential)
here <- lapply(stats::setNames(nm = names(work)), run)
expect(isTRUE(here[["cascade of files"]][[1]]$shards$optimum), "cascade of files ends at the optimum")

on_plan <- function(title, names = names(work)) {
  for (name in names) {
    seconds <- system.time(there <- tryCatch(run(name), error = conditionMessage))[["elapsed"]]
    expect(same(there, here[[name]]), sprintf("%s: %s, as in one process (%.1f s)", title, name, seconds))
  }
}

# A process of the work that is killed as soon as it has written its id to the file, once.
kill_one <- function(title, name) {
  flag <- normalizePath("killed", mustWork = FALSE)
  unlink(flag, recursive = TRUE)
  call <- onlinesvm:::worker_call
  killed <- call
  body(killed) <- bquote({
    if (dir.create(.(flag), showWarnings = FALSE)) tools::pskill(Sys.getpid(), 9)
    .(body(call))
  })
  utils::assignInNamespace("worker_call", killed, "onlinesvm")
  on.exit(utils::assignInNamespace("worker_call", call, "onlinesvm"))
  on_plan(paste0(title, ", a worker killed"), name)
  expect(dir.exists(flag), paste0(title, ": a worker was killed"))
}

# ---- the plans ----
plan(multisession, workers = 2, rscript_libs = .libPaths())
on_plan("multisession", names(work))
kill_one("multisession", "grid of SMO")
kill_one("multisession", "mixing of files")

plan(cluster, workers = 2, rscript_libs = .libPaths())
on_plan("cluster", names(work)[1])
plan(sequential)

if (requireNamespace("future.batchtools", quietly = TRUE)) {
  # batchtools_slurm() asks sacct, hence an accounting data base, which this Slurm has not; these functions ask squeue.
  functions <- batchtools::makeClusterFunctionsSlurm(template)
  suppressWarnings(plan(future.batchtools::batchtools_custom, cluster.functions = functions, workers = 4))
  on_plan("Slurm by batchtools", names(work)[c(1, 2, 5)])
  kill_one("Slurm by batchtools", "grid of SMO")
  plan(sequential)
} else {
  expect(FALSE, "future.batchtools is installed")
}

if (requireNamespace("future.mirai", quietly = TRUE)) {
  mirai::daemons(3, url = mirai::host_url(), remote = mirai::cluster_config(
    command = "sbatch", options = "#SBATCH --job-name=daemon\n#SBATCH --output=daemon-%j.log",
    rscript = file.path(R.home("bin"), "Rscript")
  ))
  started <- proc.time()[["elapsed"]]
  while (mirai::status()$connections < 3 && proc.time()[["elapsed"]] - started < 60) Sys.sleep(0.1)
  expect(mirai::status()$connections == 3, "mirai: three daemons on Slurm")
  plan(future.mirai::mirai_cluster)
  on_plan("Slurm by mirai", names(work))
  kill_one("Slurm by mirai", "grid of SMO")
  kill_one("Slurm by mirai", "cascade of files")
  plan(sequential)
  mirai::daemons(0)
} else {
  expect(FALSE, "future.mirai is installed")
}
cat(sprintf("cluster: %d passed, %d failed\n", passed, failed))
