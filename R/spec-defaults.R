# The solver and the kernel that are taken where none is given. bench/defaults.R has the measurements.

# Beyond these the exact solution takes long: a kernel has a trial, the linear one a solver without kernel rows.
many_rows <- 50000
many_rows_linear <- 10000 # from which on SMO takes ten times as long as dual coordinate descent, at equal errors

# Which solver is taken for what if none is given: the one place outside their files that names solvers.
default_solver <- function(purpose) {
  remembered("default solver", purpose, function(purpose) {
    switch(purpose,
      fit = solver_smo(),
      many_rows = solver_dcd(),
      low_rank = solver_dcd(tolerance = 0.01), # lower ones take longer and have the same errors
      shards_linear = solver_pegasos(), # whose weights are averaged
      live = solver_lasvm(finish = FALSE),
      live_linear = solver_pa(),
      linear_losses = solver_sgd(), # online, all of them
      active = solver_ramp(),
      example = solver_olsvm(), # in hints
      expansion = solver_norma() # on whose expansion compress() works, whatever the loss
    )
  })
}

# The solvers that messages name: one for each purpose of a user.
usual_solvers <- function() {
  purposes <- c("fit", "many_rows", "shards_linear", "live", "live_linear", "active")
  vapply(purposes, function(purpose) default_solver(purpose)$name, "", USE.NAMES = FALSE)
}

# Solvers of elsewhere that users may ask for
solver_aliases <- c(libsvm = "smo", liblinear = "dcd")

default_kernel <- function(linear) {
  remembered("default kernel", linear, function(linear) if (linear) kernel_linear() else kernel_rbf())
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
  only_linear <- solver_info(solver$name)$space == "linear"
  if (is.null(kernel)) {
    kernel <- default_kernel(only_linear)
  } else if (only_linear && !linear) {
    abort(c(
      "{.arg kernel} must be {.code kernel_linear()} for the solver {.val {solver$name}}, not {.val {kernel$name}}.",
      i = "Solvers for all kernels are {.val {intersect(usual_solvers(), solvers()$name[solvers()$space != 'linear'])}}
           and others of {.fn solvers}."
    ))
  }
  check_budget(solver, kernel)
  list(solver = solver, kernel = kernel)
}
