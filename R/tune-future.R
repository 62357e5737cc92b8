# Cells on the workers of a future::plan(), in other processes or on other computers.

# Number of workers; 0 without a plan, or with a sequential one.
future_workers <- function() {
  if (!isNamespaceLoaded("future") || inherits(future::plan(), "sequential")) {
    return(0)
  }
  max(1, min(future::nbrOfWorkers(), 1000))
}

# One portion of the cells. It contains the seeds: workers draw no random numbers.
worker_call <- quote(do.call(get("call_core", envir = asNamespace("onlinesvm")), portion))

run_on_workers <- function(task, plan, calls) {
  records <- new_records(task, plan)
  threads <- if (is.null(task$threads)) 1 else task$model$control$threads
  bar <- progress_bar(task$model$control$verbose, "Tuning")
  on.exit(bar$done())
  sent <- vector("list", length(calls))
  taken <- rep(FALSE, length(calls))
  tryCatch(
    {
      for (i in seq_along(calls)) {
        portion <- core_arguments(task, plan[[calls[[i]]$round]], calls[[i]]$cells, threads)
        sent[[i]] <- future::future(
          worker_call, substitute = FALSE, globals = list(portion = portion), packages = "onlinesvm", seed = NULL
        )
      }
      for (i in seq_along(calls)) {
        record_call(records, task, plan, calls[[i]], future_value(sent[[i]]))
        taken[i] <- TRUE
        if (!is.null(bar$show)) bar$show(mean(taken))
      }
    },
    interrupt = function(c) records$interrupted <- TRUE
  )
  # After an interrupt, portions already finished are recorded.
  for (i in which(!taken & lengths(sent) > 0)) {
    if (future::resolved(sent[[i]])) {
      record_call(records, task, plan, calls[[i]], future_value(sent[[i]]))
    }
  }
  as.list(records)
}

future_value <- function(future) {
  tryCatch(
    future::value(future),
    error = function(e) abort("A worker of the {.fn future::plan} failed: {conditionMessage(e)}.")
  )
}
