# Kernels of low rank: time and error at rank 500, with scikit-learn's Nystroem and RBFSampler in the same run (left out
# where python3 has no sklearn). make bench-lowrank
source("bench/lowrank/sets.R")
python <- Sys.getenv("OSVM_PYTHON", "/usr/bin/python3")
asked <- suppressWarnings(system2(python, c("-c", shQuote("import sklearn")), stdout = FALSE, stderr = FALSE))
has_sklearn <- asked == 0

sklearn <- function(set, gamma, rank, C) {
  if (!has_sklearn) return(NULL)
  folder <- tempfile("lowrank")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  middle <- colMeans(set$x)
  width <- apply(set$x, 2, sd)
  indicator <- apply(set$x, 2, function(v) all(v %in% 0:1))
  middle[indicator] <- 0
  width[indicator | width == 0] <- 1
  writeBin(as.double(t(scale(set$x, middle, width))), file.path(folder, "train.bin"))
  writeBin(as.double(t(scale(set$new_x, middle, width))), file.path(folder, "test.bin"))
  writeBin(as.double(set$y), file.path(folder, "train.y"))
  writeBin(as.double(set$new_y), file.path(folder, "test.y"))
  out <- utils::read.table(text = system2(python, c("bench/lowrank/rival.py", folder, gamma, rank, C), stdout = TRUE))
  data.frame(machine = paste("scikit-learn", out$V1), seconds = out$V2, elapsed = NA, predict_s = NA, error = out$V3)
}

round_all <- function(table) {
  numbers <- vapply(table, is.numeric, NA)
  table[numbers] <- lapply(table[numbers], signif, 3)
  knitr::kable(table, row.names = FALSE)
}

# After every set, so that a run that is ended early leaves what it has.
render <- function(results) {
  writeLines(c(
    "# Kernels of low rank", "",
    "Rank 500, with gamma and C (1/4, 1 or 4) chosen by three-fold cross-validation on 5,000 rows, dual coordinate descent",
    "to a gap of one per cent. Processor seconds of the whole fit, scaling and landmarks included, and of the prediction",
    paste0("of the rows held out, on ", threads, " threads; their error in per cent. The machine was busy: elapsed"),
    "seconds are several times what they would be. Without a remark `cache_mb` is 256, its default: the features of",
    "500,000 rows are 1 GB. scikit-learn is given the scaled data, and its time is that of map and machine",
    "(SGDClassifier: its default, until the loss no longer falls).", "",
    round_all(results), ""
  ), "bench/results/lowrank.md")
}

sets <- list(
  adult = adult, covertype = function() covertype(500000), smooth = function() set_of(smooth_noisy(120000), 1e5, 20000),
  `SUSY-like` = function() set_of(susy_like(min(1e6, most) + 50000), min(1e6, most), 50000)
)
results <- NULL
for (name in names(sets)) {
  set.seed(1)
  set <- sets[[name]]()
  best <- choose(set)
  message(name, ": gamma ", signif(best$gamma, 3), ", C ", best$C)
  nystrom <- kernel_nystrom(gamma = best$gamma, rank = 500)
  solver <- solver_dcd(C = best$C, tolerance = 1e-2)
  pegasos <- solver_pegasos(lambda = 1 / (best$C * nrow(set$x)), epochs = 5)
  results <- rbind(results, cbind(set = name, rows = nrow(set$x), rbind(
    measure("nystrom, dcd", set, solver, nystrom),
    measure("nystrom, dcd, cache_mb = 4000", set, solver, nystrom, 4000),
    measure("nystrom, pegasos, cache_mb = 4000", set, pegasos, nystrom, 4000),
    measure("fourier, dcd", set, solver, kernel_fourier(gamma = best$gamma, features = 500)),
    measure("linear, dcd", set, solver_dcd(tolerance = 1e-2), kernel_linear()),
    sklearn(set, best$gamma, 500, best$C)
  )))
  render(results)
}
