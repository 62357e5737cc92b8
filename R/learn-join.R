# New classes join a trained model: machines for them are added, which have not learned anything yet.
# Machines that were there go on. One-vs-rest machines take the new classes as part of the rest.
# The new machines learn against the classes that are there, of which rows are learned again beside the new ones (their
# `times` is 0, and the examples have an `order`). A model that keeps all its examples, to forget them, learns these
# anew instead.

join_model <- function(model, new, n) {
  if (is.numeric(new)) {
    values <- c(model$label$values, new)
    check_distinct(values)
    check_numeric_classes(values, rep((model$n_seen + n) / length(values), length(values)), "y")
  }
  if (is.factor(new)) new <- as.character(new)
  fit <- live_model(model)
  joined <- if (fit$solver$traits$forgets) relearn_with(fit, new) else join_classes(fit, new)
  if (is_live(model)) open_live(joined) else joined
}

# The model with the classes of the labels that it does not know, if they may join; what to learn again of the others
# is `recalled` then.
admit_classes <- function(model, y) {
  need_classes(model, "`new_classes = \"join\"`")
  check_factor(y)
  new <- unique(y[!is.na(y)])
  new <- new[is.na(find_targets(model, new))]
  if (length(new) == 0) {
    return(model)
  }
  kind <- function(values) if (is.factor(values)) "character" else mode(values)
  if (kind(new) != kind(model$label$values)) {
    abort("{.arg y} must be of the kind of the labels before, {model$label$kind}, where new classes join.")
  }
  joined <- join_model(model, new, length(y))
  most <- max(least_recalled, table(as.character(y[y %in% new])))
  if (!model$solver$traits$forgets) {
    kept <- live_model(model) # of each class at most so many examples
    places <- split(seq_along(kept$target), kept$target)
    rows <- unlist(lapply(places, function(at) at[sample.int(length(at), min(most, length(at)))]), use.names = FALSE)
    joined$recalled <- if (length(rows) > 0) examples_again(kept, rows)
  }
  joined
}

least_recalled <- 50

# Some of the examples that the model keeps. Their weights are those they were learned with, if the state has them, else
# those of their classes.
examples_again <- function(model, rows) {
  target <- as.integer(model$target[rows])
  known <- length(state_columns(model$solver, "cost")) > 0
  weight <- if (!known) example_weights(model, NULL, target) else
    apply(state_layer(model, "cost")[rows, , drop = FALSE], 1, max) / role_value(model$solver, "cost")
  list(x = model$sv[rows, , drop = FALSE], class = target, weight = weight)
}

# Recalled examples come `after` others; by default they lie evenly among them.
with_recalled <- function(examples, recalled, after = NULL) {
  if (is.null(recalled)) {
    return(examples)
  }
  n <- length(examples$class)
  again <- length(recalled$class)
  if (is.null(after)) after <- sample.int(again) * n / (again + 1)
  list(
    x = bind_rows(examples$x, recalled$x), class = c(examples$class, recalled$class),
    weight = c(examples$weight, recalled$weight), times = rep(1:0, c(n, again)), order = order(c(seq_len(n), after))
  )
}

# Their numbers stay.
relearn_with <- function(model, new) {
  joined <- extend_levels(model, new)
  joined$machines <- make_machines(length(joined$levels), joined$multiclass)
  joined$probability <- joined$conformal <- NULL
  kept <- examples_again(model, seq_along(model$target))
  run <- run_core(untrained(joined), kept, seq_along(kept$class))
  if (run$interrupted) signal_interrupt()
  fit <- run$model
  for (field in c("id", "index")) fit[[field]] <- model[[field]][fit$index]
  fit[c("n_seen", "n_forgotten")] <- model[c("n_seen", "n_forgotten")]
  fit
}

join_classes <- function(model, new) {
  old <- model$machines
  before <- length(model$levels)
  model <- extend_levels(model, new)
  model$machines <- make_machines(length(model$levels), model$multiclass)
  # For every machine the old one it goes on from, 0 for none; below 0: that one with its sides exchanged
  now <- model$machines
  key <- function(machines) paste(machines$positive, machines$negative)
  from <- if (now$negative[1] > 0) match(key(now), key(old), 0L) else
    c(if (before == 2) c(-1, 1) else seq_len(before), rep(0, nrow(now) - before))
  fresh <- run_core(untrained(model), no_examples(model), integer())$model$scalars # before their first example
  origin <- abs(from)
  mirror <- ifelse(from < 0, -1, 1)
  coef <- take_machines(model$coef, origin, mirror)
  scalars <- take_machines(model$scalars, origin, 1)
  scalars[, origin == 0] <- fresh[, origin == 0]
  scalars[, from < 0] <- mirror_scalars(scalars[, from < 0, drop = FALSE])
  model$intercept <- as.vector(take_machines(t(model$intercept), origin, mirror))
  if (!is.null(model$state)) model$state <- join_state(model, origin, mirror)
  names <- machine_names(model)
  dimnames(coef) <- list(rownames(model$coef), names)
  names(model$intercept) <- names
  model$coef <- coef
  model$scalars <- scalars
  model$convergence <- model$probability <- model$conformal <- NULL
  extended <- solver_hook(model$solver, "fields", model)
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

# Scalars when the two classes of a machine change sides.
mirror_scalars <- function(scalars) {
  names <- rownames(scalars)
  other <- sub("_positive$", "_negative", names)
  other <- ifelse(other == names, sub("_negative$", "_positive", names), other)
  scalars[] <- scalars[other, ] * ifelse(names %in% c("bias", "bias_sum"), -1, 1)
  scalars
}

take_machines <- function(values, origin, sign) {
  out <- matrix(0, nrow(values), length(origin), dimnames = list(rownames(values), NULL))
  out[, origin > 0] <- values[, origin[origin > 0], drop = FALSE]
  out * rep(sign, length.out = length(origin))[col(out)]
}

join_state <- function(model, origin, mirror) {
  state <- model$state
  columns <- dimnames(state)[[3]]
  same <- state_columns(model$solver, c("unsigned", "cost"))
  out <- array(0, c(dim(state)[1], length(origin), length(columns)), list(NULL, NULL, columns))
  for (name in columns) {
    layer <- matrix(state[, , name], dim(state)[1])
    out[, , name] <- take_machines(layer, origin, if (name %in% same) 1 else mirror)
  }
  out
}

untrained <- function(model) {
  trained <- c("sv", "target", "coef", "state", "scalars", "id", "index", "merged", "intercept")
  model[setdiff(names(model), trained)]
}
