# The linear machine at its optimum: dual coordinate descent beside LIBLINEAR's, and Pegasos, on covertype and Reuters.
source("bench/common.R")

cover <- real_data("covertype")
set.seed(1)
train <- sample(nrow(cover$x), 500000)
low <- apply(cover$x[train, ], 2, min)
extent <- pmax(apply(cover$x[train, ], 2, max) - low, 1)
to_unit <- function(x) t((t(x) - low) / extent)
text <- real_data("reuters")
sets <- list(
  covertype = list(
    x = to_unit(cover$x[train, ]), y = cover$y[train], new_x = to_unit(cover$x[-train, ]), new_y = cover$y[-train],
    C = c(0.1, 1)
  ),
  reuters = list(
    x = text$x[text$train, ], y = text$y[text$train], new_x = text$x[-text$train, ], new_y = text$y[-text$train],
    C = c(1, 10)
  )
)

# |w|^2 / 2 + C sum of hinge losses; the intercept is the last weight.
objective <- function(w, set, C) {
  f <- as.numeric(set$x %*% w[-length(w)]) + w[length(w)]
  sum(w^2) / 2 + C * sum(pmax(0, 1 - set$y * f))
}
row_of <- function(set, C, solver, time, w) {
  f <- as.numeric(sets[[set]]$new_x %*% w[-length(w)]) + w[length(w)]
  data.frame(
    set, C, solver, seconds = time, objective = objective(w, sets[[set]], C),
    error = error(ifelse(f > 0, 1, -1), sets[[set]]$new_y)
  )
}
ours <- function(set, C, title, solver) {
  message(set, ", C = ", C, ", ", title)
  data <- sets[[set]]
  time <- seconds(fit <- osvm(data$x, data$y, solver, kernel_linear(), scale = FALSE, threads = 1))
  row_of(set, C, title, time, c(fit$coef, fit$intercept))
}
# LiblineaR makes a dgCMatrix dense; a matrix.csr of SparseM stays sparse.
by_rows <- function(x) {
  if (is.matrix(x)) return(x)
  x <- Matrix::t(x)
  methods::new("matrix.csr", ra = x@x, ja = x@i + 1L, ia = x@p + 1L, dimension = rev(dim(x)))
}
liblinear <- function(set, C) {
  if (!requireNamespace("LiblineaR", quietly = TRUE) || !requireNamespace("SparseM", quietly = TRUE)) return(NULL)
  message(set, ", C = ", C, ", LiblineaR")
  data <- sets[[set]]
  rows <- by_rows(data$x)
  time <- seconds(fit <- LiblineaR::LiblineaR(rows, data$y, type = 3, cost = C, bias = 1))
  w <- c(fit$W)
  row_of(set, C, "LiblineaR, type 3", time, if (fit$ClassNames[1] == 1) w else -w)
}

results <- do.call(rbind, lapply(names(sets), function(set) {
  do.call(rbind, lapply(sets[[set]]$C, function(C) {
    rbind(
      ours(set, C, "solver_dcd()", solver_dcd(C = C)),
      ours(set, C, "solver_pegasos()", solver_pegasos(lambda = 1 / (C * nrow(sets[[set]]$x)))),
      liblinear(set, C)
    )
  }))
}))

goals <- if (any(results$solver == "LiblineaR, type 3")) {
  pairs <- merge(
    results[results$solver == "solver_dcd()", ], results[results$solver == "LiblineaR, type 3", ],
    by = c("set", "C"), suffixes = c("", "_other")
  )
  unlist(lapply(seq_len(nrow(pairs)), function(k) {
    p <- pairs[k, ]
    name <- paste0(p$set, ", C = ", p$C)
    c(
      target(paste0(name, ": speed against LiblineaR"), p$seconds_other / p$seconds, 5),
      sprintf("- %s: objective above LiblineaR's by %.1e of it", name, p$objective / p$objective_other - 1)
    )
  }))
}

save_results(results, "linear-optimum")
report(
  "linear-optimum", "The linear machine at its optimum",
  "Covertype: 500,000 rows of 54 features scaled to [0, 1], the others for testing. Reuters: sparse text, its own split.",
  "Processor seconds of the whole fit on one thread; the objective is the primal one; test error in per cent.",
  table_md(results, digits = c(0, 2, 0, 2, 2, 2), row.names = FALSE), goals
)
