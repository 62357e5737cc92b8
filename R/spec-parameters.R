# What values the parameters of solvers and kernels take, for the frameworks that describe parameters by sets: read from
# the defaults of the constructors, and by asking their checks.

# A list by name; of each parameter: `type` ("flag", "choice", "whole" or "real"), `lower`, `upper` (the bounds of
# numbers), `levels` (the choices), `default` (NULL: from the data), its `role`, and what known_roles has about it.
# The ranges of a solver's own parameters are what its function `<solver>_ranges` returns.
spec_parameters <- function(kind, name) {
  make <- constructor(kind, name)
  spec <- make()
  roles <- spec$roles
  own <- if (kind == "solver") solver_hook(spec, "ranges")
  lapply(stats::setNames(nm = names(spec$params)), function(name) {
    role <- roles[[name]]
    c(
      describe_parameter(make, name, eval(formals(make)[[name]])), list(role = role),
      if (is.null(known_roles[[role]])) own[[name]] else known_roles[[role]]
    )
  })
}

describe_parameter <- function(make, name, default) {
  accepts <- function(value) {
    tryCatch(is.list(do.call(make, stats::setNames(list(value), name))), osvm_error = function(e) FALSE)
  }
  first <- function(candidates, otherwise) {
    for (value in candidates) if (accepts(value)) return(value)
    otherwise
  }
  if (is.logical(default)) {
    return(list(type = "flag", default = default))
  }
  if (is.character(default)) {
    return(list(type = "choice", levels = default, default = default[1]))
  }
  whole <- !accepts(0.5)
  lower <- if (accepts(-0.5)) -Inf else if (whole) first(c(0, 1), 1) else 0
  list(
    type = if (whole) "whole" else "real", lower = lower,
    upper = first(c(Inf, 1e308, 1e12, 1e6, 100, 1, 1 - 1e-9), Inf),
    default = default
  )
}

# The parameters of all specs of a kind: a list by name, each a description with `of`, the names of its specs. Bounds
# cover those of all, choices are all choices; a default is kept if it is common to all.
all_parameters <- function(kind) {
  remembered("parameters", kind, function(kind) {
    out <- list()
    for (spec in setdiff(spec_names(kind), given_kernels)) {
      own <- spec_parameters(kind, spec)
      own <- own[setdiff(names(own), spec_kinds)] # `kernel` is the kernel itself, elsewhere
      for (name in names(own)) {
        new <- c(own[[name]], of = spec)
        known <- out[[name]]
        if (is.null(known)) {
          out[[name]] <- new
          next
        }
        known$of <- c(known$of, spec)
        if (known$type != new$type) known$type <- "real" # a share of the examples here, their number there
        known$lower <- if (!is.null(known$lower)) min(known$lower, new$lower)
        known$upper <- if (!is.null(known$upper)) max(known$upper, new$upper)
        known$levels <- union(known$levels, new$levels)
        if (!identical(known$default, new$default)) known["default"] <- list(NULL)
        out[[name]] <- known
      }
    }
    out
  })
}

# Those that are usually set or tuned: the others belong to the specs alone.
usual_parameters <- function(kind) {
  Filter(function(about) !is.null(about$label) || about$role %in% c("tolerance", "constant"), all_parameters(kind))
}
