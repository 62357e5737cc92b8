# Bundles of work on the workers of a future::plan(), in other processes or on other computers. A bundle is a call of an
# internal function with a list of arguments; the data it needs is kept by the workers (future-worker.R). Workers draw
# no random numbers of their own: seeds are arguments, drawn before anything is sent.

# Number of workers; 0 without a plan, or with a sequential one.
future_workers <- function() {
  if (!isNamespaceLoaded("future") || inherits(future::plan(), "sequential")) {
    return(0)
  }
  max(1, min(future::nbrOfWorkers(), 1000))
}

# What a plan's workers are: `jobs`, a new process per future, as with batchtools; `forks`, processes that share this
# one's memory; else they stay.
plan_traits <- function(plan = future::plan()) {
  class <- class(plan)
  list(jobs = any(grepl("batchtools|callr", class)), forks = "multicore" %in% class)
}

most_attempts <- 3

# Evaluates all bundles, each list(work =, arguments =, data = a key of `store`, or NULL), and calls
# done(i, value, seconds) for each as its value comes; an error within a bundle gives failed(i, message) instead. A
# bundle whose worker was lost is sent again, at most `most_attempts` times in all. Ctrl-C, or the time limit, cancels
# what has not come: the result is FALSE. Random numbers of this process are not touched.
run_bundles <- function(bundles, store, done, failed, bar = NULL) {
  if (future_workers() == 0) {
    return(run_bundles_here(bundles, store, done, failed, bar))
  }
  queue <- new_queue(bundles, store, done, failed)
  on.exit(cancel_bundles(queue))
  keep_random_state(tryCatch(
    {
      while (any(queue$state != "done")) {
        moved <- send_bundles(queue) + take_values(queue)
        if (!is.null(bar$show)) bar$show(mean(queue$state == "done"))
        queue$pause <- if (moved > 0) 0.002 else min(1.5 * queue$pause, 0.5)
        if (moved == 0) Sys.sleep(queue$pause)
        if (time_left() <= 0) stop_bundles(queue, TRUE)
      }
      !queue$stopped
    },
    interrupt = function(c) {
      stop_bundles(queue, FALSE)
      FALSE
    }
  ))
}

# Without workers: one after the other.
run_bundles_here <- function(bundles, store, done, failed, bar = NULL) {
  tryCatch(
    {
      for (i in seq_along(bundles)) {
        answer <- keep_random_state(work_on_bundle(bundle_message(store, bundles[[i]], stored_value)))
        if (answer$state == "done") done(i, answer$value, answer$seconds) else failed(i, answer$value)
        if (!is.null(bar$show)) bar$show(i / length(bundles))
      }
      TRUE
    },
    interrupt = function(c) FALSE
  )
}

bundle_message <- function(store, bundle, describe, ...) {
  list(
    work = bundle$work, arguments = bundle$arguments, data = describe(store, bundle$data, ...),
    version = as.character(utils::packageVersion("onlinesvm")), simd_level = simd_level(),
    seconds = time_left(), cache_mb = getOption("onlinesvm.worker_cache_mb", 1024)
  )
}

# `state` of a bundle: waiting, sent or done.
new_queue <- function(bundles, store, done, failed) {
  n <- length(bundles)
  list2env(list(
    bundles = bundles, store = store, done = done, failed = failed, state = rep("waiting", n), attempts = rep(0, n),
    futures = vector("list", n), sent_at = rep(NA_real_, n), submit = rep(0, n), with_data = rep(FALSE, n),
    workers = future_workers(), traits = plan_traits(), pause = 0.002, stopped = FALSE, lost = FALSE
  ), parent = emptyenv())
}

seconds_now <- function() proc.time()[["elapsed"]]

# As many bundles as there are workers are under way, so that future() does not wait.
send_bundles <- function(queue) {
  moved <- 0
  if (queue$lost && !replace_workers(queue)) {
    return(0)
  }
  for (i in which(queue$state == "waiting")) {
    if (sum(queue$state == "sent") >= queue$workers) break
    send_bundle(queue, i)
    moved <- moved + 1
  }
  moved
}

# Before it had cancel(), future did not replace workers that were lost: when none works for this call any more, those
# that it started are started anew. FALSE: not yet.
replace_workers <- function(queue) {
  if (can_cancel() || !inherits(future::plan(), "cluster")) {
    queue$lost <- FALSE
  } else if (!any(queue$state == "sent")) {
    plan <- future::plan("list")
    future::plan("sequential")
    future::plan(plan)
    queue$lost <- FALSE
  }
  !queue$lost
}

can_cancel <- function() "cancel" %in% getNamespaceExports("future")

send_bundle <- function(queue, i) {
  message <- bundle_message(
    queue$store, queue$bundles[[i]], describe_stored, queue$traits, queue$workers, queue$with_data[i]
  )
  old <- options(future.globals.maxSize = Inf) # a warning against data sent by mistake; here it is meant
  on.exit(options(old))
  started <- seconds_now()
  queue$futures[[i]] <- tryCatch(
    future::future(
      worker_call, substitute = FALSE, globals = list(message = message), packages = "onlinesvm", seed = NULL,
      stdout = FALSE, conditions = character()
    ),
    error = identity
  )
  queue$submit[i] <- seconds_now() - started
  queue$sent_at[i] <- started
  queue$attempts[i] <- queue$attempts[i] + 1
  queue$state[i] <- "sent"
}

worker_call <- quote(get("work_on_bundle", envir = asNamespace("onlinesvm"))(message))

take_values <- function(queue) {
  moved <- 0
  for (i in which(queue$state == "sent")) {
    future <- queue$futures[[i]]
    if (inherits(future, "error") || tryCatch(future::resolved(future), error = function(e) TRUE)) {
      take_value(queue, i)
      moved <- moved + 1
    }
  }
  moved
}

# A worker answers list(state =, value =, seconds =); whatever else comes means that it was lost.
take_value <- function(queue, i) {
  future <- queue$futures[[i]]
  queue$futures[i] <- list(NULL)
  answer <- if (inherits(future, "error")) future else tryCatch(future::value(future), error = identity)
  if (!is.list(answer) || !is_one_text(answer$state) && !inherits(answer, "error")) {
    answer <- simpleError("it returned something else than its answer")
  }
  state <- if (inherits(answer, "error")) "lost" else answer$state
  if (state == "without data") {
    queue$with_data[i] <- TRUE
    queue$attempts[i] <- queue$attempts[i] - 1
    queue$state[i] <- "waiting"
  } else if (state == "lost" && (queue$stopped || queue$attempts[i] < most_attempts)) {
    queue$lost <- queue$with_data[i] <- TRUE
    queue$state[i] <- "waiting"
  } else {
    queue$state[i] <- "done"
    if (state == "done") {
      note_cost(queue$traits, queue$submit[i], seconds_now() - queue$sent_at[i] - answer$seconds)
      queue$done(i, answer$value, answer$seconds)
    } else {
      queue$failed(i, if (state == "failed") answer$value else lost_message(answer))
    }
  }
}

lost_message <- function(error) {
  paste0("a worker of the `future::plan()` failed: ", reason_of(error))
}

# What has come is recorded, the rest is cancelled. `patient`: a time limit, which workers keep to by themselves, so
# that what they have done by then is on its way.
stop_bundles <- function(queue, patient) {
  queue$stopped <- TRUE
  queue$state[queue$state == "waiting"] <- "done"
  until <- seconds_now() + if (patient) 5 else 0
  repeat {
    suspendInterrupts(take_values(queue))
    if (!any(queue$state == "sent") || seconds_now() >= until) break
    Sys.sleep(0.02)
  }
  cancel_bundles(queue)
}

cancel_bundles <- function(queue) {
  for (i in which(queue$state == "sent")) try(cancel_future(queue$futures[[i]]), silent = TRUE)
  queue$state[] <- "done"
}

# Before it had cancel(), future left that to its backends.
cancel_future <- function(future) {
  if (can_cancel()) {
    getExportedValue("future", "cancel")(future)
  } else if (inherits(future, "BatchtoolsFuture") && requireNamespace("batchtools", quietly = TRUE)) {
    registry <- future$config$reg
    verb <- function(name) getExportedValue("batchtools", name)
    verb("killJobs")(verb("findNotDone")(reg = registry), reg = registry)
  }
}
