# Labels, the binary machines of a multiclass problem, and example weights.

# `label` has the kind of the labels and the values of the classes, which
# `levels` has as text.
read_labels <- function(y, n, name = "y") {
  if (length(dim(y)) == 2 && ncol(y) == 1) {
    y <- y[, 1]
  }
  check_labels(y, n)
  if (is.numeric(y)) check_numeric_classes(unique(y), n, name)
  if (is.factor(y)) {
    label <- list(kind = "factor", values = levels(y))
    levels <- levels(y)[levels(y) %in% y]
  } else {
    values <- sort(unique(as.vector(y)), method = "radix")
    label <- list(kind = class(values)[1], values = values)
    levels <- as.character(values)
  }
  if (length(levels) < 2) {
    abort("{.arg y} has only one class, {.val {levels}}; a classifier needs two or more.")
  }
  list(label = label, levels = levels, class = match(as.character(y), levels))
}

# Labels of which some classes may be missing. The kind of the labels is that of y.
declared_labels <- function(y, n, levels) {
  if (is.null(levels)) {
    return(read_labels(y, n))
  }
  check_labels(y, n)
  declared <- if (is.factor(y)) factor(as.character(levels), as.character(levels)) else methods::as(levels, class(y)[1])
  labels <- read_labels(declared, length(declared))
  labels$class <- match_labels(y, n, labels$levels, labels$label)
  labels
}

check_labels <- function(y, n) {
  if (is.factor(y)) {
    check_factor(y)
  } else if (is.object(y) || !(is.character(y) || is.logical(y) || is.numeric(y))) {
    abort("{.arg y} must be a factor, character, logical or numeric vector, not {.obj_type_friendly {y}}.")
  }
  if (length(y) != n) {
    abort("{.arg y} must have a label for each row of {.arg x}: {length(y)} label{?s} for {n} row{?s}.")
  }
  if (n == 0) {
    abort("{.arg x} must have at least one row.")
  }
  if (anyNA(y) || is.numeric(y) && !all(is.finite(y))) {
    abort("{.arg y} has missing or infinite labels; leave those rows out.")
  }
  if (is.character(y) && !all(validEnc(unique(y)))) {
    abort("{.arg y} has labels that are no text in their encoding; convert them with {.fn iconv}.")
  }
}

# A factor read from a damaged file, or edited by hand.
check_factor <- function(y, name = "y") {
  if (!is_sound_factor(y)) {
    abort("{.arg {name}} is a damaged factor: its levels must be different names; make it anew with {.fn factor}.")
  }
}

# Numbers are taken for measurements if there are more than two and some are not whole, or if
# there are more than 20 with fewer than ten examples each, on average.
check_numeric_classes <- function(values, n, name) {
  check_distinct(values, name)
  broken <- sum(values != round(values))
  k <- length(values)
  if (k > 2 && broken > 0 || k > 20 && k > n / 10) {
    abort(c(
      "{.arg {name}} must hold classes, and has {k} different numbers{if (broken > 0) ', not all of them whole'}.",
      i = "If they are classes, give {.code factor({name})}; {.code cut({name}, 3)} makes classes of measurements."
    ))
  }
}

# Classes are named by 15 digits of their labels.
check_distinct <- function(values, name = "y") {
  text <- as.character(values)
  if (anyDuplicated(text) > 0) {
    close <- values[text == text[anyDuplicated(text)]]
    close <- format(sort(close), digits = 17, trim = TRUE)
    abort(c(
      "{.arg {name}} has labels that differ only by rounding: {close}.",
      i = "{.code round({name}, 6)} makes them one class, or give a factor."
    ))
  }
}

# The class of each label: numbers are compared exactly, others as text.
class_of <- function(y, levels, label) {
  if (is.numeric(y) && is.numeric(label$values)) match(y, label$values) else match(as.character(y), levels)
}

# Labels of further examples: the classes are fixed by the first fit.
match_labels <- function(y, n, levels, label) {
  check_labels(y, n)
  class <- class_of(y, levels, label)
  if (anyNA(class)) {
    if (is.numeric(y) && is.numeric(label$values)) check_distinct(unique(c(label$values, y)))
    unknown <- unique(as.character(y)[is.na(class)])
    abort(c(
      "{.arg y} has the label{?s} {.val {unknown}}, not among the classes of the model.",
      i = "Its classes are {.val {levels}}."
    ))
  }
  class
}

restore_labels <- function(class, levels, label) {
  if (label$kind != "factor") {
    return(label$values[class])
  }
  code <- match(levels, label$values)[class]
  attributes(code) <- list(levels = label$values, class = "factor")
  code
}

set_classes <- function(model, labels) {
  model$levels <- labels$levels
  model$label <- labels$label
  model$multiclass <- choose_multiclass(model$multiclass, length(labels$levels))
  model$machines <- make_machines(length(labels$levels), model$multiclass)
  model
}

# A row per binary machine: class `positive` against class `negative`, or
# against the rest if that is 0. Of a pair `positive` is the later level.
make_machines <- function(n_classes, multiclass) {
  if (n_classes == 2) {
    return(data.frame(positive = 2L, negative = 1L))
  }
  if (multiclass == "ovr") {
    return(data.frame(positive = seq_len(n_classes), negative = 0L))
  }
  pairs <- utils::combn(n_classes, 2)
  data.frame(positive = pairs[2, ], negative = pairs[1, ])
}

machine_names <- function(machines, levels) {
  positive <- levels[machines$positive]
  if (machines$negative[1] == 0) positive else paste(levels[machines$negative], positive, sep = "/")
}

example_weights <- function(weights, class_weights, class) {
  n <- length(class)
  if (is.null(weights)) {
    weights <- rep(1, n)
  }
  if (!is.numeric(weights) || length(weights) != n || !all(is.finite(weights)) || any(weights < 0)) {
    abort("{.arg weights} must hold a number of at least 0 for each of the {n} example{?s}.")
  }
  as.numeric(weights) * class_weights[class]
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
