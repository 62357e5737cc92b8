# Hold-out outputs: decision values of examples by models that have not learned them. Tunings, the choice of defaults,
# probabilities and curves are made from them.

# `solvers` and `kernels`: the specs of grid points, each once (`specs`), and which of them a grid point has (`of`).
# They share precision, norms, feature map and the order of visits, `rows`. `fold`: in which an example is held out, 0
# if in none; `seed`: the core's, of each fold. The result of the core, `outputs` as an array of examples x machines x
# grid points in the order of the examples, or the message of its failure. `whole`: outputs of all examples, learned or
# not, by each fold's model; the last dimension has the folds of the first grid point, then those of the second ...
holdout_outputs <- function(model, examples, fold, solvers, kernels, seed, rows = seq_along(fold),
                            threads = model$control$threads, progress = NULL, whole = FALSE) {
  grid <- new_grid(model, examples, fold, solvers, kernels, seed, rows, whole)
  run_grids(list(grid), threads, progress)[[1]]
}

new_grid <- function(model, examples, fold, solvers, kernels, seed, rows = seq_along(fold), whole = FALSE) {
  model$transform <- fit_features(model$transform, kernels$specs[[1]], examples$x)
  check_room(model, length(rows), at_once = TRUE)
  list(
    data = core_data(examples$x, model$transform, rows = rows - 1L),
    labels = c(core_labels(model, examples, rows), list(fold = fold[rows] - 1L)),
    kernels = if (is_given(model$kernel)) list(core_kernel(model)) else lapply(kernels$specs, `[[`, "core"),
    solvers = lapply(solvers$specs, `[[`, "core"), points = rbind(kernels$of, solvers$of) - 1L,
    seed = as.double(seed), whole = whole, rows = rows, machines = nrow(model$machines),
    trend = trend_values(model, examples$x[rows, , drop = FALSE]),
    extent = model$extent, cache_mb = if (is.null(model$given)) model$control$cache_mb else cache_left(model)
  )
}

# Several grids work side by side on the threads. They share the extent of the data, and memory.
run_grids <- function(grids, threads, progress = NULL) {
  control <- c(grids[[1]][c("extent", "cache_mb")], list(threads = threads, level = simd_level(), progress = progress))
  results <- .Call(ffi_tune, grids, control)
  if (is.character(results)) results <- rep(list(results), length(grids))
  Map(function(result, grid) {
    if (is.list(result)) {
      of_each <- if (grid$whole) length(grid$seed) else 1
      outputs <- array(result$outputs, c(length(grid$rows), grid$machines, of_each * ncol(grid$points)))
      if (!is.null(grid$trend)) outputs <- outputs + as.vector(grid$trend)
      result$outputs <- if (is.unsorted(grid$rows)) outputs[order(grid$rows), , , drop = FALSE] else outputs
    }
    result
  }, results, unname(grids))
}

# Those of all grid points below each other, a column per machine.
stack_outputs <- function(outputs) matrix(aperm(outputs, c(1, 3, 2)), dim(outputs)[1] * dim(outputs)[3])

# An interrupt or a failure, of any fold, ends what needs all outputs.
complete_result <- function(result, what) {
  if (is.list(result)) {
    if (result$interrupted != 0) signal_interrupt()
    failed <- result$message[result$state == "failed"]
    if (length(failed) > 0) result <- failed[1]
  }
  core_result(result, what)
}

# Stratified folds: the numbers of examples per fold differ by at most one, in every class and in total.
deal_folds <- function(class, folds) {
  class <- first_target(class)
  dealt <- order(class, stats::runif(length(class)))
  fold <- integer(length(class))
  fold[dealt] <- rep_len(sample.int(folds), length(class))
  fold
}
