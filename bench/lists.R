# Figs 5 to 8 of Kecman and Melki (2016): NORMA, Pegaz and OL SVM over the grid on a chess board of 4,992 points, with
# outputs summed at every step as Lists 1 and 2 print it, and cached as in List 3b.
#
# osvm_tune() shares kernel values between cells and folds, so its times are not those of a single fit. It gives the
# errors; the times come from separate fits of each fold. With OSVM_KEEP, a folder, an interrupted run resumes.
source("bench/common.R")
source("bench/tune/sets.R")

epochs <- as.numeric(Sys.getenv("OSVM_EPOCHS", 5)) # not given in the paper
set.seed(1)
data <- chessboard(4992)
foldid <- stratified(data$y, 5)
solvers <- list(olsvm = solver_olsvm, norma = solver_norma, pegaz = solver_pegaz)

# The fits of osvm_tune() as separate fits, on one thread: processor seconds of training, and the error in per cent.
separate <- function(solver, outputs, C, sigma, folds) {
  spec <- solvers[[solver]](C = C, epochs = epochs, outputs = outputs, shuffle = FALSE)
  fit <- function(fold) {
    set.seed(fold$seed)
    osvm(data$x[fold$train, ], data$y[fold$train], spec, kernel_rbf(sigma = sigma),
      scale = FALSE, threads = 1, trace = FALSE, verbose = FALSE
    )
  }
  time <- seconds(fits <- lapply(folds, fit))
  errors <- mapply(function(fit, fold) error(predict(fit, data$x[fold$test, ]), data$y[fold$test]), fits, folds)
  c(error = mean(errors), seconds = time)
}

# The cells of one curve, and the seconds of the whole osvm_tune() call.
curve <- function(solver, outputs) {
  path <- file.path(Sys.getenv("OSVM_KEEP", tempdir()), paste0("lists-", solver, "-", outputs, "-", epochs, ".rds"))
  if (file.exists(path)) {
    return(readRDS(path))
  }
  message(solver, ", ", outputs)
  spec <- solvers[[solver]](C = C_values, epochs = epochs, outputs = outputs)
  set.seed(2)
  tune_seconds <- seconds(tuned <- osvm_tune(data$x, data$y, spec, kernel_rbf(sigma = sigma_values),
    foldid = foldid, scale = FALSE, threads = 1, refit = FALSE, progress = FALSE
  ))
  cells <- tuned$results
  folds <- unclass(tuned$folds)
  single <- t(mapply(function(C, sigma) separate(solver, outputs, C, sigma, folds), cells$C, cells$sigma))
  result <- list(
    cells = data.frame(
      solver, outputs, epochs, cells[c("C", "sigma")], error = 100 * cells$error, se = 100 * cells$se,
      n_sv = cells$n_sv, seconds = single[, "seconds"]
    ),
    total = data.frame(
      solver, outputs, mean_error = 100 * mean(cells$error), best_error = 100 * min(cells$error),
      separate_s = sum(single[, "seconds"]), tuned_s = tune_seconds,
      off = max(abs(single[, "error"] - 100 * cells$error))
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
  "Errors of five folds in per cent, mean and best of the grid. Processor seconds on one thread: 180 separate fits,",
  "and osvm_tune(), which shares kernel values between them and includes the hold-out outputs. off: the largest",
  "difference between the errors of separate fits and of osvm_tune(), in points.",
  table_md(total, digits = c(0, 0, 2, 2, 2, 2, 2)),
  sprintf(
    "- time over OL SVM's, cached, the others summed as printed: NORMA %.1f (paper: 2), Pegaz %.1f (paper: 4)",
    over("norma", "list"), over("pegaz", "list")
  ),
  sprintf(
    "- the same with all outputs cached: NORMA %.1f, Pegaz %.1f (paper: OL SVM is still faster)",
    over("norma", "cached"), over("pegaz", "cached")
  )
)
