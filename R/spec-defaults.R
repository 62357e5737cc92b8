# The solver and the kernel that are taken where none is given. bench/defaults.R has the measurements.

# Beyond these the exact solution takes long: a kernel has a trial, the linear one a solver without kernel rows.
many_rows <- 50000
many_rows_linear <- 10000 # from which on SMO takes ten times as long as dual coordinate descent, at equal errors

# The solver that is taken for a purpose if none is given: the one that says so by its function `<name>_serves()`.
#   fit            all examples at once, any kernel, every loss with a quadratic dual
#   many_rows      a linear kernel
#   low_rank       a kernel of low rank
#   shards_linear  weights that are averaged
#   live, live_linear, linear_losses   row by row; the last with every loss
#   active         examples whose labels are asked for
#   expansion      on whose expansion compress() works, whatever the loss
#   example        in hints
default_solver <- function(purpose) declared$default_solvers[[purpose]]
default_kernel <- function(linear) declared$default_kernels[[if (linear) "linear" else "other"]]

said_by_solvers <- function(what) {
  lapply(stats::setNames(nm = solver_table()$name), function(name) solver_hook(list(name = name), what))
}

# The solvers that messages name: one for each purpose of a user.
usual_solvers <- function() {
  purposes <- c("fit", "many_rows", "shards_linear", "live", "live_linear", "active")
  vapply(purposes, function(purpose) default_solver(purpose)$name, "", USE.NAMES = FALSE)
}

# The solver of a fit to which none is given, where the loss decides: one that learns it. NULL: another criterion does.
solver_for <- function(loss, kernel) {
  learns <- function(solver) loss$name %in% solver$traits$losses
  usual <- default_solver("fit")
  linear <- is.null(kernel) || is_linear(as_spec(kernel, "kernel"))
  if (loss_outcome(loss) == "novelty") {
    usual
  } else if (!learns(usual)) {
    default_solver(if (linear) "many_rows" else "expansion")
  }
}

# A linear solver implies a linear kernel. `n`: number of examples; `many`: the purpose where they are many, if another.
choose_specs <- function(solver, kernel, n = 0, many = NULL) {
  kernel <- if (!is.null(kernel)) as_spec(kernel, "kernel")
  linear <- !is.null(kernel) && is_linear(kernel)
  if (is.null(solver)) {
    own <- if (linear && is_low_rank(kernel)) "low_rank" else if (linear && n > many_rows_linear) "many_rows"
    solver <- default_solver(if (is.null(own)) "fit" else if (is.null(many)) own else many)
  }
  solver <- as_spec(solver, "solver")
  only_linear <- solver$traits$space == "linear"
  if (is.null(kernel)) {
    kernel <- default_kernel(only_linear)
  } else if (only_linear && !linear) {
    abort(c(
      "{.arg kernel} must be {.code kernel_linear()} for the solver {.val {solver$name}}, not {.val {kernel$name}}.",
      i = "Solvers for all kernels are {.val {intersect(usual_solvers(), solvers()$name[solvers()$space != 'linear'])}}
           and others of {.fn solvers}."
    ))
  }
  if (any(solver$roles == "budget")) check_budget(solver, kernel)
  list(solver = solver, kernel = kernel)
}
