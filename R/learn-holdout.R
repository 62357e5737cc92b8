# Hold-out outputs: decision values of examples by models that have not learned them. Tunings, the choice of defaults,
# probabilities and curves are made from them.

# `solvers` and `kernels`: the specs of grid points, each once (`specs`), and which of them a grid point has (`of`).
# They share precision, norms and the order of visits, `rows`. `fold`: in which an example is held out, 0 if in none;
# `seed`: the core's, of each fold. The result of the core, `outputs` as an array of examples x machines x grid points
# in the order of the examples, or the message of its failure. `whole`: outputs of all examples, learned or not, by each
# fold's model; the last dimension has the folds of the first grid point, then those of the second ...
holdout_outputs <- function(model, examples, fold, solvers, kernels, seed, rows = seq_along(fold),
                            threads = model$control$threads, progress = NULL, whole = FALSE) {
  first <- list(solver = solvers$specs[[1]], kernel = kernels$specs[[1]])
  result <- .Call(
    ffi_tune, core_data(examples$x, model$transform, rows = rows - 1L), core_labels(model, examples, rows, fold[rows]),
    lapply(kernels$specs, core_kernel), lapply(solvers$specs, core_solver), rbind(kernels$of, solvers$of) - 1L,
    list(
      cache_mb = model$control$cache_mb, threads = threads, doubles = wants_doubles(first, model$extent),
      level = simd_level(), progress = progress, seed = as.double(seed), whole = whole
    )
  )
  if (is.list(result)) {
    of_each <- if (whole) length(seed) else 1
    outputs <- array(result$outputs, c(length(rows), nrow(model$machines), of_each * length(solvers$of)))
    result$outputs <- if (is.unsorted(rows)) outputs[order(rows), , , drop = FALSE] else outputs
  }
  result
}

# An interrupt or a failure, of any fold, ends what needs all outputs.
complete_result <- function(result, what) {
  result <- core_result(result, what)
  if (result$interrupted != 0) signal_interrupt()
  failed <- result$message[result$state == 3]
  core_result(if (length(failed) > 0) failed[1] else result, what)
}

# Stratified folds: the numbers of examples per fold differ by at most one, in
# every class and in total.
deal_folds <- function(class, folds) {
  dealt <- order(class, stats::runif(length(class)))
  fold <- integer(length(class))
  fold[dealt] <- rep_len(sample.int(folds), length(class))
  fold
}
