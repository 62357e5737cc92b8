# Ctrl-C in a separate process. `work(ready)` calls ready() and then runs for minutes unless interrupted; `after` is
# applied to its value. The result: class and message of the warning, and the value of `after`.
interrupted <- function(work, after = identity, wait = 0.5) {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("callr")
  skip_if_not_installed("onlinesvm")
  ready <- tempfile()
  process <- callr::r_bg(function(work, after, ready) {
    environment(work) <- environment(after) <- globalenv()
    library(onlinesvm)
    set.seed(1)
    caught <- NULL
    rest <- withCallingHandlers(work(function() file.create(ready)), osvm_interrupted = function(w) {
      caught <<- w
      invokeRestart("muffleWarning")
    })
    list(class = class(caught), message = if (!is.null(caught)) conditionMessage(caught), rest = after(rest))
  }, list(work, after, ready))
  on.exit(process$kill())
  for (i in 1:600) if (file.exists(ready) || !process$is_alive()) break else Sys.sleep(0.05)
  Sys.sleep(wait)
  expect_true(process$is_alive())
  process$interrupt()
  process$wait(20000)
  expect_false(process$is_alive())
  process$get_result()
}
