# Calls that run several jobs, stopped at each of their polls: as by Ctrl-C, where one poll is answered, and as by a
# limit of time, where all that follow are. tests/fuzz/stopped.R runs them under the sanitizers and valgrind, too: they
# name nothing of the tests.

# Polls that are answered, and how many there were since the last call. The builds for the sanitizers poll more often.
stop_at <- function(first, last = Inf) .Call(get("ffi_stop_at", asNamespace("onlinesvm")), first, last)

# Of each call `run`, and `read`: numbers of its value that are the same whenever it is complete. `threads` have no
# influence on them.
stopping_calls <- function(threads = 2) {
  set.seed(1)
  board <- chessboard(240, noise = 0.1)
  x <- unname(board$x)
  y <- board$y
  three <- factor(c("a", "b", "c")[1 + rank(x[, 1]) %/% 81])
  sparse <- methods::as(cbind(x, matrix(stats::rbinom(240 * 8, 1, 0.1), 240)), "CsparseMatrix")
  kernel <- kernel_rbf(gamma = 2)
  smo <- solver_smo(C = 2)
  new <- chessboard(50)$x
  many <- x[rep(1:240, 50), ]
  shards <- lapply(split(seq_along(y), rep_len(1:3, 240)), function(at) list(x = x[at, ], y = y[at]))
  decide <- function(fit) predict(fit, new, type = "decision")
  points <- function(tuned) unlist(tuned$results[setdiff(names(tuned$results), c("seconds", "updates"))])
  fitted <- osvm(x, three, solver_idsvm(C = 2), kernel)
  divided <- osvm(x, y, smo, kernel, cells = 50)
  online <- osvm(x, y, solver_lasvm(C = 2), kernel)
  tune <- function(..., solver = solver_smo(C = c(0.5, 5)), folds = 3) {
    osvm_tune(x, three, solver, kernel_rbf(gamma = c(0.5, 4)), folds = folds, progress = FALSE, ...)
  }
  calls <- list(
    "cells" = list(function() osvm(x, y, smo, kernel, cells = 50, threads = threads), decide),
    "cells that overlap" = list(
      function() osvm(x, three, smo, kernel, cells = list(size = 80, overlap = TRUE), threads = threads), decide
    ),
    "cells with settings of their own" = list(function() osvm(x, y, cells = 80, threads = threads), decide),
    "cells with probabilities" = list(
      function() osvm(x, y, smo, kernel, cells = 80, probability = TRUE, threads = threads),
      function(fit) c(decide(fit), unlist(fit$probability))
    ),
    "update of cells" = list(function() update(divided, x[1:60, ], y[1:60]), decide),
    "grid in cells" = list(function() {
      osvm_tune(x, y, solver_smo(), kernel_rbf(), grid = list(C = c(1, 10)), cells = 80, threads = threads,
        progress = FALSE)
    }, points),
    "grid" = list(function() tune(threads = threads), points),
    "grid on one thread" = list(function() tune(threads = 1), points),
    "grid of epochs, repeated" = list(
      function() tune(solver = solver_olsvm(epochs = 1:3), repeats = 2, threads = threads), points
    ),
    "race" = list(function() tune(race = TRUE, folds = 4, threads = threads), points),
    "comparison" = list(
      function() osvm_compare(x, three, c("smo", "pa"), kernel, folds = 2, progress = FALSE),
      function(both) unlist(lapply(both$tunings, points))
    ),
    "settings by default" = list(function() osvm(x, three, threads = threads), decide),
    "probabilities" = list(
      function() osvm(x, three, smo, kernel, probability = TRUE, threads = threads),
      function(fit) c(decide(fit), unlist(fit$probability))
    ),
    "learning curve" = list(
      function() osvm_learning_curve(x, y, smo, kernel, sizes = c(0.5, 1), folds = 3),
      function(curve) unlist(Filter(is.numeric, unclass(curve)[c("size", "error")]))
    ),
    "predictions" = list(function() predict(fitted, many, type = "decision", threads = threads), identity),
    "predictions of cells" = list(function() predict(divided, many, type = "decision"), identity),
    "leave-one-out" = list(function() loo(fitted), function(left) left$decision),
    "compression" = list(function() compress(online, 10), decide),
    "stream" = list(
      function() osvm_stream(source_matrix(x, three), "lasvm", kernel, chunk = 30, verbose = FALSE),
      function(run) c(decide(run$fit), run$rows)
    ),
    "active" = list(
      function() osvm_active(x, y, "idsvm", kernel, budget = 30, verbose = FALSE), function(fit) decide(fit)
    ),
    "shards" = list(function() osvm_shards(shards, smo, kernel), decide)
  )
  low_rank <- list(
    "Nystrom" = kernel_nystrom(rank = 20, gamma = 2), "Fourier" = kernel_fourier(features = 20, gamma = 2)
  )
  for (name in names(low_rank)) {
    calls[[paste(name, "of sparse rows")]] <- local({
      kernel <- low_rank[[name]]
      list(
        function() osvm(sparse, y, solver_dcd(tolerance = 0.1), kernel, threads = threads, cache_mb = 0.05),
        function(fit) predict(fit, sparse[1:50, ], type = "decision")
      )
    })
  }
  for (name in solvers()$name) {
    calls[[paste("three classes by", name)]] <- local({
      solver <- get(paste0("solver_", name))()
      space <- solvers()$space[solvers()$name == name]
      kernel <- if (space == "linear") kernel_linear() else kernel
      list(function() osvm(x, three, solver, kernel, multiclass = "ovo", threads = threads), decide)
    })
  }
  lapply(calls, function(call) list(run = call[[1]], read = call[[2]]))
}

# The value of a call whose polls from `first` to `last` are answered, `said`: that it was interrupted, `polls` and
# `error`.
run_stopped <- function(run, first, last = Inf) {
  said <- FALSE
  set.seed(1)
  stop_at(first, last)
  on.exit(stop_at(Inf))
  value <- suppressMessages(withCallingHandlers(
    tryCatch(run(), interrupt = function(i) {
      said <<- TRUE
      NULL
    }, error = identity),
    warning = function(w) {
      said <<- said || inherits(w, "osvm_interrupted")
      tryInvokeRestart("muffleWarning")
    }
  ))
  list(value = value, said = said, polls = stop_at(Inf), error = inherits(value, "error"))
}

# A sentence on what is wrong with a call that was stopped, or NULL. `whole`: what it reads without.
trouble_of <- function(call, whole, first, last) {
  out <- run_stopped(call$run, first, last)
  here <- sprintf("polls %g to %g answered: ", first, last)
  if (out$error) {
    return(paste0(here, conditionMessage(out$value)))
  }
  known <- if (!is.null(out$value)) tryCatch(call$read(out$value), error = conditionMessage)
  if (out$said && is.character(known) && !grepl("no final model", known)) {
    return(paste0(here, "the value is not usable: ", known))
  }
  if (!out$said && !identical(known, whole)) {
    return(paste0(here, "another value without a word"))
  }
  if (is.numeric(known) && any(is.infinite(known))) paste0(here, "infinite numbers")
}

# What is wrong with a call that is stopped at poll 1, 2, ...: at each, or at `most` of them.
stopping_trouble <- function(call, most = Inf) {
  first <- run_stopped(call$run, Inf)
  if (first$error) {
    return(conditionMessage(first$value))
  }
  whole <- call$read(first$value)
  polls <- seq_len(first$polls)
  if (length(polls) > most) polls <- unique(round(exp(seq(0, log(length(polls)), length.out = most))))
  found <- unlist(lapply(polls, function(k) c(trouble_of(call, whole, k, k), trouble_of(call, whole, k, Inf))))
  again <- run_stopped(call$run, Inf)
  if (again$error || !identical(call$read(again$value), whole)) found <- c(found, "another value afterwards")
  found
}
