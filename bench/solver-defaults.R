# Choice of the default C, epochs and bias of each solver: five-fold error with the default kernel on small sets.
source("bench/common.R")

set.seed(1)
spam <- packaged("spam", "kernlab")
sets <- list(
  spam = labelled(spam[sample(nrow(spam), 1500), ], "type"),
  sonar = labelled(packaged("Sonar", "mlbench"), "Class"),
  ionosphere = labelled(packaged("Ionosphere", "mlbench"), "Class"),
  pima = labelled(packaged("PimaIndiansDiabetes", "mlbench"), "diabetes"),
  cancer = labelled(packaged("BreastCancer", "mlbench"), "Class"),
  iris = labelled(iris, "Species"),
  chessboard = chessboard(1000),
  "two normals" = two_normals(1000)
)
folds <- lapply(sets, function(d) sample(rep_len(1:5, length(d$y))))

cv <- function(set, fit) {
  d <- sets[[set]]
  wrong <- lapply(1:5, function(k) {
    test <- folds[[set]] == k
    predict(fit(d$x[!test, ], d$y[!test]), d$x[test, ]) != d$y[test]
  })
  100 * mean(unlist(wrong))
}
study <- function(solver) {
  grid <- expand.grid(C = 10^(-2:4), epochs = c(1, 2, 5, 10, 20), bias = c(FALSE, TRUE))
  errors <- vapply(names(sets), function(set) {
    message(solver, " on ", set)
    mapply(function(...) {
      spec <- get(paste0("solver_", solver))(...)
      set.seed(1)
      cv(set, function(x, y) osvm(x, y, spec, threads = 1, verbose = FALSE, trace = FALSE))
    }, C = grid$C, epochs = grid$epochs, bias = grid$bias)
  }, numeric(nrow(grid)))
  above <- sweep(errors, 2, apply(errors, 2, min))
  results <- cbind(grid, above_best = rowMeans(above), errors)
  results[order(results$above_best), ]
}

baseline <- vapply(names(sets), cv, 0, fit = function(x, y) suppressWarnings(e1071::svm(x, y)))
results <- sapply(c("norma", "pegaz", "olsvm"), study, simplify = FALSE)
top <- lapply(names(results), function(solver) {
  c(paste("##", solver), table_md(utils::head(results[[solver]], 8), digits = 1, row.names = FALSE))
})
report(
  "solver-defaults", "Choice of defaults: five-fold error (%) with the default RBF kernel",
  "The eight best settings of each solver, ranked by the mean error above that solver's best on each set.",
  "", unlist(top), "## e1071::svm() with its own defaults", table_md(t(baseline), digits = 1)
)
