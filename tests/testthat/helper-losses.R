# Tests that run for every loss of losses() with every solver that learns it, and name none. OSVM_TEST_LOSS names the
# only loss to be tested.

tested_losses <- function() {
  only <- Sys.getenv("OSVM_TEST_LOSS")
  if (nzchar(only)) only else losses()$name
}

# Examples for a loss: overlapping classes, numbers, or none.
loss_problem <- function(loss, n = 45, seed = 42) {
  data <- sparse_clouds(n, empty = 20, seed = seed)
  outcome <- losses()$outcome[losses()$name == loss]
  numbers <- data$x[, 1] - data$x[, 2]^2 + rnorm(n) / 3
  data$y <- switch(outcome, classes = data$y, numbers = numbers, novelty = NULL, round(exp(numbers / 2)))
  data
}

each_loss <- function(desc, body) {
  all <- losses()
  for (loss in tested_losses()) {
    learned_by <- strsplit(all$solvers[all$name == loss], ", ")[[1]]
    for (name in intersect(tested_solvers(), learned_by)) {
      test_that(paste0(loss, " by ", name, ": ", desc), {
        muffle_not_separable(body(name, loss))
      })
    }
  }
}

loss_fit <- function(name, loss, data, i = seq_along(data$x[, 1]), solver = soft_solver(name), x = data$x, ...) {
  set.seed(1)
  arguments <- list(
    x = x[i, , drop = FALSE], y = data$y[i], solver = solver, kernel = main_kernel(name), loss = loss,
    verbose = FALSE, ...
  )
  do.call(osvm, if (is.null(data$y)) arguments[names(arguments) != "y"] else arguments)
}
loss_update <- function(fit, data, i) {
  if (is.null(data$y)) update(fit, data$x[i, , drop = FALSE]) else update(fit, data$x[i, , drop = FALSE], data$y[i])
}
