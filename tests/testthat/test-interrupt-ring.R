# SIGINT at random moments in loops of every function that changes a model in place: what holds of a model holds after
# it. A process of its own sends itself the signal; a trial in which it got lost ends after a second.

in_ring <- function(start, step, trouble, trials = if (exhaustive()) 60 else 4) {
  skip_on_cran()
  skip_on_os("windows")
  found <- brought("callr", "r")(function(start, step, trouble, live_trouble, trials) {
    library(onlinesvm)
    for (f in c("start", "step", "trouble", "live_trouble")) {
      assign(f, `environment<-`(get(f), globalenv()), envir = globalenv())
    }
    set.seed(3)
    board <- chessboard(4000, noise = 0.1)
    state <- list2env(list(x = board$x, y = board$y, at = 200), parent = emptyenv())
    start(state)
    found <- character()
    for (k in seq_len(trials)) {
      system(sprintf("(sleep %.3f; kill -INT %d) > /dev/null 2>&1 &", 0.02 + (k %% 20) / 300, Sys.getpid()))
      stopped <- FALSE
      until <- Sys.time() + 1
      withCallingHandlers(
        tryCatch(while (!stopped && Sys.time() < until) step(state), interrupt = function(i) NULL),
        osvm_interrupted = function(w) {
          stopped <<- TRUE
          invokeRestart("muffleWarning")
        },
        warning = function(w) invokeRestart("muffleWarning")
      )
      found <- c(found, trouble(state))
    }
    unique(found)
  }, list(start, step, trouble, live_trouble, trials), libpath = .libPaths(), timeout = 300)
  expect_identical(found, character())
}

live_of <- function(solver) {
  start <- function(state) {
    rows <- 1:200
    state$live <- osvm_live(osvm(state$x[rows, ], state$y[rows], SOLVER, kernel_rbf(gamma = 2)))
  }
  body(start) <- do.call(substitute, list(body(start), list(SOLVER = solver)))
  start
}

next_row <- function(state) {
  state$at <- state$at %% 3000 + 1
  update(state$live, state$x[state$at, , drop = FALSE], state$y[state$at])
}

sound <- function(state) live_trouble(state$live, state$x[3001:3050, ], state$y[3001:3050])

test_that("update() of live models", {
  solvers <- list(
    quote(solver_idsvm(C = 2)), quote(solver_lasvm(finish = FALSE)), quote(solver_olsvm(epochs = 1)),
    quote(solver_huller()), quote(solver_ramp()), quote(solver_pa(epochs = 1))
  )
  for (solver in some_of(solvers, c(1, 3))) in_ring(live_of(solver), next_row, sound)
})

test_that("update() by chunks, with running scaling", {
  start <- function(state) {
    rows <- 1:200
    state$live <- osvm_live(osvm(state$x[rows, ], state$y[rows], solver_olsvm(epochs = 2), kernel_rbf(gamma = 2),
      scale = "running"))
  }
  step <- function(state) {
    state$at <- state$at %% 2000 + 100
    rows <- state$at + 1:100
    update(state$live, state$x[rows, ], state$y[rows])
  }
  in_ring(start, step, function(state) {
    fit <- snapshot(state$live)
    if (!identical(predict(fit, state$x), predict(state$live, state$x))) "live model and snapshot predict differently"
  })
})

test_that("forget() and update() in turn", {
  in_ring(live_of(quote(solver_idsvm(C = 2))), function(state) {
    state$at <- state$at %% 3000 + 1
    update(state$live, state$x[state$at, , drop = FALSE], state$y[state$at])
    forget(state$live, snapshot(state$live)$id[1])
  }, sound)
})

test_that("streams, whose count of examples is the model's", {
  in_ring(function(state) NULL, function(state) {
    run <- osvm_stream(
      source_function(function(n) chessboard(n)), solver_olsvm(C = 10, epochs = 1), kernel_rbf(gamma = 2),
      chunk = 20, seconds = 1, drift = drift_adwin(react = "restart"), verbose = FALSE
    )
    state$run <- run
  }, function(state) {
    run <- state$run
    if (is.null(run)) {
      return()
    }
    restarts <- sum(run$events$event == "restart")
    if (restarts == 0 && !is.null(run$fit) && run$rows[["learned"]] != run$fit$n_seen) {
      return(sprintf("%g rows learned, and %g examples seen", run$rows[["learned"]], run$fit$n_seen))
    }
    if (run$rows[["learned"]] > run$rows[["read"]]) {
      return("more rows learned than read")
    }
    if (!is.null(run$fit)) {
      more <- update(run$fit, state$x[1:5, ], state$y[1:5])
      if (more$n_seen != run$fit$n_seen + 5) "the next update counts otherwise"
    }
  })
})
