# Faults: each allocation of the package fails once; R's memory is at its limit; a function the caller gave errs; time
# runs out; a worker dies. Nothing crashes or leaks, the caller's objects stay, the condition is
# what the help pages say. Run by faults.sh, which preloads fail-malloc.so.
suppressPackageStartupMessages(library(onlinesvm))
passed <- failed <- 0
expect <- function(ok, what) {
  if (isTRUE(ok)) passed <<- passed + 1 else failed <<- failed + 1
  if (!isTRUE(ok)) cat("Not as promised:", what, "\n")
}
condition_of <- function(code) {
  tryCatch(
    {
      suppressMessages(force(code))
      NULL
    },
    condition = identity
  )
}

set.seed(1)
y <- factor(rep_len(letters[1:3], 24))
x <- matrix(rnorm(48), 24) + as.integer(y)
sparse <- methods::as(x, "CsparseMatrix")
fit_of <- function(x, name) {
  kernel <- if (solvers()$space[solvers()$name == name] == "linear") kernel_linear() else kernel_rbf(gamma = 0.5)
  osvm(x, y, get(paste0("solver_", name))(), kernel, verbose = FALSE, threads = 1)
}

# ---- memory ----
library <- Sys.getenv("OSVM_FAIL_MALLOC")
if (nzchar(library)) {
  invisible(dyn.load(library))
  range_of <- function(name) {
    lines <- grep(name, readLines("/proc/self/maps"), value = TRUE, fixed = TRUE)
    as.numeric(paste0("0x", unlist(strsplit(sub(" .*", "", lines[grepl("r-xp", lines)][1]), "-"))))
  }
  .C("fail_range", range_of("onlinesvm.so"))

  # Each of the allocations in turn, with larger steps from the 40th on.
  each_allocation <- function(what, call) {
    kept <- serialize(list(x, y, sparse), NULL)
    suppressWarnings(call())
    nth <- 1L
    repeat {
      held <- .C("fail_disarm", integer(2))[[1]][2]
      .C("fail_arm", nth)
      got <- condition_of(suppressWarnings(call()))
      state <- .C("fail_disarm", integer(2))[[1]]
      if (state[1] == 0) break
      expect(is.null(got) || inherits(got, "osvm_error"), paste(what, "allocation", nth))
      expect(state[2] <= held, paste(what, "allocation", nth, "leaves", state[2] - held, "blocks"))
      nth <- nth + if (nth < 40L) 1L else 17L
      if (nth > 2000L) break
    }
    expect(identical(kept, serialize(list(x, y, sparse), NULL)), paste(what, "changes its arguments"))
  }
  for (name in solvers()$name) each_allocation(paste("fit", name), function() fit_of(x, name))
  fit <- fit_of(x, "idsvm")
  calls <- list(
    sparse = function() fit_of(sparse, "smo"), update = function() update(fit, x, y),
    forget = function() forget(fit, 1:3),
    loo = function() loo(fit), predict = function() predict(fit, x, threads = 1),
    tune = function() {
      osvm_tune(
        x, y, solver_smo(C = 1:2), kernel_rbf(gamma = 1),
        folds = 2, refit = FALSE, progress = FALSE, threads = 1
      )
    }
  )
  for (name in names(calls)) each_allocation(name, calls[[name]])
} else {
  cat("No preloaded allocator: failing allocations are left out.\n")
}

# The results of a call are R's: its limit of memory is an error of its own, and the next call works.
if (getRversion() >= "4.2") {
  fit <- fit_of(x, "smo")
  many <- matrix(0, 3e6, 2)
  old <- mem.maxVSize()
  invisible(mem.maxVSize(gc()["Vcells", 4] + 1))
  got <- condition_of(predict(fit, many, threads = 1))
  invisible(mem.maxVSize(old))
  expect(inherits(got, "error"), "R's limit of memory")
  expect(length(predict(fit, many, threads = 1)) == nrow(many), "a call after R's limit of memory")
}

# ---- functions of the caller ----
tune <- function(...) osvm_tune(x, y, solver_smo(C = c(1, 10)), kernel_rbf(gamma = 1), folds = 2, progress = FALSE, ...)
got <- condition_of(tune(metric = function(truth, predicted, decision) stop("own metric")))
expect(inherits(got, "osvm_error") && grepl("own metric", conditionMessage(got)), "a metric that errs")
asked <- 0
got <- condition_of(osvm_active(x, function(i) if ((asked <<- asked + 1) > 9) stop("own label") else y[i],
  verbose = FALSE))
expect(inherits(got, "osvm_interrupted"), "a label function that errs")

# ---- time and interrupts: the model so far, with a warning ----
long_fit <- function(...) {
  board <- chessboard(2000)
  osvm(board$x, board$y, solver_norma(epochs = 1e5, outputs = "list"), kernel_rbf(gamma = 1), ...)
}
warned <- NULL
fit <- withCallingHandlers({
  setTimeLimit(elapsed = 1, transient = TRUE)
  long_fit(verbose = FALSE)
}, warning = function(w) {
  warned <<- w
  invokeRestart("muffleWarning")
})
setTimeLimit()
expect(inherits(warned, "osvm_interrupted"), "a time limit")
expect(all(is.finite(predict(fit, chessboard(9)$x, type = "decision"))), "a model after a time limit")

# Blocks of the package that remain after a call that was cut short. Those of a live model, which osvm_active() has, are
# freed by R's collector.
held <- function() {
  gc()
  if (nzchar(library)) .C("fail_disarm", integer(2))[[1]][2] else 0L
}
limited <- function(seconds, code) {
  setTimeLimit(elapsed = seconds, transient = TRUE)
  on.exit(setTimeLimit())
  condition_of(suppressWarnings(code))
}
board <- chessboard(3000)
fit <- osvm(board$x, board$y, solver_smo(C = 1), kernel_rbf(gamma = 2), verbose = FALSE)
many <- chessboard(2e6)$x
before <- held()
# predict() has nothing to return: it ends as on Ctrl-C.
got <- limited(0.5, predict(fit, many, type = "decision", threads = 1))
expect(inherits(got, "interrupt") || inherits(got, "error"), "a time limit in predict()")
expect(length(predict(fit, many[1:9, ], threads = 1)) == 9, "predict() after a time limit")
tuned <- NULL
got <- limited(1, tuned <- osvm_tune(board$x, board$y, solver_norma(epochs = 1:200), kernel_rbf(gamma = 1:50),
  progress = FALSE, refit = FALSE, threads = 1))
expect(inherits(tuned, "osvm_tuning") && tuned$interrupted || inherits(got, c("interrupt", "error"), which = FALSE),
  "a time limit in osvm_tune()")
expect(held() <= before, paste("time limits leave", held() - before, "blocks"))

# A function of the caller that is interrupted, or presses Ctrl-C itself
pressed <- function(...) {
  tools::pskill(Sys.getpid(), tools::SIGINT)
  Sys.sleep(2)
  0
}
tuned <- NULL
got <- condition_of(suppressWarnings(tuned <- tune(metric = pressed)))
expect(isTRUE(tuned$interrupted) || inherits(got, "interrupt"), "a metric that presses Ctrl-C")
got <- condition_of(suppressWarnings(osvm_active(x, function(i) if (i > 9) pressed() else y[i], verbose = FALSE)))
expect(is.null(got) || inherits(got, c("interrupt", "osvm_interrupted")), "a label function that presses Ctrl-C")
expect(held() <= before, paste("callbacks leave", held() - before, "blocks"))
fit <- fit_of(x, "smo")
expect(all(is.finite(fit$coef)), "a fit after all of these")

# ---- a worker that dies ----
if (requireNamespace("future", quietly = TRUE)) {
  future::plan(future::cluster, workers = 1, rscript_libs = .libPaths())
  body <- quote(tools::pskill(Sys.getpid(), 9))
  utils::assignInNamespace("worker_call", body, "onlinesvm")
  got <- condition_of(tune())
  expect(inherits(got, "osvm_error") && grepl("worker", conditionMessage(got)), "a worker that dies")
  future::plan(future::sequential)
} else {
  cat("No future: a worker that dies is left out.\n")
}
cat(sprintf("faults: %d passed, %d failed\n", passed, failed))
