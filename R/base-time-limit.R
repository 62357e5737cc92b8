# Work with a time limit: when it has passed, the core stops as after Ctrl-C, and what was done until then is the
# result, with a message in place of the warning.
within_seconds <- function(seconds, code) {
  if (one_limit(seconds) == Inf) {
    return(code)
  }
  end <- proc.time()[["elapsed"]] + seconds
  passed <- function() proc.time()[["elapsed"]] >= end
  .Call(ffi_deadline, as.double(seconds))
  time_limit$end <- end
  on.exit({
    .Call(ffi_deadline, Inf)
    time_limit$end <- Inf
  })
  tryCatch(
    withCallingHandlers(code, osvm_interrupted = function(w) {
      if (passed()) {
        inform(
          "The limit of {seconds} second{?s} has passed; the result is what was done until then.", "osvm_time_limit"
        )
        invokeRestart("muffleWarning")
      }
    }),
    interrupt = function(c) {
      if (passed()) abort("The limit of {seconds} second{?s} passed before there was a result.")
      signal_interrupt()
    }
  )
}

# The limit, for work that waits outside the core.
time_limit <- list2env(list(end = Inf), parent = emptyenv())
time_left <- function() time_limit$end - proc.time()[["elapsed"]]
time_is_up <- function() time_left() <= 0
