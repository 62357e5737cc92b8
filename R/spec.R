# Specs of solvers, kernels and losses: small validated lists of a `name`, `params`, and what follows from these:
#   roles   of the parameters by name, in the order that the core declares (spec-roles.R)
#   core    what the core is given: the name that it knows, and `values`, the parameters as numbers in that order; a
#           choice is its index, from 0, and NaN is yet to be chosen from the data. No values: a parameter has several.
#           Of a kernel of low rank: the linear one, and the one `approximated`
#   traits  what its name declares for others to ask, of a solver also what its values mean to a run (solver_traits())
# Constructors check parameters. A spec is checked again where it comes from outside: by as_spec(), and with its model.

new_spec <- function(kind, name, params) {
  spec <- list(name = name, params = params)
  class(spec) <- paste0("osvm_", kind, c(paste0("_", name), ""))
  if (kind %in% spec_kinds) resolve_spec(spec) else spec
}

# The spec with what follows from its name and its parameters.
resolve_spec <- function(spec) {
  kind <- oldClass(spec)[2]
  info <- declared[[kind]][[.subset2(spec, "name")]]
  params <- .subset2(spec, "params")
  values <- lapply(names(info$roles), function(name) {
    value <- params[[name]]
    if (is.null(value)) NaN else if (is.character(value)) match(value, info$choices[[name]]) - 1 else value
  })
  single <- lengths(values) == 1 | lengths(values) > 0 & info$roles == "quantile" # which are learned together
  whole <- all(single) && all(vapply(values, is.atomic, NA))
  spec$roles <- info$roles
  spec$core <- list(name = info$core, values = if (whole) as.double(unlist(values)))
  spec$traits <- info$traits
  if (kind == "osvm_solver" && whole) {
    traits <- .Call(ffi_traits, .subset2(spec, "core"))
    if (is.character(traits)) abort("The solver failed: {traits}.")
    spec$traits <- c(info$traits, traits)
  }
  if (isTRUE(info$low_rank)) resolve_low_rank(spec) else spec
}

# What solvers, kernels and losses declare, in C or in their R files: tables, and by the class and the name of a spec
# what is known of each. Constant while the package is loaded.
declared <- new.env(parent = emptyenv())

declare_specs <- function() {
  declared$solvers <- .Call(ffi_solvers)
  declared$losses <- .Call(ffi_losses)
  kernels <- describe_kernels()
  declared$kernels <- lapply(kernels, `[`, kernels$base != "given")
  declared$osvm_solver <- declared_by_name("solver", declared$solvers)
  declared$osvm_kernel <- declared_by_name("kernel", kernels)
  declared$osvm_loss <- declared_by_name("loss", declared$losses)
  served <- do.call(c, unname(said_by_solvers("serves")))
  declared$default_solvers <- served[!duplicated(names(served))]
  declared$default_kernels <- list(linear = kernel_linear(), other = kernel_rbf())
}

spec_kinds <- c("solver", "kernel", "loss")

# A row of the table for each name, with the `choices` of its parameters, the name that the core knows, and its traits.
declared_by_name <- function(kind, table) {
  traits <- switch(kind,
    solver = c("space", "dual", "online", "forgets", "losses"), loss = c("target", "outcome", "metric", "stream"),
    kernel = c("linear", "base", "width", "mergeable", "low_rank")
  )
  lapply(stats::setNames(seq_along(table$name), table$name), function(k) {
    info <- lapply(table, `[[`, k)
    if (kind == "loss") info <- c(info, loss_details(info))
    usual <- formals(constructor(kind, info$name))
    info$choices <- Filter(is.character, lapply(usual[intersect(names(usual), names(info$roles))], eval))
    if (is.null(info$core)) info$core <- info$name
    c(info, list(traits = info[traits]))
  })
}

# The spec that the constructor of a solver makes of its arguments, which are checked as their defaults say: flags,
# choices, of which the first is the default, and positive numbers; those in `...` are checked by it, if otherwise. The
# attribute `given` names the parameters in the call of the constructor, which osvm_tune() keeps.
new_solver <- function(name, ...) {
  caller <- parent.frame(2) # whose `...` may be among the arguments
  call <- match.call(sys.function(sys.parent()), sys.call(sys.parent()), envir = caller)
  usual <- formals(sys.function(sys.parent()))
  params <- mget(setdiff(names(usual), "..."), parent.frame())
  checked <- list(...)
  params[names(checked)] <- checked
  for (param in setdiff(names(params), names(checked))) {
    default <- eval(usual[[param]])
    params[[param]] <- if (is.logical(default)) {
      flag(params[[param]], param)
    } else if (is.character(default)) {
      choice(params[[param]], default, param)
    } else {
      number(params[[param]], param, above = 0)
    }
  }
  structure(new_spec("solver", name, params), given = names(call)[-1])
}
new_kernel <- function(name, ...) new_spec("kernel", name, list(...))

# A spec, or the name of one, for its defaults.
as_spec <- function(spec, kind) {
  if (inherits(spec, paste0("osvm_", kind))) {
    return(if (is_whole(spec, kind)) spec else check_spec(spec, kind))
  }
  names <- spec_names(kind)
  if (is.character(spec) && length(spec) == 1 && spec %in% names) {
    return(constructor(kind, spec)())
  }
  hint <- spec_hint(spec, kind)
  shown <- if (kind == "solver") "{.val {usual_solvers()}} and others of {.fn solvers}" else "{.val {names}}"
  abort(c(
    "{.arg {kind}} must be made by a {.code {kind}_} function or be a name.",
    i = if (is.null(hint)) paste0("Names are ", shown, ".") else hint
  ))
}

spec_names <- function(kind) names(declared[[paste0("osvm_", kind)]])

constructor <- function(kind, name) {
  get(paste0(kind, "_", name), envir = asNamespace("onlinesvm"), mode = "function")
}

# As its constructor made it, with one value for each parameter. Kernels that the core does not know are made anew.
is_whole <- function(spec, kind) {
  found <- unclass(spec)
  is.list(found) && is.list(found$core) && is_one_text(found$name) && identical(found$name, found$core$name) &&
    is.list(found$params) && identical(oldClass(spec), paste0("osvm_", kind, c(paste0("_", found$name), ""))) &&
    (length(found$params) == length(found$core$values) || length(found$core$values) > 1 &&
      all(vapply(names(found$params), is_joint, NA, spec = spec))) &&
    identical(tryCatch(unclass(resolve_spec(spec)), error = function(e) NULL), found)
}

# Specs are plain lists, possibly edited by hand or read from a file: the constructor is called again to check every
# parameter, and to find out what follows from them.
check_spec <- function(spec, kind) {
  usable <- is.list(spec) && is.character(spec$name) && length(spec$name) == 1 &&
    spec$name %in% spec_names(kind) && is.list(spec$params)
  make <- if (usable) constructor(kind, spec$name)
  names <- if (usable) names(spec$params)
  named <- usable && length(names) == length(spec$params) && anyDuplicated(names) == 0
  if (!usable || !named || !all(names %in% parameter_names(spec, kind))) {
    abort("{.arg {kind}} is damaged: make it anew with a {.code {kind}_} function.")
  }
  given <- attr(spec, "given")
  spec <- do.call(make, spec$params, quote = TRUE) # a damaged model may hold language: it is not evaluated
  attr(spec, "given") <- if (is.character(given)) given
  for (name in names(spec$params)) {
    if (length(spec$params[[name]]) > 1 && !is_joint(spec, name)) {
      abort(c(
        "{.arg {name}} has {length(spec$params[[name]])} values, a grid for tuning.",
        i = "{.fn osvm} fits one model: choose one value."
      ))
    }
  }
  spec
}

# That of a model: what it was given as stays, what follows from it is found out anew.
read_spec <- function(spec, kind) {
  made <- check_spec(spec, kind)
  for (part in names(unclass(made))) spec[[part]] <- .subset2(made, part)
  class(spec) <- class(made)
  spec
}

# Those of a low-rank kernel include those of its base.
parameter_names <- function(spec, kind) {
  known <- setdiff(names(formals(constructor(kind, spec$name))), "...")
  spec$roles <- declared[[paste0("osvm_", kind)]][[spec$name]]$roles
  base <- if (kind == "kernel") role_value(spec, "base")
  inner <- if (is_one_text(base) && base %in% spec_names("kernel")) names(formals(constructor("kernel", base)))
  union(known, setdiff(inner, "..."))
}

# Several values of a parameter with this role are learned together, by a machine each: they are no grid.
is_joint <- function(spec, name) identical(.subset2(spec, "roles")[name][[1]], "quantile")

# A grid is a spec some of whose parameters have several values: the spec with the
# first of each, and those parameters. check_spec() makes all other checks.
first_values <- function(spec) {
  several <- several_values(spec)
  first <- function(value) if (is.atomic(value)) utils::head(value, 1) else value
  if (length(several) > 0) spec$params[names(several)] <- lapply(several, first)
  spec
}

several_values <- function(spec) {
  if (!is.list(spec) || !is.list(spec$params)) {
    return(list())
  }
  several <- spec$params[lengths(spec$params) > 1]
  several[!vapply(names(several), is_joint, NA, spec = spec)]
}

#' Available solvers
#'
#' Lists what each solver is and can do, as the solver itself declares it.
#'
#' @return A data frame with a row per solver:
#'   \item{name, title}{the name is that of the constructor, `solver_<name>()`}
#'   \item{space}{the models it can learn: `"linear"`, `"kernel"` or `"both"`}
#'   \item{losses}{the losses it can learn, separated by commas: see [losses]}
#'   \item{online}{whether it learns an example without the others at hand; the other solvers need the
#'     whole training set at once}
#'   \item{forgets}{whether it supports [forget()]}
#'   \item{leave_out}{whether it supports [loo()]}
#'   \item{epochs, averages, budgets}{whether it has the parameters `epochs`, `average` and `budget`}
#'   \item{paper}{where the algorithm comes from}
#' @seealso [osvm()], [onlinesvm-package] for an overview
#' @export
#' @examples
#' solvers()[c("name", "space", "online", "forgets")]
solvers <- function() {
  all <- solver_table()
  all$losses <- vapply(all$losses, paste, "", collapse = ", ")
  as.data.frame(all[c(
    "name", "title", "space", "losses", "online", "forgets", "leave_out", "epochs", "averages", "budgets", "paper"
  )])
}

solver_table <- function() declared$solvers

# One solver's row, with the `roles` of its parameters by name (spec-roles.R).
solver_info <- function(name) declared$osvm_solver[[name]]

# Of a solver: its `space` and `losses`, whether it is `online`, `forgets`, and solves a dual (`dual`: it keeps its
# examples under any kernel, and reports convergence). What its parameter values mean to a run: `epochs`, `shuffle`,
# `average`, `unit_norm`, `nested` (a run of fewer epochs is the beginning of a longer one), `optimal` (it ends at the
# optimum of a convex dual, of which it keeps the support vectors), `by_rows` (it visits each example once, as they
# came, and knows its outputs before: a chunk is as good as its rows), and the names of the model's state: `columns`
# with their `column_roles`, and `scalars`.
solver_traits <- function(solver) .subset2(solver, "traits")

# The function `<solver>_<what>` of the solver's R file, if there is one: `kept` adds
# fields to the model, `unfinished` warns (stalled: rounding ended it), `ended` describes convergence for print(),
# `ranges` has those of its own parameters for a search.
solver_hook <- function(solver, what, ...) {
  hook <- get0(paste0(solver$name, "_", what), envir = asNamespace("onlinesvm"), mode = "function")
  if (!is.null(hook)) hook(...)
}

# The parameters of a spec that are among the values.
set_values <- function(spec, param) {
  params <- .subset2(spec, "params")
  for (name in intersect(names(param), names(params))) {
    value <- param[[name]]
    if (!is.null(value)) params[[name]] <- if (is.factor(value)) as.character(value) else value
  }
  if (identical(params, .subset2(spec, "params"))) {
    return(spec)
  }
  spec$params <- params
  resolve_spec(spec)
}

# Each different spec that the settings make of one (`specs`), and which of them a setting has (`of`). NULL: a setting
# that changes nothing.
vary_spec <- function(spec, settings) {
  own <- settings[names(settings) %in% names(spec$params)]
  if (length(own) == 0) {
    return(list(specs = list(spec), of = rep(1L, max(1, nrow(settings)))))
  }
  key <- do.call(paste, own)
  first <- which(!duplicated(key))
  list(specs = lapply(first, function(i) set_values(spec, lapply(own, `[[`, i))), of = match(key, key[first]))
}

# The same, with a spec for each setting: the core begins none where another of the same kernel has ended.
each_spec <- function(spec, settings) {
  varied <- vary_spec(spec, settings)
  list(specs = varied$specs[varied$of], of = seq_along(varied$of))
}

# `limit`: what ended the run before its tolerance, and `advice` about it; `stalled`: it was
# rounding.
warn_unfinished <- function(stalled, limit, advice) {
  if (stalled) {
    limit <- "The solver stopped before it reached its tolerance: its steps improved nothing but rounding errors."
    advice <- "Scale the data, or lower {.arg C}"
  }
  warn(c(limit, i = paste0(advice, "; the model is what was reached until then.")), "osvm_unfinished")
}

# Specs whose parameters may have several values.
check_ranges <- function(spec, kind) {
  check_spec(first_values(spec), kind)
  do.call(constructor(kind, spec$name), spec$params, quote = TRUE)
  invisible(spec)
}

combine <- function(values) expand.grid(values, KEEP.OUT.ATTRS = FALSE, stringsAsFactors = FALSE)
