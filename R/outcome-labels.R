# Labels as the user gives them, and as numbers of classes.

# `label` has the kind of the labels and the values of the classes, which `levels` has as text.
read_labels <- function(y, n, name = "y") {
  if (length(dim(y)) == 2 && ncol(y) == 1) {
    y <- y[, 1]
  }
  if (is.null(y)) abort("{.arg y} is missing: give a label for each row of {.arg x}.")
  if (NCOL(y) > 1) abort("{.arg y} must be one column of classes; several are learned as numbers: {.fn loss_epsilon}.")
  check_labels(y, n)
  if (is.numeric(y)) check_numeric_classes(y, name)
  if (is.factor(y)) {
    all <- levels(y)
    labels <- named_classes(all, "factor", is.ordered(y))
    labels$levels <- all[tabulate(y, length(all)) > 0]
    labels$class <- match(all, labels$levels)[y]
  } else {
    labels <- named_classes(sorted_values(y))
    labels$class <- match(as.character(y), labels$levels)
  }
  if (length(labels$levels) < 2) {
    abort("{.arg y} has only one class, {.val {labels$levels}}; a classifier needs two or more.")
  }
  labels
}

named_classes <- function(values, kind = if (is.factor(values)) "factor" else class(values)[1],
                          ordered = is.ordered(values)) {
  levels <- as.character(values)
  label <- list(kind = kind, values = if (kind == "factor") levels else values)
  if (ordered) label$ordered <- TRUE
  list(outcome = "classes", loss = loss_hinge(), label = label, levels = levels)
}

longest_label <- 10000

# Different labels in order, text by its bytes in any locale: R's function that sorts so calls itself for every byte
# that labels have in common, and reserves memory for every byte of the longest.
sorted_values <- function(values, name = "y") {
  values <- unique(as.vector(values))
  bytes <- if (is.character(values)) max(0, nchar(values, "bytes"))
  if (isTRUE(bytes > longest_label)) {
    abort(c(
      "{.arg {name}} has a label of {big(bytes)} bytes; labels have at most {big(longest_label)}.",
      i = "A label is the name of a class: text to learn from belongs to {.arg x}."
    ))
  }
  sort(values, method = "radix")
}

# Labels of which some classes may be missing. The kind of the labels is that of y.
declared_labels <- function(y, n, levels) {
  check_labels(y, n)
  declared <- if (is.factor(y)) {
    factor(as.character(levels), as.character(levels), ordered = is.ordered(y))
  } else {
    methods::as(levels, class(y)[1])
  }
  if (is.numeric(declared)) check_distinct(declared, "levels")
  labels <- named_classes(if (is.factor(declared)) declared else sorted_values(declared, "levels"))
  labels$class <- match_classes(labels, y, n)
  labels
}

# The class of each label, NA if it is not known: numbers are compared exactly, others as text.
find_classes <- function(known, y) {
  values <- known$label$values
  if (is.numeric(y) && is.numeric(values)) match(y, values) else match(as.character(y), known$levels)
}

match_classes <- function(known, y, n) {
  check_labels(y, n)
  class <- find_classes(known, y)
  if (anyNA(class)) {
    values <- known$label$values
    if (is.numeric(y) && is.numeric(values)) check_distinct(unique(c(values, y)))
    unknown <- unique(as.character(y)[is.na(class)])
    abort(c(
      "{.arg y} has the label{?s} {.val {unknown}}, not among the classes of the model.",
      i = "Its classes are {.val {known$levels}}, those of the first fit: {.fn osvm} fits all examples anew,
           {.code osvm_live(levels = )} declares classes before they come, {.code update(new_classes = \"join\")} and
           {.fn osvm_stream} let them join."
    ))
  }
  class
}

restore_classes <- function(known, class) {
  label <- known$label
  if (label$kind != "factor") {
    return(label$values[class])
  }
  code <- match(known$levels, label$values)[class]
  attributes(code) <- list(levels = label$values, class = c(if (isTRUE(label$ordered)) "ordered", "factor"))
  code
}

check_labels <- function(y, n) {
  if (is.factor(y)) {
    check_factor(y)
  } else if (is.object(y) || !(is.character(y) || is.logical(y) || is.numeric(y))) {
    abort("{.arg y} must be a factor, character, logical or numeric vector, not {.obj_type_friendly {y}}.")
  }
  if (NROW(y) != n) {
    abort("{.arg y} must have a label for each row of {.arg x}: {NROW(y)} label{?s} for {n} row{?s}.")
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

# Of functions that learn nothing else.
check_classes <- function(y, what, name) {
  if (are_measurements(y)) {
    abort(c(
      "{.fn {what}} learns classes, and {.arg {name}} has {length(unique(y))} different numbers.",
      i = "If they are classes, give {.code factor({name})}; {.fn osvm} learns numbers."
    ))
  }
}

check_numeric_classes <- function(y, name) {
  values <- unique(as.vector(y))
  if (are_measurements(y)) {
    abort(c(
      "{.arg {name}} must hold classes for {.fn loss_hinge}, and has {length(values)} different numbers.",
      i = "If they are classes, give {.code factor({name})}; numbers are learned with {.fn loss_epsilon}."
    ))
  }
  check_distinct(values, name)
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
