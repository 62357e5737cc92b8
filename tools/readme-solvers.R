# Writes into README.md, between their markers, the usual solvers, from what they declare, and what was measured, beside
# forests and boosting and beside e1071, from vignettes/results; --check fails if one is out of date.
lines <- readLines("README.md")

results <- function(name) utils::read.csv(file.path("vignettes", "results", paste0(name, ".csv")), comment.char = "#")
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

# A line of measurements: what was done, errors of both packages, e1071's time over ours, and the report.
measured <- function(what, ours, theirs, ratio, report) {
  data.frame(
    " " = what, onlinesvm = ours, e1071 = theirs, "times as fast" = fixed(ratio, 1),
    report = sprintf("[%s](bench/results/%s.md)", report, report), check.names = FALSE
  )
}
geometric <- function(x) exp(mean(log(x)))
held_out <- function(name) {
  d <- results(name)
  d[d$part == "held out", ]
}
per_cent <- function(x) paste(fixed(x, 2), "%")
# Standard errors are over the data sets.
standard_error <- function(x) stats::sd(x) / sqrt(length(x))
classes <- function() {
  d <- held_out("defaults")
  less <- d$e1071 - d$ours
  what <- sprintf(
    paste(
      "`osvm(x, y)` and `svm(x, y)`, **both with their defaults**: mean test error of %d data sets;",
      "ours is %.1f ± %.1f points lower, and lower on %d sets"
    ),
    nrow(d), mean(less), standard_error(less), sum(less > 0)
  )
  measured(what, per_cent(mean(d$ours)), per_cent(mean(d$e1071)), geometric(d$ratio), "defaults")
}
numbers <- function() {
  d <- held_out("defaults-numbers")
  ratio <- d$ours / d$e1071
  what <- sprintf(
    "regression, **both with their defaults**: root mean square error relative to e1071's, %d data sets; lower on %d", nrow(d),
    sum(ratio < 1)
  )
  ours <- sprintf("%.2f ± %.2f", geometric(ratio), geometric(ratio) * standard_error(log(ratio)))
  measured(what, ours, "1", geometric(d$ratio), "defaults-numbers")
}
smo <- function() {
  d <- results("smo")
  most <- max(abs(d$difference))
  d <- d[d$cache_mb == 256 & d$data != "two normals", ] # as the report has it
  what <- sprintf(
    paste(
      "one fit with **equal C, kernel and tolerance**, %d problems: the same optimum,",
      "objectives differ by at most %.0e of their value"
    ),
    nrow(d), most
  )
  measured(what, "same", "same", geometric(d$ratio), "smo")
}
grid <- function(set) {
  d <- results("tune-summary")
  d <- d[d$set == set, ]
  of <- function(solver, column) d[d$solver == solver, column]
  what <- sprintf("36 **equal settings**, five folds each, on the set %s: error of the best", set)
  measured(
    what, per_cent(of("smo", "best_error")), per_cent(of("e1071", "best_error")), of("e1071", "seconds") / of("smo", "seconds"),
    "tune"
  )
}
# Errors over those of the better of forest and boosting, geometric means, as bench/tables.R has them.
beside_trees <- function() {
  d <- results("tables-held-out")
  learners <- c(
    onlinesvm = "ours", "forest (ranger)" = "forest", "boosting (scikit-learn)" = "boosting", "boosting (lightgbm)" = "lightgbm",
    e1071 = "e1071", kernlab = "ksvm"
  )
  learners <- learners[learners %in% names(d)]
  ratio <- (as.matrix(d[learners]) + 0.1) / (pmin(d$forest, d$boosting, na.rm = TRUE) + 0.1)
  number <- d$y == "number"
  parts <- list(number, !number, rep(TRUE, nrow(d)))
  means <- do.call(rbind, lapply(parts, function(rows) fixed(exp(colMeans(log(ratio[rows, ]), na.rm = TRUE)), 2)))
  table <- data.frame(sprintf(c("%d sets of numbers", "%d sets of classes", "all %d"), vapply(parts, sum, 0)), means)
  names(table) <- c(" ", names(learners))
  text <- sprintf(
    paste(
      "On %d of the %d sets `osvm(x, y)` is better than both, on %d more than 5 %% worse than the better one. Median",
      "times are %s (ours) and %s (the forest) processor seconds. The sets had no part in the choice of our defaults."
    ),
    sum(ratio[, 1] < 1), nrow(d), sum(ratio[, 1] > 1.05), fixed(stats::median(d$seconds), 1),
    fixed(stats::median(d$forest_seconds), 1)
  )
  c(as_rows(table, paste0("|---|", strrep("---:|", length(learners)))), "", strwrap(text, 125))
}
measurements <- rbind(classes(), numbers(), smo(), grid("eukaryotic"))

# The solvers in front are those that usual_solvers() has, one for each purpose; the others follow by name.
usual <- c(
  fit = "the default: the data are at hand", many_rows = "many rows, linear; the default of `kernel_linear()` beyond 10,000",
  shards_linear = "very many rows, linear, approximately; shards on several computers", live = "streams, with a kernel",
  live_linear = "streams, linear; a `budget` of support vectors with a kernel", active = "wrong labels, few labels, `forget()`"
)
front <- function() {
  all <- onlinesvm:::solver_markdown()
  names <- vapply(names(usual), function(purpose) onlinesvm:::default_solver(purpose)$name, "")
  stopifnot(identical(unname(names), onlinesvm:::usual_solvers()))
  at <- match(sprintf("`solver_%s()`", names), all$solver)
  table <- data.frame(
    solver = all$solver[at], "take it for" = usual, rule = all$rule[at], kernels = all$kernels[at],
    check.names = FALSE
  )
  others <- paste0("Others, from the papers or for comparison: ", toString(all$solver[-at]), ".")
  c(as_rows(table, "|---|---|---|---|"), "", strwrap(others, 125))
}
current <- between(lines, "solvers", front())
current <- between(current, "measurements", as_rows(measurements, "|---|---:|---:|---:|---|"))
current <- between(current, "tables", beside_trees())
same <- identical(current, lines)
if ("--check" %in% commandArgs(TRUE)) {
  if (!same) message("README.md: its tables are out of date; run make document.")
  cat(sprintf("readme: %d passed, %d failed\n", same, !same))
  quit(status = as.integer(!same))
}
if (!same) writeLines(current, "README.md")
