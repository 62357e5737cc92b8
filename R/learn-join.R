# New classes join a trained model: machines for them are added, which have not learned anything yet.
# Machines that were there go on. One-vs-rest machines take the new classes as part of the rest.

join_classes <- function(model, new) {
  old <- model$machines
  before <- length(model$levels)
  model <- extend_levels(model, new)
  model$machines <- make_machines(length(model$levels), model$multiclass)
  from <- machine_origin(old, model$machines, before)
  if (any(from < 0)) check_mirrors(model)
  fresh <- untrained_scalars(model)
  origin <- abs(from)
  mirror <- ifelse(from < 0, -1, 1)
  coef <- take_machines(model$coef, origin, mirror)
  scalars <- take_machines(model$scalars, origin, 1)
  scalars[, origin == 0] <- fresh[, origin == 0]
  signed <- rownames(scalars) %in% c("bias", "bias_sum")
  scalars[signed, ] <- scalars[signed, ] * rep(mirror, each = sum(signed))
  model$intercept <- as.vector(take_machines(t(model$intercept), origin, mirror))
  if (!is.null(model$state)) model$state <- join_state(model, origin, mirror)
  names <- machine_names(model)
  dimnames(coef) <- list(rownames(model$coef), names)
  names(model$intercept) <- names
  model$coef <- coef
  model$scalars <- scalars
  model$convergence <- model$probability <- NULL
  extended <- solver_hook(model$solver, "kept", model)
  if (is.null(extended)) model else extended
}

extend_levels <- function(model, new) {
  label <- model$label
  model$levels <- c(model$levels, as.character(new))
  if (label$kind == "factor") {
    if (!all(new %in% label$values)) label$ordered <- NULL # the place of a new level is not known
    label$values <- union(label$values, as.character(new))
  } else {
    label$values <- c(label$values, new)
    label$kind <- class(label$values)[1]
  }
  model$label <- label
  model$class_weights <- c(model$class_weights, rep(1, length(new)))
  model
}

# For every machine the old one it goes on from, 0 for none; below 0: that one with its sides exchanged.
machine_origin <- function(old, new, before) {
  if (new$negative[1] > 0) {
    at <- match(paste(new$positive, new$negative), paste(old$positive, old$negative))
    return(ifelse(is.na(at), 0, at))
  }
  if (before == 2) c(-1, 1, rep(0, nrow(new) - 2)) else c(seq_len(before), rep(0, nrow(new) - before))
}

# Whether exchanging the classes of a machine is a change of sign of its state.
check_mirrors <- function(model) {
  if ("own" %in% solver_traits(model$solver)$column_roles) {
    abort(c(
      "A third class cannot join a one-vs-rest model of the solver {.val {model$solver$name}}.",
      i = "Declare the classes beforehand with {.arg levels}, or use {.code multiclass = \"ovo\"}."
    ))
  }
}

take_machines <- function(values, origin, sign) {
  out <- matrix(0, nrow(values), length(origin), dimnames = list(rownames(values), NULL))
  out[, origin > 0] <- values[, origin[origin > 0], drop = FALSE]
  out * rep(sign, length.out = length(origin))[col(out)]
}

join_state <- function(model, origin, mirror) {
  state <- model$state
  columns <- dimnames(state)[[3]]
  out <- array(0, c(dim(state)[1], length(origin), length(columns)), list(NULL, NULL, columns))
  for (name in columns) {
    layer <- matrix(state[, , name], dim(state)[1])
    out[, , name] <- take_machines(layer, origin, if (name %in% state_columns(model$solver, "unsigned")) 1 else mirror)
  }
  out
}

# The scalars of machines before their first example.
untrained_scalars <- function(model) {
  trained <- c("sv", "target", "coef", "state", "scalars", "id", "index", "merged", "intercept")
  new <- model[setdiff(names(model), trained)]
  run_core(new, no_examples(model), integer())$model$scalars
}
