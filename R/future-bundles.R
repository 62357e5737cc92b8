# Bundles of work on the workers of a future::plan(), in other processes or on other computers. A bundle is a call of an
# internal function with a list of arguments. Workers draw no random numbers of their own: seeds are arguments, drawn
# before anything is sent.
#
# future.apply::future_lapply() returns all values or none, whether an interrupt comes or a worker is lost. Bundles
# therefore go in waves, of one per worker: what earlier waves have brought stays.

# Number of workers; 0 without a plan, or with a sequential one.
future_workers <- function() {
  if (!isNamespaceLoaded("future") || inherits(future::plan(), "sequential")) {
    return(0)
  }
  need_package("future.apply", "future::plan")
  max(1, min(future::nbrOfWorkers(), 1000))
}

# Evaluates all bundles, each list(work =, arguments =, data = of share_data(), or NULL), and calls done(i, value) for
# each; an error within a bundle gives failed(i, message) instead. After Ctrl-C, or the time limit, which workers keep
# as well, the result is FALSE. Random numbers of this process are not touched.
run_bundles <- function(bundles, done, failed, bar = NULL) {
  workers <- future_workers()
  evaluate <- if (workers > 0) on_plan else function(messages) lapply(messages, work_on_bundle)
  wave <- (seq_along(bundles) - 1) %/% max(1, workers)
  tryCatch(
    {
      for (now in split(seq_along(bundles), wave)) {
        answers <- keep_random_state(evaluate(lapply(bundles[now], c, list(
          version = as.character(utils::packageVersion("onlinesvm")), simd_level = simd_level(),
          seconds = time_left(), cache_mb = getOption("onlinesvm.worker_cache_mb", 1024)
        ))))
        suspendInterrupts(for (k in seq_along(now)) {
          answer <- answers[[k]]
          if (is.null(answer$error)) done(now[k], answer$value) else failed(now[k], answer$error)
        })
        if (!is.null(bar$show)) bar$show(max(now) / length(bundles))
        if (workers > 0 && time_left() <= 0) break
      }
      max(now) == length(bundles)
    },
    interrupt = function(c) FALSE
  )
}

# A worker answers list(value =) or list(error =); a wave in which one was lost is sent again.
on_plan <- function(messages, attempts = 3) {
  old <- options(future.globals.maxSize = Inf) # a warning against data sent by mistake; here it is meant
  on.exit(options(old))
  answers <- tryCatch(
    future.apply::future_lapply(
      messages, worker_call, future.chunk.size = 1, future.seed = NULL, future.packages = "onlinesvm",
      future.stdout = FALSE, future.conditions = character()
    ),
    error = identity
  )
  if (!inherits(answers, "error")) {
    return(answers)
  }
  if (attempts > 1) {
    replace_workers()
    return(on_plan(messages, attempts - 1))
  }
  rep(list(list(error = paste("a worker of the `future::plan()` failed:", reason_of(answers)))), length(messages))
}

# The worker's own function, of the package as it is installed there. Its environment does not travel.
worker_call <- function(message) get("work_on_bundle", envir = asNamespace("onlinesvm"))(message)
environment(worker_call) <- baseenv()

# Before it had cancel(), future did not replace workers that were lost.
replace_workers <- function() {
  if (!"cancel" %in% getNamespaceExports("future") && inherits(future::plan(), "cluster")) {
    plan <- future::plan("list")
    future::plan("sequential")
    future::plan(plan)
  }
}
