# Solvers of which a run with fewer epochs is the beginning of a longer one, each with this number of epochs.
nested_solvers <- function(epochs) {
  specs <- lapply(stats::setNames(nm = all_solvers$name), function(name) {
    spec <- soft_solver(name, finish = FALSE)
    if (!is.null(spec$params$epochs)) spec$params$epochs <- epochs
    spec
  })
  Filter(function(spec) !is.null(spec$params$epochs) && solver_traits(spec)$nested, specs)
}
