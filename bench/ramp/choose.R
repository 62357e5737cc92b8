# Chooses C and the kernel width for every set and algorithm from the paper's grid, and writes bench/ramp/choice.csv.
# Slow; the result is in the repository. Run Rscript bench/ramp/choose.R from the top of the repository.
source("bench/ramp/sets.R")

splits <- 2
algorithms <- c("smo", "pa", "ramp")
# C increases until a fit of 2,000 examples takes max_seconds or the accuracy falls max_loss points below the best:
# larger C are slower, and overfit.
max_seconds <- 4
max_loss <- 1

# Two random samples of the training set: 2,000 training and up to 4,000 validation examples.
sample_of <- function(name, split) {
  n <- sets[[name]]$n
  n_train <- min(2000, 0.75 * n)
  set <- draw(name, 1000 + split, n)
  rows <- n_train + seq_len(min(4000, n - n_train))
  list(x = set$x[1:n_train, ], y = set$y[1:n_train], new_x = set$x[rows, ], new_y = set$y[rows])
}

# Whether each validation example is classified correctly, and the number of support vectors.
cell <- function(set, algorithm, C, gamma) {
  fit <- suppressWarnings(learn(set, solver_of[[algorithm]](C), gamma))
  list(right = predict(fit, set$new_x) == set$new_y, svs = fit$n_sv)
}

column <- function(name, algorithm, width, data) {
  memoise(paste("choose", name, algorithm, width), {
    cells <- list()
    for (C in grid_C) {
      gamma <- gamma_of(name, width)
      time <- elapsed(found <- limited(lapply(data, cell, algorithm, C, gamma), 3 * max_seconds * splits))
      if (is.null(found)) break
      cells[[as.character(C)]] <- list(
        C = C, width = width, right = unlist(lapply(found, `[[`, "right")), svs = mean(sapply(found, `[[`, "svs"))
      )
      right <- sapply(cells, function(cell) 100 * mean(cell$right))
      if (time > max_seconds * splits || C >= 10 && utils::tail(right, 1) < max(right) - max_loss) break
    }
    cells
  })
}

# Of all cells within one standard error of the best on the same examples, the sparsest.
sparsest <- function(cells) {
  right <- sapply(cells, `[[`, "right")
  best <- right[, which.max(colMeans(right))]
  behind <- colMeans(best - right)
  close <- behind <= apply(best - right, 2, sd) / sqrt(length(best))
  svs <- sapply(cells, `[[`, "svs")
  k <- which(close)[which.min(svs[close])]
  data.frame(C = cells[[k]]$C, width = cells[[k]]$width, accuracy = 100 * mean(right[, k]), svs = svs[k])
}

# Where more data can be sampled, the best six cells are refitted at the benchmark's size: with more examples a larger C
# and a narrower kernel are better.
refit_best <- function(name, algorithm, cells) {
  right <- sapply(cells, function(cell) mean(cell$right))
  data <- draw(name, 2000)
  set.seed(2001)
  validation <- sets[[name]]$sampler(10000)
  data$new_x <- scale(validation$x[, data$varies], attr(data$x, "scaled:center"), attr(data$x, "scaled:scale"))
  data$new_y <- validation$y
  lapply(cells[utils::head(order(-right), 6)], function(one) {
    found <- memoise(paste("final", name, algorithm, one$C, one$width), {
      cell(data, algorithm, one$C, gamma_of(name, one$width))
    })
    utils::modifyList(one, found)
  })
}

choice <- do.call(rbind, lapply(names(sets), function(name) {
  data <- lapply(seq_len(splits), function(split) sample_of(name, split))
  do.call(rbind, lapply(algorithms, function(algorithm) {
    cells <- unname(do.call(c, lapply(grid_width, function(width) column(name, algorithm, width, data))))
    if (!is.null(sets[[name]]$sampler)) cells <- refit_best(name, algorithm, cells)
    data.frame(set = name, algorithm, sparsest(cells))
  }))
}))
choice$accuracy <- round(choice$accuracy, 2)
utils::write.csv(choice, "bench/ramp/choice.csv", row.names = FALSE, quote = FALSE)
print(choice)
