# Every call that runs several jobs, stopped at each of its polls, or at `--most` of them: Rscript tests/fuzz/stopped.R
# [--most 5]. The calls are those of tests/testthat/helper-stop.R. With the builds for the sanitizers (tools/asan.sh,
# tools/tsan.sh) a poll comes every 1e5 multiplications; without, every 2e7.
suppressPackageStartupMessages(library(onlinesvm))
source("tests/testthat/helper-stop.R")
arguments <- commandArgs(TRUE)
most <- if ("--most" %in% arguments) as.numeric(arguments[match("--most", arguments) + 1]) else Inf
passed <- failed <- 0
calls <- stopping_calls()
for (name in names(calls)) {
  trouble <- unique(stopping_trouble(calls[[name]], most))
  passed <- passed + (length(trouble) == 0)
  failed <- failed + (length(trouble) > 0)
  if (length(trouble) > 0) cat(name, utils::head(trouble, 5), sep = "\n  ")
}
cat(sprintf("stopped: %d passed, %d failed\n", passed, failed))
