# Work with a time limit: when it has passed, the core stops as after Ctrl-C, and what was done until then is the
# result, with a message in place of the warning.
within_seconds <- function(seconds, code) {
  if (one_limit(seconds) == Inf) {
    return(code)
  }
  end <- proc.time()[["elapsed"]] + seconds
  passed <- function() proc.time()[["elapsed"]] >= end
  .Call(ffi_deadline, as.double(seconds))
  on.exit(.Call(ffi_deadline, Inf))
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
