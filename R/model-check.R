# The tables of a model's fields. Most fields are fixed by the first fit: those that passed their checks are remembered.
# What training changes is checked at every call, at the cost of reading it once.

# Both functions return the model without its class, whose methods R would look for at every `$`.
check_model <- function(object, cells = FALSE) {
  object <- check_predictor(object, cells)
  check_fields(object, count_fields)
  if (!is_stripped(object) && !has_cells(object)) check_fields(object, state_fields)
  invisible(object)
}

# As far as decision values depend on it. `cells`: whether the caller takes models of cells.
check_predictor <- function(object, cells = FALSE) {
  need(is.list(object), "it is not a list")
  object <- unclass(object)
  if (has_cells(object)) {
    return(check_cell_model(object, cells))
  }
  if (numbers_in(object$sv) > 1e5) check_vectors(object) else remembered("predictors", object, check_vectors, most = 2)
}

# A model of few numbers that has passed is held, and passes at once as long as it is the same.
numbers_in <- function(x) length(if (isS4(x)) attr(x, "x") else x)

check_vectors <- function(object) {
  object <- check_described(in_current_format(object))
  primal <- is_primal(object)
  if (!primal || keeps_examples(object) && !is_stripped(object)) check_fields(object, vector_fields)
  check_fields(object, if (primal) weight_fields else coef_fields)
}

# What is known of a model without its examples and coefficients. Its specs are completed: they may be of a version to
# which other things followed from their parameters.
check_described <- function(object) {
  object[spec_kinds] <- remembered("models", object[!names(object) %in% trained_fields], check_fixed)
  remembered("transforms", object[c("transform", "scaling", "n_features", "sparse", "kernel")], check_transform)
  remembered("data", object[c("extent", "range", "n_features")], function(object) check_fields(object, data_fields))
  object
}

trained_fields <- c(
  "sv", "n_sv", "target", "index", "coef", "intercept", "state", "scalars", "id", "merged", "extent", "range", "warned",
  "na.action", "n_seen", "n_forgotten", "stats", "transform", "live", "trace", "convergence", "sets", "path", "call",
  "asked", "answers", "curve", "shards", "compression", "cells", "given"
)

# ---- what training changes ----

data_fields <- list(
  extent = record(
    largest = a_number, norm = a_number, far = a_flag, square = or_null(a_number), spread = or_null(a_number)
  ),
  range = or_null(record(low = numbers("feature"), high = numbers("feature")))
)

vector_fields <- list(
  sv = type("support vectors, a column per feature", function(x, model) {
    known <- if (model$sparse) is_sparse(x) && sound_dimnames(x) else !isS4(x) && is.matrix(x)
    shape <- if (known) .Call(ffi_shape, list(x = x))
    if (is.character(shape)) paste("its support vectors cannot be used,", shape)
    else known && shape[2] == model$n_features
  }),
  target = type("the target of each support vector", function(x, model) {
    is.numeric(x) && NROW(x) == nrow(model$sv) && outcome_of(model)$is_target(model, x)
  }),
  index = or_null(type("a row number per support vector", function(x, model) {
    is.numeric(x) && length(x) == nrow(model$sv) && !any(is.infinite(x))
  })),
  merged = or_null(type("TRUE or FALSE per support vector", function(x, model) {
    is.logical(x) && length(x) == nrow(model$sv) && !anyNA(x)
  })),
  given = type("what its kernel needs to know of the support vectors", function(x, model) is_sound_given(x, model))
)

has_shape <- function(x, ...) identical(dim(x), as.integer(c(...))) && all_finite(x, length(x))

coef_fields <- list(
  coef = type("a number per support vector and machine", function(x, model) {
    has_shape(x, nrow(model$sv), sizes$machine(model))
  }),
  intercept = numbers("machine")
)
weight_fields <- list(
  coef = type("a number per feature and machine", function(x, model) {
    has_shape(x, model_width(model), sizes$machine(model))
  }),
  intercept = numbers("machine")
)

n_kept <- function(model) if (keeps_examples(model)) nrow(model$sv) else model_width(model)

# Layers of `state` and rows of `scalars` go by name in R, by position in the core: both are those the solver declares.
state_fields <- list(
  given = type("the kernel values of its examples", function(x, model) {
    !identical(model$kernel$name, "matrix") || is.matrix(x$values) && is.double(x$values) &&
      has_shape(unname(x$values), n_kept(model), n_kept(model))
  }),
  scalars = type("the scalars of its solver, a column per machine", function(x, model) {
    declared <- solver_traits(model$solver)$scalars
    has_shape(x, length(declared), sizes$machine(model)) && identical(rownames(x), declared)
  }),
  id = type("a number per example", function(x, model) {
    !model$solver$traits$forgets || all_finite(x, n_kept(model))
  }),
  state = type("the columns of its solver per coefficient", function(x, model) {
    columns <- solver_traits(model$solver)$columns
    if (is.null(x)) !needs_state(model$solver) else
      has_shape(x, n_kept(model), sizes$machine(model), length(columns)) && identical(dimnames(x)[[3]], columns)
  })
)

count_names <- c("steps", "updates", "kernel_evaluations", "seconds")
convergence_names <- c("iterations", "gap", "objective", "finished")
trace_names <- c("epoch", "loss", "violations", "sv", "seconds")

some_numbers <- type("numbers", function(x, ...) is.numeric(x) && length(x) > 0)

count_fields <- list(
  n_seen = a_number, n_sv = a_number, n_forgotten = or_null(a_number),
  stats = type(paste("the numbers", toString(count_names)), function(x, model) {
    is.list(x) && identical(names(x), count_names) && all(vapply(x, is_one_number, NA))
  }),
  convergence = or_null(type(paste("a table of", toString(convergence_names)), function(x, model) {
    is_table(x, convergence_names, sizes$machine(model))
  })),
  trace = or_null(numbers_table(trace_names)),
  compression = or_null(record(from = a_number, distance = some_numbers)),
  shards = or_null(record(
    method = one_of(c("cascade", "mixing", "merging")), rounds = table_with(vectors = is.numeric), rows = some_numbers,
    optimum = a_flag, violators = type("one number, or NA", function(x, ...) length(x) == 1)
  ))
)

# A summary holds its model without the support vectors.
check_summary <- function(x) {
  check_fields(x, list(
    model = a_list, trace = or_null(numbers_table(trace_names)), support = or_null(of_class("data.frame"))
  ))
  model <- check_described(in_current_format(unclass(x$model)))
  check_fields(model, count_fields)
}

# ---- what its first fit determines ----

check_fixed <- function(model) {
  model <- complete_specs(model, spec_kinds)
  check_fields(model, fixed_fields)
  check_outcome(model)
  model[spec_kinds]
}

# The core is given the parameters as they are: none may be missing.
complete_specs <- function(model, kinds) {
  for (kind in kinds) {
    spec <- model[[kind]]
    read <- if (inherits(spec, paste0("osvm_", kind))) read_spec(spec, kind)
    complete <- !is.null(read) && setequal(names(spec$params), names(read$params)) && (kind != "kernel" || !is_open(read))
    need(complete, paste0("`", kind, "` must be a ", kind, " with all its parameters"))
    model[[kind]] <- read
  }
  model
}

fixed_fields <- list(
  n_features = type("the number of features", function(x, ...) {
    is_one_number(x) && x >= 1 && x <= .Machine$integer.max && x == round(x)
  }),
  feature_names = or_null(type("a name per feature", function(x, model) {
    is.character(x) && length(x) == model$n_features
  })),
  sparse = a_flag,
  control = record(
    cache_mb = type("a positive number", function(x, ...) is_one_number(x) && x > 0), threads = a_number,
    verbose = a_flag, trace = a_flag
  ),
  # How a data frame becomes a matrix: see input-frame.R.
  encoding = or_null(record(
    kind = one_of(c("frame", "formula")),
    variables = type("a description of each variable", function(x, ...) {
      is.list(x) && length(x) > 0 && is_names(names(x)) && all(vapply(x, is_variable, NA))
    }),
    terms = type("the terms of a formula", function(x, model) model$encoding$kind == "frame" || is_terms(x)),
    xlevels = or_null(a_list),
    units = or_null(type("days or seconds, by name", function(x, ...) {
      is.character(x) && is_names(names(x)) && all(x %in% c("days", "seconds"))
    }))
  ))
)

is_variable <- function(v) {
  if (!is.list(v) || !is_one_text(v$type)) {
    return(FALSE)
  }
  switch(v$type,
    factor = is_names(v$levels) && length(v$typical) == 1 && v$typical %in% v$levels,
    numeric = length(v$typical) == 1 && is_number(v$typical) && all_finite(v$range, 2),
    TRUE
  )
}

# What stats::model.frame() and stats::model.matrix() read of the terms of a formula; `factors` has a row per variable
# and a column per term.
is_terms <- function(terms) {
  factors <- attr(terms, "factors")
  labels <- attr(terms, "term.labels")
  inherits(terms, "terms") && inherits(terms, "formula") && is.call(terms) && is.call(attr(terms, "variables")) &&
    is.environment(attr(terms, ".Environment")) && attr(terms, "response") %in% 0:1 &&
    is.character(labels) && length(labels) > 0 && is.numeric(factors) && is.matrix(factors) &&
    identical(colnames(factors), labels) && nrow(factors) == length(attr(terms, "variables")) - 1
}
