# Runs tests/testthat against the installed package and counts expectations: Rscript tools/testthat.R [DIRECTORY [FILTER]]
# Several processes given the same DIRECTORY share the files: one takes a file by creating DIRECTORY/NAME, and leaves
# DIRECTORY/NAME.done at its end. FILTER is a regular expression on names without "test-".
arguments <- commandArgs(TRUE)
taken <- if (length(arguments) > 0) arguments[1] else tempfile("testthat")
filter <- if (length(arguments) > 1) arguments[2] else ""
options(testthat.summary.max_reports = 50)
dir.create(taken, recursive = TRUE, showWarnings = FALSE)

# Long files first, so that no process ends long after the others.
long <- c(
  "growth", "cells", "trial", "live", "stream", "conformance-damage", "conformance-edge", "conformance", "row",
  "stream-plot", "caret", "tune-core", "arguments", "stream-rows", "interrupt-ring", "interrupt", "damage",
  "spec-parameters", "plot", "source-csv", "tune-plot", "faults-files", "stream-kill", "native-fixtures", "layout",
  "tune-interrupt", "futures", "tune-check"
)
files <- sub("^test-(.*)[.]R$", "\\1", list.files("tests/testthat", "^test-.*[.]R$"))
files <- files[grepl(filter, files)]
files <- c(intersect(long, files), setdiff(files, long))

counts <- c(passed = 0, failed = 0, skipped = 0)
for (file in files) {
  name <- file.path(taken, paste0("test-", file))
  if (!dir.create(name, showWarnings = FALSE)) next
  seconds <- system.time(results <- as.data.frame(testthat::test_dir(
    "tests/testthat",
    filter = paste0("^", file, "$"), package = "onlinesvm", load_package = "installed",
    env = new.env(parent = globalenv()), # beside the package: tests see what users see, and helper-internal.R
    reporter = "summary", stop_on_failure = FALSE
  )))
  counts <- counts + c(sum(results$passed), sum(results$failed + results$error), sum(results$skipped))
  cat(sprintf("%s: %.1f s, %.1f s of processor time\n", file, seconds[["elapsed"]], sum(seconds[-3])))
  file.create(paste0(name, ".done"))
}
frameworks <- c("generics", "parsnip", "workflows", "tune", "dials", "mlr3", "butcher", "vetiver", "DALEX")
absent <- frameworks[!nzchar(vapply(frameworks, function(name) system.file(package = name), ""))]
if (length(absent) > 0) cat("\nNot installed, and their tests left out:", paste(absent, collapse = ", "), "\n")
cat(sprintf("\ntestthat: %d passed, %d failed", counts[["passed"]], counts[["failed"]]))
cat(if (counts[["skipped"]] > 0) sprintf(" (%d skipped)", counts[["skipped"]]), "\n", sep = "")
