# Cost per chunk over a stream's life: a live model against update() on fits, as the support vectors grow.
#
# The labels are random, so that nearly every example becomes a support vector.
source("bench/common.R")

features <- 20
chunk <- 100
sizes <- c(1000, 5000, 20000)
makers <- list(`passive-aggressive` = solver_pa(epochs = 1), `OL SVM` = solver_olsvm(C = 1, epochs = 1))

set.seed(3)
draw <- function() {
  list(x = matrix(rnorm(chunk * features), chunk), y = factor(sample(c("a", "b"), chunk, replace = TRUE), c("a", "b")))
}

# Processor seconds of each chunk, both models in turn, until the largest size is reached.
follow <- function(name) {
  first <- draw()
  fit <- osvm(first$x, first$y, makers[[name]], kernel_rbf(gamma = 0.02), scale = FALSE, threads = 1, verbose = FALSE)
  live <- osvm_live(fit)
  rows <- list()
  while (fit$n_sv < max(sizes)) {
    part <- draw()
    seed <- sample.int(1e6, 1)
    set.seed(seed)
    on_fit <- seconds(fit <- suppressWarnings(update(fit, part$x, part$y)))
    set.seed(seed)
    on_live <- seconds(suppressWarnings(update(live, part$x, part$y)))
    rows[[length(rows) + 1]] <- data.frame(solver = name, n_sv = fit$n_sv, on_fit, on_live)
  }
  stopifnot(identical(unname(snapshot(live)$coef), unname(fit$coef)))
  message(name, ": ", length(rows), " chunks")
  do.call(rbind, rows)
}
results <- do.call(rbind, lapply(names(makers), follow))
save_results(results, "stream-cost")

# Means of the ten chunks before a size is reached.
at_size <- function(part, size) {
  last <- which(part$n_sv >= size)[1]
  rows <- part[seq(max(1, last - 9), last), ]
  data.frame(
    solver = part$solver[1], `support vectors` = size, `update() on fits, ms` = 1000 * mean(rows$on_fit),
    `live, ms` = 1000 * mean(rows$on_live), ratio = mean(rows$on_fit) / mean(rows$on_live), check.names = FALSE
  )
}
parts <- split(results, factor(results$solver, names(makers)))
table <- do.call(rbind, unlist(lapply(parts, function(part) lapply(sizes, at_size, part = part)), recursive = FALSE))
whole <- do.call(rbind, lapply(parts, function(part) {
  data.frame(
    solver = part$solver[1], chunks = nrow(part), `update() on fits, s` = sum(part$on_fit),
    `live, s` = sum(part$on_live), ratio = sum(part$on_fit) / sum(part$on_live), check.names = FALSE
  )
}))
report(
  "stream-cost", "Cost per chunk over a stream's life",
  sprintf("Chunks of %d rows of %d features, RBF kernel, one thread, random labels; processor time. Both models",
    chunk, features),
  "are the same at the end, bit for bit. A chunk needs a kernel row over all support vectors for each of its examples,",
  "in both; the difference is packing and unpacking the support vectors.",
  table_md(table, digits = c(0, 0, 1, 1, 2), row.names = FALSE),
  "The whole stream:",
  table_md(whole, digits = c(0, 0, 2, 2, 2), row.names = FALSE)
)
