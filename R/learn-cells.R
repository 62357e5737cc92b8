# Fits in cells, see model-cells.R: the space is divided, settings are chosen, and every cell learns its own examples.

# `cells`: list(size, overlap); `kernel`: as given; `choose`: whether cost and kernel width are to be chosen, `open`:
# what else is, see search_model(): once for all cells, on a sample.
fit_in_cells <- function(model, examples, cells, kernel, choose, open, calibrated, effort = 1) {
  names <- if (choose) open_settings(model, kernel)
  if (!is.null(names) && can_search(model)) {
    sample <- take_examples(examples, rows_for_cells(examples))
    found <- search_model(model, sample, open, effort, many = TRUE)
    if (!is.null(found)) model <- found
  }
  learn_in_cells(model, examples, cells, names, calibrated)
}

# The sample on which settings are searched: evenly spaced within each class.
rows_for_cells <- function(examples) {
  rows <- order(first_target(examples$class))
  rows[evenly_spaced(length(rows), max(trial_samples))]
}

# `names`: the settings that are chosen again in the cells, see open_settings().
learn_in_cells <- function(model, examples, cells, names, calibrated = NULL) {
  divided <- divide_examples(model, examples$x, cells$size)
  if (cells$overlap) {
    means <- vapply(divided$rows, function(at) {
      Matrix::colMeans(packed_rows(model$transform, examples$x[at, , drop = FALSE]))
    }, numeric(ncol(examples$x)))
    means <- matrix(means, length(divided$rows), byrow = TRUE)
    divided$means <- if (model$sparse) as_sparse(means) else means
  }
  seeds <- sample.int(.Machine$integer.max, length(divided$rows))
  if (!is.null(names)) {
    model$choice <- choose_in_cells(model, examples, divided$rows, seeds, names)
    model <- best_point(model, model$choice)
  }
  learn_divided(model, examples, divided, seeds, near_settings(model, names), calibrated)
}

# With `settings` each cell has its best of them; with `parts` what they say, and `errors` are known.
learn_divided <- function(model, examples, divided, seeds = sample.int(.Machine$integer.max, length(divided$rows)),
                          settings = NULL, calibrated = NULL, parts = NULL, errors = NULL) {
  started <- seconds_now()
  own <- divided$rows
  rows <- with_visitors(model, examples$x, own, divided$means)
  folds <- if (length(calibrated) > 0) 5 else if (!is.null(settings)) 3 else 0
  task <- list(settings = settings, folds = folds, rough = length(calibrated) == 0)
  run <- run_cells(model, examples, rows, seeds, task, parts)
  gone <- which(lengths(run$parts) == 0)
  run$parts[gone] <- lapply(own[gone], function(at) {
    constant <- outcome_of(model)$constant(model, at_rows(examples$class, at), examples$weight[at])
    keep_constant(c(part_specs(model), list(machine = integer(), constant = constant)), examples, at)
  })
  parts <- unname(Map(replace, run$parts, "n_seen", lengths(own)))
  model$cells <- c(divided[intersect(c("size", "nodes", "means"), names(divided))], list(parts = parts))
  model$cells$table <- tabulate_cells(model, lengths(own), if (is.null(errors)) run$errors else errors, gone)
  model <- count_cells(model, seconds_now() - started)
  if (length(calibrated) > 0 && !run$interrupted) {
    f <- matrix(NA_real_, sum(lengths(own)), nrow(model$machines))
    for (k in seq_along(own)) f[own[[k]], ] <- run$outputs[[k]][seq_along(own[[k]]), ] # those of visitors come last
    model <- calibrate(model, examples, f, calibrated)
  }
  signal_cells(model, run$interrupted, calibrated)
  model
}

# list(size, overlap)
check_cells <- function(cells, model) {
  refuse_given(model$kernel, "{.arg cells}")
  if (!is.list(cells)) cells <- list(size = cells)
  size <- cells[["size"]]
  if (!is_one_number(size) || size < 50 || size != round(size)) {
    abort("{.arg cells} must be the most rows of a cell, a whole number of at least 50, such as {.code cells = 2000}.")
  }
  overlap <- if (is.null(cells$overlap)) FALSE else cells$overlap
  if (!is_one_flag(overlap) || !all(names(cells) %in% c("size", "overlap"))) {
    abort("{.arg cells} must be a number of rows, or a list such as {.code list(size = 2000, overlap = TRUE)}.")
  }
  if (is_low_rank(model$kernel)) {
    abort("{.arg cells} must be left out with {.fn kernel_{model$kernel$name}}, which takes all rows together.")
  }
  if (!is_labelled(model)) abort("{.arg cells} are for classes and numbers: leave them out for {.fn loss_novelty}.")
  if (model$transform$kind == "running") {
    abort("{.arg cells} need a scaling that stays: {.arg scale} must be another than {.val running}.")
  }
  list(size = size, overlap = overlap)
}

# ---- parts ----

# The part of a cell before it is learned: the machines that it can learn, and constant outputs of the others.
start_part <- function(model, examples, rows) {
  rows <- rows[examples$weight[rows] > 0]
  c(part_specs(model), outcome_of(model)$part(model, at_rows(examples$class, rows), examples$weight[rows]))
}

which_learn <- function(parts) which(lengths(lapply(parts, `[[`, "machine")) > 0)

# A part without machines keeps some examples: an update may bring other classes, which learn against them.
keep_constant <- function(part, examples, rows, most = 50) {
  part$n_seen <- sum(part$n_seen) + length(rows)
  if (is.null(part$sv)) {
    kept <- rows[evenly_spaced(length(rows), most)]
    part[c("sv", "target")] <- list(examples$x[kept, , drop = FALSE], at_rows(examples$class, kept))
  }
  part$n_sv <- 0L
  part$stats <- stats::setNames(as.list(numeric(4)), count_names)
  part
}

# Models of the cells, side by side on threads; NULL where an interrupt came first.
learn_parts <- function(model, examples, rows, parts, seeds, threads, progress = NULL) {
  learning <- which_learn(parts)
  jobs <- lapply(learning, function(k) cell_job(cell_model(model, parts[[k]]), examples, rows[[k]], seeds[k]))
  result <- core_result(.Call(
    ffi_live_update_all, lapply(jobs, `[[`, "pointer"), lapply(jobs, `[[`, "request"),
    list(threads = threads, progress = progress)
  ), "The fit")$message
  failed <- which(!is.na(result) & nzchar(result))
  core_result(if (length(failed) > 0) result[failed[1]] else result == "", "The fit")
  parts[learning] <- Map(function(job, part, done) {
    if (is.na(done)) {
      return(NULL)
    }
    fit <- read_model(job$single, job$pointer, job$folded$examples$x, job$folded$rows)$model
    .Call(ffi_live_close, job$pointer)
    c(part[c("machine", "constant")], fit[intersect(part_fields, names(fit))])
  }, jobs, parts[learning], result)
  for (k in setdiff(seq_along(parts), learning)) parts[[k]] <- keep_constant(parts[[k]], examples, rows[[k]])
  parts
}

# What the core is given of a cell. All that is drawn depends on its seed.
cell_job <- function(single, examples, rows, seed) {
  with_seed(seed, {
    folded <- fold_examples(single, examples, visit_order(single, rows))
    request <- core_request(single, folded$examples, folded$rows, visits = folded$visits, times = folded$times)
    request$solver$seed <- as.double(sample.int(.Machine$integer.max, 1))
  })
  list(single = single, request = request, pointer = open_core(single, request), folded = folded)
}

part_fields <- c(
  "sv", "target", "coef", "state", "scalars", "id", "merged", "intercept", "n_sv", "n_seen", "stats", "convergence",
  "solver", "kernel", "loss"
)

# ---- what is known of all cells ----

# `error`: cross-validated, NA where it was not; `gone`: cells that are missing.
tabulate_cells <- function(model, rows, error, gone) {
  parts <- model$cells$parts
  table <- list(rows = rows)
  for (kind in c("solver", "kernel")) {
    for (name in role_name(model[[kind]], c("cost", "scale"))) {
      table[[name]] <- vapply(parts, function(part) as.numeric(part[[kind]]$params[[name]]), 0)
    }
  }
  table$n_sv <- vapply(parts, function(part) as.numeric(part$n_sv), 0)
  table$error <- error
  table$seconds <- vapply(parts, function(part) part$stats$seconds, 0)
  table$state <- vapply(parts, function(part) {
    if (length(part$machine) == 0) "constant" else if (all(part$convergence$finished)) "learned" else "unfinished"
  }, "")
  table$state[gone] <- "missing"
  list2DF(table)
}

# Totals of the cells.
count_cells <- function(model, seconds) {
  parts <- model$cells$parts[model$cells$table$state != "missing"]
  total <- function(count) sum(vapply(parts, count, 0))
  model$n_sv <- as.integer(total(function(part) part$n_sv))
  model$n_seen <- total(function(part) part$n_seen)
  model$stats <- lapply(stats::setNames(nm = count_names), function(name) total(function(part) part$stats[[name]]))
  model$stats$seconds <- seconds
  model
}

signal_cells <- function(model, interrupted, calibrated = NULL) {
  table <- model$cells$table
  unfinished <- sum(table$state == "unfinished")
  if (interrupted) {
    none <- if (length(calibrated) > 0) paste("; the model has no", paste(calibrated, collapse = " and "))
    warn(c("The fit was interrupted{none}.", i = explain_missing(model)), "osvm_interrupted")
  } else if (unfinished > 0) {
    warn("In {unfinished} of {nrow(table)} cell{?s} the solver ended before it reached its tolerance.",
         "osvm_unfinished")
  }
}

explain_missing <- function(model) {
  gone <- which(model$cells$table$state == "missing")
  n <- nrow(model$cells$table)
  phrase(
    "{length(gone)} of {n} cell{?s} {?is/are} missing, which predict{?s/} the {outcome_of(model)$typical} of the rows:
     {gone}."
  )
}
