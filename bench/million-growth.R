# How processor time, memory and test error grow with the number of rows: one SVM, cells, a kernel of low rank, the
# linear machine and e1071, on one thread, on a smooth, noisy set and on a chess board of 256 fields. Cost and width are
# chosen once, on 4,000 rows, and are the same for all but "osvm(x, y)" and "cells, chosen", the default with cells. A way
# ends before the size that would take it longer than `limit` seconds. Besides, what osvm(x, y) does of itself. OSVM_MOST: the most
# rows; OSVM_PARTS: growth, default; OSVM_WAYS: some of the ways, separated by semicolons, the others stay as they were.
source("bench/lowrank/sets.R")
threads <- 1
options(onlinesvm.threads = threads)

sizes <- c(as.vector(outer(c(1, 2, 5), 10^(3:5))), 1e6)
sizes <- sizes[sizes <= most]
new_rows <- 20000
limit <- 20

sets <- list(
  smooth = list(draw = smooth_noisy, C = 4^(-2:2), gamma = 0.05 * 4^(-2:1)),
  board = list(draw = function(n) chessboard(n, size = 16, noise = 0.05), C = 10^(0:2), gamma = c(10, 30, 100))
)
choose_on <- function(x, y, set) {
  osvm_tune(
    x, y, solver_smo(C = set$C), kernel_rbf(gamma = set$gamma), folds = 3, refit = FALSE, progress = FALSE
  )$best
}

# `growth`: the power of the rows with which the time grows, to stop in time.
ways <- list(
  "one SVM" = list(growth = 2, fit = function(x, y, best) {
    osvm(x, y, solver_smo(C = best$C), kernel_rbf(gamma = best$gamma), verbose = FALSE)
  }),
  "cells" = list(growth = 1, fit = function(x, y, best) {
    osvm(x, y, solver_smo(C = best$C), kernel_rbf(gamma = best$gamma), cells = 2000, verbose = FALSE)
  }),
  "cells, chosen" = list(growth = 1, fit = function(x, y, best) osvm(x, y, cells = 2000, verbose = FALSE)),
  "osvm(x, y)" = list(growth = 1, fit = function(x, y, best) osvm(x, y, verbose = FALSE)),
  "low rank" = list(growth = 1, fit = function(x, y, best) {
    kernel <- kernel_nystrom(gamma = best$gamma, rank = 500)
    osvm(x, y, solver_dcd(C = best$C, tolerance = 1e-2), kernel, cache_mb = 4000, verbose = FALSE)
  }),
  "linear" = list(growth = 1, fit = function(x, y, best) {
    osvm(x, y, solver_dcd(tolerance = 1e-2), kernel_linear(), cache_mb = 4000, verbose = FALSE)
  }),
  "e1071" = list(growth = 2, fit = function(x, y, best) {
    e1071::svm(x, y, cost = best$C, gamma = best$gamma, cachesize = 256)
  })
)

# In a process of its own: memory is the peak of the fit beyond what the process had, some of which it uses again, so
# that few MB are less than was needed.
one_fit <- function(name, x, y, new, best) {
  invisible(gc())
  before <- status_mb("VmRSS")
  writeLines("5", "/proc/self/clear_refs")
  set.seed(1)
  time <- seconds(fit <- ways[[name]]$fit(x, y, best))
  memory <- status_mb("VmHWM") - before
  predict_s <- seconds(predicted <- stats::predict(fit, new$x))
  data.frame(seconds = time, predict_s = predict_s, error = error(predicted, new$y), memory_mb = memory)
}

drawn <- function(set, n) {
  set.seed(1)
  all <- sets[[set]]$draw(n)
  all$y <- factor(all$y)
  list(all = all, new = sets[[set]]$draw(new_rows))
}

growth_of <- function(set, name, data, best) {
  out <- NULL
  expected <- 0
  for (n in sizes) {
    if (expected > limit) break
    x <- data$all$x[seq_len(n), ]
    one <- limited(one_fit(name, x, data$all$y[seq_len(n)], data$new, best), 40 * limit)
    if (is.null(one)) break
    message(sprintf("%s, %s, %g rows: %.3f s, %.2f %%, %.0f MB", set, name, n, one$seconds, one$error, one$memory_mb))
    out <- rbind(out, data.frame(set = set, way = name, rows = n, one, C = best$C, gamma = best$gamma))
    expected <- one$seconds * (min(sizes[sizes > n], Inf) / n)^ways[[name]]$growth
  }
  out
}
growth <- function() {
  chosen <- strsplit(Sys.getenv("OSVM_WAYS", paste(names(ways), collapse = ";")), ";")[[1]]
  measured <- do.call(rbind, lapply(names(sets), function(set) {
    data <- drawn(set, max(sizes))
    best <- choose_on(data$all$x[1:4000, ], data$all$y[1:4000], sets[[set]])
    message(set, ": C = ", best$C, ", gamma = ", best$gamma)
    do.call(rbind, lapply(chosen, growth_of, set = set, data = data, best = best))
  }))
  path <- "vignettes/results/million-growth.csv"
  if (!setequal(chosen, names(ways)) && file.exists(path)) {
    known <- utils::read.csv(path, comment.char = "#")
    measured <- rbind(known[!known$way %in% chosen, ], measured)
  }
  measured[order(match(measured$set, names(sets)), match(measured$way, names(ways)), measured$rows), ]
}

# What osvm(x, y) does by itself: a row per way tried, with the time and the error of the one that was taken.
default <- function(n = 60000) {
  do.call(rbind, lapply(names(sets), function(set) {
    data <- drawn(set, n)
    time <- seconds(fit <- osvm(data$all$x, data$all$y))
    choice <- fit$choice
    choice[c("error", "expected")] <- 100 * choice[c("error", "expected")]
    data.frame(
      set = set, n = n, choice, learned = fit$n_seen, fit_seconds = time,
      fit_error = error(stats::predict(fit, data$new$x), data$new$y)
    )
  }))
}

parts <- strsplit(Sys.getenv("OSVM_PARTS", "growth,default"), ",")[[1]]
run <- list(growth = growth, default = default)
for (part in parts) save_results(run[[part]](), paste0("million-", part), provenance("million-growth"))
