test_that("further epochs are those of one longer fit, for every solver that can continue", {
  local_doubles()
  for (name in tested_solvers()) for (kernel in solver_kernels(name)[c("linear", "rbf")]) {
    if (is.null(kernel) || !solver_field(name, "epochs")) next
    data <- clouds(50, classes = 3)
    weights <- rep_len(c(1, 2, 0.5), 50)
    run <- function(epochs, x = data$x) {
      solver <- make_solver(name, epochs = epochs, shuffle = FALSE)
      muffle_not_separable(osvm(x, data$y, solver, kernel, weights = weights, verbose = FALSE))
    }
    fit <- run(2)
    expect_identical(can_continue(fit), !solver_info(name)$dual)
    if (!can_continue(fit) || name == "sgd") next # sgd draws a new order in every epoch
    long <- run(5)
    more <- continue_epochs(fit, data$x, data$y, weights, 5)
    expect_identical(more$solver, long$solver)
    expect_identical(more$n_seen, long$n_seen)
    expect_identical(more$n_sv, long$n_sv)
    expect_close(decide(more, data$x), decide(long, data$x), 1e-6)
    expect_close(decide(update(more, data$x, data$y), data$x), decide(update(long, data$x, data$y), data$x), 1e-6)
    expect_identical(continue_epochs(fit, data$x, data$y, weights, 2), fit)
  }
})

test_that("sparse rows are told apart", {
  x <- methods::as(matrix(c(0, 1, 0, 0, 2, 0, 1, 1, 1, 0, 2, 0), 4, 3, byrow = TRUE), "CsparseMatrix")
  expect_identical(match(row_keys(x), unique(row_keys(x))), c(1L, 2L, 3L, 2L))
  expect_identical(row_keys(as.matrix(x))[2], row_keys(as.matrix(x))[4])
  data <- sparse_clouds(40)
  fit <- osvm(data$s, data$y, solver_pa(epochs = 1, shuffle = FALSE), kernel_rbf(gamma = 0.5), verbose = FALSE)
  more <- continue_epochs(fit, data$s, data$y, NULL, 3)
  long <- osvm(data$s, data$y, solver_pa(epochs = 3, shuffle = FALSE), kernel_rbf(gamma = 0.5), verbose = FALSE)
  expect_close(decide(more, data$s), decide(long, data$s), 1e-5)
})
