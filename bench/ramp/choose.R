# Chooses C and the kernel width for every set and algorithm from the paper's grid, and writes bench/ramp/choice.csv.
# Takes a while, and need not be done again: Rscript bench/ramp/choose.R from the top of the repository.
source("bench/ramp/sets.R")

splits <- 2
algorithms <- c("smo", "pa", "ramp")
# With a larger and larger C, stop when 2,000 examples take so many seconds or so many points are lost: larger C
# are slower still, and overfit.
patience <- 4
decline <- 1

# Two random samples of the training set, 2,000 examples to learn from and up to 4,000 others to judge by.
sample_of <- function(name, split) {
  n <- sets[[name]]$n
  learning <- min(2000, 0.75 * n)
  set <- draw(name, 1000 + split, n)
  rows <- learning + seq_len(min(4000, n - learning))
  list(x = set$x[1:learning, ], y = set$y[1:learning], new_x = set$x[rows, ], new_y = set$y[rows])
}

# Right or wrong for every example judged, and the number of support vectors.
cell <- function(set, algorithm, C, gamma) {
  fit <- suppressWarnings(learn(set, solver_of[[algorithm]](C), gamma))
  list(right = predict(fit, set$new_x) == set$new_y, svs = fit$n_sv)
}

column <- function(name, algorithm, width, data) {
  remember(paste("choose", name, algorithm, width), {
    cells <- list()
    for (C in grid_C) {
      time <- elapsed(found <- limited(lapply(data, cell, algorithm, C, gamma_of(name, width)), 3 * patience * splits))
      if (is.null(found)) break
      cells[[as.character(C)]] <- list(
        C = C, width = width, right = unlist(lapply(found, `[[`, "right")), svs = mean(sapply(found, `[[`, "svs"))
      )
      right <- sapply(cells, function(cell) 100 * mean(cell$right))
      if (time > patience * splits || C >= 10 && utils::tail(right, 1) < max(right) - decline) break
    }
    cells
  })
}

# Of all cells within one standard error of the best, judged on the same examples, the sparsest.
sparsest <- function(cells) {
  right <- sapply(cells, `[[`, "right")
  best <- right[, which.max(colMeans(right))]
  behind <- colMeans(best - right)
  close <- behind <= apply(best - right, 2, sd) / sqrt(length(best))
  svs <- sapply(cells, `[[`, "svs")
  k <- which(close)[which.min(svs[close])]
  data.frame(C = cells[[k]]$C, width = cells[[k]]$width, accuracy = 100 * mean(right[, k]), svs = svs[k])
}

# Where there are as many examples as one likes, the best six learn from as many as the benchmark has: more examples
# bear a larger C and a narrower kernel.
finals <- function(name, algorithm, cells) {
  right <- sapply(cells, function(cell) mean(cell$right))
  data <- draw(name, 2000)
  set.seed(2001)
  fresh <- sets[[name]]$fresh(10000)
  data$new_x <- scale(fresh$x[, data$varies], attr(data$x, "scaled:center"), attr(data$x, "scaled:scale"))
  data$new_y <- fresh$y
  lapply(cells[utils::head(order(-right), 6)], function(one) {
    found <- remember(paste("final", name, algorithm, one$C, one$width), {
      cell(data, algorithm, one$C, gamma_of(name, one$width))
    })
    utils::modifyList(one, found)
  })
}

choice <- do.call(rbind, lapply(names(sets), function(name) {
  data <- lapply(seq_len(splits), function(split) sample_of(name, split))
  do.call(rbind, lapply(algorithms, function(algorithm) {
    cells <- unname(do.call(c, lapply(grid_width, function(width) column(name, algorithm, width, data))))
    if (!is.null(sets[[name]]$fresh)) cells <- finals(name, algorithm, cells)
    data.frame(set = name, algorithm, sparsest(cells))
  }))
}))
choice$accuracy <- round(choice$accuracy, 2)
utils::write.csv(choice, "bench/ramp/choice.csv", row.names = FALSE, quote = FALSE)
print(choice)
