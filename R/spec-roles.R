# Parameters of a solver or kernel and the state of a solver by role: what they mean to others than the solver or
# kernel, which declares it (src/solver.h, src/kernel.h, src/sv-set.h). No code outside its own files knows their names.

# The parameters with these roles. Those of a damaged spec, which may be asked before it is checked, are none.
role_name <- function(spec, role) {
  roles <- .subset2(spec, "roles")
  sound <- is.character(roles) && !is.object(roles) && length(names(roles)) == length(roles)
  if (sound) names(roles)[match(roles, role, 0L) > 0L] else character()
}

role_value <- function(spec, role, none = NULL) {
  name <- role_name(spec, role)
  if (length(name) == 0) none else .subset2(spec, "params")[[name[1]]]
}

set_role <- function(spec, role, value) {
  spec$params[[role_name(spec, role)]] <- value
  resolve_spec(spec)
}

# Columns of the model's state: `coef`, the signed coefficients; `sum`, theirs over all steps; others that are `signed`,
# which change their sign when the two classes of a machine change sides; `cost`, C times an example's weight, and
# others that are `unsigned`.
state_columns <- function(solver, roles) {
  traits <- solver$traits
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
  budget = list(range = c(50, 1000), log = FALSE),
  rank = list(range = c(50, 1000), log = FALSE),
  margin = list(label = "Insensitivity Margin", range = c(0, 0.5), log = FALSE),
  threshold = list(range = c(-2, 0.5), log = TRUE),
  quantile = list(range = c(0.05, 0.95), log = FALSE),
  asymmetry = list(range = c(0.05, 0.95), log = FALSE),
  share = list(range = c(0.01, 0.5), log = FALSE)
)

is_primal <- function(model) .subset2(model$kernel, "traits")$linear

# Whether the model holds examples, as support vectors or for further training.
keeps_examples <- function(model) {
  traits <- .subset2(model$solver, "traits")
  !.subset2(model$kernel, "traits")$linear || traits$dual && traits$space != "linear"
}

# The coefficients of a plain expansion are its whole state.
needs_state <- function(solver) {
  traits <- .subset2(solver, "traits")
  traits$dual || !identical(traits$column_roles, "coef")
}

is_live <- function(model) !is.null(model$live)

# ---- the budget of support vectors of solvers that have one, and its maintenance ----

# The vectors a model may have; Inf: any number. Weights of a linear kernel need none.
budget_of <- function(model) {
  if (is_primal(model)) Inf else role_value(model$solver, "budget", Inf)
}

merges <- function(model) {
  any(model$solver$roles == "budget") && identical(role_value(model$solver, "maintenance"), "merge") &&
    is.finite(budget_of(model))
}

# Vectors can be merged where k(x, z) is a function of |x - z| whose powers it is closed under: a Gaussian.
check_budget <- function(solver, kernel) {
  merges <- any(is.finite(role_value(solver, "budget", Inf))) && "merge" %in% role_value(solver, "maintenance")
  if (merges && !is_linear(kernel) && !kernel$traits$mergeable) {
    mergeable <- paste0("kernel_", kernel_table()$name[kernel_table()$mergeable])
    abort(c(
      "{.arg maintenance} must be {.val project} or {.val remove} with the kernel {.val {kernel$name}}.",
      i = "Support vectors are merged, the default, under {.fn {mergeable}} only."
    ))
  }
}

# Projection keeps the kernel matrix of the support vectors and its inverse, in double precision.
check_projection <- function(model) {
  budget <- max(budget_of(model))
  if (is.finite(budget) && "project" %in% role_value(model$solver, "maintenance")) {
    needed <- 16 * (budget + 1)^2 / 2^20
    if (needed > model$control$cache_mb) {
      abort(c(
        "{.arg cache_mb} must be at least {ceiling(needed)} to project within a {.arg budget} of {budget}.",
        i = "{.code maintenance = \"merge\"} or {.val remove} needs memory for the support vectors only."
      ))
    }
  }
}
