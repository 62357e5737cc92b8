# Models may come from a file, or be edited by hand: before one is used, the fields that are relied on are checked.
# Those that this process has made, and those that passed, are known, and pass at once as long as they are the same:
# identical() takes no time for the same object, and finds every change of another.

# Both functions return the model without its class, whose methods R would look for at every `$`.
check_model <- function(object, cells = FALSE) {
  checked <- known_model(object, "trained")
  if (is.null(checked)) {
    checked <- check_predictor(object, cells)
    check_fields(checked, count_fields)
    if (!is_stripped(checked) && is.null(checked$cells)) check_fields(checked, state_fields)
    know(checked, "trained", object)
  }
  invisible(checked)
}

# As far as decision values depend on it. `cells`: whether the caller takes models of cells.
check_predictor <- function(object, cells = FALSE) {
  checked <- known_model(object)
  if (is.null(checked)) {
    need(is.list(object), "it is not a list")
    checked <- check_described(in_current_format(unclass(object)))
    if (!is.null(checked$cells)) {
      check_fields(checked, cell_fields)
      n <- length(checked$cells$parts)
      if (!cells) {
        abort(c(
          "The model must be of one SVM for this; it has one in each of its {n} cell{?s}.",
          i = "{.fn predict}, {.fn update}, {.fn strip}, {.fn summary} and {.fn plot} take models of cells."
        ))
      }
      return(checked)
    }
    primal <- is_primal(checked)
    if (!primal || keeps_examples(checked) && !is_stripped(checked)) check_fields(checked, vector_fields)
    check_fields(checked, if (primal) weight_fields else coef_fields)
    know(checked, "predictor", object)
  }
  checked
}

# ---- known models ----

# The latest models, as they were `given`, with what they are known `as`; of large ones and those of cells, which are
# not held, what is known of them without their examples and coefficients.
known <- list2env(list(models = list(), headers = list()), parent = emptyenv())

most_known <- 2
held_numbers <- 2e5

known_model <- function(object, as = c("trained", "predictor")) {
  object <- if (is.list(object)) unclass(object)
  for (k in seq_along(known$models)) {
    one <- known$models[[k]]
    if (any(one$as == as) && identical(one$given, object)) {
      if (k > 1) known$models <- c(list(one), known$models[-k])
      return(one$checked)
    }
  }
}

know <- function(model, as = "trained", given = model) {
  numbers <- length(model$coef) + length(model$state) + length(model$given$values) +
    length(if (isS4(model$sv)) attr(model$sv, "x") else model$sv)
  if (is.null(model$cells) && numbers <= held_numbers) {
    one <- list(given = unclass(given), checked = unclass(model), as = as)
    known$models <- c(list(one), utils::head(known$models, most_known - 1))
  } else {
    know_header(model)
  }
  model
}

know_header <- function(model, header = header_of(model)) {
  one <- list(header = header, specs = model[spec_kinds], parts = model$cells$parts)
  known$headers <- c(list(one), utils::head(known$headers, most_known - 1))
}

header_of <- function(model) {
  model <- unclass(model)
  parts <- if (is.list(model$cells)) model$cells$parts
  c(model[!names(model) %in% large_fields], list(parts = if (is.list(parts)) lapply(parts, part_specs)))
}

part_specs <- function(part) if (is.list(part)) part[c("solver", "kernel")]

# What is known of a model without its examples and coefficients. Its specs are completed: they may be of a version to
# which other things followed from their parameters.
check_described <- function(object) {
  header <- header_of(object)
  for (one in known$headers) {
    if (identical(one$header, header)) {
      object[spec_kinds] <- one$specs
      for (k in seq_along(one$parts)) object$cells$parts[[k]][c("solver", "kernel")] <- part_specs(one$parts[[k]])
      return(object)
    }
  }
  object <- complete_specs(object, spec_kinds)
  check_fields(object, fixed_fields)
  check_fields(object, list(outcome = one_of(object$loss$traits$outcome)))
  check_fields(object, outcome_of(object)$fields)
  check_fields(object, transform_fields)
  check_fields(object, list(transform = do.call(record, kind_of(object$transform)$fields)))
  check_features(object)
  check_fields(object, data_fields)
  check_fields(object, trend_fields)
  if (is.list(object$cells) && !is.null(object$cells$parts)) {
    parts <- object$cells$parts
    need(is.list(parts) && all(vapply(parts, is.list, NA)), "`cells$parts` must be an SVM per cell")
    object$cells$parts <- lapply(parts, complete_specs, c("solver", "kernel"))
    know_header(object, header)
  }
  object
}

large_fields <- c(
  "sv", "n_sv", "target", "index", "coef", "intercept", "state", "scalars", "id", "merged", "na.action", "n_seen",
  "n_forgotten", "stats", "live", "trace", "convergence", "sets", "path", "call", "asked", "answers", "curve", "shards",
  "compression", "cells", "given"
)

# ---- what training changes ----

data_fields <- list(
  extent = record(
    largest = a_number, norm = a_number, far = a_flag, square = or_null(a_number), spread = or_null(a_number)
  ),
  range = or_null(record(low = numbers("feature"), high = numbers("feature"))),
  conformal = or_null(record(
    full = or_null(a_flag),
    scores = type("a sorted table of scores, or one per column of numbers", function(x, model) {
      if (isTRUE(model$conformal$full)) is.null(x) else are_scores(x, model)
    }),
    n_seen = a_number
  ))
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
    declared <- model$solver$traits$scalars
    has_shape(x, length(declared), sizes$machine(model)) && identical(rownames(x), declared)
  }),
  id = type("a number per example", function(x, model) {
    !model$solver$traits$forgets || all_finite(x, n_kept(model))
  }),
  state = type("the columns of its solver per coefficient", function(x, model) {
    columns <- model$solver$traits$columns
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

# ---- what its first fit determines ----

# The core is given the parameters as they are: none may be missing.
complete_specs <- function(model, kinds) {
  for (kind in kinds) {
    spec <- model[[kind]]
    read <- if (inherits(spec, paste0("osvm_", kind))) read_spec(spec, kind)
    complete <- !is.null(read) && setequal(names(spec$params), names(read$params)) &&
      (kind != "kernel" || !is_open(read))
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
  fill = or_null(type("a number per feature", function(x, model) is.numeric(x) && length(x) == model$n_features)),
  estimated = or_null(type("names of what was estimated", function(x, ...) is.character(x) && !is.object(x))),
  control = record(
    cache_mb = type("a positive number", function(x, ...) is_one_number(x) && x > 0), bounded = or_null(a_flag),
    threads = a_number, verbose = a_flag, trace = a_flag
  ),
  # How a data frame becomes a matrix: see input-frame.R.
  encoding = or_null(record(
    kind = one_of(c("frame", "formula")),
    variables = type("a description of each variable", function(x, ...) {
      is.list(x) && length(x) > 0 && is_names(names(x)) && all(vapply(x, is_variable, NA))
    }),
    terms = type("the terms of a formula", function(x, model) model$encoding$kind == "frame" || is_terms(x)),
    xlevels = or_null(a_list),
    fill = or_null(a_list),
    units = or_null(type("days or seconds, by name", function(x, ...) {
      is.character(x) && is_names(names(x)) && all(x %in% c("days", "seconds"))
    }))
  ))
)

is_variable <- function(v) {
  if (!is.list(v) || !is_one_text(v$type)) {
    return(FALSE)
  }
  coding <- v$coding
  switch(v$type,
    factor = is_names(v$levels) && length(v$typical) == 1 && v$typical %in% v$levels && (is.null(coding) ||
      is.matrix(coding) && nrow(coding) == length(v$levels) && all_finite(coding, length(coding)) &&
        length(colnames(coding)) == ncol(coding)),
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
