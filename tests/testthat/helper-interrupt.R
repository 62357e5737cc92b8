# As R does, within this process.
press_ctrl_c <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
}

# Ctrl-C in a separate process, one for all tests of a file. `work(ready)` calls ready() and then runs for minutes
# unless interrupted; `after` is applied to its value. The result: class and message of the warning, and the value of
# `after`.
interrupted <- function(work, after = identity, wait = 0.3) {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("onlinesvm")
  process <- interrupted_process()
  ready <- tempfile()
  process$call(function(work, after, ready) {
    environment(work) <- environment(after) <- globalenv()
    set.seed(1)
    caught <- NULL
    rest <- withCallingHandlers(work(function() file.create(ready)), osvm_interrupted = function(w) {
      caught <<- w
      invokeRestart("muffleWarning")
    })
    list(class = class(caught), message = if (!is.null(caught)) conditionMessage(caught), rest = after(rest))
  }, list(work, after, ready))
  for (i in 1:600) if (file.exists(ready) || process$get_state() != "busy") break else Sys.sleep(0.05)
  Sys.sleep(wait)
  expect_identical(process$poll_process(0), "timeout")
  process$interrupt()
  expect_identical(process$poll_process(20000), "ready")
  out <- process$read()
  if (!is.null(out$error)) stop(out$error)
  out$result
}

interrupted_process <- local({
  process <- NULL
  function() {
    if (is.null(process)) {
      process <<- brought("callr", "r_session")$new(brought("callr", "r_session_options")(libpath = .libPaths()))
      process$run(function() library(onlinesvm))
    }
    process
  }
})
