# Parameters and state of a solver by role: what they mean to others than the solver, which declares it (src/solver.h,
# src/sv-set.h). No code outside a solver's own files knows their names.

# The parameter with this role, if the solver has one.
role_name <- function(solver, role) {
  roles <- solver_info(solver$name)$roles
  names(roles)[roles %in% role]
}

role_value <- function(solver, role, none = NULL) {
  name <- role_name(solver, role)
  if (length(name) == 0) none else solver$params[[name]]
}

set_role <- function(solver, role, value) {
  solver$params[[role_name(solver, role)]] <- value
  solver
}

# The roles of a spec's parameters by name; those of a kernel are their names.
param_roles <- function(spec) {
  if (inherits(spec, "osvm_solver")) solver_info(spec$name)$roles else stats::setNames(nm = names(spec$params))
}

# Columns of the model's state: `coef`, the signed coefficients; `sum`, theirs over all steps; `bound`, and others that
# are `signed`, which change their sign when the two classes of a machine change sides; `unsigned`, which do not; `own`.
state_columns <- function(solver, roles) {
  traits <- solver_traits(solver)
  traits$columns[traits$column_roles %in% roles]
}

# A row per example or feature, a column per machine.
state_layer <- function(model, role) {
  matrix(model$state[, , state_columns(model$solver, role)], dim(model$state)[1])
}

# What users and searches know about parameters, by role: a `label`; the `range` in which a search begins, in powers of
# ten if `log`; the `grid` of osvm_tune(). Those of a solver's own are in its file, see spec_parameters().
known_roles <- list(
  cost = list(label = "Cost", range = c(-2, 3), log = TRUE, grid = 10^(-1:3)),
  penalty = list(label = "Regularization", range = c(-7, -1), log = TRUE, grid = 10^(-6:-2)),
  rate = list(label = "Step Size", range = c(-4, 0), log = TRUE, grid = 10^(-4:0)),
  degree = list(label = "Polynomial Degree", range = c(1, 4), log = FALSE),
  gamma = list(label = "Kernel Gamma", range = c(-4, 1), log = TRUE),
  epochs = list(label = "Epochs", range = c(1, 20), log = FALSE, grid = c(1, 3, 10, 30)),
  coef0 = list(range = c(0, 2), log = FALSE),
  tolerance = list(range = c(-5, -1), log = TRUE),
  budget = list(range = c(50, 1000), log = FALSE)
)
