# Solver and kernel specs: small validated lists with a name and parameters.

new_spec <- function(kind, name, params) {
  structure(
    list(name = name, params = params),
    class = paste0("osvm_", kind, c(paste0("_", name), ""))
  )
}

new_solver <- function(name, ...) new_spec("solver", name, list(...))
new_kernel <- function(name, ...) new_spec("kernel", name, list(...))

# A spec, or the name of one, for its defaults.
as_spec <- function(spec, kind, names) {
  class <- paste0("osvm_", kind)
  if (inherits(spec, class)) {
    return(check_spec(spec, kind))
  }
  if (is.character(spec) && length(spec) == 1 && spec %in% names) {
    return(constructor(kind, spec)())
  }
  abort(c(
    "{.arg {kind}} must be made by a {.code {kind}_} function or be a name.",
    i = "Names are {.val {names}}."
  ))
}

constructor <- function(kind, name) {
  get(paste0(kind, "_", name), envir = asNamespace("onlinesvm"), mode = "function")
}

# Specs are plain lists, possibly edited by hand or read from a damaged file: the
# constructor is called again to check every parameter.
check_spec <- function(spec, kind) {
  known <- if (kind == "solver") solvers()$name else kernel_names
  usable <- is.list(spec) && is.character(spec$name) && length(spec$name) == 1 &&
    spec$name %in% known && is.list(spec$params)
  make <- if (usable) constructor(kind, spec$name)
  if (!usable || !all(names(spec$params) %in% names(formals(make)))) {
    abort("{.arg {kind}} is damaged: make it anew with a {.code {kind}_} function.")
  }
  spec <- do.call(make, spec$params)
  for (name in names(spec$params)) {
    if (length(spec$params[[name]]) > 1) {
      abort(c(
        "{.arg {name}} has {length(spec$params[[name]])} values, a grid for tuning.",
        i = "{.fn osvm} fits one model: choose one value."
      ))
    }
  }
  spec
}

core_solver <- function(solver) {
  list(
    name = solver$name, params = numeric_params(solver),
    epochs = if (is.null(solver$params$epochs)) 1 else solver$params$epochs,
    shuffle = isTRUE(solver$params$shuffle)
  )
}

# A grid is a spec some of whose parameters have several values: the spec with the
# first of each, and those parameters. check_spec() makes all other checks.
first_values <- function(spec) {
  if (is.list(spec) && is.list(spec$params)) spec$params <- lapply(spec$params, utils::head, 1)
  spec
}

several_values <- function(spec) {
  if (is.list(spec) && is.list(spec$params)) spec$params[lengths(spec$params) > 1] else list()
}

# All parameters as numbers, for the core; a choice is its index, from 0, among the
# constructor's choices.
numeric_params <- function(solver) {
  signature <- formals(constructor("solver", solver$name))
  unlist(Map(function(value, name) {
    if (is.character(value)) match(value, eval(signature[[name]])) - 1 else as.numeric(value)
  }, solver$params, names(solver$params)))
}

#' Available solvers
#'
#' @return A data frame with a row per solver: `name`, `title`, `space` (the
#'   models it can learn: `"linear"`, `"kernel"` or `"both"`), `online` (learns an
#'   example without the others at hand; SMO and SVM^R do not), `forgets` (supports
#'   [forget()]) and `paper`.
#' @seealso [osvm()], [onlinesvm-package] for an overview
#' @export
#' @examples
#' solvers()
solvers <- function() {
  all <- as.data.frame(.Call(ffi_solvers))
  all[c("name", "title", "space", "online", "forgets", "paper")]
}

# Solver info: a row of solvers(), and for internal use whether the model keeps examples
# even where a linear kernel needs only weights (dual), whether double precision is
# required (exact), and the number of values the model holds per example and machine
# (depth) and per machine (tallies).
solver_plate <- function(name) {
  all <- .Call(ffi_solvers)
  lapply(all, `[`, match(name, all$name))
}
