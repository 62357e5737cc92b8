# Concept drift: prequential error of the online kernel solvers, and of SMO refitted to the latest examples.
#
# Three streams from which the recommendation was drawn. Two normal distributions: the classes are swapped half-way, or
# the plane turns steadily by 180 degrees. A chess board: the colours are swapped half-way.
# Two streams of the literature to check it, fixed, with the width of the kernel, before any rule was run on them:
#   SEA         three uniform features, x1 + x2 <= theta, theta = 8, 9, 7, 9.5 for a quarter of the stream each, a tenth
#               of the labels wrong (Street & Kim 2001)
#   hyperplane  ten uniform features, w.x >= sum(w) / 2, half of the weights move steadily to other random ones, a
#               twentieth of the labels wrong (after Hulten, Spencer & Domingos 2001)
# Widths: 1 where features have standard deviation 1, and in proportion; sqrt(d / 2) times that with d features.
# Each chunk is predicted before it is learned. C of each rule is the best of four on a further draw.
source("bench/common.R")

n <- 4000
chunk <- 100
window <- 500 # examples of the refitted model
draws <- 8

labelled_by <- function(x, positive, noise) {
  wrong <- stats::runif(n) < noise
  list(x = x, y = factor(ifelse(xor(positive, wrong), "+", "-")))
}
sea <- function() {
  x <- matrix(stats::runif(3 * n, 0, 10), n)
  theta <- rep(c(8, 9, 7, 9.5), each = n / 4)
  labelled_by(x, x[, 1] + x[, 2] <= theta, 0.1)
}
hyperplane <- function() {
  x <- matrix(stats::runif(10 * n), n)
  start <- stats::runif(10)
  end <- replace(start, 1:5, stats::runif(5))
  part <- seq_len(n) / n
  weights <- outer(1 - part, start) + outer(part, end)
  labelled_by(x, rowSums(weights * (x - 0.5)) >= 0, 0.05)
}
streams <- list(
  "normals, swapped" = function() swapped(two_normals(n)), "normals, turning" = function() turning(two_normals(n)),
  "chess board, swapped" = function() swapped(chessboard(n)), "SEA" = sea, "hyperplane" = hyperplane
)
widths <- c(1, 1, 0.3, sqrt(3 / 2) * 10 / sqrt(12), sqrt(10 / 2) / sqrt(12))

on_line <- function(make, ...) {
  function(C) list(solver = make(C = C, epochs = 1, shuffle = FALSE, ...), refit = FALSE)
}
rules <- list(
  lasvm = on_line(solver_lasvm, finish = FALSE), pa = on_line(solver_pa), norma = on_line(solver_norma),
  olsvm = on_line(solver_olsvm), pegaz = on_line(solver_pegaz), ramp = function(C) list(solver = solver_ramp(C), refit = FALSE),
  "smo, refitted" = function(C) list(solver = solver_smo(C), refit = TRUE)
)
costs <- c(0.1, 1, 10, 100)

# Error of each chunk but the first, in per cent.
prequential <- function(rule, stream, seed) {
  set.seed(seed)
  data <- streams[[stream]]()
  kernel <- kernel_rbf(sigma = widths[match(stream, names(streams))])
  fit_rows <- function(rows) {
    osvm(data$x[rows, ], data$y[rows], rule$solver, kernel, scale = FALSE, threads = 1, verbose = FALSE)
  }
  fit <- fit_rows(seq_len(chunk))
  vapply(seq(chunk, n - chunk, chunk), function(past) {
    rows <- past + seq_len(chunk)
    wrong <- error(predict(fit, data$x[rows, ]), data$y[rows])
    if (rule$refit) {
      fit <<- fit_rows(max(1, past + chunk - window + 1):(past + chunk))
    } else {
      fit <<- update(fit, data$x[rows, ], data$y[rows])
    }
    wrong
  }, 0)
}
compare <- function(stream, name) {
  total <- vapply(costs, function(C) mean(prequential(rules[[name]](C), stream, 101)), 0)
  C <- costs[which.min(total)]
  time <- seconds(errors <- vapply(seq_len(draws), function(seed) {
    prequential(rules[[name]](C), stream, seed)
  }, numeric(n / chunk - 1)))
  message(stream, ", ", name, ", C = ", C, ": ", round(mean(errors), 2), " %, ", round(time, 1), " s")
  data.frame(
    stream, rule = name, C, examples = seq(chunk, n - chunk, chunk), error = rowMeans(errors),
    of_draws = stats::sd(colMeans(errors)), seconds = time / draws, check = stream %in% c("SEA", "hyperplane")
  )
}
pairs <- expand.grid(name = names(rules), stream = names(streams), stringsAsFactors = FALSE)
results <- do.call(rbind, Map(compare, pairs$stream, pairs$name))

save_results(results, "drift")
parts <- split(results, factor(paste(results$stream, results$rule), unique(paste(results$stream, results$rule))))
summary <- do.call(rbind, lapply(parts, function(part) {
  data.frame(
    stream = part$stream[1], rule = part$rule[1], C = part$C[1], error = mean(part$error), sd = part$of_draws[1],
    before = mean(part$error[part$examples >= n / 4 & part$examples < n / 2]),
    after = mean(part$error[part$examples > n / 2 & part$examples <= n / 2 + 500]), seconds = part$seconds[1]
  )
}))
report(
  "drift", sprintf("Concept drift: error on the next %d examples, %d draws", chunk, draws),
  sprintf("Streams of %s examples, RBF kernel, one pass. C: the best of 0.1, 1, 10, 100 on a further draw. error: mean over", format(n, big.mark = ",")),
  sprintf("the stream; sd: its standard deviation over draws; before: examples %d to %d; after: the 500 after the first chunk", n / 4, n / 2),
  sprintf("of the second half. smo, refitted: to the latest %d examples, after each chunk. Seconds of the whole stream. SEA and", window),
  "hyperplane were fixed before any rule was run on them.",
  table_md(summary, digits = c(0, 0, 1, 2, 2, 2, 2, 2), row.names = FALSE)
)
