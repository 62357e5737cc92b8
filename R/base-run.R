# Calls of the core and work around them: limits of time, results, threads, interrupts, warnings, progress.

# Work with a time limit: when it has passed, the core stops as after Ctrl-C, and what was done until then is the
# result, with a message in place of the warning. `explain(result)`: further lines of the message.
within_seconds <- function(seconds, code, explain = function(result) NULL) {
  if (one_limit(seconds) == Inf) {
    return(code)
  }
  end <- seconds_now() + seconds
  passed <- function() seconds_now() >= end
  .Call(ffi_deadline, as.double(seconds))
  time_limit$end <- end
  on.exit({
    .Call(ffi_deadline, Inf)
    time_limit$end <- Inf
  })
  late <- FALSE
  result <- tryCatch(
    withCallingHandlers(code, osvm_interrupted = function(w) {
      if (passed()) {
        late <<- TRUE
        invokeRestart("muffleWarning")
      }
    }),
    interrupt = function(c) {
      if (passed()) abort("The limit of {seconds} second{?s} passed before there was a result.")
      signal_interrupt()
    }
  )
  if (late) {
    done <- "The limit of {seconds} second{?s} has passed; the result is what was done until then."
    inform(c(done, explain(result)), "osvm_time_limit")
  }
  result
}

# The limit, for work that waits outside the core.
time_limit <- list2env(list(end = Inf), parent = emptyenv())
seconds_now <- function() proc.time()[["elapsed"]]
time_left <- function() time_limit$end - seconds_now()

# The core returns a result, an error message, or NULL if interrupted.
core_result <- function(result, what) {
  if (is.null(result)) signal_interrupt()
  if (is.character(result)) {
    abort(c("{what} failed: {result}."))
  }
  result
}

# Threads: the argument, else the option, else two, at most two under R CMD check; the core takes at most the number of
# processors.
resolve_threads <- function(threads) {
  if (is.null(threads)) {
    threads <- getOption("onlinesvm.threads", 2)
  }
  most <- if (nzchar(Sys.getenv("_R_CHECK_LIMIT_CORES_"))) 2 else .Machine$integer.max
  max(1, min(floor(one_number(threads, above = 0)), most))
}

# On Ctrl-C a fit returns what it has, with a warning: here an interrupt, for work that consists of several fits.
stop_when_interrupted <- function(code) withCallingHandlers(code, osvm_interrupted = function(w) signal_interrupt())

# As R does on Ctrl-C.
signal_interrupt <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "", call = NULL)))
  invokeRestart("abort")
}

# Many short fits may raise the same warning: the last of each class is kept in s$warnings. Data that leave the range of
# the first examples are part of a stream.
with_warnings_kept <- function(s, code, interrupted = function() s$ended <- "interrupt") {
  withCallingHandlers(code, warning = function(w) {
    if (inherits(w, "osvm_interrupted")) interrupted()
    else if (!inherits(w, "osvm_out_of_range")) s$warnings[[class(w)[1]]] <- w
    invokeRestart("muffleWarning")
  })
}

# Tests lower it to cover the code for older processors.
simd_level <- function() getOption("onlinesvm.simd_level", 3)

progress_bar <- function(verbose, name = "Learning") {
  if (!verbose) {
    return(list(show = NULL, done = function() NULL))
  }
  id <- cli::cli_progress_bar(
    name, total = 1000, clear = TRUE, .auto_close = FALSE,
    format = "{cli::pb_name} {cli::pb_bar} {cli::pb_percent} | {cli::pb_eta_str}"
  )
  list(
    show = function(done) cli::cli_progress_update(set = round(1000 * done), id = id),
    done = function() cli::cli_progress_done(id = id)
  )
}

# The value of code that may draw random numbers, with this process's state of them as before.
keep_random_state <- function(code) {
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) set.seed(NULL)
  old <- get(".Random.seed", envir = globalenv())
  on.exit(assign(".Random.seed", old, envir = globalenv()))
  code
}

# The value of code with the random numbers of a seed, by R's default generators whatever this process uses.
with_seed <- function(seed, code) {
  keep_random_state({
    set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
    code
  })
}
