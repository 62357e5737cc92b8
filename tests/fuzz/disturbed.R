# What others do in R's process while threads work: Rscript tests/fuzz/disturbed.R, under tools/asan.sh and
# tools/tsan.sh. All solvers, cells, kernels of low rank, tunings and predictions, on two threads and on four (builds
# for the sanitizers have four on any machine), beside the signals of a profiler, R's collector at every thousandth
# allocation and whenever progress is drawn; in a child of a fork, and in the parent meanwhile. Every value is that of
# the call left alone.
suppressPackageStartupMessages(library(onlinesvm))
source("tests/testthat/helper-stop.R")
passed <- failed <- 0
expect_same <- function(out, call, whole, what) {
  same <- !out$error && identical(call$read(out$value), whole)
  passed <<- passed + same
  failed <<- failed + !same
  if (!same) cat(what, if (out$error) conditionMessage(out$value) else "another value", "\n")
}
profiled <- function(code) {
  Rprof(tempfile(), interval = 0.001, memory.profiling = TRUE, line.profiling = TRUE)
  on.exit(Rprof(NULL))
  code
}
collecting <- function(code, step) {
  gctorture2(step)
  on.exit(gctorture2(0))
  code
}
show <- function(done) {
  gc(full = FALSE)
  paste(done, list(done))
}
utils::assignInNamespace("progress_bar", function(...) list(show = show, done = function() NULL), "onlinesvm")

for (threads in c(2, 4)) {
  calls <- stopping_calls(threads)
  for (name in names(calls)) {
    call <- calls[[name]]
    about <- function(what) sprintf("%s, %d threads, %s:", name, threads, what)
    run <- function() run_stopped(call$run, Inf)
    whole <- call$read(run()$value)
    expect_same(profiled(run()), call, whole, about("profiled"))
    expect_same(collecting(run(), 1000), call, whole, about("collecting"))
    if (.Platform$OS.type == "unix") {
      child <- parallel::mcparallel(profiled(call$read(run()$value)), mc.set.seed = FALSE)
      expect_same(profiled(run()), call, whole, about("beside a child"))
      value <- parallel::mccollect(child)[[1]]
      expect_same(list(error = FALSE), list(read = function(none) value), whole, about("in a child"))
    }
  }
}
cat(sprintf("disturbed: %d passed, %d failed\n", passed, failed))
