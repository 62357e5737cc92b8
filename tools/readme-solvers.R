# Writes into README.md, between their markers, the table of solvers, from what they declare, and that of measurements, from
# inst/results; --check fails if one is out of date.
lines <- readLines("README.md")

results <- function(name) utils::read.csv(file.path("inst", "results", paste0(name, ".csv")), comment.char = "#")
fixed <- function(x, digits) ifelse(is.na(x), "", formatC(x, format = "f", digits = digits, big.mark = ","))
as_rows <- function(table, align) {
  cells <- do.call(paste, c(unname(as.list(table)), sep = " | "))
  c(paste("|", paste(names(table), collapse = " | "), "|"), align, paste("|", cells, "|"))
}
between <- function(lines, name, table) {
  begin <- grep(paste0("^<!-- ", name, ":"), lines)
  end <- grep(paste0("^<!-- end of ", name), lines)
  stopifnot(length(begin) == 1, length(end) == 1, begin < end)
  c(lines[seq_len(begin)], table, lines[end:length(lines)])
}

# A line of measurements: what was done, the other package, seconds and errors of both. Means where only ratios exist.
measured <- function(task, rival, ratio, error, rival_error, seconds = NA, rival_seconds = NA) {
  data.frame(
    task = task, seconds = fixed(seconds, 1), error = fixed(error, 2), rival = rival, "its seconds" = fixed(rival_seconds, 1),
    "its error" = fixed(rival_error, 2), "times as fast" = fixed(ratio, 1), check.names = FALSE
  )
}
timed <- function(task, rival, seconds, error, rival_seconds, rival_error) {
  measured(task, rival, rival_seconds / seconds, error, rival_error, seconds, rival_seconds)
}
geometric <- function(x) exp(mean(log(x)))
no_choice <- function(name, most) {
  d <- results(name)
  d <- d[d$part == "held out", ]
  task <- sprintf("`osvm(x, y)`, %d data sets of at most %s rows (means)", nrow(d), most)
  rbind(
    measured(task, "e1071", geometric(d$ratio), mean(d$ours), mean(d$e1071)),
    measured("the same", "kernlab", NA, mean(d$ours), mean(d$ksvm))
  )
}
grid <- function(set, solver, label) {
  d <- results("tune-summary")
  d <- d[d$set == set, ]
  ours <- d[d$solver == solver, ]
  theirs <- d[d$solver == "e1071", ]
  task <- sprintf("`osvm_tune()`, %s, %s: 36 settings, five folds (best error)", label, set)
  timed(task, "e1071", ours$seconds, ours$best_error, theirs$seconds, theirs$best_error)
}
digits <- function() {
  d <- results("huller")
  of <- function(method, what) mean(d[d$method == method & d$digit != "mean", what])
  timed(
    "Huller, one pass, MNIST, 20,000 x 784 (means of ten problems)", "e1071", of("Huller x1", "seconds"),
    of("Huller x1", "error"), of("e1071", "seconds"), of("e1071", "error")
  )
}
covertype <- function() {
  d <- results("pegasos")
  ours <- d[grep("^Pegasos", d$what), ]
  theirs <- d[grep("^LiblineaR", d$what), ]
  timed("Pegasos, Covertype, 500,000 x 54", "LiblineaR", ours$seconds, ours$error, theirs$seconds, theirs$error)
}
smo <- function() {
  d <- results("smo")
  d <- d[d$cache_mb == 256 & d$data != "two normals", ]
  task <- sprintf("SMO with the same C and kernel, %d problems (mean): the same machine", nrow(d))
  measured(task, "e1071", geometric(d$ratio), NA, NA)
}
# The error under hinge loss is that of SMO, which solves e1071's problem.
ramp <- function() {
  d <- results("ramp-table")
  accuracy <- function(name) d$accuracy[d$set == "NCheckerboard" & d$algorithm == name]
  cost <- results("ramp-cost-batch")
  cost <- cost[cost$data == "NCheckerboard" & cost$C == 50, ]
  timed(
    paste(
      "ramp loss, stream of 10,000, 15 % label noise; beside it one batch fit under hinge loss,",
      "its error that of `solver_smo()`"
    ), "e1071", cost$ramp,
    100 - accuracy("OnlineSVM^R"), cost$e1071, 100 - accuracy("SMO")
  )
}

measurements <- rbind(
  no_choice("defaults", "1,000"), no_choice("defaults-4000", "4,000"), smo(),
  grid("chess board", "smo", "SMO"), grid("chess board", "olsvm", "OL SVM"), grid("two normals", "smo", "SMO"),
  grid("two normals", "olsvm", "OL SVM"), digits(), covertype(), ramp()
)
current <- between(lines, "solvers", as_rows(onlinesvm:::solver_markdown(), "|---|---|---|---|"))
current <- between(current, "measurements", as_rows(measurements, "|---|---:|---:|---|---:|---:|---:|"))
same <- identical(current, lines)
if ("--check" %in% commandArgs(TRUE)) {
  if (!same) message("README.md: its tables are out of date; run make document.")
  cat(sprintf("readme: %d passed, %d failed\n", same, !same))
  quit(status = as.integer(!same))
}
if (!same) writeLines(current, "README.md")
