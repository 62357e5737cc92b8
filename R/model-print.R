#' Print and summarise a model
#'
#' `print()` shows the model on a few lines: solver, kernel, loss, data, classes, support vectors, how it ended.
#' `summary()` adds steps, updates, gap, objective and cost, the training trace, and the
#' support vectors of each binary classifier, of which the ten with the most are printed.
#'
#' @param x,object A model made by [osvm()], or its summary.
#' @param ... Not used: an unknown argument is an error.
#'
#' @returns `print()` returns its argument, invisibly. `summary()` returns a list of class `summary.osvm`: the `model`
#'   without its support vectors, `support` (support vectors per binary classifier and sign, `NULL` for a linear
#'   model) and `trace`.
#'
#' @seealso [osvm()], [plot.osvm()], [coef.osvm()]
#' @examples
#' set.seed(1)
#' board <- chessboard(500)
#' fit <- osvm(board$x, board$y, solver_olsvm(C = 10))
#' fit
#' summary(fit)
#' @export
print.osvm <- function(x, ...) {
  check_dots("print", ...)
  model <- check_model(x, cells = TRUE)
  cat_line("<", class(x)[1], "> ", solver_title(model$solver))
  print_fields(describe_model(model))
  invisible(x)
}

#' @rdname print.osvm
#' @export
summary.osvm <- function(object, ...) {
  check_dots("summary", ...)
  object <- structure(check_model(object, cells = TRUE), class = class(object))
  support <- if (!is.null(object$sv) && !is_primal(object)) {
    coef <- as.matrix(object$coef) # support vectors per machine, by the sign of their coefficients
    count <- function(of) unname(colSums(of))
    data.frame(machine = machine_names(object), positive = count(coef > 0), negative = count(coef < 0))
  }
  out <- list(model = object, support = support, trace = object$trace)
  out$model[c("sv", "state", "trace", "given")] <- NULL
  if (has_cells(object)) out$model$cells$parts <- NULL
  structure(out, class = "summary.osvm")
}

#' @rdname print.osvm
#' @export
print.summary.osvm <- function(x, ...) {
  check_dots("print", ...)
  check_fields(x, list(
    model = a_list, trace = or_null(numbers_table(trace_names)), support = or_null(of_class("data.frame"))
  ))
  model <- x$model # without the support vectors
  check_fields(check_described(in_current_format(unclass(model))), count_fields)
  cat_line("<", class(model)[1], "> ", solver_title(model$solver))
  evaluations <- if (!is_primal(model)) paste(big(model$stats$kernel_evaluations), "evaluations")
  print_fields(c(describe_model(model, full = TRUE), kernels = evaluations))
  if (has_cells(model)) {
    cat_line()
    cat_line("Cells")
    # Smallest to largest; seconds differ from run to run.
    table <- model$cells$table[names(model$cells$table) != "seconds"]
    table <- table[vapply(table, function(v) is.numeric(v) && !all(is.na(v)), NA)]
    quantiles <- lapply(table, stats::quantile, c(0, 0.25, 0.5, 0.75, 1), na.rm = TRUE, names = FALSE)
    print_rows(data.frame(cells = c("lowest", "quarter", "median", "three quarters", "highest"), quantiles), digits = 3)
  }
  if (!is.null(x$support)) {
    shown <- x$support
    many <- nrow(shown) > 10
    if (many) shown <- utils::head(shown[order(-shown$positive - shown$negative), ], 10)
    of <- if (many) paste0(", the ten of ", big(nrow(x$support)), " binary classifiers with the most")
    cat_line()
    cat_line("Support vectors", of)
    print_rows(shown)
  }
  epochs <- NROW(x$trace)
  if (epochs > 0) {
    last <- utils::tail(x$trace, 6)
    cat_line()
    cat_line("Training, ", if (epochs > 6) "last 6 of ", plural(epochs, "epoch"))
    # Seconds differ from run to run; all else is repeatable.
    hidden <- c("seconds", if (is.null(x$support)) "sv")
    print_rows(last[setdiff(names(last), hidden)], digits = 4)
  }
  invisible(x)
}

# `full`: what summary() has beyond print().
describe_model <- function(x, full = FALSE) {
  # A share of the examples takes the place of their cost where there are no labels.
  solver <- x$solver
  if (!is_labelled(x)) solver$params[role_name(solver, "cost")] <- NULL
  compressed <- x$compression
  # Parts that were estimated with the forgotten examples stay as they were.
  kept <- c(x$estimated, if (!is.null(x$probability)) "probabilities", if (!is.null(x$conformal$scores)) "scores")
  still <- if (length(kept) > 0) paste("; as fitted with them:", paste(kept, collapse = ", "))
  c(
    solver = format(solver),
    kernel = paste0(format(x$kernel), if (is_function_kernel(x$kernel)) ", kept in the model"),
    loss = if (x$loss$name != "hinge") format(x$loss),
    chosen = if (!is.null(x$choice$way)) {
      paste("one of", nrow(x$choice), "ways, by a trial on held-out rows")
    } else if (!is.null(x$choice)) {
      paste0(describe_choice(x$choice), if (has_cells(x)) ", then again in each cell")
    },
    trend = if (!is.null(x$trend)) "linear, of all features; machines learn what it leaves",
    features = describe_features(x),
    outcome_of(x)$describe(x),
    learned = paste(c(
      plural(x$n_seen, "example"), if (full) c(plural(x$stats$steps, "step"), plural(x$stats$updates, "update")),
      if (!is.null(x$na.action)) paste(plural(length(x$na.action), "row"), "left out")
    ), collapse = ", "),
    forgotten = if (!is.null(x$n_forgotten)) paste0(plural(x$n_forgotten, "example"), still),
    shards = describe_training_shards(x),
    cells = if (has_cells(x)) describe_cells(x),
    model = describe_size(x),
    compressed = if (!is.null(compressed)) {
      paste0("from ", plural(compressed$from, "support vector"), ", by ", signif(100 * max(compressed$distance), 2),
             " % of the norm")
    },
    ended = describe_ending(x, full),
    probability = describe_age(x$probability, x),
    conformal = if (isTRUE(x$conformal$full)) {
      "full: new rows are ranked among all examples"
    } else if (!is.null(x$conformal)) {
      paste0(big(nrow(x$conformal$scores[[1]])), " held-out scores, ", describe_age(x$conformal, x))
    },
    seconds = if (full && !is.null(x$stats$seconds)) format(signif(x$stats$seconds, 2))
  )
}

# Convergence of a solver that works on the dual, all machines on one line; a
# function `<solver>_ended()` replaces the text.
describe_ending <- function(x, full) {
  ended <- x$convergence
  text <- if (!is.null(ended)) {
    tryCatch(solver_hook(x$solver, "ended", x), error = function(e) need(FALSE, "its convergence is damaged"))
  }
  if (!full && !is.null(text)) text <- sub(",? ?objective.*", "", text)
  if (is.null(ended) || !is.null(text) && nzchar(text)) {
    return(text)
  }
  paste(c(
    if (all(ended$finished)) "tolerance reached" else "before its tolerance was reached",
    if (full) c(plural(sum(ended$iterations), "iteration"), paste("gap", signif(max(ended$gap), 2))),
    if (full && nrow(ended) == 1) paste("objective", signif(ended$objective, 6))
  ), collapse = ", ")
}

describe_age <- function(made, x) {
  seen <- made$n_seen
  if (!is.null(seen)) {
    if (seen < x$n_seen) paste("fitted after", big(seen), "of the examples") else "fitted"
  }
}

describe_features <- function(x) {
  if (is_given(x$kernel)) return(NULL)
  weighted <- if ("feature weights" %in% x$estimated) ", weighted by relevance"
  map <- x$transform$map
  mapped <- if (!is.null(map)) {
    paste0(", then mapped to ", plural(map_width(map), if (is_fourier(map)) "random Fourier feature" else "landmark"))
  }
  paste0(big(x$n_features), ", ", kind_of(x$transform)$title(x$transform), weighted, mapped)
}

describe_size <- function(x) {
  if (is_primal(x)) {
    if (has_cells(x)) "weights in each cell" else paste(big(sum(x$coef != 0)), "weights other than zero")
  } else {
    merged <- sum(x$merged)
    all <- x$solver$traits$optimal && x$n_seen >= 1000 && x$n_sv >= 0.95 * x$n_seen
    paste0(
      plural(x$n_sv, "support vector"), if (merged > 0) paste0(", ", big(merged), " of them merged"),
      if (all) ", nearly all examples"
    )
  }
}

# One line for print().
describe_training_shards <- function(x) {
  shards <- x$shards
  if (is.null(shards)) {
    return(NULL)
  }
  rounds <- plural(NROW(shards$rounds), "round")
  what <- if (shards$method == "mixing") "weight vector" else "vector"
  sent <- paste(plural(sum(shards$rounds$vectors), what), "sent")
  ended <- if (shards$method != "cascade") {
    c(mixing = "weights averaged", merging = "expansions averaged and merged")[[shards$method]]
  } else if (x$n_seen > sum(shards$rows)) {
    "before the latest update"
  } else if (shards$optimum) {
    "no violator is left: the optimum of all data"
  } else {
    paste(plural(shards$violators, "violator"), "left: not the optimum of all data")
  }
  paste(c(big(length(shards$rows)), rounds, sent, ended), collapse = ", ")
}

# Of how many settings, with which error, and by how much it is below that of a Gaussian kernel of scaled features
# without weights, on the first rows.
describe_choice <- function(choice) {
  how <- paste0("from ", nrow(choice), " settings by cross-validation")
  if (is.null(choice$taken)) {
    return(how)
  }
  taken <- choice[choice$taken, ]
  first <- choice[choice$rows == choice$rows[1], ]
  usual <- first$scale == "TRUE" & first$weights == 0 & first$kernel == "rbf"
  same <- first$scale == taken$scale & first$weights == taken$weights & first$kernel == taken$kernel
  gain <- if (any(usual) && any(same)) min(first$error[same]) / min(first$error[usual])
  paste0(
    how, ", error ", format(signif(taken$error, 3)),
    if (isTRUE(gain < 0.99)) paste0(" (", round(100 * (1 - gain)), " % below the usual SVM's)")
  )
}
