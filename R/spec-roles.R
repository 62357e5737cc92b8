# Parameters of a solver or kernel and the state of a solver by role: what they mean to others than the solver or
# kernel, which declares it (src/solver.h, src/kernel.h, src/sv-set.h). No code outside its own files knows their names.

# The parameter with this role, if the spec has one.
role_name <- function(spec, role) {
  roles <- param_roles(spec)
  names(roles)[roles %in% role]
}

role_value <- function(spec, role, none = NULL) {
  name <- role_name(spec, role)
  if (length(name) == 0) none else spec$params[[name]]
}

set_role <- function(spec, role, value) {
  spec$params[[role_name(spec, role)]] <- value
  spec
}

# The roles of a spec's parameters by name.
param_roles <- function(spec) (if (inherits(spec, "osvm_kernel")) kernel_info else solver_info)(spec$name)$roles

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
  scale = list(label = "Kernel Gamma", range = c(-4, 1), log = TRUE),
  epochs = list(label = "Epochs", range = c(1, 20), log = FALSE, grid = c(1, 3, 10, 30)),
  constant = list(range = c(0, 2), log = FALSE),
  tolerance = list(range = c(-5, -1), log = TRUE),
  budget = list(range = c(50, 1000), log = FALSE)
)
