# Kernels of low rank with their defaults, at rank 500, and scikit-learn's maps and machines of the same width and cost
# (left out where python3 has no sklearn), on one thread. make bench-lowrank
#   OSVM_PARTS     sets, and OSVM_MACHINES machines, that are run now, separated by commas; the others stay as they were
#   OSVM_LIMIT     processor seconds after which a machine of scikit-learn is given up
#   OSVM_PYTHON    the interpreter; OpenBLAS is several times as fast as the reference BLAS
source("bench/lowrank/sets.R")
threads <- 1
rank <- 500
limit <- as.numeric(Sys.getenv("OSVM_LIMIT", 400))
python <- Sys.getenv("OSVM_PYTHON", "/usr/bin/python3")
asked <- suppressWarnings(system2(python, c("-c", shQuote("import sklearn")), stdout = FALSE, stderr = FALSE))
has_sklearn <- asked == 0

sets <- list(
  adult = adult, covertype = function() covertype(500000), smooth = function() set_of(smooth_noisy(120000), 1e5, 20000),
  `SUSY-like` = function() set_of(susy_like(min(1e6, most) + 50000), min(1e6, most), 50000)
)
ours <- list(
  nystrom = function(set) measure(set, NULL, kernel_nystrom(rank = rank)),
  `nystrom in 4 GB` = function(set) measure(set, NULL, kernel_nystrom(rank = rank), cache_mb = 4000),
  `nystrom on two threads` = function(set) measure(set, NULL, kernel_nystrom(rank = rank), threads = 2),
  fourier = function(set) measure(set, NULL, kernel_fourier(features = rank)),
  linear = function(set) measure(set, NULL, kernel_linear())
)
rivals <- c("Nystroem + SGDClassifier", "Nystroem + LinearSVC", "RBFSampler + SGDClassifier")

# The data as the fit scales them, in files, and the width and cost of that fit.
for_rival <- function(set, folder) {
  dir.create(folder)
  constant <- apply(set$x, 2, stats::sd) == 0
  indicator <- apply(set$x, 2, function(v) all(v %in% 0:1))
  middle <- ifelse(indicator, 0, colMeans(set$x))
  width <- ifelse(indicator | constant, 1, apply(set$x, 2, stats::sd))
  writeBin(as.double(t(scale(set$x, middle, width))), file.path(folder, "train.bin"))
  writeBin(as.double(t(scale(set$new_x, middle, width))), file.path(folder, "test.bin"))
  writeBin(as.double(set$y), file.path(folder, "train.y"))
  writeBin(as.double(set$new_y), file.path(folder, "test.y"))
}
rival <- function(machine, folder, gamma, C) {
  what <- c("bench/lowrank/rival.py", folder, gamma, rank, C, strsplit(machine, " + ", fixed = TRUE)[[1]])
  call <- paste("ulimit -t", limit, "; OMP_NUM_THREADS=1 exec", paste(c(python, what), collapse = " "))
  out <- suppressWarnings(system2("sh", c("-c", shQuote(call)), stdout = TRUE, stderr = FALSE))
  values <- strsplit(c(out, paste0("NA NA NA NA no result within ", limit, " s"))[1], " ")[[1]]
  numbers <- suppressWarnings(as.numeric(values[1:4]))
  data.frame(
    seconds = sum(numbers[1:2]), elapsed = NA, predict_s = numbers[3], error = numbers[4], gamma = gamma, C = C,
    blas = paste(values[-(1:4)], collapse = " ")
  )
}

path <- "vignettes/results/lowrank.csv"
results <- if (file.exists(path)) utils::read.csv(path, comment.char = "#")
keep <- function(name, machine, set, row) {
  if (!"blas" %in% names(row)) row$blas <- ""
  row <- cbind(set = name, rows = nrow(set$x), machine = machine, row)
  results <<- rbind(results[!(results$set == name & results$machine == machine), ], row)
  results <<- results[order(match(results$set, names(sets)), match(results$machine, c(names(ours), rivals))), ]
  save_results(results, "lowrank")
}
wanted <- function(variable, all) intersect(all, strsplit(Sys.getenv(variable, paste(all, collapse = ",")), ",")[[1]])
machines <- wanted("OSVM_MACHINES", c(names(ours), rivals))
for (name in wanted("OSVM_PARTS", names(sets))) {
  set.seed(1)
  set <- sets[[name]]()
  for (machine in intersect(names(ours), machines)) keep(name, machine, set, ours[[machine]](set))
  folder <- tempfile("lowrank")
  if (has_sklearn && any(rivals %in% machines)) for_rival(set, folder)
  own <- results[results$set == name & results$machine == "nystrom", ]
  for (machine in if (has_sklearn) intersect(rivals, machines)) {
    keep(name, machine, set, rival(machine, folder, own$gamma, own$C))
  }
  unlink(folder, recursive = TRUE)
}

ratios <- vapply(unique(results$set[results$machine %in% rivals]), function(name) {
  part <- results[results$set == name, ]
  of <- function(machine, what) part[match(machine, part$machine), what]
  there <- intersect(rivals[1:2], part$machine)
  times <- function(own) {
    ifelse(is.na(of(there, "seconds")), "?", format(signif(of(there, "seconds") / of(own, "seconds"), 2), trim = TRUE))
  }
  paste0(
    "- ", name, ": ", paste0(
      there, " takes ", times("nystrom"), " times as long, against 4 GB ", times("nystrom in 4 GB"),
      ", with an error of ", signif(of(there, "error"), 3), collapse = "; "
    ), ", against ", signif(of("nystrom", "error"), 3), " %"
  )
}, "")
numbers <- c("seconds", "elapsed", "predict_s", "error", "gamma", "C")
results[numbers] <- lapply(results[numbers], signif, 3)
report(
  "lowrank", "Kernels of low rank",
  "Rank 500, `osvm(x, y, kernel = kernel_nystrom())` with its own choice of width and cost, and scikit-learn with the",
  "same width and cost, on one thread unless a row says otherwise. Processor seconds of the whole fit, the choice",
  "included, and of the prediction of the rows held out; their error in per cent. `cache_mb` is not given, or",
  "4,000: the features of 500,000 rows are 1 GB. scikit-learn is given scaled data, and its time is that of map and",
  "machine: SGDClassifier as it is by default, until the loss no longer falls; LinearSVC with the hinge loss. The",
  "BLAS matters to scikit-learn: see the last column. Elapsed seconds are those of a busy machine.", "",
  ratios, table_md(results, row.names = FALSE)
)
