# Cells that overlap: each is trained also on the rows whose second or third nearest centre is its own, and rows are
# predicted by the mean of the nearest one, two or three cells, weighted by 1 / distance^4. Beside it, osvm() with two
# cells per row and one that predicts, and cells that have the output of a kernel of low rank as a feature, to correct
# it. Settings are chosen in each cell.
# Processor seconds of the fits on two threads. OSVM_PARTS: some of the sets.
source("bench/common.R")
internal <- asNamespace("onlinesvm")

sets <- list(
  letters = function() {
    data <- packaged("LetterRecognition", "mlbench")
    list(x = as.matrix(data[, -1]) + 0, y = factor(as.integer(data$lettr) > 13))
  },
  covertype = function() some_of("covertype", 20000, identity),
  adult = function() some_of("adult", 20000, as.matrix),
  generated = function(n = 20000) {
    x <- matrix(rnorm(20 * n), n)
    f <- x[, 1] * x[, 2] + sin(2 * x[, 3]) + x[, 4]^2 - 1 + x[, 5] - x[, 6]
    list(x = x, y = factor((f > 0) != (runif(n) < 1 / 12)))
  }
)
some_of <- function(name, n, convert) {
  data <- real_data(name)
  rows <- sample(nrow(data$x), n)
  list(x = convert(data$x[rows, ]) + 0, y = factor(data$y[rows]))
}

# The nearest three centres of every row, and the squared distances.
nearest <- function(x, centres) {
  distance <- outer(rowSums(x^2), rowSums(centres^2), "+") - 2 * tcrossprod(x, centres)
  order <- t(apply(distance, 1, function(d) order(d)[1:3]))
  list(cell = order, distance = matrix(pmax(distance[cbind(rep(seq_len(nrow(x)), 3), c(order))], 1e-9), ncol = 3))
}

# Outputs of the nearest three cells of every row.
outputs <- function(fit, x, cell) {
  f <- matrix(0, nrow(x), 3)
  for (k in seq_along(fit$cells$parts)) {
    for (j in 1:3) {
      at <- which(cell[, j] == k)
      part <- fit$cells$parts[[k]]
      learned <- if (length(part$machine) > 0 && length(at) > 0) {
        internal$decision_values(internal$cell_model(fit, part), x[at, , drop = FALSE], 2)
      }
      f[at, j] <- internal$part_outputs(part, learned, length(at))
    }
  }
  f
}

try_set <- function(name) {
  message(name)
  set.seed(1)
  data <- sets[[name]]()
  test <- sample(nrow(data$x), nrow(data$x) %/% 4)
  new <- data$x[test, ]
  prepared <- internal$prepare_fit(
    data$x[-test, ], data$y[-test], NULL, NULL, stats::na.omit, NULL, NULL, TRUE, NULL, 256, NULL, FALSE, TRUE,
    loss = NULL
  )
  examples <- prepared$examples
  names <- c("C", "gamma")
  found <- internal$weigh_features(prepared$model, examples, names)
  model <- found$model
  wrong <- function(f) 100 * mean((f > 0) != (data$y[test] == model$levels[2]))
  packed <- function(x) internal$packed_rows(model$transform, x)
  rows <- NULL
  for (size in c(1000, 2000, 4000)) {
    set.seed(3)
    divided <- internal$divide_examples(model, examples$x, size)
    x <- packed(examples$x)
    centres <- t(vapply(divided$rows, function(at) colMeans(x[at, , drop = FALSE]), numeric(ncol(x))))
    if (nrow(centres) < 4) next
    near <- nearest(x, centres)
    asked <- nearest(packed(new), centres)
    weight <- 1 / asked$distance^2
    seeds <- seq_len(nrow(centres))
    chosen <- internal$best_point(model, internal$choose_in_cells(model, examples, divided$rows, seeds, names))
    for (overlap in seq_len(c("1000" = 3, "2000" = 2, "4000" = 1)[[format(size)]])) {
      members <- lapply(seeds, function(k) which(rowSums(near$cell[, seq_len(overlap), drop = FALSE] == k) > 0))
      time <- seconds(fit <- suppressWarnings(internal$learn_divided(
        chosen, examples, list(size = size, nodes = list(), rows = members), seeds, internal$near_settings(chosen, names)
      )))
      f <- outputs(fit, new, asked$cell)
      mean_of <- function(k) rowSums((f * weight)[, seq_len(k), drop = FALSE])
      rows <- rbind(rows, data.frame(
        set = name, cells = size, trained_on = overlap, seconds = time, nearest = wrong(f[, 1]),
        two = wrong(mean_of(2)), three = wrong(mean_of(3))
      ))
      print(rows[nrow(rows), ])
    }
  }
  for (overlap in c(FALSE, TRUE)) {
    set.seed(3)
    cells <- list(size = 2000, overlap = overlap)
    time <- seconds(fit <- osvm(data$x[-test, ], data$y[-test], cells = cells, verbose = FALSE))
    rows <- rbind(rows, data.frame(
      set = name, cells = "2000, osvm()", trained_on = 1 + overlap, seconds = time,
      nearest = error(predict(fit, new), data$y[test]), two = NA, three = NA
    ))
  }
  rbind(rows, corrected(name, internal$best_point(model, found$choice), examples, data, test, wrong))
}

corrected <- function(name, model, examples, data, test, wrong) {
  time <- seconds(fit <- internal$learn(internal$of_low_rank(model, 500, examples$x), examples))
  output <- function(x) internal$decision_values(fit, x, 2)[, 1]
  learned <- output(examples$x)
  add <- function(x) cbind(internal$packed_rows(model$transform, x), output(x) / sd(learned))
  both <- seconds(cells <- osvm(add(examples$x), data$y[-test], scale = FALSE, cells = 2000, verbose = FALSE))
  row <- function(cells, seconds, error) {
    data.frame(
      set = name, cells = cells, trained_on = NA, seconds = seconds, nearest = error, two = NA, three = NA
    )
  }
  asked <- data$x[test, ]
  rbind(
    row("rank 500", time, wrong(output(asked))),
    row("2000, with the output of rank 500", time + both, error(predict(cells, add(asked)), data$y[test]))
  )
}

parts <- strsplit(Sys.getenv("OSVM_PARTS", paste(names(sets), collapse = ",")), ",")[[1]]
results <- do.call(rbind, lapply(parts, try_set))
report(
  "cells-overlap", "Cells that overlap",
  "Errors in per cent of a quarter of the rows by the nearest cell, and by the mean of the nearest two and three, weighted by",
  "1 / distance^4; `trained_on`: so many cells learn a row, those with the nearest centres. Below each set, `osvm()` with",
  "`cells = list(size = 2000, overlap = )`, its choice of weights and settings included; a kernel of low rank; and cells with its",
  "output as a feature. Means of several cells and features of low rank are not in the package.",
  table_md(results, digits = 2, row.names = FALSE)
)
