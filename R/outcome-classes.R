# Classes. The fields of a model that belong to them:
#   levels         names of the classes, by number
#   label          kind and values of the labels, see outcome-labels.R
#   multiclass     "ovo" or "ovr"
#   class_weights  a number per class
#   probability    the map from decision values to probabilities, or NULL

classes_outcome <- list(
  read = function(y, n, levels, name, scale) {
    if (is.null(levels)) read_labels(y, n, name) else declared_labels(y, n, levels)
  },
  start = function(model, labels, class_weights) {
    classes <- length(labels$levels)
    model[c("levels", "label")] <- labels[c("levels", "label")]
    model$multiclass <- choose_multiclass(model$multiclass, classes)
    model$machines <- make_machines(classes, model$multiclass)
    model$class_weights <- read_class_weights(class_weights, labels$levels, labels$class)
    model
  },
  find = function(model, y) find_classes(model, y),
  match = function(model, y, n) match_classes(model, y, n),
  restore = function(model, target) restore_classes(model, target),
  weigh = function(model, target) model$class_weights[target],
  core = function(target) list(class = target - 1L),
  predict = function(model, f) {
    winners(if (is.null(model$probability)) class_scores(model, f) else weighted_probabilities(model, f))
  },
  decision = function(model, f) f,
  margin = function(error, examples) 0.005 + 1 / min(length(examples$class), sample_size),
  settings = list(cost = c(2, 1, 5), scale = c(1, 0.5, 2)),
  names = function(model) {
    machines <- model$machines
    positive <- model$levels[machines$positive]
    if (machines$negative[1] == 0) positive else paste(model$levels[machines$negative], positive, sep = "/")
  },
  size = function(model) paste(length(model$levels), "classes"),
  describe = function(model) {
    how <- c(ovr = "one against the rest", ovo = "one against one")
    machines <- NROW(model$machines)
    c(
      classes = some(model$levels, getOption("width") - 30),
      machines = if (machines > 1) paste0(machines, ", ", how[[model$multiclass]])
    )
  },
  check = function(model) {
    levels <- model$levels
    classes <- length(levels)
    need(is_names(levels) && classes >= 2, "its classes are missing")
    check_label(model$label, levels)
    multiclass <- model$multiclass
    need(identical(multiclass, "ovr") || identical(multiclass, "ovo"), "its machines are damaged")
    machines <- model$machines
    pairs <- if (classes > 2 && multiclass == "ovo") classes * (classes - 1) / 2 else classes
    need(is.data.frame(machines) && NROW(machines) <= pairs, "its machines are missing")
    need(identical(machines, make_machines(classes, multiclass)), "its machines are damaged")
    weights <- model$class_weights
    need(all_finite(weights, classes) && all(weights > 0), "its class weights are missing")
    need(is.null(model$probability) || is_map(model$probability, nrow(machines)), "its probabilities are damaged")
  },
  is_target = function(model, target) all(target %in% c(seq_along(model$levels), NA))
)

# A row per binary machine: class `positive` against class `negative`, or
# against the rest if that is 0. Of a pair `positive` is the later level.
make_machines <- function(n_classes, multiclass) {
  if (n_classes == 2) {
    return(list2DF(list(positive = 2L, negative = 1L)))
  }
  if (multiclass == "ovr") {
    return(data.frame(positive = seq_len(n_classes), negative = 0L))
  }
  pairs <- utils::combn(n_classes, 2)
  data.frame(positive = pairs[2, ], negative = pairs[1, ])
}

# One weight per class, by name; "balanced" gives every class the same total.
read_class_weights <- function(class_weights, levels, class) {
  if (is.null(class_weights)) {
    return(rep(1, length(levels)))
  }
  if (identical(class_weights, "balanced")) {
    return(length(class) / (length(levels) * tabulate(class, length(levels))))
  }
  ok <- is.numeric(class_weights) && all(is.finite(class_weights)) && all(class_weights > 0) &&
    !is.null(names(class_weights)) && !anyDuplicated(names(class_weights))
  if (!ok) {
    abort("{.arg class_weights} must be {.val balanced} or positive numbers named by class.")
  }
  unknown <- setdiff(names(class_weights), levels)
  if (length(unknown) > 0) {
    abort("{.arg class_weights} names {.val {unknown}}; the classes are {.val {levels}}.")
  }
  full <- stats::setNames(rep(1, length(levels)), levels)
  full[names(class_weights)] <- class_weights
  unname(full)
}

# Scores, a column per class; the largest is predicted. One-vs-one: votes, plus the
# sum of decision values mapped to (-1/3, 1/3), which breaks ties.
class_scores <- function(object, f) {
  if (length(object$levels) == 2) {
    return(cbind(numeric(nrow(f)), f))
  }
  if (object$multiclass == "ovr") {
    return(f)
  }
  sides <- remembered("sides", object$machines, machine_sides)
  wins <- f > 0
  votes <- wins %*% sides$positive + (!wins) %*% sides$negative
  total <- f %*% (sides$positive - sides$negative)
  votes + total / (3 * (abs(total) + 1))
}

# Of the pairs of one-vs-one, a row per machine and a column per class: 1 where it is that side of the pair.
machine_sides <- function(machines) {
  classes <- seq_len(max(machines$positive))
  list(positive = outer(machines$positive, classes, "==") + 0, negative = outer(machines$negative, classes, "==") + 0)
}

winners <- function(scores) if (nrow(scores) == 1) which.max(scores)[1] else max.col(scores, ties.method = "first")

is_map <- function(map, machines) {
  is.list(map) && is_slope(map$slope, machines) && all_finite(map$shift, machines) &&
    is_one_number(map$power) && is_one_number(map$n_seen)
}

is_slope <- function(slope, machines) {
  square <- identical(dim(slope), c(machines, machines))
  all_finite(slope, if (square) machines^2 else machines) && (square || is.null(dim(slope)))
}

# A factor may have levels that are not classes of the model.
check_label <- function(label, levels) {
  known <- is.list(label) && is.character(label$kind) && length(label$kind) == 1 && !is.na(label$kind)
  need(known, "its labels are missing")
  values <- label$values
  fits <- is.atomic(values) && if (label$kind == "factor") {
    is_names(values) && all(levels %in% values)
  } else {
    identical(class(values)[1], label$kind) && identical(as.character(values), levels)
  }
  need(fits, "its labels do not fit its classes")
}

# One-vs-one needs k (k - 1) / 2 machines.
many_classes <- 50

choose_multiclass <- function(multiclass, n_classes) {
  if (!is.null(multiclass)) multiclass else if (n_classes <= many_classes) "ovo" else "ovr"
}
