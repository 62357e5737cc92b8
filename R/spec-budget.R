# The budget of support vectors of solvers that have one, and its maintenance.

maintenance_kinds <- c("merge", "project", "remove")

# The vectors a model may have; Inf: any number. Weights of a linear kernel need none.
budget_of <- function(model) {
  if (is_primal(model)) Inf else role_value(model$solver, "budget", Inf)
}

merges <- function(model) is.finite(budget_of(model)) && role_value(model$solver, "maintenance") == "merge"

# Vectors can be merged where k(x, z) is a function of |x - z| whose powers it is closed under: a Gaussian.
check_budget <- function(solver, kernel) {
  merges <- any(is.finite(role_value(solver, "budget", Inf))) && "merge" %in% role_value(solver, "maintenance")
  if (merges && !is_linear(kernel) && !kernel_info(kernel$name)$mergeable) {
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
