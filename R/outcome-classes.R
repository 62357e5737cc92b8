# Classes. The fields of a model that belong to them:
#   levels         names of the classes, by number
#   label          kind and values of the labels, see outcome-labels.R
#   multiclass     "ovo" or "ovr"
#   class_weights  a number per class
#   probability    the map from decision values to probabilities, or NULL

classes_outcome <- list(
  target = "classes",
  survey = function(y, n, name) survey_classes(y, n, name),
  join = function(all) {
    out <- all[[1]]
    values <- unlist(lapply(all, `[[`, "values"))
    out$values <- if (out$kind == "factor") unique(values) else sorted_values(values)
    members <- unlist(lapply(all, `[[`, "members"))
    out$members <- as.vector(tapply(members, match(values, out$values), sum))
    out
  },
  declare = function(survey, levels, scale) declare_classes(survey, levels),
  match = function(model, y, n) {
    check_labels(y, n)
    class <- find_classes(model, y)
    if (anyNA(class)) {
      values <- model$label$values
      if (is.numeric(y) && is.numeric(values)) check_distinct(unique(c(values, y)))
      unknown <- unique(as.character(y)[is.na(class)])
      abort(c(
        "{.arg y} has the label{?s} {.val {unknown}}, not among the classes of the model.",
        i = "Its classes are {.val {model$levels}}, those of the first fit: {.fn osvm} fits all examples anew,
             {.code osvm_live(levels = )} declares classes before they come, {.code update(new_classes = \"join\")} and
             {.fn osvm_stream} let them join."
      ))
    }
    class
  },
  find = function(model, y) find_classes(model, y),
  start = function(model, labels, class_weights) {
    model[c("levels", "label")] <- labels[c("levels", "label")]
    model <- with_machines(model, model$multiclass)
    model$class_weights <- read_class_weights(class_weights, labels$levels, labels$members)
    model
  },
  restore = function(model, target) {
    label <- model$label
    if (label$kind != "factor") {
      return(label$values[target])
    }
    code <- match(model$levels, label$values)[target]
    attributes(code) <- list(levels = label$values, class = c(if (isTRUE(label$ordered)) "ordered", "factor"))
    code
  },
  weigh = function(model, target) model$class_weights[target],
  core = function(target) list(class = target - 1L),
  predict = function(model, f) {
    # With weights as costs of errors the largest is the class of least expected cost.
    if (!is.null(model$probability)) winners(probabilities(model, f) * rep(model$class_weights, each = nrow(f)))
    else if (ncol(f) == 1) 1L + (f[, 1] > 0) else winners(class_scores(model, f))
  },
  doubt = function(model, target, f, weight) 0.05 * weighted_means(clipped_hinge(model, target, f), weight),
  margin = function(error, weight) 0.005 + max(weight) / sum(weight),
  # In votes a class that the cell has wins against all it has not.
  part = function(model, target, weight) {
    present <- seq_along(model$levels) %in% target
    positive <- present[model$machines$positive]
    against <- model$machines$negative
    negative <- ifelse(against > 0, c(FALSE, present)[against + 1], sum(present) > positive)
    list(machine = which(positive & negative), constant = positive - negative)
  },
  constant = function(model, target, weight) {
    total <- vapply(seq_along(model$levels), function(k) sum(weight[target == k]), 0)
    classes_outcome$part(model, which.max(total))$constant
  },
  typical = "most frequent class",
  left_out = "leave-one-out error",
  settings = list(cost = c(2, 1, 5, 10, 20), scale = c(1, 0.5, 2, 8, 64)),
  low_rank = list(cost = c(8, 8, 20, 20, 20), scale = c(0.5, 0.2, 1, 4, 32)),
  usual = 3,
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
      classes = shorten(model$levels, getOption("width") - 30),
      machines = if (machines > 1) paste0(machines, ", ", how[[model$multiclass]])
    )
  },
  fields = list(
    levels = type("two or more different names", function(x, ...) is_names(x) && length(x) >= 2),
    label = record(kind = a_text, values = type("the labels of its classes", function(x, model) are_values(x, model))),
    multiclass = one_of(c("ovo", "ovr")),
    machines = type("a row per binary machine of its classes", function(x, model) {
      classes <- length(model$levels)
      rows <- if (classes == 2) 1 else if (model$multiclass == "ovo") classes * (classes - 1) / 2 else classes
      is.data.frame(x) && NROW(x) == rows && identical(x, make_machines(classes, model$multiclass))
    }),
    class_weights = numbers("class", least = 5e-324), # above 0
    probability = or_null(record(
      sigmoids = or_null(type("two numbers per class", function(x, model) {
        is_softmax_map(model) && identical(dim(x), c(2L, length(model$levels))) && all_finite(x, length(x))
      })),
      slope = type("a number per machine, or pair of machines", function(x, model) {
        machines <- sizes$machine(model)
        square <- identical(dim(x), c(machines, machines))
        all_finite(x, if (square) machines^2 else machines) && (square || is.null(dim(x)))
      }),
      shift = numbers("machine"), power = a_number, n_seen = a_number
    ))
  ),
  is_target = function(model, target) all(target %in% c(seq_along(model$levels), NA))
)

# A row per binary machine: class `positive` against class `negative`, or
# against the rest if that is 0. Of a pair `positive` is the later level.
make_machines <- function(n_classes, multiclass) {
  as_table(if (n_classes == 2) {
    list(positive = 2L, negative = 1L)
  } else if (multiclass == "ovr") {
    list(positive = seq_len(n_classes), negative = integer(n_classes))
  } else {
    first <- seq_len(n_classes - 1)
    list(positive = sequence(rev(first), first + 1), negative = rep(first, rev(first)))
  })
}

# One weight per class, by name, of `members` examples each; "balanced" gives every class the same total. A declared
# class that has not come yet has the weight of one that joins.
read_class_weights <- function(class_weights, levels, members) {
  if (is.null(class_weights)) {
    return(rep(1, length(levels)))
  }
  if (identical(class_weights, "balanced")) {
    return(ifelse(members > 0, sum(members) / (sum(members > 0) * members), 1))
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
    if (ncol(f) == length(object$levels)) return(f)
    scores <- matrix(-Inf, nrow(f), length(object$levels)) # of classes without a machine
    scores[, object$machines$positive] <- f
    return(scores)
  }
  # A row per machine and a column per class: 1 where it is that side of the pair
  sides <- remembered("sides", object$machines, function(machines) {
    side <- function(of) outer(of, seq_len(max(machines$positive)), "==") + 0
    list(positive = side(machines$positive), negative = side(machines$negative))
  })
  wins <- f > 0
  votes <- wins %*% sides$positive + (!wins) %*% sides$negative
  total <- f %*% (sides$positive - sides$negative)
  votes + total / (3 * (abs(total) + 1))
}

# The mean hinge loss of the machines that know the class of an example, at most 2 of each. As in row_losses(), f may
# have the rows of several settings.
clipped_hinge <- function(model, target, f) {
  machines <- model$machines
  positive <- outer(target, machines$positive, "==")
  negative <- if (machines$negative[1] == 0) !positive else outer(target, machines$negative, "==")
  known <- positive | negative
  rows <- rep_len(seq_along(target), nrow(f))
  side <- (positive - negative)[rows, , drop = FALSE]
  rowSums(pmin(2, pmax(0, 1 - side * f)) * known[rows, , drop = FALSE]) / rowSums(known)
}

winners <- function(scores) if (nrow(scores) == 1) which.max(scores)[1] else max.col(scores, ties.method = "first")

# A factor may have levels that are not classes of the model.
are_values <- function(values, model) {
  kind <- model$label$kind
  is.atomic(values) && if (kind == "factor") {
    is_names(values) && all(model$levels %in% values)
  } else {
    identical(class(values)[1], kind) && identical(as.character(values), model$levels)
  }
}

# The machines of the model's classes, of `multiclass`, or as is usual for its kernel and data (NULL).
with_machines <- function(model, multiclass = NULL) {
  classes <- length(model$levels)
  linear <- is_linear(model$kernel) && !is_low_rank(model$kernel)
  model$multiclass <- if (is.null(multiclass) && linear && model$sparse) "ovr" else
    choose_multiclass(multiclass, classes, if (linear) model$n_features)
  model$machines <- make_machines(classes, model$multiclass)
  model
}

# One-vs-one needs k (k - 1) / 2 machines, whose coefficients are many beyond so many classes. Those of a linear kernel,
# `weights` for each machine, are few, and one against the rest is often no line of few features; of many, as words are,
# it is, and sees more examples (bench/text).
many_classes <- 50
many_weights <- 5e6

choose_multiclass <- function(multiclass, n_classes, weights = NULL) {
  if (!is.null(multiclass)) {
    return(multiclass)
  }
  few <- n_classes <= many_classes || !is.null(weights) && weights * n_classes * (n_classes - 1) / 2 <= many_weights
  if (few) "ovo" else "ovr"
}
