# Every call that runs several jobs, stopped at its polls: what it returns is sound, or it says that it was interrupted,
# and the next call is whole. See helper-stop.R; tests/fuzz/stopped.R is the same with the builds that poll more often.

most_polls <- if (exhaustive()) Inf else 3

calls <- stopping_calls()
for (name in names(calls)) {
  test_that(paste("stopped:", name), {
    skip_on_cran()
    expect_null(stopping_trouble(calls[[name]], most_polls))
  })
}

test_that("stopped: workers of a plan", {
  old <- start_workers()
  on.exit(future::plan(old))
  board <- chessboard(300, noise = 0.1)
  jobs <- list(
    grid = function() {
      osvm_tune(board$x, board$y, solver_smo(C = c(1, 10)), kernel_rbf(gamma = c(1, 4)), folds = 2, progress = FALSE)
    },
    cells = function() osvm(board$x, board$y, cells = 100)
  )
  worker <- function(message) {
    space <- asNamespace("onlinesvm")
    .Call(get("ffi_stop_at", envir = space), 1, Inf)
    on.exit(.Call(get("ffi_stop_at", envir = space), Inf, Inf))
    get("work_on_bundle", envir = space)(message)
  }
  environment(worker) <- baseenv()
  local_internal("worker_call", worker)
  for (job in jobs) {
    out <- run_stopped(job, Inf)
    expect_true(out$said)
    expect_false(out$error)
  }
})
