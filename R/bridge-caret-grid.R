# The parameters osvm_caret() tunes, and their values.

roles_of <- function(specs) unlist(lapply(unname(specs), `[[`, "roles"))

# `given`: the values in the specs, where there are several. `one_run`: one fit serves all
# numbers of epochs.
tuning_grid <- function(tuned, given, specs, x, len, search, one_run) {
  if (any(role_name(specs$kernel, "scale") %in% tuned)) {
    # The grid function does not receive the argument `scale` of train(); osvm()'s default, TRUE, is assumed.
    x <- encode_input(x)$x
    specs$kernel <- complete_kernel(specs$kernel, x, fit_transform(TRUE, x)$transform)
  }
  middle <- unlist(lapply(unname(specs), `[[`, "params"), recursive = FALSE)[tuned]
  roles <- roles_of(specs)
  for (name in role_name(specs$solver, "epochs")) {
    if (!one_run && is.null(given[[name]])) given[[name]] <- middle[[name]]
  }
  values <- lapply(stats::setNames(nm = tuned), function(name) {
    if (search == "random") {
      own <- given[[name]]
      if (is.null(own)) draw_around(roles[[name]], middle[[name]], len) else
        own[sample.int(length(own), len, replace = TRUE)]
    } else {
      if (is.null(given[[name]])) steps_around(roles[[name]], middle[[name]], len) else given[[name]]
    }
  })
  if (search == "random") {
    return(data.frame(values))
  }
  combine(values)
}

steps_around <- function(role, middle, len) {
  step <- seq_len(len) - (len + 1) %/% 2
  unique(switch(role,
    epochs = whole_from_one(middle * 2^step),
    degree = whole_from_one(middle + step),
    finite_middle(middle) * 4^step
  ))
}

draw_around <- function(role, middle, len) {
  turn <- stats::runif(len, -1, 1)
  switch(role,
    epochs = whole_from_one(middle * 4^turn),
    degree = whole_from_one(middle + 1.5 * turn),
    scale = middle * 16^turn,
    margin = middle * 4^turn,
    finite_middle(middle) * 64^turn
  )
}

whole_from_one <- function(x) pmax(1, round(x))

# The grid around a cost of Inf is centred at 1.
finite_middle <- function(x) if (is.finite(x)) x else 1

# Only the largest number of epochs is fitted; the others are its sub-models.
loop_over_epochs <- function(grid, solver) {
  name <- role_name(solver, "epochs")
  others <- lapply(grid[setdiff(names(grid), name)], function(value) match(value, unique(value)))
  group <- if (length(others) > 0) do.call(paste, unname(others)) else rep("", nrow(grid))
  group <- match(group, unique(group))
  longest <- vapply(split(seq_along(group), group), function(rows) rows[which.max(grid[[name]][rows])], 1L)
  list(
    loop = grid[longest, , drop = FALSE],
    submodels = lapply(unname(longest), function(row) {
      stats::setNames(data.frame(setdiff(grid[[name]][group == group[row]], grid[[name]][row])), name)
    })
  )
}
