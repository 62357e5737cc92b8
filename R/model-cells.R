# Models of cells: an SVM per part of a divided space. `model$cells` is
#   size    the most rows of a cell
#   nodes   a tree of centres. Each node is list(centers =, child =): a row and an element per centre, which is another
#           node (its number) or a cell (below 0). Centres are scaled as the core scales examples; the first is the root
#   means   of the rows of each cell, scaled as centres are; only if cells overlap
#   parts   a list per cell: `machine`, the numbers of the binary classifiers that it has learned; `constant`, the
#           outputs of the others, which lack a class; and the fields of a trained model with those machines
#   table   a row per cell, see osvm()
# All other fields are those of any model, and decision values have a column per machine of the whole model.

has_cells <- function(model) !is.null(model$cells)

# The cell of every row. `x`: as the core is given it.
assign_cells <- function(model, x, threads) {
  nodes <- model$cells$nodes
  cell <- integer(nrow(x))
  if (length(nodes) == 0) {
    return(cell + 1L)
  }
  descend <- function(node, rows) {
    child <- node$child[nearest_center(model, x, rows, node$centers, threads)]
    cell[rows[child < 0]] <<- -child[child < 0]
    for (next_one in unique(child[child > 0])) descend(nodes[[next_one]], rows[child == next_one])
  }
  if (nrow(x) > 0) descend(nodes[[1]], seq_len(nrow(x)))
  cell
}

nearest_center <- function(model, x, rows, centers, threads) {
  control <- list(threads = threads, doubles = needs_doubles(model), level = simd_level())
  data <- core_data(x, model$transform, rows = rows - 1L)
  core_result(.Call(ffi_cells_assign, list(x = centers), data, control), "The search for cells")
}

# A cell's SVM as a model of its own.
cell_model <- function(model, part) {
  of_all <- c("cells", "probability", "conformal", "choice", "convergence")
  header <- model[!names(model) %in% c(core_fields, names(part), of_all)]
  header$machines <- model$machines[part$machine, , drop = FALSE]
  c(header, part)
}

cell_values <- function(model, x, threads, columns) {
  f <- matrix(0, nrow(x), nrow(model$machines))
  for (rows in split(seq_len(nrow(x)), cell <- assign_cells(model, x, threads))) {
    part <- model$cells$parts[[cell[rows[1]]]]
    learned <- if (length(part$machine) > 0) {
      decision_values(cell_model(model, part), x[rows, , drop = FALSE], threads, columns)
    }
    f[rows, ] <- part_outputs(part, learned, length(rows))
  }
  dimnames(f) <- list(rownames(x), if (ncol(f) > 1) machine_names(model))
  f
}

# Of `n` examples: those of the machines that the cell has learned, and the constant ones.
part_outputs <- function(part, learned, n) {
  f <- matrix(part$constant, n, length(part$constant), byrow = TRUE)
  if (!is.null(learned)) f[, part$machine] <- learned
  f
}

# ---- checks of a model that may come from a file ----

cell_fields <- list(cells = record(
  size = a_number,
  means = type("a mean per cell", function(x, model) {
    values <- if (is_sparse(x)) x@x else x
    is.null(x) || all_finite(values, length(values)) &&
      identical(dim(x), c(length(model$cells$parts), as.integer(model_width(model))))
  }),
  nodes = type("a tree of centres", function(x, model) is_tree(x, model)),
  parts = type("an SVM per cell", function(x, model) {
    is.list(x) && length(x) > 0 && all(vapply(x, is_part, NA, model))
  }),
  table = type("a table with a row per cell", function(x, model) {
    is_plain_table(x) && nrow(x) == length(model$cells$parts) && all(cell_columns %in% names(x))
  })
))

cell_columns <- c("rows", "n_sv", "error", "seconds", "state")

# Children come after their parents.
is_tree <- function(nodes, model) {
  all <- unlist(lapply(nodes, function(node) if (is.list(node)) node$child))
  cells <- length(model$cells$parts)
  if (length(nodes) == 0) {
    return(is.list(nodes) && cells == 1)
  }
  is.list(nodes) && all(vapply(seq_along(nodes), function(k) {
    node <- nodes[[k]]
    is.list(node) && identical(dim(node$centers), c(length(node$child), as.integer(model_width(model)))) &&
      is.numeric(node$child) && !anyNA(node$child) && all(node$child < 0 | node$child > k & node$child <= length(nodes))
  }, NA)) && setequal(-all[all < 0], seq_len(cells))
}

is_part <- function(part, model) {
  machines <- sizes$machine(model)
  ok <- all_finite(part$constant, machines) && is.numeric(part$machine) && all(part$machine %in% seq_len(machines))
  if (!ok || length(part$machine) == 0) {
    return(ok)
  }
  single <- cell_model(model, part)
  has_fields(single, if (is_primal(single)) weight_fields else c(vector_fields, coef_fields))
}

# ---- lines of print() and summary() ----

describe_cells <- function(model) {
  table <- model$cells$table
  states <- c(
    constant = "that predict a constant", unfinished = "before their tolerance was reached", missing = "missing"
  )
  counts <- vapply(names(states), function(state) sum(table$state == state), 0)
  sizes <- unique(range(table$rows))
  paste(c(
    paste(big(nrow(table)), "of", paste(big(sizes), collapse = " to "), "rows"),
    if (!is.null(model$cells$means)) "overlapping",
    paste(big(counts), states)[counts > 0]
  ), collapse = ", ")
}
