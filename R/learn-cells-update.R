# Updates of models of cells: new examples go to their cells, of which only those learn.

update_cells <- function(model, examples) {
  started <- seconds_now()
  cell <- assign_cells(model, examples$x, model$control$threads)
  rows <- unname(split(seq_along(cell), factor(cell, seq_along(model$cells$parts))))
  added <- lengths(rows)
  rows <- with_visitors(model, examples$x, rows, model$cells$means)
  cells <- which(lengths(rows) > 0)
  rows <- rows[cells]
  added <- added[cells]
  parts <- model$cells$parts[cells]
  for (k in seq_along(cells)) {
    joined <- join_part(model, parts[[k]], examples, rows[[k]])
    examples <- joined$examples
    parts[[k]] <- joined$part
    rows[[k]] <- joined$rows
  }
  seeds <- sample.int(.Machine$integer.max, length(cells))
  run <- run_cells(model, examples, rows, seeds, list(settings = NULL, folds = 0), parts)
  done <- which(lengths(run$parts) > 0)
  seen <- vapply(model$cells$parts[cells], function(part) part$n_seen, 0) + added
  model$cells$parts[cells[done]] <- Map(replace, run$parts[done], "n_seen", as.list(seen[done]))
  table <- model$cells$table
  table$rows[cells[done]] <- table$rows[cells[done]] + added[done]
  gone <- setdiff(which(table$state == "missing"), cells[done])
  model$cells$table <- tabulate_cells(model, table$rows, table$error, gone)
  model <- count_cells(model, model$stats$seconds + seconds_now() - started)
  if (run$interrupted) {
    left <- length(cells) - length(done)
    warn("The update was interrupted; {left} of {length(cells)} cell{?s} ha{?s/ve} not learned {?its/their} new rows.",
         "osvm_interrupted")
  } else {
    signal_cells(model, FALSE)
  }
  model
}

# A cell that gets classes it has not seen, or numbers where it was constant, learns anew, from what it has kept and the
# new examples.
join_part <- function(model, part, examples, rows) {
  kept <- part$target
  all <- list(
    class = join_targets(kept, at_rows(examples$class, rows)), weight = c(rep(1, NROW(kept)), examples$weight[rows])
  )
  fresh <- start_part(model, all, seq_along(all$weight))
  if (identical(fresh$machine, part$machine) || all(fresh$machine %in% part$machine)) {
    return(list(part = part, examples = examples, rows = rows))
  }
  fresh[c("solver", "kernel")] <- part[c("solver", "kernel")]
  n <- length(examples$weight)
  examples <- list(
    x = rbind(examples$x, part$sv), class = join_targets(examples$class, kept),
    weight = c(examples$weight, example_weights(model, NULL, kept))
  )
  list(part = fresh, examples = examples, rows = c(n + seq_len(NROW(kept)), rows))
}
