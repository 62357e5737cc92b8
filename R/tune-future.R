# Cells on other processes or machines, when the user has chosen a future::plan().

# How many workers there are; 0: no plan, or one that stays here.
future_workers <- function() {
  if (!isNamespaceLoaded("future") || inherits(future::plan(), "sequential")) {
    return(0)
  }
  max(1, min(future::nbrOfWorkers(), 1000))
}

# A portion on its worker. Seeds are part of it, so nothing is drawn there.
worker_call <- quote(do.call(get("call_core", envir = asNamespace("onlinesvm")), portion))

run_on_workers <- function(task, plan, calls) {
  tally <- new_tally(task, plan)
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
        record_call(tally, task, plan, calls[[i]], take_value(sent[[i]]))
        taken[i] <- TRUE
        if (!is.null(bar$show)) bar$show(mean(taken))
      }
    },
    interrupt = function(c) tally$interrupted <- TRUE
  )
  # What has arrived in the meantime is not thrown away.
  for (i in which(!taken & lengths(sent) > 0)) {
    if (future::resolved(sent[[i]])) {
      record_call(tally, task, plan, calls[[i]], take_value(sent[[i]]))
    }
  }
  as.list(tally)
}

take_value <- function(future) {
  tryCatch(
    future::value(future),
    error = function(e) abort("A worker of the {.fn future::plan} failed: {conditionMessage(e)}.")
  )
}
