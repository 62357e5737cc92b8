# The grid of bench/cluster-grid.R on Slurm: Rscript on-slurm.R TEMPLATE GRID OUTPUT, by tools/cluster-test.sh.
suppressPackageStartupMessages(library(onlinesvm))
arguments <- commandArgs(TRUE)
source(arguments[2])
elapsed <- function(expr) system.time(expr)[["elapsed"]]
rows <- list()
note <- function(plan, seconds, errors) {
  cost <- way_to_worker()
  rows[[length(rows) + 1]] <<- data.frame(
    plan, call = seq_along(seconds), seconds, submit = cost[["submit"]], start = cost[["start"]], errors
  )
}
# Seconds to submit a future, and until one that is submitted has started and its value has come back.
way_to_worker <- function() {
  seconds <- replicate(5, {
    submit <- elapsed(empty <- future::future(NULL, packages = "onlinesvm"))
    c(submit = submit, start = elapsed(future::value(empty)))
  })
  apply(seconds, 1, median)
}
run_three <- function(plan) {
  seconds <- errors <- numeric(3)
  for (k in 1:3) {
    seconds[k] <- elapsed(tuned <- run_grid())
    errors[k] <- sum(tuned$results$error)
  }
  note(plan, seconds, errors)
}

future::plan(future::multisession, workers = 2, rscript_libs = .libPaths())
run_three("multisession, 2 workers")
future::plan(future::sequential)

started <- proc.time()[["elapsed"]]
mirai::daemons(2, url = mirai::host_url(), remote = mirai::cluster_config(
  command = "sbatch", options = "#SBATCH --job-name=daemon\n#SBATCH --output=daemon-%j.log",
  rscript = file.path(R.home("bin"), "Rscript")
))
while (mirai::status()$connections < 2) Sys.sleep(0.02)
joined <- proc.time()[["elapsed"]] - started
future::plan(future.mirai::mirai_cluster)
run_three("Slurm, 2 mirai daemons that stay")
future::plan(future::sequential)
mirai::daemons(0)
Sys.sleep(3) # until their processors are free again

functions <- batchtools::makeClusterFunctionsSlurm(arguments[1])
suppressWarnings(future::plan(future.batchtools::batchtools_custom, cluster.functions = functions, workers = 2))
run_three("Slurm, a batchtools job per bundle")
future::plan(future::sequential)
result <- do.call(rbind, rows)
result$joined <- ifelse(grepl("mirai", result$plan), joined, NA)
utils::write.csv(result, arguments[3], row.names = FALSE)
