# What happens to examples before the core learns or predicts them. `model$transform` is a list:
#   kind     a name of transform_kinds
#   scaling  the constant scaling of the user's columns, list(center, scale), with `warp` if each is on a curve of its
#            own before (transform-warp.R), and `normed` if examples are divided by their norm after it
#            (transform-unit.R), or NULL; the core applies it while it packs rows; `model$scaling` is a copy
#   weight   the weights of features that the scaling has beside its units, if they were found (learn-search-weights.R)
#   map      the feature map of a low-rank kernel, which comes after the scaling (transform-map.R), or NULL
# and the state of its kind. A kind is a list of functions, and has these where it does not name others.
transform_defaults <- list(
  # The transform after further rows.
  update = function(transform, x) transform,
  # Rows of the user as the core is given them, and the other way round.
  apply = function(transform, x) x,
  restore = function(transform, x) x,

  # The scaling that leads from the user's units to the features of the model, in the middle of the data.
  units = function(transform) transform$scaling,
  # The types of its state (base-fields.R).
  fields = list()
)

# Of every kind: `scale`, the argument of osvm() that asks for it; `title`, a phrase for print(); and, of those that
# `scale` names, `fit`: the transform estimated from x, whose `columns` are described, x as the core is given it, and a
# description of the columns of that.
transform_kinds <- lapply(
  list(
    none = none_kind, scaling = scaling_kind, running = running_kind, rank = rank_kind, robust = robust_kind,
    unit = unit_kind
  ),
  function(kind) c(utils::modifyList(transform_defaults, kind), constant = is.null(kind$update))
)

kind_of <- function(transform) transform_kinds[[transform$kind]]

fit_transform <- function(scale, x, columns = describe_columns(x)) {
  asked <- vapply(transform_kinds, function(kind) identical(kind$scale, scale), NA)
  kind <- if (is.character(scale) && any(asked)) transform_kinds[asked][[1]] else scaling_kind
  kind$fit(scale, x, columns)
}

apply_transform <- function(transform, x) transform_kinds[[transform$kind]]$apply(transform, x)

transform_units <- function(transform) transform_kinds[[transform$kind]]$units(transform)

# Whether it stays as it is after further rows, and the core applies all of it.
is_constant <- function(transform) transform_kinds[[transform$kind]]$constant

# Rows that the core was given, as it scales them.
packed_rows <- function(transform, x) {
  scaling <- transform$scaling
  if (is.null(scaling)) {
    return(x)
  }
  z <- if (inherits(x, "dgCMatrix")) {
    x %*% Matrix::Diagonal(x = 1 / scaling$scale)
  } else {
    scale(warp_matrix(scaling$warp, x), if (is.null(scaling$center)) FALSE else scaling$center, scaling$scale)
  }
  if (isTRUE(scaling$normed)) unit_rows(z) else z
}

# How fast rows that the core was given change with their packed features, at packed rows z: a slope per feature, on
# curves a column per row. NULL: none follows from packed rows, or there is none and features are on curves.
unpacked_slopes <- function(transform, z = NULL) {
  scaling <- transform$scaling
  if (is.null(scaling)) return(1)
  if (isTRUE(scaling$normed)) return(NULL)
  if (is.null(scaling$warp)) return(scaling$scale)
  if (!is.null(z)) {
    warped <- z * rep(scaling$scale, each = nrow(z)) + rep(scaling$center, each = nrow(z))
    scaling$scale * t(warp_matrix(scaling$warp, warped, "slopes"))
  }
}

# The support vectors in the user's units.
sv_in_units <- function(model) kind_of(model$transform)$restore(model$transform, model$sv)

# The number of features that the core sees, which is that of the weights of a linear model. `n_features` is the number
# of columns that the user gives, and of `sv`.
model_width <- function(model) {
  map <- model$transform$map
  if (is.null(map)) model$n_features else map_width(map)
}

transform_fields <- list(
  scaling = or_null(record(
    scale = numbers("feature", least = 5e-324), center = or_null(numbers("feature")),
    normed = or_null(type("TRUE", function(x, ...) isTRUE(x))),
    warp = or_null(type("quantiles of dense features", function(x, model) {
      !model$sparse && is_warp(x, model$n_features) && !is.null(model$scaling$center)
    }))
  )),
  transform = record(
    kind = type("the name of a transform", function(x, ...) is_one_text(x) && x %in% names(transform_kinds)),
    scaling = type("the scaling of the model", function(x, model) identical(x, model$scaling)),
    weight = or_null(numbers("feature", least = 0))
  )
)
