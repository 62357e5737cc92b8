# Labels as the user gives them, and as numbers of classes.

# The different values in order, of a factor all its levels, and the number of examples of each.
survey_classes <- function(y, n, name = "y") {
  if (length(dim(y)) == 2 && ncol(y) == 1) y <- y[, 1]
  if (is.null(y)) abort("{.arg y} is missing: give a label for each row of {.arg x}.")
  if (NCOL(y) > 1) abort("{.arg y} must be one column of classes; several are learned as numbers: {.fn loss_epsilon}.")
  check_labels(y, n)
  values <- if (is.factor(y)) levels(y) else sorted_values(y)
  list(
    name = name, kind = label_type(y), ordered = is.ordered(y), values = values,
    members = tabulate(if (is.factor(y)) y else match(y, values), length(values))
  )
}

# Without `levels` those of the labels that there are; of declared ones some may be missing. The kind is that of y.
declare_classes <- function(survey, levels) {
  factor <- survey$kind == "factor"
  values <- survey$values
  if (!is.null(levels)) {
    values <- if (factor) as.character(levels) else methods::as(levels, survey$kind)
    if (is.numeric(values)) check_distinct(values, "levels")
    if (!factor) values <- sorted_values(values, "levels")
  } else if (is.numeric(values)) {
    check_numeric_classes(values, survey$members, survey$name)
  }
  labels <- named_classes(values, survey$kind, survey$ordered)
  if (is.null(levels)) labels$levels <- labels$levels[survey$members > 0]
  if (length(labels$levels) < 2 && is.null(levels)) {
    abort("{.arg y} has only one class, {.val {labels$levels}}; a classifier needs two or more.")
  }
  labels$members <- survey$members[match(labels$levels, as.character(survey$values))]
  labels$members[is.na(labels$members)] <- 0
  labels
}

# `label` has the kind of the labels and the values of the classes, which `levels` has as text.
named_classes <- function(values, kind = label_type(values), ordered = is.ordered(values)) {
  levels <- as.character(values)
  label <- list(kind = kind, values = if (kind == "factor") levels else values)
  if (ordered) label$ordered <- TRUE
  list(label = label, levels = levels)
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

# The class of each label, NA if it is not known: numbers are compared exactly, others as text.
find_classes <- function(known, y) {
  values <- known$label$values
  if (is.factor(y)) {
    match(levels(y), known$levels)[y]
  } else if (is.numeric(y) && is.numeric(values)) {
    match(y, values)
  } else {
    match(as.character(y), known$levels)
  }
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
  if (is.factor(y) && !is_sound_factor(y)) {
    abort("{.arg {name}} is a damaged factor: its levels must be different names; make it anew with {.fn factor}.")
  }
}

# Different numbers, of `members` examples each.
check_numeric_classes <- function(values, members, name) {
  if (are_measurements(values, members)) {
    abort(c(
      "{.arg {name}} must hold classes for {.fn loss_hinge}, and has {length(values)} different numbers.",
      i = "If they are classes, give {.code factor({name})}; numbers are learned with {.fn loss_epsilon}."
    ))
  }
  check_distinct(values, name)
}

# Numbers are no classes if there are more than two different ones and some are not whole, or if there are more than 20
# with fewer than ten examples each, on average, or with fewer than five for a tenth of them.
are_measurements <- function(values, members) {
  k <- length(values)
  k > 2 && any(values != round(values)) || k > 20 && (k > sum(members) / 10 || mean(members < 5) > 0.1)
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

# ---- classes or numbers ----

# Whole numbers are taken for classes if there are at most so many different ones. Their number grows little with that
# of rows, unlike what is known of their frequencies: few or many rows of the same data are learned alike.
few_values <- 5

# What is needed of labels for that, also of those of a shard: some of the different values, their number, and whether
# they are whole. NULL: they are no numbers.
sample_values <- function(y) {
  if (!is.numeric(y) || is.object(y)) {
    return(NULL)
  }
  values <- unique(as.vector(y[is.finite(y)]))
  list(
    values = utils::head(values, many_classes + 1), count = length(values), whole = all(values == round(values)),
    columns = NCOL(y), n = length(y)
  )
}

# The loss of labels of which all parts say this; NULL: a part has no numbers. Where whole numbers repeat as classes
# would, or come from fewer rows than `enough`, the guess is said.
guess_loss <- function(all, enough = 0) {
  if (any(lengths(all) == 0)) {
    return(loss_hinge())
  }
  of <- function(name) unlist(lapply(all, `[[`, name))
  k <- max(of("count"), length(unique(of("values"))))
  whole <- all(of("whole"))
  several <- max(of("columns")) > 1
  numbers <- several || k > 2 && !whole || k > few_values
  n <- sum(of("n"))
  if (whole && !several && (n < enough || k > 2 && k <= min(many_classes, n / 2))) {
    inform(c(
      "{.arg y} holds whole numbers ({k} value{?s}) and is learned as {if (numbers) 'numbers' else 'classes'}.",
      i = "{.code factor(y)} are classes, and {.code loss = loss_epsilon()} learns numbers; either says which they are."
    ), "osvm_guess")
  }
  if (numbers) loss_epsilon() else loss_hinge()
}

# What the labels are called: the left side of a formula
label_name <- function(x) {
  terms <- x$encoding$terms
  if (is.null(terms)) "y" else deparse_one(attr(terms, "variables")[[1 + attr(terms, "response")]])
}
