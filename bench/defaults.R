# osvm(x, y) without a choice beside e1071::svm(x, y) and kernlab::ksvm(x, y): test error and time.
#
# The rules of R/spec-defaults.R and R/learn-defaults.R (settings, sample size, threshold; one-vs-one) were chosen on the
# sets at odd places of the alphabetical list of bench/defaults/sets.R, by the same divisions as here, and the search of
# R/learn-search.R on part of the sets of bench/tables.R; those that are neither were not used.
source("bench/common.R")
source("bench/defaults/sets.R")
source("bench/defaults/parts.R")
suppressMessages(library(Matrix)) # methods for sparse matrices in e1071

# Divisions of a set: from `least` to `repeats`, no further ones where the standard error of both differences is below
# `precise` points, or after `patience` seconds. The rule looks at standard errors alone, never at who is better.
most <- as.integer(Sys.getenv("OSVM_MOST", "1000"))
repeats <- as.integer(Sys.getenv("OSVM_REPEATS", "30"))
least <- min(repeats, as.integer(Sys.getenv("OSVM_LEAST", "5")))
precise <- 0.1
patience <- as.numeric(Sys.getenv("OSVM_PATIENCE", "60"))
only <- Sys.getenv("OSVM_SETS") # "chosen", "held out", or names, as in "wine,waveform": a report without a table
kept <- Sys.getenv("OSVM_KEPT") # a file with the results of sets done before: a long run in parts, of OSVM_SECONDS each
limit <- as.numeric(Sys.getenv("OSVM_SECONDS", "Inf"))

fits <- list(
  ours = function(v) osvm(v$x, v$y, threads = 1, verbose = FALSE),
  e1071 = function(v) suppressWarnings(e1071::svm(v$x, v$y)),
  ksvm = function(v) suppressWarnings(kernlab::ksvm(as.matrix(v$x), v$y))
)
measure <- function(name, v) {
  time <- seconds(fit <- tryCatch(fits[[name]](v), error = function(e) NULL))
  if (is.null(fit)) {
    return(c(error = NA, seconds = NA))
  }
  test_x <- if (name == "ksvm") as.matrix(v$test_x) else v$test_x
  predicted <- if (name == "ksvm") kernlab::predict(fit, test_x) else predict(fit, test_x)
  c(error = error(predicted, v$test_y), seconds = time)
}
compare <- function(set) {
  set.seed(1)
  data <- tryCatch(makers[[set]](), error = function(e) NULL)
  if (is.null(data)) {
    message("Left out: ", set)
    return(NULL)
  }
  runs <- NULL
  size <- NULL
  started <- proc.time()[["elapsed"]]
  for (r in seq_len(repeats)) {
    set.seed(100 * r)
    v <- divide(data, most)
    size <- c(rows = nrow(v$x), test = nrow(v$test_x), features = ncol(v$x), classes = nlevels(v$y))
    runs <- rbind(runs, unlist(lapply(stats::setNames(names(fits), names(fits)), measure, v)))
    time <- proc.time()[["elapsed"]] - started
    enough <- r >= least && (max(errors_of(runs), na.rm = TRUE) < precise || time > patience)
    if (enough) break
  }
  mean <- colMeans(runs)
  message(set, ", ", nrow(runs), " divisions: ", paste(round(mean, 2), collapse = " "))
  data.frame(set, t(size), t(mean), t(errors_of(runs)), divisions = nrow(runs))
}
# Standard errors of the mean difference to each of the others, paired by division.
errors_of <- function(runs) {
  vapply(c(e1071.se = "e1071.error", ksvm.se = "ksvm.error"), function(other) {
    stats::sd(runs[, "ours.error"] - runs[, other]) / sqrt(nrow(runs))
  }, 0)
}

sets <- sort(names(makers), method = "radix")
part <- parts_of(sets)
named <- intersect(strsplit(only, ",")[[1]], sets)
if (length(named) > 0) sets <- named else if (nzchar(only)) sets <- sets[part == only]
done <- if (file.exists(kept)) readRDS(kept) else list()
for (set in setdiff(sets, names(done))) {
  if (proc.time()[["elapsed"]] > limit) quit(status = 2)
  done[set] <- list(compare(set))
  if (nzchar(kept)) saveRDS(done, kept)
}
results <- do.call(rbind, done[sets])
results$part <- parts_of(sort(names(makers), method = "radix"))[results$set]
rivals <- cbind(results$e1071.error, results$ksvm.error)
better <- max.col(-ifelse(is.na(rivals), Inf, rivals), "first")
results$difference <- results$ours.error - rivals[cbind(seq_len(nrow(rivals)), better)]
results$se <- ifelse(better == 1, results$e1071.se, results$ksvm.se)

show <- function(of) {
  d <- results[results$part == of, ]
  if (nrow(d) == 0) return(NULL)
  d <- d[order(-d$difference), ]
  times <- exp(mean(log(d$e1071.seconds / d$ours.seconds)))
  c(
    sprintf("## Sets %s", if (of == "chosen") "used to choose the rules" else "held out"), "",
    sprintf(
      paste(
        "Mean error: %.2f %% without a choice, e1071 %.2f %%, ksvm %.2f %%. %d of %d sets are more than half a point",
        "worse than the better of the two, %d of them by two standard errors. Geometric mean of e1071's time over ours:",
        "%.1f."
      ),
      mean(d$ours.error), mean(d$e1071.error), mean(d$ksvm.error, na.rm = TRUE), sum(d$difference > 0.5), nrow(d),
      sum(d$difference - 2 * d$se > 0.5), times
    ),
    table_md(data.frame(
      set = d$set, rows = d$rows, test = d$test, features = d$features, classes = d$classes, divisions = d$divisions,
      ours = d$ours.error, e1071 = d$e1071.error, ksvm = d$ksvm.error, difference = d$difference, se = d$se,
      "e1071 time / ours" = d$e1071.seconds / d$ours.seconds, check.names = FALSE
    ), digits = c(0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 1), row.names = FALSE)
  )
}
name <- paste0("defaults", if (most != 1000) paste0("-", most), if (length(named) > 0) "-some")
if (length(named) == 0) save_results(data.frame(
  results[c("set", "part", "rows", "features", "classes")], ours = results$ours.error, e1071 = results$e1071.error,
  ksvm = results$ksvm.error, ratio = results$e1071.seconds / results$ours.seconds, results["se"], results["divisions"]
), name, provenance("defaults"))
report(
  name, sprintf("osvm(x, y) without a choice: test error (%%), at most %s training rows", format(most, big.mark = ",")),
  "Means over random divisions; difference: ours less the better of the two others; se: its standard error, paired by",
  "division. Divisions of a small set have most examples in common: for other examples the standard error is larger.",
  "",
  show("held out"), show("chosen")
)
