# Figs 5 to 8 of Kecman and Melki (2016): NORMA, Pegaz and OL SVM over the grid on a chess board of 4,992 points, with
# outputs summed at every step as Lists 1 and 2 print it, and cached as in List 3b.
#
# osvm_tune() shares kernel values between cells and folds, which hides what a fit costs by itself. So it gives the
# errors, and each fold is then fitted once more, alone, for its time. With OSVM_KEEP, a folder, a run that was
# stopped goes on where it was.
source("bench/common.R")
source("bench/tune/sets.R")

epochs <- as.numeric(Sys.getenv("OSVM_EPOCHS", 5)) # the paper does not say
set.seed(1)
data <- chessboard(4992)
foldid <- stratified(data$y, 5)
solvers <- list(olsvm = solver_olsvm, norma = solver_norma, pegaz = solver_pegaz)

# The fits of osvm_tune() one by one, on one thread: processor seconds of learning, and the error in per cent.
alone <- function(solver, outputs, C, sigma, folds) {
  spec <- solvers[[solver]](C = C, epochs = epochs, outputs = outputs, shuffle = FALSE)
  fit <- function(fold) {
    set.seed(fold$seed)
    osvm(data$x[fold$train, ], data$y[fold$train], spec, kernel_rbf(sigma = sigma),
      scale = FALSE, threads = 1, trace = FALSE, verbose = FALSE
    )
  }
  time <- seconds(fits <- lapply(folds, fit))
  errors <- mapply(function(fit, fold) error(predict(fit, data$x[fold$test, ]), data$y[fold$test]), fits, folds)
  c(alone = mean(errors), seconds = time)
}

# The cells of one curve, and the seconds of its tuning as a whole.
curve <- function(solver, outputs) {
  path <- file.path(Sys.getenv("OSVM_KEEP", tempdir()), paste0("lists-", solver, "-", outputs, "-", epochs, ".rds"))
  if (file.exists(path)) {
    return(readRDS(path))
  }
  message(solver, ", ", outputs)
  spec <- solvers[[solver]](C = C_values, epochs = epochs, outputs = outputs)
  set.seed(2)
  together <- seconds(tuned <- osvm_tune(data$x, data$y, spec, kernel_rbf(sigma = sigma_values),
    foldid = foldid, scale = FALSE, threads = 1, refit = FALSE, progress = FALSE
  ))
  cells <- tuned$results
  folds <- unclass(tuned$folds)
  single <- t(mapply(function(C, sigma) alone(solver, outputs, C, sigma, folds), cells$C, cells$sigma))
  result <- list(
    cells = data.frame(
      solver, outputs, epochs, cells[c("C", "sigma")], error = 100 * cells$error, se = 100 * cells$se,
      n_sv = cells$n_sv, seconds = single[, "seconds"]
    ),
    total = data.frame(
      solver, outputs, mean_error = 100 * mean(cells$error), best_error = 100 * min(cells$error),
      separate_s = sum(single[, "seconds"]), tuned_s = together,
      off = max(abs(single[, "alone"] - 100 * cells$error))
    )
  )
  dir.create(dirname(path), showWarnings = FALSE, recursive = TRUE)
  saveRDS(result, path)
  result
}

invisible(osvm(data$x, data$y, "olsvm", verbose = FALSE)) # the first call loads code
curves <- expand.grid(solver = names(solvers), outputs = c("list", "cached"), stringsAsFactors = FALSE)
results <- Map(curve, curves$solver, curves$outputs)
total <- do.call(rbind, unname(lapply(results, `[[`, "total")))
save_results(do.call(rbind, unname(lapply(results, `[[`, "cells"))), "lists")
save_results(total, "lists-total", provenance("lists"))

of <- function(solver, outputs) total$separate_s[total$solver == solver & total$outputs == outputs]
over <- function(solver, outputs) of(solver, outputs) / of("olsvm", "cached")
report(
  "lists", sprintf("NORMA, Pegaz and OL SVM: chess board, 4,992 points, 9 C x 4 sigma x 5 folds, %g epochs", epochs),
  "Errors of five folds in per cent, mean and best of the grid. Processor seconds on one thread: the 180 fits one by",
  "one, and the whole of osvm_tune(), which shares kernel values between them and judges the folds, too. off: how far",
  "the errors of the separate fits are from those of osvm_tune() at most, in points.",
  table_md(total, digits = c(0, 0, 2, 2, 2, 2, 2)),
  sprintf(
    "- time over OL SVM's, cached, if the others sum as printed: NORMA %.1f (paper: 2), Pegaz %.1f (paper: 4)",
    over("norma", "list"), over("pegaz", "list")
  ),
  sprintf(
    "- the same with all cached: NORMA %.1f, Pegaz %.1f (paper: OL SVM is still faster)",
    over("norma", "cached"), over("pegaz", "cached")
  )
)
