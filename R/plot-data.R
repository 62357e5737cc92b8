# The axes, the points and the limits of plot.osvm().

# The features to draw: two, for numbers one or two. `columns` are their columns in the model's matrix, NA
# if a formula transforms them; `units`, of dates, "days" or "seconds".
plot_axes <- function(object, features) {
  refuse_given(object$kernel, "A plot of the model")
  all <- plot_features(object)
  chosen <- choose_axes(all, features, if (predicts_numbers(object)) 1 else 2)
  for (variable in object$encoding$variables[chosen]) {
    if (variable$type != "numeric") {
      abort("{.arg features} must be numeric to serve as axes.")
    }
  }
  list(
    all = all, chosen = chosen, names = all[chosen], units = as.list(object$encoding$units)[all[chosen]],
    columns = match(all[chosen], feature_labels(object))
  )
}

plot_features <- function(object) {
  if (is.null(object$encoding)) feature_labels(object) else names(object$encoding$variables)
}

choose_axes <- function(all, features, least) {
  number <- if (least == 1) "one or two" else "two"
  if (length(all) < least) {
    abort("{.fn plot} draws two features, and this model has only one.")
  }
  if (is.null(features) && length(all) > 2) {
    example <- deparse(all[1:2])
    abort(
      c("{.fn plot} draws {number} features, and this model has {length(all)}.",
        i = "Name two of them, such as {.code features = {example}}{if (least == 1) ', or give data for residuals'}.")
    )
  }
  if (is.null(features)) {
    return(seq_along(all))
  }
  chosen <- if (is.character(features)) match(features, all) else features
  if (!is.numeric(chosen) || !length(chosen) %in% least:2 || anyDuplicated(chosen) > 0 ||
    !all(chosen %in% seq_along(all))) {
    abort("{.arg features} must name or number {number} different features of the model.")
  }
  chosen
}

# The columns of a matrix in the order of the model.
plot_columns <- function(object, data) {
  if (is.null(data) || !is.null(object$encoding)) {
    return(data)
  }
  if (length(dim(data)) != 2) {
    abort("{.arg data} must have {object$n_features} columns, as in training.")
  }
  if (is.data.frame(data)) {
    check_frame(data, "data")
    check_columns(data)
    data <- as.matrix(data)
  }
  data <- as_input(data, "data")
  if (!is.matrix(data)) describe_columns(data, "data", moments = FALSE)
  order_columns(data, object, "data")
}

plot_points <- function(object, axes, data, y) {
  if (is.null(data)) {
    if (!is.null(y)) {
      abort("{.arg y} needs {.arg data} to go with it.")
    }
    return(NULL)
  }
  check_factor(y)
  if (is.null(object$encoding)) {
    x <- as.matrix(data[, axes$chosen, drop = FALSE])
  } else {
    frame <- as_input_frame(data, axes$names, "data", selects = TRUE)
    x <- number_dates(frame[axes$names], object$encoding$units)
    for (name in names(x)) {
      if (!is_number(x[[name]])) abort("{.arg data} must be numeric on the axes; column {.var {name}} is not.")
    }
    x <- as.matrix(x)
    if (is.null(y) && object$encoding$kind == "formula" && is_labelled(object)) {
      y <- encode_labels(object$encoding, frame)
    }
  }
  if (!is.null(y) && !(is.atomic(y) && NROW(y) == nrow(x))) plot_classes(object, y, nrow(x))
  gone <- union(incomplete_rows(x, "data"), which(is.na(y)))
  if (length(gone) > 0) {
    x <- x[-gone, , drop = FALSE]
    y <- y[-gone]
  }
  if (nrow(x) == 0) {
    abort("{.arg data} must have at least one row without missing values.")
  }
  if (any(is.infinite(x))) abort("{.arg data} must be finite on the axes.")
  class <- plot_classes(object, y, nrow(x))
  if (is.null(y) && !is_labelled(object)) {
    inside <- suppressWarnings(predict.osvm(object, data), classes = "osvm_out_of_range")
    class <- 1 + if (length(gone) > 0) inside[-gone] else inside
  }
  list(x = unname(x), class = class)
}

# The number of a colour, or of numbers themselves.
plot_classes <- function(object, y, n) {
  if (is.null(y)) {
    return(NULL)
  }
  if (length(y) != n) {
    abort("{.arg y} must have a label for each of the {n} rows of {.arg data}.")
  }
  class <- find_targets(object, y)
  if (!predicts_classes(object)) {
    if (anyNA(class)) abort("{.arg y} must hold {if (is_labelled(object)) 'numbers' else 'TRUE or FALSE'}.")
    return(if (is_labelled(object)) restore_labels(object, class) else class + 1)
  }
  if (anyNA(class)) {
    unknown <- unique(as.character(y)[is.na(class)])
    abort("{.arg y} has {cli::qty(unknown)}{?a label/labels} not among the classes
           of the model: {.val {unknown}}.")
  }
  class
}

# Support vectors on the axes, with their classes, or numbers: NA of merged ones.
support_points <- function(object, axes) {
  if (has_cells(object)) {
    parts <- Filter(function(part) length(part$machine) > 0, object$cells$parts)
    each <- Filter(Negate(is.null), lapply(parts, function(part) support_points(cell_model(object, part), axes)))
    join <- function(name, how) do.call(how, lapply(each, `[[`, name))
    return(if (length(each) > 0) list(x = join("x", rbind), class = join("class", c), merged = join("merged", c)))
  }
  if (is.null(object$sv) || NROW(object$sv) == 0 || anyNA(axes$columns)) {
    return(NULL)
  }
  # Of a linear model from support vectors: signed, in the units of its solver (the Huller's sum to 1 per class)
  if (is_primal(object)) need(!is.null(object$state), "its state is damaged")
  coef <- if (is_primal(object)) state_layer(object, "coef") else object$coef
  support <- row_max(abs(coef)) > 0
  if (!any(support)) {
    return(NULL)
  }
  class <- object$target[support]
  merged <- is.na(class)
  class <- switch(outcome_of(object)$target,
    classes = {
      # Merged vectors have no class of their own: that which raises the outputs most
      own <- coef[support, , drop = FALSE][merged, , drop = FALSE]
      strongest <- max.col(abs(own), "first")
      sides <- object$machines[strongest, ]
      class[merged] <- if (ncol(coef) > 1 && object$multiclass == "ovr") max.col(own, "first") else
        ifelse(own[cbind(seq_along(strongest), strongest)] > 0, sides$positive, sides$negative)
      class
    },
    numbers = restore_labels(object, class),
    novelty = 1 + predict_targets(object, decision_values(object, object$sv[support, , drop = FALSE], 1))
  )
  list(x = unname(as.matrix(sv_in_units(object)[support, axes$columns, drop = FALSE])), class = class, merged = merged)
}

plot_window <- function(object, axes, points) {
  support <- support_points(object, axes)
  limits <- lapply(seq_along(axes$chosen), function(i) {
    if (!is.null(points)) {
      around(range(points$x[, i]))
    } else if (!is.null(object$encoding)) {
      around(object$encoding$variables[[axes$names[i]]]$range)
    } else if (!is.null(support)) {
      around(range(support$x[, i]))
    } else {
      scaling <- transform_units(object$transform)
      unname((scaling$center[axes$chosen[i]] %||% 0) + c(-2.5, 2.5) * (scaling$scale[axes$chosen[i]] %||% 1))
    }
  })
  stats::setNames(limits, c("x", "y")[seq_along(limits)])
}

around <- function(range) range + c(-1, 1) * if (diff(range) > 0) 0.04 * diff(range) else 1
