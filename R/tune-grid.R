# The grid points of a tuning: combinations of a solver, a kernel and a loss.

# With `random` a subset, in the grid's order. `solvers`, `kernels` and `losses` hold each spec once (`specs`) and which
# of them a grid point is
# (`of`). `points` has a column per parameter that varies; `parameters` names them as
# given (sigma or gamma). `model` has one checked value of every parameter.
read_grid <- function(model, solver, kernel, loss, grid, random) {
  varied <- c(solver$values, kernel$values, loss$values)
  if (!is.null(grid)) {
    if (length(varied) > 0) {
      abort("Give the grid in {.arg grid} or as several values of {.arg {names(varied)[1]}}, not both.")
    }
    points <- check_grid(grid, model)
  } else {
    if (length(varied) == 0) {
      varied <- default_values(model, kernel$spec)
    }
    points <- if (length(varied) == 0) data.frame(row.names = 1L) else combine(varied)
  }
  if (!is.null(random)) {
    kept <- sort(sample.int(nrow(points), min(one_whole(random), nrow(points))))
    points <- points[kept, , drop = FALSE]
  }
  rownames(points) <- NULL
  shown <- points
  if (!is.null(points$sigma)) shown$gamma <- gamma_of(model$kernel, points$sigma)
  list(
    parameters = names(points), points = shown,
    solvers = point_specs(model$solver, points, "solver"), kernels = point_specs(model$kernel, points, "kernel"),
    losses = point_specs(model$loss, points, "loss")
  )
}

# A spec with one value per parameter, and the parameters that have several.
# choose_specs() makes all other checks.
split_spec <- function(spec) {
  values <- several_values(spec)
  sigma <- attr(spec, "sigma")
  if (!is.null(sigma) && isTRUE(all.equal(gamma_of(spec, sigma), values$gamma))) {
    names(values)[names(values) == "gamma"] <- "sigma"
    values$sigma <- sigma
  }
  list(spec = first_values(spec), values = lapply(values, unique))
}

# The default grid: the regularisation parameter, or the nearest equivalent, and the
# width of a kernel that has one. Values set by the user are kept.
default_values <- function(model, kernel) {
  grids <- Filter(Negate(is.null), lapply(known_roles, `[[`, "grid"))
  roles <- solver_info(model$solver$name)$roles
  role <- intersect(names(grids), roles)[1]
  name <- names(roles)[match(role, roles)]
  usual <- constructor("solver", model$solver$name)()$params
  given <- name %in% attr(model$solver, "given")
  unset <- !is.na(name) && !given && identical(model$solver$params[[name]], usual[[name]]) && is_labelled(model)
  open <- has_width(model$kernel) && (is.null(kernel) || is_open(as_spec(kernel, "kernel")))
  scale <- model$kernel$params[if (open) role_name(model$kernel, "scale")]
  c(if (unset) stats::setNames(grids[role], name), lapply(scale, function(value) value * 4^(-2:2)))
}

# A data frame of points, or a list of values to combine.
check_grid <- function(grid, model) {
  if (is.list(grid) && !is.data.frame(grid) && !is.null(names(grid)) && all(vapply(grid, is_column, NA))) {
    grid <- combine(as.list(grid))
  }
  columns <- is.data.frame(grid) && is.list(grid) && all(vapply(grid, is_column, NA))
  if (!columns || nrow(grid) == 0 || ncol(grid) == 0) {
    abort("{.arg grid} must be a data frame with a row per point and a column of values per parameter,
           or a list of values.")
  }
  # A plain copy: tibbles do not drop to vectors.
  grid <- as.data.frame(lapply(grid, function(v) if (is.factor(v)) as.character(v) else v), optional = TRUE)
  makers <- lapply(stats::setNames(nm = spec_kinds), function(kind) constructor(kind, model[[kind]]$name))
  known <- lapply(stats::setNames(nm = spec_kinds), function(kind) parameter_names(model[[kind]], kind))
  unknown <- setdiff(names(grid), unlist(known))
  if (length(unknown) > 0) {
    owners <- vapply(names(makers)[lengths(known) > 0], function(kind) paste0(kind, "_", model[[kind]]$name), "")
    abort(c(
      "{.arg grid} has {cli::qty(unknown)}{?a column/columns} {.val {unknown}}, which {?is/are} no
       parameter{?s} of {.or {.fn {owners}}}.",
      i = "They have {.val {unique(unlist(known))}}."
    ))
  }
  if (anyDuplicated(names(grid)) > 0) {
    abort("{.arg grid} has the column {.val {names(grid)[anyDuplicated(names(grid))]}} twice.")
  }
  if (all(c("gamma", "sigma") %in% names(grid))) {
    abort("{.arg grid} must have {.val gamma} or {.val sigma}, not both: one follows from the other.")
  }
  for (kind in names(makers)) {
    base <- if (kind == "kernel") model$kernel$params[role_name(model$kernel, "base")]
    for (name in intersect(names(grid), known[[kind]])) do.call(makers[[kind]], c(base, as.list(grid[name])))
  }
  unique(grid)
}

is_column <- function(values) is.atomic(values) && length(values) > 0 && is.null(dim(values))

gamma_of <- function(kernel, sigma) constructor("kernel", base_kernel(kernel)$name)(sigma = sigma)$params$gamma

# Each different spec once (`specs`), and which of them a grid point has (`of`).
point_specs <- function(base, points, kind) {
  make <- constructor(kind, base$name)
  columns <- intersect(names(points), parameter_names(base, kind))
  if (length(columns) == 0) {
    return(list(specs = list(base), of = rep(1L, nrow(points))))
  }
  key <- do.call(paste, c(unname(as.list(points[columns])), sep = "\r"))
  first <- which(!duplicated(key))
  params <- base$params
  if ("sigma" %in% columns) params$gamma <- NULL
  specs <- lapply(first, function(i) {
    do.call(make, utils::modifyList(params, as.list(points[i, columns, drop = FALSE])))
  })
  list(specs = specs, of = match(key, key[first]))
}

# The tolerance at which batch solvers that end at an optimum solve grid points, in units of the decision value;
# NULL: at their own. One that is given is kept.
compared_tolerance <- function(task, precision) {
  if (is.null(precision)) return(NULL)
  unit <- if (predicts_numbers(task$model)) min(apply(as.matrix(task$labels$class), 2, stats::sd)) else 1
  tolerance <- one_number(precision, above = 0) * unit
  spec <- task$model$solver
  own <- role_value(spec, "tolerance", Inf)
  given <- any(role_name(spec, "tolerance") %in% c(attr(spec, "given"), task$parameters)) ||
    own != role_value(constructor("solver", spec$name)(), "tolerance", Inf)
  solved <- !spec$traits$online && spec$traits$optimal && is_labelled(task$model)
  if (solved && !given && isTRUE(own < tolerance)) tolerance
}
