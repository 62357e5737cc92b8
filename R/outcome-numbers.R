# Numbers: regression. The field of a model that belongs to them is `label`: `center` and `scale` of the targets, which
# the core has scaled, their `range`, and with running scaling their `moments`. Several columns have a machine, a column
# of targets and an element or column of these each, and `names`.

numbers_outcome <- list(
  target = "numbers",
  survey = function(y, n, name) {
    columns <- as.matrix(check_numbers(y, n, name))
    list(
      names = if (ncol(columns) > 1) number_names(columns), range = column_ranges(columns),
      moments = each_column(columns, moments_of, numeric(3))
    )
  },
  join = function(all) {
    of <- function(name, rows) lapply(all, function(one) matrix(one[[name]], rows))
    ranges <- do.call(rbind, of("range", 2))
    list(
      names = all[[1]]$names, range = column_ranges(ranges),
      moments = drop(Reduce(function(a, b) {
        vapply(seq_len(ncol(a)), function(k) merge_moments(a[, k], b[, k]), numeric(3))
      }, of("moments", 3)))
    )
  },
  declare = function(survey, levels, scale) {
    columns <- max(1, length(survey$names))
    label <- list(center = rep(0, columns), scale = rep(1, columns), range = survey$range)
    label$names <- survey$names
    if (!isFALSE(scale)) label <- scale_by(label, survey$moments)
    if (identical(scale, "running")) label$moments <- survey$moments
    list(label = label)
  },
  match = function(model, y, n) scale_numbers(model$label, match_numbers(model, y, n)),
  find = function(model, y) find_numbers(model, y),
  start = function(model, labels, class_weights) {
    model$label <- labels$label
    model$machines <- number_machines(length(labels$label$center))
    model
  },
  follow = function(model, y, n) {
    label <- model$label
    outcome <- outcome_of(model)
    new <- outcome$survey(match_numbers(model, y, n), n, "y")
    all <- outcome$join(list(utils::modifyList(new, label), new))
    label$range <- all$range
    if (!is.null(label$moments)) {
      label$moments <- all$moments
      label <- scale_by(label, all$moments)
    }
    model$label <- label
    model
  },
  restore = function(model, target) {
    out <- in_label_units(model, target)
    if (is.matrix(out)) colnames(out) <- model$label$names
    out
  },
  core = function(target) list(value = as.double(target)),
  predict = function(model, f) {
    if (ncol(f) == 1) {
      return(f[, 1])
    }
    # Quantiles do not cross: they are sorted within each row.
    if (length(quantiles_of(model$loss)) > 1) f[] <- matrix(f[order(row(f), f)], nrow(f), byrow = TRUE)
    unname(f)
  },
  units = function(model) model$label[c("center", "scale")],
  # A smaller epsilon where there is little noise, a larger one where there is much; squared errors learn the mean
  # where it is skewed.
  losses = function() list(loss_epsilon(0.01), loss_epsilon(0.3), loss_squared()),
  margin = function(error, weight) 0.01 * error,
  agreement = function(before, after) {
    before <- as.matrix(before)
    after <- as.matrix(after)
    known <- !is.na(before[, 1])
    mean(vapply(seq_len(ncol(before)), function(k) value_of(metric_table$rsq, before[known, k], after[known, k]), 0))
  },
  # Very few different numbers are not worth a machine.
  part = function(model, target, weight) {
    few <- all(each_column(as.matrix(target), function(v) length(unique(v)), 0L) < 5)
    machine <- if (few) integer() else seq_len(n_columns(model))
    list(machine = machine, constant = outcome_of(model)$constant(model, target, weight))
  },
  constant = function(model, target, weight) {
    columns <- as.matrix(target)
    vapply(seq_len(n_columns(model)), function(k) {
      typical_number(columns[, k], weight, quantiles_of(loss_of_column(model, k)))
    }, 0)
  },
  typical = "mean or quantile",
  left_out = "leave-one-out root mean square error",
  settings = list(cost = c(1, 20, 10), scale = c(0.5, 0.25, 1)),
  usual = 3,
  names = function(model) {
    rep_len(if (is.null(model$label$names)) "number" else model$label$names, nrow(model$machines))
  },
  size = function(model) {
    columns <- length(model$label$names) # of a tuning none
    tau <- quantiles_of(model$loss)
    if (length(tau) > 1) {
      paste("the quantiles", toString(tau))
    } else if (columns > 1) {
      paste(columns, "columns of numbers")
    } else {
      "numbers"
    }
  },
  describe = function(model) {
    label <- model$label
    range <- matrix(signif(label$range, 4), 2)
    if (length(quantiles_of(model$loss)) > 1) range <- range[, 1, drop = FALSE]
    scale <- label$scale[seq_len(ncol(range))]
    scaled <- ifelse(scale != 1, paste0(", scaled by ", signif(scale, 4)), "")
    lines <- paste0("numbers from ", range[1, ], " to ", range[2, ], scaled)
    stats::setNames(lines, if (length(lines) > 1) label$names else "target")
  },
  fields = list(
    machines = type("a machine per column, or quantile", function(x, model) {
      tau <- length(quantiles_of(model$loss))
      is.data.frame(x) && NROW(x) > 0 && identical(x, number_machines(NROW(x))) && (tau < 2 || NROW(x) == tau)
    }),
    label = record(
      center = numbers("machine"), scale = numbers("machine", least = 5e-324),
      range = type("two numbers per column", function(x, model) all_finite(x, 2 * n_columns(model))),
      names = type("a name per column", function(x, model) {
        if (n_columns(model) > 1) is_names(x) && length(x) == n_columns(model) else is.null(x)
      }),
      moments = or_null(type("three numbers per column", function(x, model) all_finite(x, 3 * n_columns(model))))
    )
  ),
  is_target = function(model, target) {
    is.numeric(target) && !any(is.infinite(target)) && length(target) == NROW(target) * n_columns(model)
  }
)

find_numbers <- function(model, y) {
  numbers <- if (is.numeric(y)) as_columns(y) else rep(NA_real_, length(y))
  tau <- quantiles_of(model$loss)
  if (length(tau) > 1 && !is.matrix(numbers)) numbers <- for_quantiles(numbers, tau)
  scale_numbers(model$label, numbers)
}

# Quantiles are columns of the same numbers.
quantiles_of <- function(loss) if (is.list(loss)) role_value(loss, "quantile")

for_quantiles <- function(y, tau) {
  if (is.matrix(y)) abort("{.arg y} must be one column of numbers where several quantiles of it are learned.")
  matrix(y, length(y), length(tau), dimnames = list(NULL, tau))
}

# The mean; with `tau`, that quantile.
typical_number <- function(y, weight, tau = NULL) {
  if (length(y) == 0) {
    return(0)
  }
  if (is.null(tau)) {
    return(stats::weighted.mean(y, weight))
  }
  turn <- order(y)
  y[turn][which(cumsum(weight[turn]) >= tau * sum(weight))[1]]
}

number_machines <- function(columns) as_table(list(positive = seq_len(columns), negative = integer(columns)))

one_machine <- number_machines(1)

# Numbers of each column, in a matrix; of one column a vector.
each_column <- function(y, compute, like) {
  if (ncol(y) == 1) compute(y[, 1]) else vapply(seq_len(ncol(y)), function(k) compute(y[, k]), like)
}

column_ranges <- function(y) each_column(y, function(v) c(min(v), max(v)), numeric(2))

number_names <- function(y) {
  names <- if (is.null(colnames(y))) character(ncol(y)) else colnames(y)
  check_unique(ifelse(names %in% c("", NA), paste0("y", seq_along(names)), names), "y")
}

# By the standard deviation; constant numbers by 1.
scale_by <- function(label, moments) {
  moments <- matrix(moments, 3)
  scale <- sqrt(moments[3, ] / pmax(moments[1, ] - 1, 1))
  label[c("center", "scale")] <- list(moments[2, ], ifelse(is.finite(scale) & scale > 1e-302, scale, 1))
  label
}

# Number, mean, and sum of squared deviations.
moments_of <- function(y) {
  center <- mean(y)
  c(length(y), center, sum((y - center)^2))
}

merge_moments <- function(a, b) {
  n <- a[1] + b[1]
  if (a[1] == 0 || b[1] == 0) {
    return(if (a[1] == 0) b else a)
  }
  apart <- b[2] - a[2]
  c(n, a[2] + apart * b[1] / n, a[3] + b[3] + apart^2 * a[1] * b[1] / n)
}

scale_numbers <- function(label, y) {
  each <- if (is.matrix(y)) nrow(y) else 1
  unname((y - rep(label$center, each = each)) / rep(label$scale, each = each))
}

# A vector, or a matrix of several columns.
as_columns <- function(y) {
  if (length(dim(y)) == 2 && ncol(y) == 1) y <- y[, 1]
  if (is.matrix(y)) {
    storage.mode(y) <- "double"
    return(y)
  }
  as.numeric(y)
}

check_numbers <- function(y, n, name = "y") {
  if (is.null(y)) abort("{.arg {name}} is missing: give a number for each example.")
  if (is.data.frame(y)) y <- as_label_columns(y)
  if (!is.numeric(y) || is.object(y) || length(dim(y)) > 2) {
    abort("{.arg {name}} must be numbers for a model that predicts numbers, not {.obj_type_friendly {y}}.")
  }
  check_labels(y, n)
  as_columns(y)
}

# In the columns of the model, by name where both have names.
match_numbers <- function(model, y, n) {
  y <- check_numbers(y, n)
  tau <- quantiles_of(model$loss)
  if (length(tau) > 1) {
    return(for_quantiles(y, tau))
  }
  known <- model$label$names
  if (NCOL(y) != n_columns(model)) {
    abort("{.arg y} must have {n_columns(model)} column{?s}, as in the first fit, not {NCOL(y)}.")
  }
  given <- if (is.matrix(y) && !is.null(colnames(y))) number_names(y)
  if (is.null(given) || identical(given, known)) {
    return(y)
  }
  if (!setequal(given, known)) abort("{.arg y} must have the columns {.var {known}}, as in the first fit.")
  y[, match(known, given), drop = FALSE]
}
