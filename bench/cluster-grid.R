# 180 fits of 2,000 rows: here, on workers of this computer, and on Slurm with workers that stay and with a job per
# bundle.
source("bench/common.R")
source("bench/cluster/grid.R")

local <- vapply(1:3, function(k) elapsed(here <<- run_grid()), 0)
output <- tempfile(fileext = ".csv")
status <- system2("tools/cluster-test.sh", c(
  "Rscript", shQuote(normalizePath("bench/cluster/on-slurm.R")), shQuote(normalizePath("tests/cluster/slurm.tmpl")),
  shQuote(normalizePath("bench/cluster/grid.R")), output
))
if (status != 0 || !file.exists(output)) {
  message("Skipped: Slurm, future.mirai or future.batchtools are missing; tools/setup.sh cluster-test installs them.")
  quit(status = 0)
}
slurm <- utils::read.csv(output)
stopifnot(all(abs(slurm$errors - sum(here$results$error)) == 0))
results <- rbind(
  data.frame(
    plan = "this process, 2 threads", call = 1:3, seconds = local, submit = NA, start = NA, errors = slurm$errors[1],
    joined = NA
  ),
  slurm
)
save_results(results[names(results) != "errors"], "cluster-grid")

table <- do.call(rbind, lapply(split(results, factor(results$plan, unique(results$plan))), function(part) {
  data.frame(
    plan = part$plan[1], `first call, s` = part$seconds[1], `later calls, s` = min(part$seconds[-1]),
    `submit a bundle, ms` = 1000 * part$submit[1], `start and return, ms` = 1000 * part$start[1], check.names = FALSE
  )
}))
later <- table$`later calls, s`
report(
  "cluster-grid", "180 fits of 2,000 rows: one process, workers, Slurm",
  "OL SVM, 9 C x 4 sigma x 5 folds on a chess board; elapsed seconds. The results are the same, bit for bit. The first",
  sprintf("call starts the workers or loads the package there; daemons had joined %.1f s after sbatch. Slurm is one",
    max(slurm$joined, na.rm = TRUE)),
  "node on this computer, so the workers have the same two processors as one process.",
  table_md(table, digits = c(0, 2, 2, 0, 0), row.names = FALSE),
  sprintf("- Slurm with workers that stay: **%.2f s** (target: at most 5 s, %s)", later[3],
    if (later[3] <= 5) "reached" else "**missed**"),
  "- A job per bundle pays where a bundle is worth seconds: the cost model makes one or two bundles of this grid."
)
