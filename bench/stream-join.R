# Classes that come phase by phase, and the same rows in mixed order.
source("bench/common.R")

# First rows of one class only, then those of two others, then all others; test rows are others.
problem <- function(name, gamma) {
  d <- readRDS(file.path("../shared/data", paste0(name, ".rds")))
  as_numbers <- function(x) if (is.raw(x)) matrix(as.integer(x) / 255, nrow(x)) else x
  set.seed(11)
  train <- sample(d$train, 3000)
  test <- sample(setdiff(seq_along(d$y), d$train), 2000)
  y <- as.character(d$y)
  list(x = as_numbers(d$x[train, ]), y = y[train], tx = as_numbers(d$x[test, ]), ty = y[test],
    phases = list("3", c("1", "7")), gamma = gamma)
}
satellite <- function() {
  if (!requireNamespace("mlbench", quietly = TRUE)) return(NULL)
  table <- get(utils::data("Satellite", package = "mlbench", envir = environment()))
  set.seed(11)
  turn <- sample(nrow(table))
  x <- scale(as.matrix(table[turn, 1:36]))
  y <- as.character(table[turn, 37])
  list(x = x[1:3000, ], y = y[1:3000], tx = x[-(1:3000), ], ty = y[-(1:3000)],
    phases = list(unique(y)[1], unique(y)[2:3]), gamma = 0.05)
}
problems <- list(USPS = problem("usps", 0.005), MNIST = problem("mnist", 0.02), Satellite = satellite())

once <- list(epochs = 1, shuffle = FALSE)
makers <- list(
  LASVM = solver_lasvm(C = 10, finish = FALSE), `OL SVM` = do.call(solver_olsvm, c(C = 10, once)),
  PA = do.call(solver_pa, c(C = 10, once)), perceptron = do.call(solver_perceptron, once),
  Huller = do.call(solver_huller, c(C = 10, once)), `PA, budget 200` = do.call(solver_pa, c(C = 10, budget = 200, once)),
  `ID-SVM` = solver_idsvm(C = 1), `PA, linear` = do.call(solver_pa, c(C = 0.1, once))
)
# Without rows in mixed order.
learn <- function(p, maker, multiclass, rows = sample(length(p$y))) {
  kernel <- if (maker == "PA, linear") kernel_linear() else kernel_rbf(gamma = p$gamma)
  set.seed(1)
  force(rows)
  run <- suppressWarnings(osvm_stream(source_matrix(p$x[rows, ], p$y[rows]), makers[[maker]], kernel, chunk = 100,
    scale = FALSE, multiclass = multiclass, threads = 1, verbose = FALSE))
  c(100 * mean(predict(run$fit, p$tx) == p$ty), run$fit$n_sv)
}
cases <- expand.grid(multiclass = c("ovo", "ovr"), solver = names(makers), data = names(Filter(length, problems)),
  stringsAsFactors = FALSE)
cases <- cases[!(cases$solver == "ID-SVM" & cases$data == "MNIST"), ]
results <- do.call(rbind, lapply(seq_len(nrow(cases)), function(k) {
  p <- problems[[cases$data[k]]]
  phase <- rep(3, length(p$y))
  for (i in 1:2) phase[p$y %in% p$phases[[i]]] <- i
  phases <- learn(p, cases$solver[k], cases$multiclass[k], order(phase))
  mixed <- learn(p, cases$solver[k], cases$multiclass[k])
  data.frame(data = cases$data[k], solver = cases$solver[k], scheme = cases$multiclass[k], phases = phases[1],
    mixed = mixed[1], difference = phases[1] - mixed[1], `SVs, phases` = phases[2], `SVs, mixed` = mixed[2],
    check.names = FALSE)
}))
bar <- results[results$data == "USPS" & results$solver != "PA, linear", ]
report(
  "stream-join", "Classes that join",
  "Accuracy on test rows, in per cent, after 3,000 rows in chunks of 100: phase by phase (one class, then two others, then",
  "all others), and in one mixed order. The numbers of rows remembered and recalled were chosen on USPS, MNIST and",
  "Satellite.",
  table_md(results, digits = c(0, 0, 0, 1, 1, 1, 0, 0)),
  sprintf("- USPS, kernel solvers, lowest difference: **%.1f points** (limit: -2)", min(bar$difference))
)
